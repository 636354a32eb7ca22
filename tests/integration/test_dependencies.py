"""Levels that follow from others in all training rows do so in what comes out."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar import OneOf, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import TINY

N = 500


def loans() -> pd.DataFrame:
    random = np.random.default_rng(0)
    sub = pd.Series(random.choice([f'{grade}{step}' for grade in 'ABCD' for step in '123'], N))
    rate = sub.map({level: 5 + 0.5 * place for place, level in enumerate(sorted(set(sub)))})
    return pd.DataFrame(
        {'grade': sub.str[0], 'amount': random.gamma(2, 900, N), 'sub_grade': sub, 'rate': rate}
    )


def fitted(**settings: object) -> TabDARSynthesizer:
    columns = {
        name: {'sdtype': 'numerical' if name in ('amount', 'rate') else 'categorical'}
        for name in loans()
    }
    metadata = Metadata.load_from_dict({'tables': {'loans': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY, **settings)
    synthesizer.fit(loans())
    return synthesizer


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fitted()


def wrong(rows: pd.DataFrame) -> int:
    pairs = loans()[['grade', 'sub_grade', 'rate']].drop_duplicates()
    known = rows.merge(pairs, how='left', indicator=True)
    return int((known['_merge'] != 'both').sum())


def test_rows_conditions_and_gaps(synthesizer: TabDARSynthesizer) -> None:
    assert wrong(synthesizer.sample(500)) == 0
    asked = Condition({'grade': OneOf(['B', 'C'])}, num_rows=100)
    rows = synthesizer.sample_from_conditions([asked, Condition({'rate': 5.5}, num_rows=50)])
    assert wrong(rows) == 0
    assert rows['grade'][:100].isin(['B', 'C']).all()
    assert (rows['sub_grade'][100:] == 'A2').all()
    gaps = loans().mask(np.random.default_rng(1).random((N, 4)) < 0.5)
    filled = synthesizer.impute(gaps)
    assert wrong(filled) == 0
    assert filled[gaps.notna()].equals(gaps)


def test_predictions_agree_with_what_is_drawn(synthesizer: TabDARSynthesizer) -> None:
    rows = loans().head(60)
    grades = synthesizer.predict_proba(rows[['sub_grade']], 'grade')
    assert np.allclose(
        [chance[own] for (_, chance), own in zip(grades.iterrows(), rows['grade'], strict=True)], 1
    )
    steps = synthesizer.predict_proba(rows[['grade', 'amount']], 'sub_grade')
    for (_, chances), grade in zip(steps.iterrows(), rows['grade'], strict=True):
        assert np.isclose(chances[[level[0] == grade for level in chances.index]].sum(), 1)
    rates = synthesizer.predict_quantiles(rows[['sub_grade']], 'rate', quantiles=[0.1, 0.9])
    assert (rates.eq(rows['rate'], axis=0)).all(axis=None)


def test_a_level_that_follows_costs_nearly_nothing(synthesizer: TabDARSynthesizer) -> None:
    kept = synthesizer.log_likelihood(loans(), by_column=True, seed=0)
    assert kept.sum(axis=1).mean() > -13  # a sub-grade of twelve, and an amount
    wrong_grade = loans().assign(
        grade=lambda rows: rows['grade'].map(dict(zip('ABCD', 'BCDA', strict=True)))
    )
    broken = synthesizer.log_likelihood(wrong_grade, seed=0)
    assert np.isfinite(broken).all()
    assert (kept.sum(axis=1) - broken).mean() > 5


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    synthesizer.save_safe(tmp_path / 'loans.tabdar')
    again = TabDARSynthesizer.load_safe(tmp_path / 'loans.tabdar')
    assert wrong(again.sample(500)) == 0
    assert "that 'grade' follows from 12 levels of 'sub_grade'" in str(
        describe(tmp_path / 'loans.tabdar')
    )


def test_off_it_is_as_the_model_has_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        fitted()
    assert "'grade' follows from 'sub_grade'" in caplog.text
    assert wrong(fitted(dependencies=False, structural_zeros=False).sample(500)) > 50
