"""Ages in whole years, and months, between two dates or to a fixed day are so in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 500
TODAY = pd.Timestamp('2024-05-17')
GROUPS = [0, 30, 60, 200], ['young', 'middle', 'old']
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'datetime'} for name in ('birth', 'hired', 'visit', 'joined')},
    **{name: {'sdtype': 'numerical'} for name in ('age', 'service', 'member', 'seniority', 'cost')},
    'group': {'sdtype': 'categorical'},
}


def months(first: pd.Series, last: pd.Series) -> pd.Series:
    found = 12 * (last.dt.year - first.dt.year) + last.dt.month - first.dt.month
    return found - (last.dt.day < first.dt.day)


def table(num_rows: int = N, seed: int = 0) -> pd.DataFrame:
    """Dates of birth, of beginning and of a visit; ages, their groups, and months of service."""
    random = np.random.default_rng(seed)
    days = random.integers([0, 0, 0], [18_000, 1_500, 2_500], (num_rows, 3))
    frame = pd.DataFrame(days, columns=['birth', 'hired', 'visit'])
    starts = pd.to_datetime(pd.Series({'birth': '1945-01-01', 'visit': '2015-01-01'}))
    for name, start in starts.items():
        frame[name] = start + pd.to_timedelta(frame[name], 'D')
    frame['hired'] = frame['visit'] - pd.to_timedelta(frame['hired'], 'D')
    frame['age'] = months(frame['birth'], frame['visit']) // 12
    frame['service'] = months(frame['hired'], frame['visit'])
    frame['group'] = pd.cut(frame['age'], GROUPS[0], labels=GROUPS[1], right=False).astype(str)
    frame['cost'] = (frame['age'] * random.gamma(2, 1, num_rows)).round(1)
    frame['joined'] = TODAY - pd.to_timedelta(random.integers(0, 4_000, num_rows), 'D')
    frame['member'] = months(frame['joined'], pd.Series(TODAY, frame.index))
    frame['seniority'] = ((TODAY - frame['hired']).dt.days / 365.25).round(1)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows an age, its group or a length of service is another, or out of order."""
    found = months(rows['birth'], rows['visit']) // 12 != rows['age']
    found |= months(rows['hired'], rows['visit']) != rows['service']
    groups = pd.cut(rows['age'], GROUPS[0], labels=GROUPS[1], right=False).astype(str)
    found |= (groups != rows['group']) | (rows['hired'] > rows['visit'])
    found |= months(rows['joined'], pd.Series(TODAY, rows.index)) != rows['member']
    if 'seniority' in rows:
        years = (TODAY - rows['hired']).dt.days / 365.25
        found |= (years - rows['seniority']).abs() > 0.0501
    return int(found.sum())


KEPT = Kept(COLUMNS, table, broken)
VISIT = pd.Timestamp('2020-02-28')


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    rows, data = synthesizer.sample(600), table()
    assert broken(rows) == 0
    assert rows.dtypes.equals(data.dtypes)
    for name in ('birth', 'hired', 'visit'):
        assert (rows[name] == rows[name].dt.normalize()).all()
        assert rows[name].between(data[name].min(), data[name].max()).all()


@pytest.mark.parametrize(
    'given',
    [
        {'age': 40},
        {'age': Between(33, 34)},
        {'age': 44, 'birth': pd.Timestamp('1972-02-29')},
        {'age': 44, 'visit': VISIT},
        {'age': 30, 'service': 20},
        {'service': 20, 'hired': pd.Timestamp('2015-01-31')},
        {'service': 11, 'visit': Between(VISIT, VISIT + pd.Timedelta(days=40))},
        {'birth': pd.Timestamp('1972-02-29'), 'visit': VISIT},
        {'group': 'old'},
        {'group': 'young', 'birth': Between(VISIT - pd.Timedelta(days=10_500), VISIT)},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


def test_what_lies_between_known_dates_is_known(synthesizer: TabDARSynthesizer) -> None:
    known = table().head(40)
    for name in ('age', 'service', 'member'):
        found = synthesizer.predict_quantiles(known.drop(columns=name), name)
        assert (found.to_numpy() == known[[name]].to_numpy()).all()


def test_what_contradicts_itself_stays(synthesizer: TabDARSynthesizer) -> None:
    given = {'age': 30, 'birth': pd.Timestamp('1950-05-05'), 'visit': VISIT}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=20)])
    assert (rows[[*given]] == [*given.values()]).all(axis=None)


def test_dates_beyond_those_of_training_count(synthesizer: TabDARSynthesizer) -> None:
    known = table().head(40)[['birth', 'hired', 'visit']]
    known['visit'] += pd.DateOffset(years=9)
    with pytest.warns(UserWarning, match='the model takes numbers and dates for the nearest end'):
        rows = synthesizer.sample_remaining_columns(known)
    assert rows[[*known]].equals(known)
    assert (months(rows['birth'], rows['visit']) // 12 == rows['age']).all()
    assert (months(rows['hired'], rows['visit']) == rows['service']).all()


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize(
    'hidden',
    [
        ['age', 'service'],
        ['birth'],
        ['birth', 'age', 'group'],
        ['hired', 'age'],
        ['birth', 'visit'],
    ],
)
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert found.aggregates == [
        ('age', "the whole years from 'birth' to 'visit'"),
        ('service', "the whole months from 'hired' to 'visit'"),
        ('member', "the whole months from 'joined' to 2024-05-17"),
        ('seniority', "the years of 365.25 days from 'hired' to 2024-05-17"),
    ]


def test_a_fit_tells_it() -> None:
    line = (
        "'age' is the whole years from 'birth' to 'visit' in all rows, and will be in drawn ones."
    )
    assert line in KEPT.logged


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), table(seed=1)
    others.loc[0, 'service'] += 1
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    assert broken(rows.assign(service=months(rows['hired'], rows['visit']))) == 0
    assert broken(rows) > 0


def test_the_switch_turns_it_off() -> None:
    assert broken(KEPT.fitted(sums=False).sample(200)) > 0


def test_protected_rows_have_them() -> None:
    assert broken(KEPT.fitted(protect_values=True).sample(300)) == 0


def test_a_table_in_parquet_has_them(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)


def test_no_visit_falls_on_a_weekend_because_a_person_has_an_age() -> None:
    data = table()
    data['visit'] -= pd.to_timedelta((data['visit'].dt.weekday - 4).clip(lower=0), 'D')
    data['age'] = months(data['birth'], data['visit']) // 12
    data = data.drop(columns=['hired', 'service', 'group', 'joined', 'member', 'seniority'])
    columns = {name: COLUMNS[name] for name in data}
    synthesizer = Kept(columns, lambda: data, broken).fitted()
    given = {'age': 44, 'birth': pd.Timestamp('1974-05-05')}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=100)])
    gaps = data.assign(visit=pd.NaT)
    for found in (rows, synthesizer.impute(gaps, num_samples=5)):
        assert (months(found['birth'], found['visit']) // 12 == found['age']).mean() > 0.99
        assert (found['visit'].dt.weekday > 4).mean() < 0.02


def test_a_date_that_others_follow_moves_with_them() -> None:
    data, random = table()[['birth', 'visit', 'age']], np.random.default_rng(3)
    days = np.where(random.random(N) < 0.4, 0, random.integers(1, 40, N))
    data['left'] = data['visit'] + pd.to_timedelta(days, 'D')
    data['next'] = data['visit'] + pd.Timedelta(days=30)
    columns = {name: COLUMNS.get(name, {'sdtype': 'datetime'}) for name in data}
    synthesizer = Kept(columns, lambda: data, broken).fitted()
    given = {'age': 40, 'birth': pd.Timestamp('1976-05-05')}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=60)])
    assert (months(rows['birth'], rows['visit']) // 12 == 40).all()
    assert (rows['next'] == rows['visit'] + pd.Timedelta(days=30)).all()
    assert (rows['visit'] <= rows['left']).all()
