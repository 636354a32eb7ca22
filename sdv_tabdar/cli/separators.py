"""What stands between the fields of a CSV file, and before the decimals of its numbers.

Half of Europe writes ``3,5`` and separates fields by semicolons, and calls that CSV as well; so do
exports with tabs. A first line without any comma in it says which it is.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import re

COMMA, TAB = ',', '\t'
_OTHERS = (';', TAB, '|')
_FIRST_LINES = 1_000  # in which decimals are looked for
_WITH_COMMA = re.compile(r'[+-]?[0-9]*,[0-9]+')
_WITH_POINT = re.compile(r'[+-]?[0-9]*\.[0-9]+')


@dataclasses.dataclass(frozen=True)
class Separators:
    """How the rows of a file are written.

    Attributes:
        field: What is between two fields.
        decimal: What is before the decimals of numbers.
    """

    field: str = COMMA
    decimal: str = '.'

    @classmethod
    def of(cls, source: str | io.StringIO) -> Separators:
        """Those of a file, told by its first lines.

        Args:
            source: The name of a file, or what stood in one; it is read from its place on, and put
                back there.
        """
        lines = _first_lines(source)
        field = _between_fields(lines)
        cells = {cell.strip(' "') for line in lines[1:] for cell in line.strip('\r\n').split(field)}
        is_comma = field != COMMA and any(map(_WITH_COMMA.fullmatch, cells))
        return cls(field, ',' if is_comma and not any(map(_WITH_POINT.fullmatch, cells)) else '.')


def _between_fields(lines: list[str]) -> str:
    """A comma, or what the first two lines have in its place, equally often."""
    head, first = [*lines, '', ''][:2]
    if COMMA not in head:
        for sign in _OTHERS:
            if 0 < head.count(sign) == (first or head).count(sign):
                return sign
    return COMMA


def _first_lines(source: str | io.StringIO) -> list[str]:
    if isinstance(source, io.StringIO):
        place = source.tell()
        lines = list(itertools.islice(source, _FIRST_LINES))
        source.seek(place)
        return lines
    from pandas.io.common import get_handle

    with get_handle(source, 'r', encoding='utf-8', compression='infer') as opened:
        return list(itertools.islice(opened.handle, _FIRST_LINES))
