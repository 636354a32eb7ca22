"""What follows from a part of a date in all training rows does so in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, OneOf, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 600
COLUMNS: dict[str, dict[str, Any]] = {
    'weekday': {'sdtype': 'categorical'},
    'born': {'sdtype': 'datetime'},
    'visit': {'sdtype': 'datetime'},
    'year': {'sdtype': 'numerical'},
    'month': {'sdtype': 'numerical'},
    'weekend': {'sdtype': 'categorical'},
    'shift': {'sdtype': 'categorical'},
    'price': {'sdtype': 'numerical'},
}


def visits(num_rows: int = N) -> pd.DataFrame:
    """Dates of birth with their year and month, times of visits with what follows from them."""
    random = np.random.default_rng(0)
    born = pd.Timestamp('1940-01-01') + pd.to_timedelta(random.integers(0, 21_900, num_rows), 'D')
    minutes = random.integers(0, 2 * 365 * 96, num_rows) * 15
    visit = pd.Timestamp('2022-01-01') + pd.to_timedelta(minutes, 'min')
    frame = pd.DataFrame({'weekday': visit.day_name(), 'born': born, 'visit': visit})
    frame['year'], frame['month'] = born.year, born.month
    frame['weekend'] = np.where(visit.weekday > 4, 'yes', 'no')
    frame['shift'] = np.where(visit.hour < 8, 'night', 'day')
    frame['price'] = (random.gamma(4, 10, num_rows) * np.where(visit.weekday > 4, 3, 1)).round(2)
    frame.loc[::9, 'weekday'] = None
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a part is not that of the date, as far as can be seen."""
    born, visit = pd.DatetimeIndex(rows['born']), pd.DatetimeIndex(rows['visit'])
    is_other = (born.year != rows['year']) | (born.month != rows['month'])
    is_other |= (visit.day_name() != rows['weekday']) & rows['weekday'].notna()
    is_other |= np.where(visit.weekday > 4, 'yes', 'no') != rows['weekend']
    return int((is_other | (np.where(visit.hour < 8, 'night', 'day') != rows['shift'])).sum())


KEPT = Kept(COLUMNS, visits, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_have_them(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(500)
    assert broken(rows) == 0
    assert rows['weekday'].isna().any()
    assert rows.dtypes.equals(visits().dtypes)
    assert (rows['visit'].dt.minute % 15 == 0).all()
    assert (rows['born'].dt.normalize() == rows['born']).all()
    first_of_month = (rows['born'].dt.day == 1).mean()
    assert first_of_month < 0.15  # dates move into a month, and not to its ends


@pytest.mark.parametrize(
    'given',
    [
        {'weekday': 'Sunday'},
        {'weekend': 'yes', 'shift': 'night'},
        {'year': 1967, 'month': 2},
        {'year': Between(1950, 1953)},
        {'born': pd.Timestamp('1944-02-29')},
        {'visit': pd.Timestamp('2023-07-02 09:45')},
        {'weekday': OneOf(['Monday', 'Tuesday']), 'shift': 'day'},
        {
            'visit': Between(pd.Timestamp('2022-05-02'), pd.Timestamp('2022-05-09')),
            'weekday': 'Friday',
        },
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=30)])
    for name, cell in given.items():
        if isinstance(cell, OneOf):
            assert rows[name].isin(cell.values).all()
        elif not isinstance(cell, Between):
            assert (rows[name] == cell).all()


def test_cells_that_contradict_each_other_stay(synthesizer: TabDARSynthesizer) -> None:
    given = {'visit': pd.Timestamp('2023-07-02 09:45'), 'weekend': 'no'}  # a Sunday
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=20)])
    assert (rows[[*given]] == [*given.values()]).all(axis=None)
    assert (rows['weekday'].dropna() == 'Sunday').all()


def test_remaining_columns(synthesizer: TabDARSynthesizer) -> None:
    known = visits()[['month', 'weekend', 'price']].head(100)
    rows = synthesizer.sample_remaining_columns(known)
    assert broken(rows) == 0
    assert rows[[*known]].equals(known)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize(
    'hidden', [['born'], ['year', 'weekday'], ['visit', 'weekend'], ['month', 'born', 'visit']]
)
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_probabilities_know_the_date(synthesizer: TabDARSynthesizer) -> None:
    rows = visits().head(50)
    found = synthesizer.predict_proba(rows, 'weekend')
    assert (found.idxmax(axis=1).to_numpy() == rows['weekend'].to_numpy()).all()
    assert (found.max(axis=1) == 1).all()


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert ('year', "the year of 'born'") in found.told_by_numbers
    assert "that 'weekday' follows from the weekday of 'visit'" in str(found)


def test_a_fit_tells_it() -> None:
    told = KEPT.logged
    line = "'shift' follows from the hour of 'visit' in all rows, and will in drawn ones."
    assert line in told


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), visits()
    others.loc[0, 'month'] = others.loc[0, 'month'] % 12 + 1
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    assert broken(rows.assign(month=rows['born'].dt.month)) == 0
    assert broken(rows) > 0


def test_the_switch_turns_it_off() -> None:
    assert broken(KEPT.fitted(dependencies=False).sample(200)) > 0


def test_protected_rows_have_them() -> None:
    assert broken(KEPT.fitted(protect_values=True).sample(300)) == 0


def test_from_files(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)
