"""What never meets in training rows does not in drawn, conditioned and completed ones."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, NotNull, OneOf, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import fit_tiny

N = 600


def people() -> pd.DataFrame:
    random = np.random.default_rng(0)
    smoker = random.choice(['never', 'former', 'current'], N, p=[0.5, 0.3, 0.2])
    works = random.random(N) < 0.6
    end = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 900, N), 'D'))
    return pd.DataFrame(
        {
            'smoker': smoker,
            'a_day': np.where(smoker == 'current', random.integers(1, 40, N), 0),
            'stopped': pd.Series(random.uniform(1, 30, N).round(1)).mask(smoker != 'former'),
            'job': np.where(works, random.choice(['nurse', 'clerk', 'cook'], N), None),
            'wage': np.where(works, random.gamma(4, 600, N).round(2), 0.0),
            'left': end.mask(works),
        }
    )


def wrong(rows: pd.DataFrame) -> int:
    """Rows that contradict themselves."""
    works = rows['job'].notna()
    return int(
        (
            ((rows['a_day'] > 0) != (rows['smoker'] == 'current'))
            | (rows['stopped'].notna() != (rows['smoker'] == 'former'))
            | ((rows['wage'] > 0) != works)
            | (rows['left'].isna() != works)
        ).sum()
    )


def fitted(**settings: object) -> TabDARSynthesizer:
    kinds = {
        'smoker': {'sdtype': 'categorical'},
        'a_day': {'sdtype': 'numerical'},
        'stopped': {'sdtype': 'numerical'},
        'job': {'sdtype': 'categorical'},
        'wage': {'sdtype': 'numerical'},
        'left': {'sdtype': 'datetime'},
    }
    return fit_tiny(people(), kinds, **settings)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fitted()


def test_rows_and_conditions(synthesizer: TabDARSynthesizer) -> None:
    assert wrong(people()) == 0
    assert wrong(synthesizer.sample(1000)) == 0
    conditions = [
        Condition({'stopped': NotNull()}, num_rows=50),
        Condition({'left': NotNull(), 'smoker': OneOf(['never', 'current'])}, num_rows=50),
        Condition({'wage': Between(500, 2000), 'a_day': 0}, num_rows=50),
        Condition({'job': None}, num_rows=50),
        Condition({'a_day': 20}, num_rows=50),
    ]
    rows = synthesizer.sample_from_conditions(conditions)
    assert len(rows) == 250
    assert wrong(rows) == 0
    assert (rows['smoker'][:50] == 'former').all()
    assert rows['left'][50:100].notna().all()
    assert (rows['wage'][150:200] == 0).all()


@pytest.mark.parametrize('known', [['smoker', 'job'], ['a_day', 'left'], ['stopped', 'wage']])
def test_known_columns(synthesizer: TabDARSynthesizer, known: list[str]) -> None:
    rows = synthesizer.sample_remaining_columns(people()[known].head(200))
    assert wrong(rows) == 0


def test_known_cells_that_contradict_each_other_are_kept(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample_from_conditions(
        [Condition({'smoker': 'never', 'a_day': 20}, num_rows=20)]
    )
    assert (rows['smoker'] == 'never').all()
    assert (rows['a_day'] == 20).all()
    assert (rows['wage'].gt(0) == rows['job'].notna()).all()


@pytest.mark.parametrize('settings', [{}, {'num_samples': 1}, {'num_draws': 2}])
def test_gaps_that_are_rightly_there_stay_when_asked(
    synthesizer: TabDARSynthesizer, settings: dict[str, int]
) -> None:
    whole = people().head(200)
    gaps = whole.mask(np.random.default_rng(1).random(whole.shape) < 0.3)
    found = synthesizer.impute(gaps, keep_structural=True, **settings)
    for filled in found if 'num_draws' in settings else [found]:
        known = gaps['smoker'].notna() & gaps['stopped'].isna()
        assert (filled['stopped'].notna() == (filled['smoker'] == 'former'))[known].all()
        assert filled.loc[gaps['wage'] > 0, 'left'].isna().all()
        assert filled.loc[gaps['wage'] > 0, 'job'].notna().all()
        assert filled[['smoker', 'a_day', 'wage']].notna().all(axis=None)
        assert filled[gaps.notna()].equals(gaps)
    assert synthesizer.impute(gaps).notna().all(axis=None)


def test_predictions_agree_with_what_is_drawn(synthesizer: TabDARSynthesizer) -> None:
    rows = people().head(100)
    chances = synthesizer.predict_proba(rows[['stopped', 'wage']], 'smoker')
    has_stopped = rows['stopped'].notna()
    assert np.allclose(chances.loc[has_stopped, 'former'], 1)
    jobs = synthesizer.predict_proba(rows[['wage']], 'job')
    assert np.allclose(jobs.loc[rows['wage'] > 0, None], 0)
    assert np.allclose(jobs.loc[rows['wage'] == 0, None], 1)
    wages = synthesizer.predict_quantiles(rows[['job']], 'wage', quantiles=[0.01, 0.99])
    assert (wages[rows['job'].notna()] > 0).all(axis=None)


def test_rows_that_break_it_are_unlikely_but_can_be_compared(
    synthesizer: TabDARSynthesizer,
) -> None:
    rows = people()[lambda rows: rows['smoker'] == 'former'].head(50)
    logs = synthesizer.log_likelihood(rows, seed=0)
    broken = synthesizer.log_likelihood(rows.assign(smoker='never'), seed=0)
    assert np.isfinite(broken).all()
    assert (logs - broken).mean() > 3


def test_whether_they_stay_is_true_or_false(synthesizer: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match="'keep_structural' must be True or False, however: 'yes'"):
        synthesizer.impute(people(), keep_structural='yes')


def test_causal_attention_keeps_it_too() -> None:
    assert wrong(fitted(attention='causal').sample(500)) == 0


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    synthesizer.save_safe(tmp_path / 'people.tabdar')
    again = TabDARSynthesizer.load_safe(tmp_path / 'people.tabdar')
    assert wrong(again.sample(500)) == 0
    description = describe(tmp_path / 'people.tabdar')
    assert 'smoker' in dict(description.structural_zeros)['stopped']
    assert "which values of 'stopped' never meet some of [" in str(description)


def test_going_on_keeps_what_still_holds(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    synthesizer.save_safe(tmp_path / 'people.tabdar')
    again = TabDARSynthesizer.load_safe(tmp_path / 'people.tabdar')
    rows = people().head(200)
    rows.loc[rows.index[rows['smoker'] == 'never'][0], 'a_day'] = 3
    again.fit(rows, warm_start=True)
    drawn = again.sample(500)
    assert (drawn['stopped'].notna() == (drawn['smoker'] == 'former')).all()
    assert (drawn['wage'].gt(0) == drawn['job'].notna()).all()


def test_off_it_is_as_the_model_has_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert wrong(fitted(structural_zeros=False).sample(500)) > 100
    assert 'never meet' not in caplog.text
    with caplog.at_level(logging.INFO):
        fitted()
    assert "Some values of 'a_day', 'job'" in caplog.text
    assert 'never meet each other, and will not in drawn rows' in caplog.text
