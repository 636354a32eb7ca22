"""Quantiles of atoms are atoms, those of bins follow the distribution within them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from sdv_tabdar.core.codecs.codec import Points, ResidualLaw
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.quantiles import Mixture
from sdv_tabdar.core.config import ModelConfig

NORMAL = ResidualLaw(
    lambda rows, codes, residuals: np.asarray(ndtr(residuals / 0.5)),
    lambda rows, codes, levels: np.asarray(0.5 * ndtri(levels)),
)
"""The law of the residuals of training rows."""


def _column(values: np.ndarray, **settings: int) -> NumericalCodec:
    return NumericalCodec.fit('x', pd.Series(values, name='x'), ModelConfig(**settings))


def test_quantiles_of_atoms_are_atoms() -> None:
    masses, shares = np.array([[0.2, 0.5, 0.3]]), np.array([0.1, 0.2, 0.5, 0.75, 1.0])
    mixture = Mixture(np.array([1.0, 5.0, 7.0]), (), masses, NORMAL)
    assert mixture.quantiles(shares, (1.0, 7.0)).tolist() == [[1.0, 1.0, 5.0, 7.0, 7.0]]


@pytest.mark.parametrize('spike', [0.0, 0.3])
def test_quantiles_of_bins_follow_the_distribution_of_the_residual(spike: float) -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random(20_000) < spike, 0.25, rng.normal(size=20_000))
    codec = _column(values)
    masses, shares = np.array(codec.column.counts)[None] / 20_000, np.linspace(0.001, 0.999, 15)
    found = codec.quantiles(masses, shares, NORMAL)
    assert found[0] == pytest.approx(np.quantile(values, shares), abs=0.06)


def test_the_distribution_function_rises_from_0_to_1() -> None:
    codec = _column(np.random.default_rng(1).normal(size=5_000), num_bins=8)
    masses = np.tile(np.array(codec.column.counts) / 5_000, (101, 1))
    mixture = Mixture(codec.atoms, codec.bins, masses, NORMAL)
    low, high = codec.limits
    found = mixture.cdf(np.linspace(low, high, 101))
    assert (np.diff(found) >= 0).all()
    assert found[[0, -1]] == pytest.approx([0, 1], abs=0.001)


@given(
    st.integers(0, 2**16),
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
    st.sampled_from([0.0, 0.3]),
    st.booleans(),
)
def test_a_quantile_is_where_the_distribution_function_first_reaches_a_share(
    seed: int, shares: list[float], spike: float, has_points: bool
) -> None:
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(3_000) < spike, 0.25, rng.normal(size=3_000))
    codec = _column(values, num_bins=int(rng.integers(1, 9)))
    low, high = codec.limits
    own = rng.uniform(low, high, size=4) if has_points else np.full(4, np.nan)
    laws = rng.dirichlet(np.ones(codec.column.num_codes + has_points), size=4)
    points = Points(own, laws[:, -1]) if has_points else None
    masses = laws[:, : codec.column.num_codes]
    mixture = Mixture(codec.atoms, codec.bins, masses, NORMAL, points)
    found = mixture.quantiles(np.array(shares), codec.limits)
    for place, share in enumerate(shares):
        at, near = found[:, place], 1e-6 * (high - low)
        assert (mixture.cdf(at + near) >= share - 1e-6).all()
        is_inside = at > low
        assert (mixture.cdf(at - near) <= share + 1e-6)[is_inside].all()


def test_a_row_may_have_a_number_of_its_own() -> None:
    codec = _column(np.random.default_rng(2).normal(size=5_000), num_bins=4)
    masses = np.tile(np.array(codec.column.counts) / 10_000, (2, 1))
    points = Points(np.array([0.3, np.nan]), np.array([0.5, 0.0]))
    mixture = Mixture(codec.atoms, codec.bins, masses * [[1], [2]], NORMAL, points)
    found = mixture.quantiles(np.array([0.25, 0.5, 0.75, 0.9]), codec.limits)
    assert (found[0, 1:3] == 0.3).all()
    assert found[0, [0, 3]] == pytest.approx([0.0, 0.842], abs=0.06)
    assert found[1] == pytest.approx([-0.674, 0.0, 0.674, 1.282], abs=0.06)
