"""Constraints between dates that are kept as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality, Range
from sdv.cag._errors import ConstraintNotMetError
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_tabdar import TabDARSynthesizer

from ..conftest import TINY, make_metadata

N = 60
RANDOM = np.random.default_rng(0)
DAYS = pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 300, N), 'D')
SECONDS = pd.to_timedelta(RANDOM.integers(1, 86_400, N), 's')
DAY, STAMP, WORDS = '%Y-%m-%d', '%Y-%m-%d %H:%M:%S', '%d %b %Y'


def days(shift: int = 0) -> pd.Series:
    return pd.Series((DAYS + pd.to_timedelta(shift, 'D')).strftime(DAY), dtype=object)


def stamps(shift: int = 0) -> pd.Series:
    moments = DAYS + SECONDS + pd.to_timedelta(shift, 'D')
    return pd.Series(moments.strftime(STAMP), dtype=object)


FORMATS = {'stamp': STAMP, 'day': DAY, 'late': DAY}
TABLE = pd.DataFrame({'stamp': stamps(), 'day': days(), 'late': days(2)})
COLUMNS = {name: {'sdtype': 'datetime', 'datetime_format': text} for name, text in FORMATS.items()}


def with_constraint(constraint: Any, columns: list[str]) -> TabDARSynthesizer:
    metadata = make_metadata({name: COLUMNS[name] for name in columns})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.add_constraints([constraint])
    return synthesizer


def test_a_moment_of_the_day_is_not_after_that_day() -> None:
    """SDV compares text at the coarser precision of the two formats, here that of days."""
    synthesizer = with_constraint(Inequality('stamp', 'day'), ['stamp', 'day'])
    synthesizer.fit(TABLE[['stamp', 'day']])

    sampled = synthesizer.sample(40)
    assert (sampled['stamp'].str[:10] <= sampled['day']).all()
    synthesizer.validate_constraints(sampled)
    known = TABLE[['stamp', 'day']].head(5)
    pd.testing.assert_frame_equal(synthesizer.sample_remaining_columns(known), known)


def test_a_moment_of_the_day_is_not_strictly_after_that_day() -> None:
    constraint = Inequality('day', 'stamp', strict_boundaries=True)

    with pytest.raises(ConstraintNotMetError, match="not valid for the 'Inequality'"):
        with_constraint(constraint, ['stamp', 'day']).fit(TABLE[['stamp', 'day']])


INEQUALITIES = [
    ('stamp', 'day', False),
    ('stamp', 'day', True),
    ('day', 'stamp', False),
    ('day', 'stamp', True),
    ('stamp', 'late', True),
    ('late', 'stamp', False),
]


@pytest.mark.changes_random_state('SDV draws rows to validate')
@pytest.mark.parametrize('case', INEQUALITIES, ids=str)
def test_the_same_tables_are_valid_as_for_sdvs_own_synthesizers(
    case: tuple[str, str, bool],
) -> None:
    low, high, strict = case
    accepted = []
    for make in (GaussianCopulaSynthesizer, TabDARSynthesizer):
        synthesizer = make(make_metadata({name: COLUMNS[name] for name in (low, high)}))
        synthesizer.add_constraints([Inequality(low, high, strict_boundaries=strict)])
        try:
            synthesizer.validate({'table': TABLE[[low, high]].copy()})
            accepted.append(True)
        except ConstraintNotMetError:
            accepted.append(False)

    assert accepted[0] == accepted[1]


def test_ranges_of_text_are_those_of_sdv() -> None:
    """SDV compares the columns of a Range to the second, whatever their formats."""
    table = pd.DataFrame({'day': days(-1), 'stamp': stamps(), 'late': days(2)})
    synthesizer = with_constraint(Range('day', 'stamp', 'late'), ['day', 'stamp', 'late'])
    synthesizer.fit(table)

    sampled = synthesizer.sample(40)
    moments = {name: pd.to_datetime(sampled[name], format=FORMATS[name]) for name in table}
    assert (moments['day'] < moments['stamp']).all()
    assert (moments['stamp'] < moments['late']).all()
    for name in table:
        assert (moments[name].dt.strftime(FORMATS[name]) == sampled[name]).all()


def test_text_keeps_its_format_under_a_constraint() -> None:
    synthesizer = with_constraint(Inequality('stamp', 'late'), ['stamp', 'late'])
    synthesizer.fit(TABLE[['stamp', 'late']])

    sampled = synthesizer.sample(30)
    assert sampled['stamp'].str.fullmatch(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d').all()
    assert sampled['late'].str.fullmatch(r'\d{4}-\d\d-\d\d').all()


WRITTEN = {'sdtype': 'datetime', 'datetime_format': WORDS}


@pytest.mark.parametrize('method', ['fit', 'validate'])
def test_messages_about_rows_show_dates_as_the_user_wrote_them(method: str) -> None:
    data = pd.DataFrame({'a': ['31 Dec 2020', '02 Jan 2020'], 'b': ['29 Dec 2020', '05 Jan 2020']})
    synthesizer = TabDARSynthesizer(make_metadata({'a': WRITTEN, 'b': WRITTEN}), **TINY)
    synthesizer.add_constraints([Inequality('a', 'b')])

    with pytest.raises(ConstraintNotMetError, match='31 Dec 2020') as error:
        getattr(synthesizer, method)(data)
    assert '2020-12-31' not in str(error.value)


def test_messages_about_conditions_show_dates_as_the_user_wrote_them() -> None:
    low = pd.Series(DAYS.strftime(WORDS), dtype=object)
    high = pd.Series((DAYS + pd.to_timedelta(5, 'D')).strftime(WORDS), dtype=object)
    synthesizer = TabDARSynthesizer(make_metadata({'a': WRITTEN, 'b': WRITTEN}), **TINY)
    synthesizer.add_constraints([Inequality('a', 'b')])
    synthesizer.fit(pd.DataFrame({'a': low, 'b': high}))
    last = DAYS.max().strftime(WORDS)
    first = (DAYS.min() + pd.to_timedelta(5, 'D')).strftime(WORDS)

    with pytest.raises(ConstraintNotMetError, match=last) as error:
        synthesizer.sample_remaining_columns(pd.DataFrame({'a': [last], 'b': [first]}))
    assert DAYS.max().strftime(DAY) not in str(error.value)
