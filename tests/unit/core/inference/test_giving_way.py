"""Which number of a product gives way, and what goes with a date that does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.inference.carried import carried, carry
from sdv_tabdar.core.inference.giving_way import FIRST, RESULT, SECOND, giving_way
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.tied_columns import Copula, Differences, Gap

DAY, HOUR = 8.64e13, 3.6e12
N = 400


def dates(*, copied: bool) -> pd.DataFrame:
    """Days between two dates, the later of which may be another one in many rows."""
    random = np.random.default_rng(0)
    first = random.integers(18_000, 19_000, N) * DAY
    days = random.integers(0, 40, N).astype(float)
    frame = pd.DataFrame({'first': first, 'days': days, 'last': first + days * DAY})
    if copied:
        others = random.integers(18_000, 19_000, N) * DAY
        frame['source'] = np.where(random.random(N) < 0.5, frame['last'], others)
        frame = frame[['source', 'first', 'days', 'last']]
    return frame


def fitted(frame: pd.DataFrame) -> TableEncoder:
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    return TableEncoder.fit(frame, kinds, ModelConfig(num_bins=8))


def named(encoder: TableEncoder) -> list[tuple[str, int]]:
    return [(encoder.schema.names[one.result], place) for one, place in giving_way(encoder)]


def test_a_date_gives_way_to_the_days_between() -> None:
    assert named(fitted(dates(copied=False))) == [('days', FIRST)]


def test_the_other_date_gives_way_where_one_often_is_a_third() -> None:
    encoder = fitted(dates(copied=True))
    assert [encoder.schema.names[echo.position] for echo in encoder.echoes] == ['last']
    assert named(encoder) == [('days', SECOND)]


def test_an_amount_is_made_by_its_factors() -> None:
    random = np.random.default_rng(0)
    price, quantity = random.gamma(3, 20, N).round(2), random.integers(1, 30, N).astype(float)
    cells = {'price': price, 'quantity': quantity, 'amount': (price * quantity).round(2)}
    assert named(fitted(pd.DataFrame(cells))) == [('amount', RESULT)]


def gap(first: int, second: int, gain: float) -> Gap:
    law = Differences(pieces=((0.0, 1.0),), shares=(1.0,), rest=0.01)
    return Gap(first, second, ((0.0, 0.0), (0.0, 0.0)), law, gain)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> TableEncoder:
    """Dates of which each is nearest to the one before."""
    frame = pd.DataFrame(np.random.default_rng(0).random((N, 4)) * 900 * DAY, columns=[*'abcd'])
    found = fitted(frame)
    gaps = gap(0, 1, 5.0), gap(1, 2, 4.0), gap(0, 2, 3.0), gap(2, 3, 2.0)
    object.__setattr__(found.schema, 'gaps', gaps)
    return found


def test_what_is_nearest_to_a_date_goes_with_it_and_so_on(encoder: TableEncoder) -> None:
    assert carried(encoder, {1}, ()) == {0: 1, 2: 1, 3: 1}
    assert carried(encoder, {0}, {1}) == {}
    assert carried(encoder, {3}, ()) == {}, 'nearer to others'


def test_what_the_copula_ties_more_closely_is_nearer(encoder: TableEncoder) -> None:
    correlations = (1.0, 0.5, 0.9), (0.5, 1.0, 0.2), (0.9, 0.2, 1.0)
    copula = Copula((0, 1, 2), correlations, (1.0,) * 3, ((0.75, 0.2, 0.05),) * 3, 0.05)
    object.__setattr__(encoder.schema, 'copula', copula)
    assert carried(encoder, {1}, ()) == {}
    assert carried(encoder, {0}, ()) == {1: 0, 2: 0, 3: 0}


def test_it_moves_where_it_may(encoder: TableEncoder) -> None:
    low, high = encoder.codecs[2].limits
    frame = pd.DataFrame({'c': [low, (low + high) / 2, high, (low + high) / 2, np.nan]})
    before = frame['c'].to_numpy(copy=True)
    free = np.ones((5, 4), dtype=bool)
    free[3] = False
    carry(encoder, frame, {2: np.full(5, 2 * HOUR)}, free, {}, None)
    expected = before + np.array([2, 2, 0, 0, 0]) * HOUR
    np.testing.assert_array_equal(frame['c'], expected)
