"""The language of ``--where``: what it says, without yet knowing the columns.

A column whose name has one of the operators in it, and a value with a comma in a list, stand in
quotes, of which a doubled one stands for itself.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Sequence

import click

_QUOTED = r""""(?:[^"]|"")*"|'(?:[^']|'')*'"""
_WHERE = re.compile(
    rf"""\s*(?P<column>{_QUOTED}|[^<>=!]+?)
    (?: \s*(?P<sign>>=|<=|==|=)\s*(?P<value>\S.*?)
      | \s+between\s+(?P<low>{_QUOTED}|\S.*?)\s+and\s+(?P<high>\S.*?)
      | \s+in\s*(?:\[(?P<list>.*)\]|\((?P<other_list>.*)\))
      | \s+is\s+(?P<state>known|missing)
    )\s*""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_ITEM = re.compile(rf'\s*({_QUOTED}|[^,]*?)\s*(?:,|\Z)')
HELP = """'COLUMN = VALUE', 'COLUMN between LOW and HIGH', 'COLUMN >= LOW', 'COLUMN <= HIGH', \
'COLUMN in [A, B]', 'COLUMN is known' or 'COLUMN is missing'"""


class Kind(enum.Enum):
    """What is asked of a column."""

    VALUE = 'value'
    BETWEEN = 'between'
    ONE_OF = 'one of'
    KNOWN = 'known'
    MISSING = 'missing'


@dataclasses.dataclass(frozen=True)
class Where:
    """One condition as it was written.

    Attributes:
        written: The whole text.
        column: Name of the column.
        kind: What is asked.
        values: The value; the two ends, None for an open one; the members of the set.
    """

    written: str
    column: str
    kind: Kind
    values: Sequence[str | None] = ()


def read_wheres(
    context: click.Context, parameter: click.Parameter, written: Sequence[str]
) -> Sequence[Where]:
    """What the options say, for Click to call.

    Raises:
        click.BadParameter: If one of them is no condition.
    """
    try:
        return [parse(text) for text in written]
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from error


def parse(written: str) -> Where:
    """Read one condition.

    Raises:
        ValueError: If it is none of the forms.
    """
    found = _WHERE.fullmatch(written)
    if found is None:
        raise ValueError(
            f'{written!r} is no condition. Write {HELP}; put a name or a value in quotes if it '
            'has such a word, a sign or a comma in it.'
        )
    column, sign = _unquoted(found['column']), found['sign']
    if sign in ('=', '=='):
        return Where(written, column, Kind.VALUE, (_unquoted(found['value']),))
    if sign:
        end = _unquoted(found['value'])
        return Where(written, column, Kind.BETWEEN, (end, None) if sign == '>=' else (None, end))
    if found['low']:
        ends = (_unquoted(found['low']), _unquoted(found['high']))
        return Where(written, column, Kind.BETWEEN, ends)
    if found['state']:
        return Where(written, column, Kind[found['state'].upper()])
    members = _items(found['list'] if found['list'] is not None else found['other_list'])
    if not members:
        raise ValueError(f"{written!r} allows nothing. Give values, as in 'COLUMN in [A, B]'.")
    return Where(written, column, Kind.ONE_OF, members)


def _items(text: str) -> list[str]:
    """The members of a list, of which a comma may follow the last."""
    items, place = [], 0
    while place < len(text.rstrip()):
        item = _ITEM.match(text, place)
        assert item is not None, 'without quotes whatever is before a comma is an item'
        items.append(_unquoted(item[1]))
        place = item.end()
    return items


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in '\'"' and re.fullmatch(_QUOTED, text):
        return text[1:-1].replace(text[0] * 2, text[0])
    return text
