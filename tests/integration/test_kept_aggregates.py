"""Means, weighted sums, greatest numbers and logarithms are so in what comes out."""

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
EXAMS = ['first', 'second', 'third']
COLUMNS: dict[str, dict[str, Any]] = {
    **{
        name: {'sdtype': 'numerical'}
        for name in (
            'mean',
            *EXAMS,
            'grade',
            'high',
            'low',
            'top',
            'log',
            'right',
            'wrong',
            'points',
        )
    },
    'kind': {'sdtype': 'categorical'},
}


def table(num_rows: int = N) -> pd.DataFrame:
    """A mean and a grade of three exams, points, the greatest of two prices and a logarithm."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.integers(0, 101, (num_rows, 3)), columns=EXAMS)
    frame.insert(0, 'mean', frame.mean(axis=1).round(2))
    frame['grade'] = (0.4 * frame['first'] + 0.6 * frame['second']).round(1)
    frame[['high', 'low']] = random.gamma(3, 20, (num_rows, 2)).round(2)
    frame['top'] = frame[['high', 'low']].max(axis=1)
    frame['log'] = np.log(frame['low']).round(4)
    frame[['right', 'wrong']] = random.integers(0, [60, 40], (num_rows, 2))
    frame['points'] = 2 * frame['right'] - frame['wrong'] / 4
    frame['kind'] = random.choice(['a', 'b'], num_rows)
    frame['third'] = frame['third'].astype('Int64').mask(random.random(num_rows) < 0.1)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows something is not what it is made of, as far as can be seen."""
    numbers = rows.drop(columns='kind', errors='ignore').astype('float64')
    found = (numbers[EXAMS].mean(axis=1, skipna=False) - numbers['mean']).abs() > 0.00501
    grade = 0.4 * numbers['first'] + 0.6 * numbers['second']
    found |= (grade - numbers['grade']).abs() > 0.0501
    found |= (numbers[['high', 'low']].max(axis=1) - numbers['top']).abs() > 0
    found |= (np.log(numbers['low']) - numbers['log']).abs() > 0.0000501
    found |= (2 * numbers['right'] - numbers['wrong'] / 4 - numbers['points']).abs() > 0
    return int(found.sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(600)
    assert broken(rows) == 0
    assert rows.dtypes.equals(table().dtypes)
    assert rows['third'].isna().any()
    assert (rows[['mean', 'high', 'low']].round(2) == rows[['mean', 'high', 'low']]).all(axis=None)


@pytest.mark.parametrize(
    'given',
    [
        {'mean': 50.0},
        {'grade': 70.2},
        {'first': 10, 'second': 40},
        {'mean': 60.0, 'first': 70, 'second': 30},
        {'mean': Between(40, 60), 'grade': Between(30, 50)},
        {'top': 55.5},
        {'top': 80.25, 'low': 12.5},
        {'log': Between(3.0, 4.0)},
        {'high': Between(30, 50), 'top': Between(40, 60)},
        {'points': 40.25},
        {'points': 30.5, 'right': 20},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


def test_what_is_made_of_known_cells_is_known(synthesizer: TabDARSynthesizer) -> None:
    known = table().dropna().head(40).reset_index(drop=True)
    found = synthesizer.predict_quantiles(known.drop(columns='grade'), 'grade')
    assert (found.to_numpy() == known[['grade']].to_numpy()).all()
    given = {'mean': 60.0, 'first': 70, 'second': 30}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=20)])
    assert rows['third'].isin([80, pd.NA]).all()


def test_what_contradicts_itself_stays(synthesizer: TabDARSynthesizer) -> None:
    given = {'first': 10, 'second': 10, 'grade': 90.0}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=20)])
    assert (rows[[*given]] == [*given.values()]).all(axis=None)


def test_remaining_columns(synthesizer: TabDARSynthesizer) -> None:
    known = table()[['grade', 'top', 'kind']].head(100)
    rows = synthesizer.sample_remaining_columns(known)
    assert broken(rows) == 0
    assert rows[[*known]].equals(known)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize(
    'hidden', [['mean', 'top'], ['first'], ['high', 'grade'], ['second', 'third'], ['right', 'top']]
)
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert ('mean', "the mean of 'first', 'second' and 'third'") in found.aggregates
    assert ('log', "the natural logarithm of 'low'") in found.aggregates
    assert ('points', "2 times 'right' - 0.25 times 'wrong'") in found.aggregates
    assert "that 'top' is the greatest of 'high' and 'low'" in str(found)


def test_a_fit_tells_it() -> None:
    line = (
        "'grade' is 0.4 times 'first' + 0.6 times 'second' in all rows, and will be in drawn ones."
    )
    assert line in KEPT.logged


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), table()
    others.loc[0, 'grade'] += 1
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    grade = (0.4 * rows['first'] + 0.6 * rows['second']).round(1)
    assert broken(rows.assign(grade=grade)) == 0
    assert broken(rows) > 0


def test_the_switch_turns_it_off() -> None:
    assert broken(KEPT.fitted(sums=False).sample(200)) > 0


def test_protected_rows_have_them() -> None:
    assert broken(KEPT.fitted(protect_values=True).sample(300)) == 0


def test_from_files(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)


def test_of_an_absolute_value_the_sign_is_the_models() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'change': random.normal(0, 10, N).round(2)})
    frame['size'] = frame['change'].abs()
    frame['level'] = frame['change'] * 2 + random.normal(size=N)
    frame.loc[::9, 'size'] = np.nan
    kept = Kept(
        {name: {'sdtype': 'numerical'} for name in frame},
        lambda: frame,
        lambda rows: int(((rows['change'].abs() - rows['size']).abs() > 0).sum()),
    )
    synthesizer = kept.fitted(epochs=20)
    rows = synthesizer.sample(400)
    assert kept.broken(rows) == 0
    assert rows['size'].isna().mean() < 0.25
    rows = synthesizer.sample_from_conditions([Condition({'size': 7.25}, num_rows=100)])
    assert set(rows['change']) == {-7.25, 7.25}
