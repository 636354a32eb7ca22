"""The language of conditions."""

from __future__ import annotations

import pytest

from sdv_tabdar.cli.where import Kind, parse

FORMS = {
    'sex = Female': ('sex', Kind.VALUE, ('Female',)),
    'sex=Female': ('sex', Kind.VALUE, ('Female',)),
    'sex == Female': ('sex', Kind.VALUE, ('Female',)),
    'income = <=50K': ('income', Kind.VALUE, ('<=50K',)),
    'income=>50K': ('income', Kind.VALUE, ('>50K',)),
    "note = ''": ('note', Kind.VALUE, ('',)),
    'note = is known': ('note', Kind.VALUE, ('is known',)),
    "name = 'O''Brien, \"Jim\"'": ('name', Kind.VALUE, ('O\'Brien, "Jim"',)),
    'marital status = single': ('marital status', Kind.VALUE, ('single',)),
    '"a = b" = c': ('a = b', Kind.VALUE, ('c',)),
    "'is missing' is missing": ('is missing', Kind.MISSING, ()),
    'age between 30 and 40': ('age', Kind.BETWEEN, ('30', '40')),
    'day BETWEEN "1 and 2" AND 3': ('day', Kind.BETWEEN, ('1 and 2', '3')),
    'age >= 30': ('age', Kind.BETWEEN, ('30', None)),
    'age<=-1.5e3': ('age', Kind.BETWEEN, (None, '-1.5e3')),
    'job in [nurse, clerk]': ('job', Kind.ONE_OF, ('nurse', 'clerk')),
    'job in (nurse,)': ('job', Kind.ONE_OF, ('nurse',)),
    "job in ['a, b', c d]": ('job', Kind.ONE_OF, ('a, b', 'c d')),
    'day in week >= 3': ('day in week', Kind.BETWEEN, ('3', None)),
    'income is known': ('income', Kind.KNOWN, ()),
    ' income  Is Missing ': ('income', Kind.MISSING, ()),
}


@pytest.mark.parametrize('text', FORMS)
def test_every_form_is_read(text: str) -> None:
    where = parse(text)
    assert (where.column, where.kind, tuple(where.values)) == FORMS[text]


@pytest.mark.parametrize(
    'text', ['', 'age', 'age = ', 'age != 3', 'age < 3', 'age is', 'age between 3', 'job in a, b']
)
def test_what_is_no_condition_is_told_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no condition. Write 'COLUMN = VALUE'"):
        parse(text)


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(ValueError, match='allows nothing'):
        parse('job in [ ]')
