"""Which numbers are found to be tied to each other."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs import copulas
from sdv_tabdar.core.codecs.copulas import find_copula
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.tied_columns import Copula

N = 2_000


def found(frame: pd.DataFrame) -> Copula | None:
    kinds = {
        name: ColumnKind.NUMERICAL if frame[name].dtype != object else ColumnKind.CATEGORICAL
        for name in frame
    }
    encoder = TableEncoder.fit(frame, kinds, ModelConfig())
    return find_copula(encoder.encode_all(frame), encoder.schema)


def names(frame: pd.DataFrame) -> list[str]:
    copula = found(frame)
    return [] if copula is None else [frame.columns[at] for at in copula.positions]


@pytest.fixture
def gauges() -> pd.DataFrame:
    """Two gauges of one thing, what is nearly its square, and columns of their own."""
    random = np.random.default_rng(0)
    size = np.exp(random.normal(size=N))
    return pd.DataFrame(
        {
            'alone': random.normal(size=N),
            'first': size,
            'kind': random.choice(['a', 'b'], N),
            'second': size * np.exp(0.01 * random.normal(size=N)),
            'square': size**2 * np.exp(0.03 * random.normal(size=N)),
        }
    )


def test_numbers_that_nearly_follow_are_tied(gauges: pd.DataFrame) -> None:
    assert names(gauges) == ['first', 'second', 'square']


def test_falling_ones_are_tied_too(gauges: pd.DataFrame) -> None:
    copula = found(gauges.assign(second=-gauges['second']))
    assert copula is not None
    assert copula.correlations[0][1] < -0.99


def test_loose_dependence_is_left_to_the_network(gauges: pd.DataFrame) -> None:
    noise = np.random.default_rng(1).normal(size=(N, 2))
    loose = gauges.assign(
        second=gauges['first'] * np.exp(0.5 * noise[:, 0]),
        square=gauges['first'] * np.exp(0.5 * noise[:, 1]),
    )
    assert found(loose) is None


def test_a_number_that_several_tell_together_is_tied() -> None:
    parts = np.random.default_rng(0).normal(size=(N, 3))
    near = parts.sum(axis=1) + 0.02 * np.random.default_rng(1).normal(size=N)
    assert names(pd.DataFrame({'x': parts[:, 0], 'y': parts[:, 1], 'z': parts[:, 2], 'sum': near}))


def test_missing_cells_do_not_matter(gauges: pd.DataFrame) -> None:
    holes = gauges.copy()
    holes.loc[::3, 'second'] = np.nan
    copula = found(holes)
    assert copula is not None
    assert names(holes) == ['first', 'second', 'square']
    assert copula.correlations[0][1] > 0.99


@pytest.mark.parametrize(
    'change',
    [
        lambda frame: frame.head(50),
        lambda frame: frame[['first']],
        lambda frame: frame.assign(first=1.0, second=2.0, square=np.nan),
        lambda frame: frame.assign(first=frame['first'].round(), second=1.0, square=np.nan),
    ],
)
def test_where_there_is_nothing_to_tie_there_is_none(gauges: pd.DataFrame, change: object) -> None:
    assert callable(change)
    assert found(change(gauges)) is None


def test_what_follows_exactly_is_an_echo_and_not_tied(gauges: pd.DataFrame) -> None:
    copies = gauges.assign(second=gauges['first'].mask(np.arange(N) % 3 == 0, gauges['second']))
    assert 'second' not in names(copies)


def test_what_is_no_echo_is_tied_beside_those_that_are(gauges: pd.DataFrame) -> None:
    same = np.random.default_rng(1).random(N) < 0.4
    copula = found(gauges.assign(second=gauges['second'].where(~same, gauges['first'])))
    assert copula is not None
    assert copula.positions == (1, 3, 4)


def test_gaps_in_different_rows_do_not_hide_it(gauges: pd.DataFrame) -> None:
    random, frame = np.random.default_rng(1), gauges.copy()
    for name in frame.columns.drop('kind'):
        frame[name] = frame[name].mask(random.random(N) < 0.3)
    assert names(frame) == ['first', 'second', 'square']


def test_more_columns_than_samples_are_no_reason_to_tie_them() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(120, 100)), columns=[f'c{at}' for at in range(100)])
    assert found(frame) is None


def test_at_most_so_many_are_tied(monkeypatch: pytest.MonkeyPatch, gauges: pd.DataFrame) -> None:
    monkeypatch.setattr(copulas, 'MOST_COLUMNS', 2)
    assert names(gauges) == ['first', 'second']


def test_the_law_fits_rows_that_were_not_seen(gauges: pd.DataFrame) -> None:
    copula = found(gauges)
    assert copula is not None
    correlations = torch.tensor(copula.correlations, dtype=torch.float64)
    assert torch.linalg.eigvalsh(correlations)[0] > 0
    assert all(0.5 < scale < 2 for scale in copula.scales)
    assert all(sum(own) == pytest.approx(1) for own in copula.weights)
    assert all(own[0] > 0.5 for own in copula.weights)


def test_it_survives_being_saved(gauges: pd.DataFrame) -> None:
    copula = found(gauges)
    assert copula is not None
    assert Copula.from_state(json.loads(json.dumps(copula.to_state()))) == copula


def test_few_rows_leave_more_to_it() -> None:
    assert copulas._reach(100) > copulas._reach(1_000) > copulas._reach(10_000)
    assert copulas._reach(10_000) == copulas._reach(10**9)
