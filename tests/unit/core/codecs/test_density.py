"""Knots and shares of the numbers inside a bin: spikes, cells, tails."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.core.codecs.density import law
from sdv_tabdar.core.codecs.values import Floats

MOST = 8192
_random = np.random.default_rng(0)
LAWS = {
    'even': _random.random(2_000),
    'bell': _random.normal(size=2_000),
    'heavy': _random.standard_cauchy(2_000),
    'lattice': _random.integers(0, 50, 2_000).astype(float),
    'heaped': np.where(_random.random(2_000) < 0.5, 1000.0, _random.integers(0, 9_999, 2_000)),
    'few': np.array([1.0, 2.0, 4.0]),
    'one': np.array([3.0]),
    'none': np.zeros(0),
    'equal': np.full(40, 7.0),
    'wide': np.array([-1.7e308, 0.0, 1.7e308]),
    'narrow': np.array([0.0, 5e-324, 1e-323] * 9),
}


def _law(values: Floats, *, is_tail: bool = False) -> tuple[Floats, Floats]:
    ordered = np.sort(values)
    low, high = (ordered[0], ordered[-1]) if len(ordered) else (0.0, 1.0)
    return law(ordered, low, high if high > low else low + 1, most=MOST, is_tail=is_tail)


def _held_out(values: Floats, learnt_of: Floats) -> float:
    """Mean log density of numbers under the law of others."""
    knots, shares = _law(learnt_of)
    step = 1e-3
    above, below = (np.interp(values + sign * step, knots, shares) for sign in (1, -1))
    return float(np.log((above - below).clip(min=1e-12) / (2 * step)).mean())


@pytest.mark.parametrize('name', LAWS)
@pytest.mark.parametrize('is_tail', [False, True])
def test_a_law_rises_from_0_to_1_between_its_ends(name: str, is_tail: bool) -> None:
    knots, shares = _law(LAWS[name], is_tail=is_tail)
    assert (shares[0], shares[-1]) == (0, 1)
    assert (np.diff(shares) > 0).all()
    assert (knots[1:] >= knots[:-1]).all()
    assert np.isfinite(knots).all()


def test_what_is_even_takes_two_knots() -> None:
    knots, _ = _law(LAWS['even'])
    assert len(knots) <= 8


def test_a_number_that_many_rows_have_is_a_spike_of_its_share() -> None:
    values = LAWS['heaped']
    knots, shares = _law(values)
    at = np.flatnonzero(knots == 1000)
    assert len(at) == 2
    assert np.diff(shares[at])[0] == pytest.approx((values == 1000).mean(), abs=0.01)


def test_a_grid_on_which_all_numbers_are_as_frequent_has_no_spikes() -> None:
    knots, _ = _law(LAWS['lattice'])
    assert len(knots) - len(np.unique(knots)) <= 3
    assert len(knots) <= 24


def test_no_number_of_few_rows_is_a_knot() -> None:
    for name in ('even', 'bell', 'heavy'):
        knots, _ = _law(LAWS[name])
        assert not set(knots[1:-1]) & set(LAWS[name])
    four = np.concatenate([_random.random(100), np.full(4, 0.5)])
    assert 0.5 not in _law(four)[0].tolist()


@pytest.mark.parametrize('name', ['even', 'bell', 'heavy'])
def test_other_rows_are_more_likely_than_under_every_few_quantiles(name: str) -> None:
    learnt, others = LAWS[name][:1_000], LAWS[name][1_000:]
    ordered = np.sort(learnt)
    knots = np.append(ordered[::8], ordered[-1])
    shares = np.linspace(0, 1, len(knots))
    near = others[(others > knots[0]) & (others < knots[-1])]
    above, below = (np.interp(near + sign * 1e-3, knots, shares) for sign in (1, -1))
    quantiles = float(np.log((above - below).clip(min=1e-12) / 2e-3).mean())
    assert _held_out(near, learnt) > quantiles


def test_a_tail_of_few_numbers_falls_towards_its_end() -> None:
    tail = np.sort(np.random.default_rng(3).exponential(size=39))
    knots, shares = law(tail[1:-1], tail[0], tail[-1], most=MOST, is_tail=True)
    densities = np.diff(shares) / np.diff(knots)
    assert densities[0] > 2 * densities[-1]


def test_an_end_close_behind_a_spike_is_not_lost() -> None:
    knots, shares = law(np.zeros(6), -39.0, 3.9e-14, most=256, is_tail=True)
    assert (knots[0], knots[-1]) == (-39.0, 3.9e-14)
    assert shares[-1] == 1
    assert (np.diff(shares) > 0).all()
