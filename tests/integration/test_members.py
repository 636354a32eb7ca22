"""Several networks as one: rows, conditions, gaps, probabilities, files, warm starts, budgets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer

from .conftest import TINY

pytestmark = pytest.mark.filterwarnings('ignore:The table can be learnt')


@pytest.fixture(scope='module')
def people() -> pd.DataFrame:
    random = np.random.default_rng(0)
    kind = random.choice(['a', 'b', 'c'], 200)
    return pd.DataFrame(
        {
            'age': random.integers(18, 80, 200),
            'pay': np.where(kind == 'c', np.nan, random.lognormal(7, 0.5, 200).round(2)),
            'kind': kind,
            'year': random.choice([2020, 2021, 2022, 2023], 200),
        }
    )


@pytest.fixture(scope='module')
def described() -> Metadata:
    columns = {
        'age': {'sdtype': 'numerical'},
        'pay': {'sdtype': 'numerical'},
        'kind': {'sdtype': 'categorical'},
        'year': {'sdtype': 'categorical'},
    }
    return Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})


@pytest.fixture(scope='module')
def synthesizer(people: pd.DataFrame, described: Metadata) -> TabDARSynthesizer:
    found = TabDARSynthesizer(described, **TINY, num_members=3)
    found.fit(people)
    return found


def test_everything_is_answered(synthesizer: TabDARSynthesizer, people: pd.DataFrame) -> None:
    assert len(synthesizer.sample(50)) == 50
    known = Condition({'kind': 'b', 'pay': Between(900, 1500)}, num_rows=20)
    rows = synthesizer.sample_from_conditions([known])
    assert (rows['kind'] == 'b').all()
    assert rows['pay'].between(900, 1500).all()
    assert synthesizer.impute(people.assign(age=np.nan).head(20))['age'].notna().all()
    probabilities = synthesizer.predict_proba(people.head(20), 'kind')
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.isfinite(synthesizer.log_likelihood(people.head(20), 4)).all()


def test_a_file_has_all_of_them(
    synthesizer: TabDARSynthesizer, people: pd.DataFrame, tmp_path: Path
) -> None:
    synthesizer.save_safe(tmp_path / 'model.tabdar')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'model.tabdar')
    assert len(loaded._model.trained.network.members) == 3
    pd.testing.assert_frame_equal(loaded.sample(50, seed=1), synthesizer.sample(50, seed=1))
    loaded.fit(people, warm_start=True)
    assert len(loaded.sample(10)) == 10


def test_training_goes_on_from_a_checkpoint(
    people: pd.DataFrame, described: Metadata, tmp_path: Path
) -> None:
    settings = {**TINY, 'num_members': 2, 'epochs': 4, 'random_state': 3}
    whole = TabDARSynthesizer(described, **settings)
    whole.fit(people)
    interrupted = TabDARSynthesizer(described, **settings)
    reports: list[int] = []

    def stop(report: object) -> bool:
        reports.append(1)
        if len(reports) == 2:
            raise KeyError('the power fails')
        return False

    path = tmp_path / 'checkpoint'
    with pytest.raises(KeyError, match='power'):
        interrupted.fit(people, checkpoint_path=path, on_epoch_end=stop)
    again = TabDARSynthesizer(described, **settings)
    again.fit(people, checkpoint_path=path)
    pd.testing.assert_frame_equal(again.sample(30, seed=0), whole.sample(30, seed=0))


@pytest.mark.filterwarnings('ignore:The table is learnt under')
def test_a_budget_pays_for_all_of_them(people: pd.DataFrame, described: Metadata) -> None:
    private = TabDARSynthesizer(described, **TINY, num_members=2, epsilon=5.0)
    private.fit(people)
    assert private.spent_epsilon is not None
    assert private.spent_epsilon <= 5
    assert len(private.sample(10)) == 10
