"""Levels that say in which range a number is in all training rows do so in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import Between, OneOf, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 500
COLUMNS: dict[str, dict[str, Any]] = {
    'bracket': {'sdtype': 'categorical'},
    'income': {'sdtype': 'numerical'},
    'tax': {'sdtype': 'numerical'},
    'class': {'sdtype': 'numerical'},
    'age': {'sdtype': 'numerical'},
    'adult': {'sdtype': 'boolean'},
    'place': {'sdtype': 'categorical'},
}


def people(num_rows: int = N) -> pd.DataFrame:
    """Incomes with a bracket, a tax and a class of it, ages with what they say."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'income': random.lognormal(7, 0.6, num_rows).round(2)})
    edges = [0, 800, 1500, 1e9]
    frame.insert(0, 'bracket', pd.cut(frame['income'], edges, labels=['low', 'mid', 'high']))
    frame['bracket'] = frame['bracket'].astype(object)
    frame['tax'] = (0.19 * frame['income']).round(2)
    frame['class'] = np.digitize(frame['income'], [500, 1000, 2000])
    frame['age'] = random.normal(30, 12, num_rows).round(2)
    frame['adult'] = frame['age'] >= 18
    frame['place'] = random.choice(['a', 'b'], num_rows)
    frame.loc[::11, 'bracket'] = None
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a level is not that of the number, as far as can be seen."""
    income = rows['income'].astype(float)
    bracket = pd.cut(income, [0, 800, 1500, 1e9], labels=['low', 'mid', 'high']).astype(object)
    found = (bracket != rows['bracket']) & rows['bracket'].notna()
    found |= np.digitize(income, [500, 1000, 2000]) != rows['class'].astype(float)
    found |= (rows['age'].astype(float) >= 18) != rows['adult'].astype(bool)
    return int((found | ((0.19 * income - rows['tax']).abs() > 0.00501)).sum())


KEPT = Kept(COLUMNS, people, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(600)
    assert broken(rows) == 0
    assert rows.dtypes.equals(people().dtypes)
    assert rows['bracket'].isna().any()


@pytest.mark.parametrize(
    'given',
    [
        {'bracket': 'high'},
        {'bracket': OneOf(['low', 'high']), 'adult': True},
        {'class': 2},
        {'income': 900.5},
        {'age': Between(10, 17)},
        {'bracket': 'mid', 'class': 1},
        {'tax': 250.04},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


def test_remaining_columns(synthesizer: TabDARSynthesizer) -> None:
    known = people()[['adult', 'class', 'place']].head(100)
    rows = synthesizer.sample_remaining_columns(known)
    assert broken(rows) == 0
    assert rows[[*known]].equals(known)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize('hidden', [['bracket', 'adult'], ['income', 'tax'], ['age', 'class']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_probabilities_know_the_number(synthesizer: TabDARSynthesizer) -> None:
    rows = people().head(50)
    found = synthesizer.predict_proba(rows, 'adult')
    assert (found.idxmax(axis=1).to_numpy() == rows['adult'].to_numpy()).all()
    assert (found.max(axis=1) == 1).all()


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert ('adult', "ranges of 'age'") in found.told_by_numbers
    assert "that 'bracket' follows from ranges of 'income'" in str(found)


def test_a_fit_tells_it() -> None:
    line = "'class' follows from ranges of 'income' in all rows, and will in drawn ones."
    assert line in KEPT.logged


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), people()
    others.loc[others['age'].idxmax(), 'adult'] = False
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    assert broken(rows.assign(adult=rows['age'] >= 18)) == 0
    assert broken(rows) > 0


def test_the_switch_turns_it_off() -> None:
    assert broken(KEPT.fitted(dependencies=False).sample(300)) > 0


def test_protected_rows_have_them() -> None:
    assert broken(KEPT.fitted(protect_values=True).sample(300)) == 0


def test_from_files(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)
