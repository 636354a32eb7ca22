"""Means, weighted sums, extremes and spans of drawn rows: what becomes of results and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.calendars import DAY
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.spans import span
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.inference.aggregates import Aggregating
from sdv_tabdar.core.inference.broken import num_broken
from sdv_tabdar.core.restrictions import Interval, Members, Restriction
from sdv_tabdar.core.schema import ColumnKind

N = 600
EXAMS = ['first', 'second', 'third']


def grades(seed: int = 0) -> pd.DataFrame:
    """Three exams, their mean, a grade of two of them, and the greatest of other two numbers."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.integers(0, 101, (N, 3)), columns=EXAMS)
    frame['mean'] = frame[EXAMS].mean(axis=1).round(2)
    frame['grade'] = (0.4 * frame['first'] + 0.6 * frame['second']).round(1)
    frame[['one', 'other']] = random.gamma(3, 20, (N, 2)).round(2)
    frame['top'] = frame[['one', 'other']].max(axis=1)
    return frame.astype(float)


@pytest.fixture(scope='module')
def encoder() -> TableEncoder:
    frame = grades()
    found = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    assert [found.schema.names[one.result] for one in found.aggregates] == ['top', 'mean', 'grade']
    return found


def shuffled() -> pd.DataFrame:
    """Each column of other rows, with fractions where training has whole numbers."""
    random = np.random.default_rng(1)
    frame = grades().apply(lambda column: random.permutation(column))
    return frame + random.uniform(-0.004, 0.004, frame.shape)


def settled(
    encoder: TableEncoder,
    frame: pd.DataFrame,
    known: Sequence[str] = (),
    restrictions: Mapping[str, Sequence[Restriction | None]] | None = None,
) -> pd.DataFrame:
    rows = frame.copy()
    marks = np.tile([name in known for name in frame], (len(frame), 1))
    aggregating = Aggregating(encoder, marks, marks, restrictions or {})
    for _ in range(2):
        aggregating.aggregate(rows)
    return rows


def broken(encoder: TableEncoder, rows: pd.DataFrame) -> int:
    """In how many rows one of the three does not hold."""
    cells = rows.to_numpy()
    held = [one.holds(cells[:, one.result], cells[:, one.sources]) for one in encoder.aggregates]
    return int((~np.all(held, axis=0)).sum())


def test_results_become_what_sources_make(encoder: TableEncoder) -> None:
    frame = shuffled()
    rows = settled(encoder, frame)
    assert broken(encoder, frame) > 0.9 * N
    assert broken(encoder, rows) == 0
    sources = [*EXAMS, 'one', 'other']
    changed = (rows[sources] - frame[sources]).abs().max(axis=1) > 0.01  # beyond what rounding does
    assert changed.mean() < 0.05  # where a result would be beyond training


def test_what_holds_stays(encoder: TableEncoder) -> None:
    pd.testing.assert_frame_equal(settled(encoder, grades()), grades())


def test_sources_move_to_a_given_result(encoder: TableEncoder) -> None:
    frame = grades()
    frame['mean'] = np.random.default_rng(2).permutation(frame['mean'].to_numpy())
    rows = settled(encoder, frame, known=['mean'])
    assert rows['mean'].equals(frame['mean'])
    assert broken(encoder, rows) == 0
    rows = settled(encoder, frame, known=['mean', 'grade', 'second'])
    held = encoder.aggregates[1].holds(rows['mean'].to_numpy(), rows[EXAMS].to_numpy())
    possible = (3 * frame['mean'] - frame['first'] - frame['second']).between(0, 100)
    assert held[possible].all()
    assert (rows[EXAMS] == rows[EXAMS].round()).all(axis=None)
    assert rows[EXAMS].min(axis=None) >= 0
    assert rows[EXAMS].max(axis=None) <= 100


def test_an_extreme_that_is_given_is_met_by_one_and_passed_by_none(encoder: TableEncoder) -> None:
    frame = grades()
    frame['top'] = np.random.default_rng(2).permutation(frame['top'].to_numpy())
    rows = settled(encoder, frame, known=['top'])
    assert broken(encoder, rows) <= 0.01 * N  # a least one that the others do not reach
    moved = (rows[['one', 'other']] != frame[['one', 'other']]).sum(axis=1)
    assert moved.max() <= 2
    rows = settled(encoder, frame, known=['top', 'one'])
    assert rows['one'].equals(frame['one'])
    possible = frame['one'] <= frame['top']
    assert broken(encoder, rows[possible]) == 0


@pytest.mark.parametrize('stays', ['one', 'other'])
def test_an_extreme_is_met_by_a_source_that_may_be_it(encoder: TableEncoder, stays: str) -> None:
    frame = grades().assign(one=4.0, other=4.0, top=90.0)
    asked = {stays: [Members((4.0, 5.0))] * N, 'top': [Interval(50.0, None)] * N}
    rows = settled(encoder, frame, restrictions=asked)
    assert broken(encoder, rows) == 0
    assert (rows['top'] >= 50).all()
    assert (rows[stays] == 4).all()


def test_a_range_is_kept_and_what_contradicts_itself_stays(encoder: TableEncoder) -> None:
    frame = shuffled()
    asked: dict[str, Sequence[Restriction | None]] = {'mean': [Interval(40.0, 60.0)] * N}
    frame['mean'] = frame['mean'].clip(40, 60)
    rows = settled(encoder, frame, restrictions=asked)
    assert rows['mean'].between(40, 60).all()
    assert broken(encoder, rows) < 0.02 * N
    everything = settled(encoder, frame, known=list(frame))
    pd.testing.assert_frame_equal(everything, frame)


def test_known_sources_stay_also_beyond_training(encoder: TableEncoder) -> None:
    frame = grades()
    frame['first'], frame['second'] = 250.5, 120.25
    frame['one'] = 1e4
    for known in (['first', 'mean', 'one', 'top'], ['first', 'second', 'grade', 'mean', 'one']):
        rows = settled(encoder, frame, known=known)
        assert rows[known].equals(frame[known])


def test_missing_cells_are_passed_over(encoder: TableEncoder) -> None:
    frame = shuffled()
    frame.loc[::3, 'second'] = np.nan
    frame.loc[1::3, 'mean'] = np.nan
    rows = settled(encoder, frame)
    assert (rows.isna() == frame.isna()).all(axis=None)
    assert broken(encoder, rows) == 0


def test_what_one_source_makes_beyond_all_training_rows_was_missing() -> None:
    random = np.random.default_rng(3)
    source = random.uniform(1, 100, N).round(2)
    made = np.where(source < 50, np.log(source), np.nan).round(3)
    frame = pd.DataFrame({'made': made, 'source': source})
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    assert [one.kind for one in encoder.aggregates] == ['log']
    drawn = frame.assign(made=random.permutation(frame['made'].fillna(1.0)))
    pd.testing.assert_frame_equal(settled(encoder, drawn, ['source']), frame)
    beyond = frame.assign(source=frame['source'] + 100, made=1.0)
    assert settled(encoder, beyond, ['source'])['made'].notna().all()


def test_a_result_is_the_number_that_training_has_for_it() -> None:
    """Also where training had it in float32."""
    random = np.random.default_rng(4)
    source = random.integers(1, 60, N).astype(float)
    made = np.log(source).astype(np.float32).astype(float)
    frame = pd.DataFrame({'made': made, 'source': source})
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    assert [one.kind for one in encoder.aggregates] == ['log']
    assert settled(encoder, frame.assign(made=random.permutation(made)), ['source']).equals(frame)


def test_broken_ones_are_counted(encoder: TableEncoder) -> None:
    frame = grades()
    frame.loc[5, 'mean'] += 1
    found = num_broken(encoder, frame, np.zeros(frame.shape, dtype=bool))
    assert found[5] > 0
    assert not np.delete(found, 5).any()


def visits() -> pd.DataFrame:
    """Dates of birth, of a beginning and of a visit that follow each other, and an age."""
    random = np.random.default_rng(0)
    first = pd.Timestamp('1970-01-01').value + DAY * random.integers(0, 10_000, N)
    frame = pd.DataFrame({'birth': first, 'begun': first + DAY * random.integers(5_000, 6_000, N)})
    frame['visit'] = frame['begun'] + DAY * random.integers(100, 4_000, N)
    frame['age'] = years(frame)
    frame['weight'] = random.normal(70, 10, N)
    return frame.astype(float)


def years(rows: pd.DataFrame) -> np.ndarray:
    return span('years', rows['birth'].to_numpy(), rows['visit'].to_numpy())


@pytest.fixture(scope='module')
def dated() -> TableEncoder:
    frame = visits()
    found = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    assert [one.kind for one in found.aggregates] == ['years']
    return found


def test_years_become_those_between_dates(dated: TableEncoder) -> None:
    frame = visits()
    frame['age'] = np.random.default_rng(1).permutation(frame['age'].to_numpy())
    frame['visit'] += np.random.default_rng(2).uniform(-0.4, 0.4, N) * DAY
    rows = settled(dated, frame)
    assert broken(dated, rows) == 0
    assert rows[['birth', 'begun', 'visit']].equals(visits()[['birth', 'begun', 'visit']])


@pytest.mark.parametrize('known', [['age'], ['age', 'birth'], ['age', 'visit']])
def test_dates_move_by_years_to_a_given_age(dated: TableEncoder, known: list[str]) -> None:
    frame = visits()
    frame['age'] += np.random.default_rng(1).choice([-1.0, 0.0, 1.0, 2.0], N)
    rows = settled(dated, frame, known=known)
    assert rows[known].equals(frame[known])
    moved = rows['birth'].ne(frame['birth']) | rows['visit'].ne(frame['visit'])
    assert not (moved & (years(frame) == frame['age'])).any()
    assert (years(rows) == rows['age']).mean() > (0.97 if len(known) == 1 else 0.8)
    assert (rows['birth'] <= rows['begun']).all()  # where none can move in order they stay
    assert (rows['begun'] <= rows['visit']).all()
    days = [pd.to_datetime(own['birth'].to_numpy()).strftime('%m-%d') for own in (rows, frame)]
    assert (days[0] == days[1]).mean() > 0.95  # but for those at an end of training
    for name in ('birth', 'visit'):
        assert rows[name].between(frame[name].min(), frame[name].max()).all()


def test_dates_meet_an_age_in_a_range(dated: TableEncoder) -> None:
    frame = visits()
    asked: dict[str, Sequence[Restriction | None]] = {'age': [Interval(18.0, 19.0)] * N}
    frame['age'] = frame['age'].clip(18, 19)
    rows = settled(dated, frame, restrictions=asked)
    assert rows['age'].between(18, 19).all()
    assert broken(dated, rows) < 0.1 * N
    everything = settled(dated, frame, known=list(frame))
    pd.testing.assert_frame_equal(everything, frame)


def test_dates_move_to_years_that_known_cells_tell(dated: TableEncoder) -> None:
    frame = visits()
    frame['age'] += 1
    rows = frame.copy()
    told = np.zeros(frame.shape, dtype=bool)
    told[:, frame.columns.get_loc('age')] = True
    Aggregating(dated, np.zeros_like(told), told, {}).aggregate(rows)
    assert (rows['age'] == frame['age']).mean() > 0.9
    assert broken(dated, rows) == 0
