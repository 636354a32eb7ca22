"""Parts that make the same number in all training rows do so in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, FixedSum, OneOf, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 300
SOIL = ['sand', 'silt', 'clay']
DAY = ['sleep', 'work', 'rest', 'play']
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'numerical'} for name in (*SOIL, *DAY)},
    'kind': {'sdtype': 'categorical'},
}


def soils(num_rows: int = N) -> pd.DataFrame:
    """Three percentages of one decimal, and whole hours of which one is sometimes missing."""
    random = np.random.default_rng(0)
    weights = random.dirichlet([4, 2, 1], num_rows).round(3) * 100
    frame = pd.DataFrame(weights.round(1), columns=SOIL)
    frame['clay'] = (100 - frame['sand'] - frame['silt']).round(1).clip(lower=0)
    frame['sand'] = (100 - frame['clay'] - frame['silt']).round(1)
    hours = [random.multinomial(24, random.dirichlet([8, 6, 2, 1])) for _ in range(num_rows)]
    frame[DAY] = np.array(hours)
    frame['play'] = frame['play'].astype('Int64')
    frame.loc[::9, 'play'] = pd.NA
    frame['kind'] = np.where(frame['sand'] > 60, 'light', 'heavy')
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows without a gap the parts make another number, as far as can be seen."""
    numbers = rows.drop(columns='kind', errors='ignore').astype('float64')
    soil = (numbers[SOIL].sum(axis=1, skipna=False) - 100).abs() > 1e-7
    return int((soil | ((numbers[DAY].sum(axis=1, skipna=False) - 24).abs() > 0)).sum())


KEPT = Kept(COLUMNS, soils, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_make_it_in_their_digits(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(500)
    assert broken(rows) == 0
    assert rows.dtypes.equals(soils().dtypes)
    assert rows['play'].isna().any()
    assert (rows[SOIL].round(1) == rows[SOIL]).all(axis=None)
    assert (rows[[*SOIL, 'sleep', 'work', 'rest']] >= 0).all(axis=None)


@pytest.mark.parametrize(
    'given',
    [
        {'sand': 50.5},
        {'sand': 20.0, 'silt': 70.0},
        {'sleep': 8, 'work': 9, 'rest': 3},
        {'sand': Between(30, 40), 'clay': Between(10, 20)},
        {'silt': OneOf([10.5, 30.0]), 'play': 1},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


def test_remaining_columns(synthesizer: TabDARSynthesizer) -> None:
    known = soils()[['clay', 'sleep', 'kind']].head(100)
    rows = synthesizer.sample_remaining_columns(known)
    assert broken(rows) == 0
    assert rows[[*known]].equals(known)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize('hidden', [['sand'], ['silt', 'clay'], ['work', 'play'], [*SOIL, *DAY]])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    filled, data = KEPT.check_gaps(synthesizer, hidden, num_samples)
    if len(hidden) == 1:  # which says what it was
        assert np.allclose(filled[hidden], data[hidden])


def test_what_is_left_may_be_more_than_ever_before(synthesizer: TabDARSynthesizer) -> None:
    assert soils()['sleep'].max() < 24
    given = {'work': 0, 'rest': 0, 'play': 0}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=20)])
    assert (rows['sleep'] == 24).all()
    gaps = pd.DataFrame({**given, 'sleep': [None] * 9, 'kind': 'light'})
    for num_samples in (1, 3):
        assert (synthesizer.impute(gaps, num_samples=num_samples)['sleep'] == 24).all()


def test_what_makes_more_stays(synthesizer: TabDARSynthesizer) -> None:
    given = {'sand': 60.0, 'silt': 55.0}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=20)])
    assert (rows[[*given]] == list(given.values())).all(axis=None)
    assert (rows['clay'] <= soils()['clay'].min()).all()


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert found.constant_sums == [(SOIL, 100.0), (DAY, 24.0)]
    assert "that 'sand', 'silt' and 'clay' make 100" in str(found)


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), soils()
    others.loc[0, 'rest'] += 1
    others.loc[1, 'rest'] += 1
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    assert np.allclose(rows[SOIL].sum(axis=1), 100)
    assert broken(rows) > 30


def test_beside_a_constraint_that_says_the_same() -> None:
    synthesizer = KEPT.fitted(constraints=[FixedSum(SOIL, total=100)])
    assert broken(synthesizer.sample(100)) == 0
    rows = synthesizer.sample_from_conditions([Condition({'sand': 33.3}, num_rows=20)])
    assert (rows['sand'] == 33.3).all()
    assert broken(rows) == 0


def test_a_table_in_files(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)


def test_the_log_tells_what_is_kept_and_nothing_is_advised() -> None:
    told = "'sand', 'silt' and 'clay' make 100 in all rows, and will in drawn ones."
    assert told in KEPT.logged


@pytest.mark.parametrize('settings', [{'sums': False}, {'column_order': 'fixed'}], ids=str)
def test_off_it_is_advised_and_not_kept(settings: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="'sand' and 'silt' and 'clay' make 100 in all rows"):
        synthesizer = KEPT.fitted(**settings)
    assert broken(synthesizer.sample(300)) > 100
