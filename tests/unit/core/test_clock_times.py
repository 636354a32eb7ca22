"""A model of clock times answers in hhmm; under a budget it reads them as the numbers they are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.training.private import PrivateRows, PrivateSteps

KINDS = dict.fromkeys(('at', 'wait', 'then'), ColumnKind.NUMERICAL)
SMALL = ModelConfig(
    width=8, num_blocks=1, num_heads=2, head_width=8, denoiser_width=8, denoiser_blocks=1
)
TRAINING = TrainingConfig(epochs=1, batch_size=64, calibration=False)
STEPS = PrivateSteps(
    number=1,
    rate=0.5,
    noise_multiplier=0.01,
    expected_rows=6,
    learning_rate=0.01,
    pairs=1,
    ema_decay=0.9,
)


def _table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    at, wait = random.integers(300, 1300, 300), random.integers(0, 90, 300)
    clocks = [(minutes // 60 * 100 + minutes % 60).astype(float) for minutes in (at, at + wait)]
    return pd.DataFrame({'at': clocks[0], 'wait': wait.astype(float), 'then': clocks[1]})


@pytest.fixture(scope='module')
def fitted() -> TabDAR:
    model = TabDAR(SMALL, TRAINING, device='cpu', random_state=0)
    return model.fit(_table(), KINDS)


def test_answers_are_clock_times(fitted: TabDAR) -> None:
    assert fitted.clock_times == {'at', 'then'}
    at, wait, then = fitted.sample(200).to_numpy().T
    assert (np.concatenate([at, then]) % 100 < 60).all()
    later = at // 100 * 60 + at % 100 + np.rint(wait)
    np.testing.assert_array_equal(then, later // 60 * 100 + later % 60)
    assert fitted.limits('at') == (_table()['at'].min(), _table()['at'].max())
    assert fitted.nearest_numbers('at', np.array([1259.0, 1279.9])).tolist() == [1259, 1300]
    entries = [Interval(1150, 1210), None, Interval(1160, 1199), Members((1275,))]
    assert fitted.allows('at', entries).tolist() == [True, True, False, False]
    frame = pd.DataFrame({'at': [1159.0, 1275.0]})
    observed = np.ones((2, 1), dtype=bool)
    assert fitted.excluded(frame, observed)[:, 0].tolist() == [False, True]
    assert np.isneginf(fitted.log_density(frame, observed, 'at')).tolist() == [False, True]
    assert fitted.complete(frame).rows['at'].tolist() == [1159, 1275]
    by_column = fitted.log_likelihood(frame, by_column=True)
    assert np.isneginf(by_column[:, 0]).tolist() == [False, True]
    nothing = pd.DataFrame(index=pd.RangeIndex(2))
    quantiles = fitted.predict_quantiles(nothing, None, 'at', [0.2, 0.7]).to_numpy()
    assert (quantiles % 100 < 60).all()
    again = TabDAR.__new__(TabDAR)
    again.__setstate__(fitted.__getstate__())
    assert again.clock_times == {'at', 'then'}


def test_sums_settle_in_minutes(fitted: TabDAR) -> None:
    frame = pd.DataFrame({'at': [1155.0, 1275.0], 'wait': [7.0, 7.0], 'then': [1203.0, 1306.0]})
    known = np.array([[True, True, False], [True, True, False]])
    fitted.settle(frame, known, {})
    assert frame['then'].tolist() == [1202, 1306]
    assert frame['at'].tolist() == [1155, 1275]


def test_no_budget_pays_for_it() -> None:
    table = _table()
    config = dataclasses.replace(
        SMALL,
        numerical_head='bins',
        column_order='random',
        attention='bidirectional',
        max_crosses=0,
    )
    model = TabDAR(config, TRAINING, device='cpu', random_state=0)
    model.fit(table, KINDS, private=PrivateRows(table, STEPS, table.head(50)))
    assert not model.clock_times
