"""Transformers and constraints that change after a fit are for the next one."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rdt.errors import InvalidConfigError
from rdt.transformers import LabelEncoder
from sdv.cag import Inequality
from sdv.errors import SamplingError
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files import ModelFileError

from ..conftest import fit_tiny

pytestmark = pytest.mark.filterwarnings('ignore::sdv.errors.RefitWarning', 'ignore:Replacing the')

N = 40
RANDOM = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        'low': RANDOM.integers(0, 9, N),
        'high': RANDOM.integers(10, 19, N),
        'level': RANDOM.choice(list('xyz'), N),
    }
)
OTHER = DATA.assign(low=DATA['low'] / 2 - 50, level=['u', 'v'] * (N // 2))
COLUMNS = {
    'low': {'sdtype': 'numerical'},
    'high': {'sdtype': 'numerical'},
    'level': {'sdtype': 'categorical'},
}

Action = Callable[[TabDARSynthesizer], object]
CHANGES: dict[str, Action] = {
    'preprocess': lambda synthesizer: synthesizer.preprocess(OTHER),
    'update': lambda synthesizer: synthesizer.update_transformers({'level': LabelEncoder()}),
    'constraints': lambda synthesizer: synthesizer.add_constraints([Inequality('low', 'high')]),
}
ANSWERS: dict[str, Action] = {
    'sample': lambda synthesizer: synthesizer.sample(3),
    'conditions': lambda synthesizer: synthesizer.sample_from_conditions([Condition({'low': 1})]),
    'impute': lambda synthesizer: synthesizer.impute(DATA[['low']].head(2)),
    'probabilities': lambda synthesizer: synthesizer.predict_proba(DATA.head(2), 'level'),
    'likelihood': lambda synthesizer: synthesizer.log_likelihood(DATA.head(2)),
}


@pytest.fixture(scope='module')
def fitted() -> TabDARSynthesizer:
    return fit_tiny(DATA, COLUMNS)


@pytest.mark.parametrize('change', CHANGES)
def test_what_was_fitted_no_longer_answers(
    fitted: TabDARSynthesizer, change: str, tmp_path: Path
) -> None:
    synthesizer = copy.deepcopy(fitted)
    CHANGES[change](synthesizer)
    pickled = pickle.loads(pickle.dumps(synthesizer))

    for answer in ANSWERS.values():
        with pytest.raises(SamplingError, match='have changed since it was fitted.*Call fit again'):
            answer(synthesizer)
    with pytest.raises(SamplingError, match='have changed since it was fitted'):
        pickled.sample(2)
    with pytest.raises(ModelFileError, match='cannot be saved safely.*changed since it was fitted'):
        synthesizer.save_safe(tmp_path / 'model.tabdar')
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('change', CHANGES)
def test_another_fit_answers(fitted: TabDARSynthesizer, change: str, tmp_path: Path) -> None:
    synthesizer = copy.deepcopy(fitted)
    CHANGES[change](synthesizer)
    synthesizer.fit(DATA)
    synthesizer.save_safe(tmp_path / 'model.tabdar')

    assert set(synthesizer.sample(20)['level']) <= set('xyz')


def test_preprocessed_data_are_fitted_again(fitted: TabDARSynthesizer) -> None:
    synthesizer = copy.deepcopy(fitted)
    synthesizer.fit_processed_data(synthesizer.preprocess(OTHER))

    rows = synthesizer.sample(20)
    assert set(rows['level']) <= {'u', 'v'}
    assert rows['low'].max() < 0


def test_a_table_may_be_looked_at_as_the_model_learns_it(fitted: TabDARSynthesizer) -> None:
    synthesizer = copy.deepcopy(fitted)
    before = synthesizer.sample(5, seed=1)
    synthesizer.preprocess(DATA)

    pd.testing.assert_frame_equal(synthesizer.sample(5, seed=1), before)


@pytest.mark.parametrize('method', ['auto_assign_transformers', 'validate'])
def test_what_changes_nothing_leaves_the_model(fitted: TabDARSynthesizer, method: str) -> None:
    synthesizer = copy.deepcopy(fitted)
    before = synthesizer.sample(5, seed=1)
    getattr(synthesizer, method)(OTHER)

    pd.testing.assert_frame_equal(synthesizer.sample(5, seed=1), before)


def test_a_refused_update_leaves_the_model(fitted: TabDARSynthesizer) -> None:
    synthesizer = copy.deepcopy(fitted)
    before = synthesizer.sample(5, seed=1)
    with pytest.raises(InvalidConfigError, match=r"\['nowhere'\].* are \[.*'level'"):
        synthesizer.update_transformers({'nowhere': None})

    pd.testing.assert_frame_equal(synthesizer.sample(5, seed=1), before)
