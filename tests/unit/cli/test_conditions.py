"""Values of conditions have the types of their columns."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from sdv_tabdar import Between, NotNull, OneOf
from sdv_tabdar.cli.conditions import conditions
from sdv_tabdar.cli.refusal import Refusal
from sdv_tabdar.cli.where import parse
from sdv_tabdar.files.description import Description, UserColumn


def _column(name: Any, sdtype: str, role: str, levels: tuple[Any, ...] = ()) -> UserColumn:
    return UserColumn(name, sdtype, 'object', role, None, levels)


COLUMNS = [
    _column('age', 'numerical', 'number'),
    _column('job', 'categorical', 'discrete', ('nurse', 'clerk', '007')),
    _column('rooms', 'categorical', 'discrete', (1, 2, 3)),
    _column('member', 'categorical', 'discrete', (True, False)),
    _column('gap', 'categorical', 'discrete', ('missing', 'closed')),
    _column('day', 'datetime', 'date'),
    _column('start', 'datetime', 'date'),
    _column('moment', 'datetime', 'date'),
    _column('month', 'datetime', 'date'),
    _column(7, 'numerical', 'number'),
]
METADATA = {
    'tables': {
        'people': {
            'columns': {
                'start': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y %H:%M'},
                'moment': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M:%S%z'},
                'month': {'sdtype': 'datetime', 'datetime_format': '%Y-%m'},
            }
        }
    }
}


def _read(*texts: str) -> dict[Any, Any]:
    empty: dict[str, Any] = {field.name: [] for field in dataclasses.fields(Description)}
    description = Description(**{**empty, 'metadata': METADATA, 'columns': COLUMNS})
    return conditions([parse(text) for text in texts], description)


MEANT = {
    'age = 30': 30,
    'age = 30.5': 30.5,
    'age between 30 and 4e1': Between(30, 40.0),
    'age is known': NotNull(),
    'age is missing': None,
    'job = nurse': 'nurse',
    'job = 007': '007',
    'job = never seen': 'never seen',
    'job in [nurse, missing]': OneOf(['nurse', None]),
    'rooms = 2': 2,
    'rooms in [1, 5]': OneOf([1, 5]),
    'member = TRUE': True,
    'member = no': False,
    'gap in [missing]': OneOf(['missing']),
    'day >= 31/12/2020': Between('31/12/2020', None),
    'start >= 2020-12-31': Between('31/12/2020 00:00', None),
    'start = 2020-12-31T13:30': '31/12/2020 13:30',
    'start = 31/12/2020 13:30': '31/12/2020 13:30',
    'start in [2020-12-31, missing, soon]': OneOf(['31/12/2020 00:00', None, 'soon']),
    'moment <= 2020-12-31': Between(None, '2020-12-31 00:00:00+0000'),
    'month = 2020-12-01': '2020-12',
    'month = 2020-12-31': '2020-12-31',
    '7 = 1': 1,
}


@pytest.mark.parametrize('text', MEANT)
def test_a_value_is_read_with_the_type_of_its_column(text: str) -> None:
    ((value),) = _read(text).values()
    assert value == MEANT[text]
    assert type(value) is type(MEANT[text])


def test_labels_that_are_no_text_are_found_by_it() -> None:
    assert list(_read('7 = 1', 'age = 2')) == [7, 'age']


@pytest.mark.parametrize(
    ('texts', 'message'),
    [
        (['agee = 3'], r"no column 'agee'. Did you mean 'age'\? Its columns are 'age', 'job'"),
        (['age = old'], "--where 'age = old': 'age' holds numbers, and 'old' is none"),
        (['age = nan'], "'nan' is none"),
        (['member = perhaps'], "'member' is true or false, not 'perhaps'"),
        (['age between 40 and 30'], 'low must be at most high'),
        (['age >= 3', 'age <= 5'], "Two conditions are about 'age'. Say both in one"),
    ],
)
def test_what_is_refused(texts: list[str], message: str) -> None:
    with pytest.raises(Refusal, match=message):
        _read(*texts)
