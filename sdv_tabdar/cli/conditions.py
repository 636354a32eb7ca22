"""Conditions of the command line as the package has them: values with the types of the columns."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sdv_tabdar.cli.refusal import Refusal
from sdv_tabdar.cli.where import Kind, Where

if TYPE_CHECKING:
    from sdv_tabdar.files import Description
    from sdv_tabdar.files.description import UserColumn

_MISSING = 'missing'


def conditions(wheres: Sequence[Where], description: Description) -> dict[Any, Any]:
    """A condition for each column that is asked for.

    Raises:
        Refusal: If a column is unknown or asked for twice, or a value is none of its column's.
    """
    found: dict[Any, Any] = {}
    for where in wheres:
        column = named_column(where.column, description)
        if column.name in found:
            raise Refusal(
                f'Two conditions are about {where.column!r}. Say both in one, as in '
                f"'{where.column} between 30 and 40' or '{where.column} in [a, b]'."
            )
        try:
            found[column.name] = _condition(_with_dates(where, column, description), column)
        except (TypeError, ValueError) as error:
            raise Refusal(f'--where {where.written!r}: {error}') from error
    return found


def named_column(name: str, description: Description) -> UserColumn:
    """The column of a name.

    Raises:
        Refusal: If there is none.
    """
    names = {str(column.name): column for column in description.columns}
    if name in names:
        return names[name]
    close = difflib.get_close_matches(name, names, 1)
    hint = f' Did you mean {close[0]!r}?' if close else ''
    raise Refusal(
        f'The model has no column {name!r}.{hint} Its columns are '
        f'{", ".join(repr(column) for column in names)}.'
    )


def _with_dates(where: Where, column: UserColumn, description: Description) -> Where:
    """The same condition, its dates written as the column writes them."""
    tables = description.metadata.get('tables', {}).values()
    entries = [table.get('columns', {}).get(str(column.name), {}) for table in tables]
    formats = [entry['datetime_format'] for entry in entries if entry.get('datetime_format')]
    if column.role != 'date' or not formats:
        return where
    values = [None if text is None else _date(text, formats[0]) for text in where.values]
    return dataclasses.replace(where, values=values)


def _date(text: str, date_format: str) -> str:
    """A date like 2026-01-31 in a format; as it is what is none, or what would lose a part."""
    from sdv_tabdar.adapter.dates import DateForm

    form = DateForm(date_format)
    if form.reads(text):
        return text
    with contextlib.suppress(ValueError):
        date = DateForm().parse(text)
        if form.has_zone and date.tz is None:
            date = date.tz_localize('UTC')
        written = date.strftime(date_format)
        return written if form.parse(written) == date else text
    return text


def _condition(where: Where, column: UserColumn) -> Any:
    from sdv_tabdar import Between, NotNull, OneOf

    if where.kind is Kind.MISSING:
        return None
    if where.kind is Kind.KNOWN:
        return NotNull()
    if where.kind is Kind.ONE_OF:
        return OneOf([_member(str(text), column) for text in where.values])
    values = [None if text is None else _value(text, column) for text in where.values]
    return Between(*values) if where.kind is Kind.BETWEEN else values[0]


def _member(text: str, column: UserColumn) -> Any:
    """A value of a set, in which 'missing' allows the cell to be so, unless it is a level."""
    if text == _MISSING and _MISSING not in column.levels:
        return None
    return _value(text, column)


def _value(text: str, column: UserColumn) -> Any:
    """A value of a column: a number, a level, or text, as dates are.

    Raises:
        ValueError: If the column holds numbers and this is none.
    """
    if column.role == 'number':
        return _number(text, column)
    for level in column.levels:
        if str(level) == text:
            return level
    kinds = {type(level) for level in column.levels}
    if column.sdtype == 'boolean' or kinds == {bool}:
        answers = {'true': True, 'yes': True, '1': True, 'false': False, 'no': False, '0': False}
        if text.lower() in answers:
            return answers[text.lower()]
        raise ValueError(f'{str(column.name)!r} is true or false, not {text!r}.')
    if kinds and kinds <= {int, float}:
        return _number(text, column)
    return text


def _number(text: str, column: UserColumn) -> int | float:
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if number - number == 0:  # neither infinite nor NaN
            return number
    raise ValueError(f'{str(column.name)!r} holds numbers, and {text!r} is none.')
