"""A fit that fails or is interrupted leaves the model that was there as it was."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sdv.cag import FixedCombinations, SingleTableProgrammableConstraint
from sdv.errors import InvalidDataError
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer

from ..conftest import TINY, fit_tiny, make_metadata

N = 120
RANDOM = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        'number': RANDOM.integers(0, 100, N),
        'share': RANDOM.random(N).round(2),
        'level': RANDOM.choice(list('abc'), N),
    }
)
COLUMNS: dict[str, dict[str, Any]] = {
    'number': {'sdtype': 'numerical'},
    'share': {'sdtype': 'numerical'},
    'level': {'sdtype': 'categorical'},
}

Broken = Callable[[pd.DataFrame], pd.DataFrame]
BROKEN: dict[str, Broken] = {
    'infinite numbers': lambda data: data.assign(share=np.inf),
    'a column is missing': lambda data: data.drop(columns='level'),
    'text for numbers': lambda data: data.assign(number='many'),
}


def check_unchanged(synthesizer: TabDARSynthesizer, rows: pd.DataFrame) -> None:
    """The synthesizer still is the one that drew ``rows`` first."""
    synthesizer.reset_sampling()
    pd.testing.assert_frame_equal(synthesizer.sample(len(rows)), rows)
    conditioned = synthesizer.sample_from_conditions([Condition({'level': 'a'}, num_rows=2)])
    assert list(conditioned['level']) == ['a', 'a']
    gaps = DATA.head(3).assign(level=[None, 'a', 'b'])
    assert synthesizer.impute(gaps)['level'].notna().all()
    assert len(synthesizer.get_loss_values()) == 1


@pytest.mark.parametrize('case', BROKEN)
@pytest.mark.parametrize('method', ['fit', 'preprocess', 'auto_assign_transformers', 'validate'])
def test_refused_data_leave_the_model(method: str, case: str) -> None:
    synthesizer = fit_tiny(DATA, COLUMNS)
    rows = synthesizer.sample(5)

    with pytest.raises(InvalidDataError):
        getattr(synthesizer, method)(BROKEN[case](DATA))
    check_unchanged(synthesizer, rows)


def test_no_rows_leave_the_model() -> None:
    synthesizer = fit_tiny(DATA, COLUMNS)
    rows = synthesizer.sample(5)

    with pytest.raises(InvalidDataError, match='has no rows'):
        synthesizer.fit(DATA.head(0))
    check_unchanged(synthesizer, rows)


class OnlyOnce(SingleTableProgrammableConstraint):
    """Fails in the middle of any fit after the first."""

    fails = False

    def get_updated_metadata(self, metadata: Any) -> Any:
        return metadata

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        if self.fails:
            raise RuntimeError('no more')
        return data

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        return transformed_data

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        return pd.Series(True, index=synthetic_data.index)


def test_an_error_in_the_middle_leaves_the_model() -> None:
    constraint = OnlyOnce()
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    synthesizer.add_constraints([constraint])
    synthesizer.fit(DATA)
    rows = synthesizer.sample(5)

    OnlyOnce.fails = True
    try:
        with pytest.raises(RuntimeError, match='no more'):
            synthesizer.fit(DATA.assign(number=DATA['number'] + 1000))
    finally:
        OnlyOnce.fails = False
    check_unchanged(synthesizer, rows)


def test_refused_processed_data_leave_the_model() -> None:
    synthesizer = fit_tiny(DATA, COLUMNS)
    rows = synthesizer.sample(5)
    processed = pd.DataFrame({'share': [np.inf], 'number': [1.0], 'level': ['a']})

    with pytest.raises(ValueError, match='infinite'):
        synthesizer.fit_processed_data(processed)
    check_unchanged(synthesizer, rows)


def test_other_data_can_be_validated_without_learning_their_combinations() -> None:
    """SDV fits the constraints anew on whatever it validates."""
    data = DATA.assign(group=DATA['level'].str.upper())
    columns = {**COLUMNS, 'group': {'sdtype': 'categorical'}}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints([FixedCombinations(['level', 'group'])])
    synthesizer.fit(data)
    rows = synthesizer.sample(20)

    synthesizer.validate(data.assign(group='A'))
    check_unchanged(synthesizer, rows)


@pytest.mark.filterwarnings('ignore::pytest.PytestUnraisableExceptionWarning')
@pytest.mark.skipif(not hasattr(signal, 'setitimer'), reason='needs a timer of the system')
def test_an_interrupted_training_leaves_the_model() -> None:
    """As with Ctrl-C: the first fit is short, the second would take minutes."""
    synthesizer = fit_tiny(DATA, COLUMNS)
    rows = synthesizer.sample(5)
    synthesizer.epochs = 100_000

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1, 5)  # again if Python was busy with what it ignores
        with pytest.raises(KeyboardInterrupt):
            synthesizer.fit(DATA.assign(number=DATA['number'] + 1000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    check_unchanged(synthesizer, rows)


def test_fits_in_threads_are_as_fits_alone() -> None:
    """Four at a time, three times over, with one seed; the global states stay as they were."""
    state, numpy_state, python_state = (
        torch.get_rng_state(),
        np.random.get_state(),
        random.getstate(),
    )
    alone = fit_tiny(DATA, COLUMNS).sample(10)
    synthesizers = [TabDARSynthesizer(make_metadata(COLUMNS), **TINY) for _ in range(12)]

    def fitted(synthesizer: TabDARSynthesizer, start: threading.Barrier) -> pd.DataFrame:
        start.wait()
        synthesizer.fit(DATA)
        return synthesizer.sample(10)

    rows = []
    try:
        with ThreadPoolExecutor(4) as pool:
            for first in range(0, 12, 4):
                start = threading.Barrier(4)
                tasks = [
                    pool.submit(fitted, synthesizer, start)
                    for synthesizer in synthesizers[first : first + 4]
                ]
                rows += [task.result() for task in tasks]
        assert torch.equal(torch.get_rng_state(), state)
        assert np.array_equal(np.random.get_state()[1], numpy_state[1])
        assert random.getstate() == python_state
    finally:
        torch.set_rng_state(state)
        np.random.set_state(numpy_state)
        random.setstate(python_state)
    for found in rows:
        pd.testing.assert_frame_equal(found, alone)
