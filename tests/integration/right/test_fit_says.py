"""What ``fit`` tells a user about the table: once, with what to do about it."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer

from ..conftest import TINY, make_metadata

N = 200
RANDOM = np.random.default_rng(0)
NUMBER: dict[str, Any] = {'sdtype': 'numerical'}
LEVEL: dict[str, Any] = {'sdtype': 'categorical'}
AMOUNT = RANDOM.lognormal(3, 1, N).round(2)
TAX = RANDOM.lognormal(1, 1, N).round(2)
DAYS = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 90, N), 'D'))


def said(
    data: pd.DataFrame, columns: dict[str, dict[str, Any]] | Metadata, **settings: Any
) -> tuple[TabDARSynthesizer, list[str]]:
    """A fitted synthesizer and what it warned of."""
    metadata = columns if isinstance(columns, Metadata) else make_metadata(columns)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer = TabDARSynthesizer(metadata, **TINY, **settings)
        synthesizer.fit(data)
    texts = [str(warning.message) for warning in caught]
    return synthesizer, [text for text in texts if 'saving the metadata' not in text]


def about(messages: list[str], column: str) -> list[str]:
    """Lines of the warnings that name a column."""
    lines = [line for message in messages for line in message.splitlines()]
    return [line for line in lines if f"'{column}'" in line]


@pytest.mark.parametrize(
    ('column', 'values'),
    [
        ('name', [f'Given{number} Family{number}' for number in range(N)]),
        ('phone', [f'+44 7{number:09d}' for number in range(N)]),
        ('address', [f'{number} Long Street, Flat {number % 7}' for number in range(N)]),
        ('nearly', [f'Person {max(number, 5)}' for number in range(N)]),
    ],
)
def test_real_text_that_would_come_back_is_named(column: str, values: list[str]) -> None:
    """Nearly every row has a text of its own: synthetic rows would carry those of real people."""
    data = pd.DataFrame({column: values, 'amount': AMOUNT})
    _, messages = said(data, {column: LEVEL, 'amount': NUMBER})

    (line,) = about(messages, column)
    assert re.search('real|verbatim', line)
    assert 'sdtype' in line
    assert not about(messages, 'amount')


def test_real_text_is_named_under_detected_metadata() -> None:
    """Detection takes it for categories as soon as one text occurs twice, else for a key."""
    values = [f'Given{max(number, 1)} Family{max(number, 1)}' for number in range(N)]
    data = pd.DataFrame({'who': values, 'amount': AMOUNT})
    metadata = Metadata.detect_from_dataframes({'table': data})
    synthesizer, messages = said(data, metadata)

    assert synthesizer.sample(20)['who'].isin(values).all()  # that is what it is about
    assert len(about(messages, 'who')) == 1


@pytest.mark.parametrize('text', ['%Y-%m-%d', '%d.%m.%Y', '%m/%d/%Y %H:%M'])
def test_dates_taken_for_categories_are_named(text: str) -> None:
    data = pd.DataFrame({'when': DAYS.dt.strftime(text), 'amount': AMOUNT})
    _, messages = said(data, {'when': LEVEL, 'amount': NUMBER})

    (line,) = about(messages, 'when')
    assert "'datetime'" in line
    assert 'datetime_format' in line


@pytest.mark.parametrize('as_text', [True, False], ids=['text', 'numbers'])
def test_numbers_taken_for_categories_are_named(as_text: bool) -> None:
    data = pd.DataFrame({'size': AMOUNT.astype(str) if as_text else AMOUNT, 'amount': AMOUNT[::-1]})
    _, messages = said(data, {'size': LEVEL, 'amount': NUMBER})

    (line,) = about(messages, 'size')
    assert "'numerical'" in line


def test_copies_are_named_where_they_are_not_kept() -> None:
    data = pd.DataFrame({'amount': AMOUNT, 'again': AMOUNT, 'code': RANDOM.choice(list('abc'), N)})
    data['label'] = data['code'].str.upper()
    columns = {'amount': NUMBER, 'again': NUMBER, 'code': LEVEL, 'label': LEVEL}
    synthesizer, messages = said(data, columns)

    rows = synthesizer.sample(100)
    assert rows['again'].equals(rows['amount'].rename('again'))  # and there is nothing to say
    assert rows['label'].equals(rows['code'].str.upper().rename('label'))
    assert messages == []

    _, messages = said(data, columns, inequalities=False, dependencies=False)
    (line,) = about(messages, 'again')
    assert "'amount'" in line
    assert 'copy' in line
    (line,) = about(messages, 'label')
    assert "'code'" in line
    assert 'FixedCombinations' in line


def test_sums_are_named_where_they_are_not_kept() -> None:
    data = pd.DataFrame({'amount': AMOUNT, 'tax': TAX, 'total': (AMOUNT + TAX).round(2)})
    assert said(data, dict.fromkeys(data, NUMBER))[1] == []
    _, messages = said(data, dict.fromkeys(data, NUMBER), sums=False)

    (line,) = about(messages, 'total')
    assert "'amount'" in line
    assert "'tax'" in line
    assert 'sum' in line
    assert 'constraint' in line


def test_parts_that_make_a_number_are_named_where_that_is_not_kept() -> None:
    data = pd.DataFrame({'sand': AMOUNT % 50, 'silt': TAX % 50}).round(2)
    data['clay'] = (100 - data['sand'] - data['silt']).round(2)
    assert said(data, dict.fromkeys(data, NUMBER))[1] == []
    _, messages = said(data, dict.fromkeys(data, NUMBER), sums=False)

    (line,) = about(messages, 'clay')
    assert "'sand'" in line
    assert "'silt'" in line
    assert '100' in line
    assert 'constraint' in line


def test_it_is_said_once() -> None:
    """One warning with a line for each finding; fitting the same table again adds nothing."""
    data = pd.DataFrame(
        {
            'name': [f'Given{number}' for number in range(N)],
            'when': DAYS.dt.strftime('%d.%m.%Y'),
            'amount': AMOUNT,
        }
    )
    synthesizer, messages = said(data, {'name': LEVEL, 'when': LEVEL, 'amount': NUMBER})

    assert len(messages) == 1
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        synthesizer.sample(3)
        synthesizer.fit(data)


def test_nothing_is_said_of_tables_without_such_columns(mixed_table: pd.DataFrame) -> None:
    """Few levels, whole numbers as levels, ids, personal data, near but no sums."""
    data = mixed_table.assign(
        grade=RANDOM.integers(1, 6, len(mixed_table)),
        email=[f'p{number}@example.org' for number in range(len(mixed_table))],
        key=range(len(mixed_table)),
    )
    columns: dict[str, dict[str, Any]] = {
        'age': NUMBER,
        'job': LEVEL,
        'income': NUMBER,
        'savings': NUMBER,
        'member': {'sdtype': 'boolean'},
        'since': {'sdtype': 'datetime'},
        'grade': LEVEL,
        'email': {'sdtype': 'email', 'pii': True},
        'key': {'sdtype': 'id'},
    }
    _, messages = said(data, columns)

    assert messages == []
