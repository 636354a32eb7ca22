"""The pattern that ids of text have in common, as a regular expression for SDV's metadata."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_DIGITS = '[0-9]'
_RUNS = re.compile(r'[0-9]+|[A-Z]+|[a-z]+|[^0-9A-Za-z]+')
# Sets of characters and how many there are, each before those that hold it.
_SETS = (
    (_DIGITS, 10),
    ('[A-Z]', 26),
    ('[a-z]', 26),
    ('[0-9a-f]', 16),
    ('[0-9A-F]', 16),
    ('[0-9a-z]', 36),
    ('[0-9A-Z]', 36),
    ('[A-Za-z]', 52),
    ('[0-9A-Za-z]', 62),
)
_ROOM = 100  # ids that there may be for each that there is, at least

_Piece = tuple[str, int, int]
"""A set of characters or an escaped text, and the least and the most of them in a row."""


def pattern_of(ids: Sequence[str]) -> str | None:
    """The simplest regular expression that all ids match and that leaves room for new ones.

    Ids of one length are compared letter by letter, others run by run of digits, of capitals, of
    small letters and of other characters. Letters and signs that all of them share stay, digits do
    not, and the last number may be longer if there would be few new ids else.

    Args:
        ids: The texts, at least one.

    Returns:
        The expression; None if they have nothing of the kind in common.
    """
    length = {len(text) for text in ids}
    pieces = _by_letter(ids) if len(length) == 1 else _by_run(ids)
    if pieces is None:
        return None
    pieces = _widened(pieces, _ROOM * len(ids))
    return None if pieces is None else ''.join(map(_written, pieces))


def _by_letter(ids: Sequence[str]) -> list[_Piece] | None:
    """What stands at each place, equal sets beside each other as one."""
    pieces: list[_Piece] = []
    for letters in zip(*ids, strict=True):
        found = _set_of({*letters})
        if found is None:
            return None
        last = pieces[-1] if pieces else ('', 0, 0)
        if last[0] == found:
            pieces[-1] = found, last[1] + 1, last[2] + 1
        else:
            pieces.append((found, 1, 1))
    return pieces


def _by_run(ids: Sequence[str]) -> list[_Piece] | None:
    """What each run holds, and how long it is; None if the ids have not equally many runs."""
    runs = [_RUNS.findall(text) for text in ids]
    if len({len(found) for found in runs}) != 1:
        return None
    pieces: list[_Piece] = []
    for texts in zip(*runs, strict=True):
        if len({*texts}) == 1 and not texts[0].isdigit():
            pieces.append((_literal(texts[0]), 1, 1))
            continue
        found = _set_of({*''.join(texts)}, may_stay=False)
        if found is None:
            return None
        lengths = [len(text) for text in texts]
        pieces.append((found, min(lengths), max(lengths)))
    return pieces


def _widened(pieces: list[_Piece], room: int) -> list[_Piece] | None:
    """The pieces with so many digits in the last run of them that there are ``room`` ids."""
    sizes = dict(_SETS)
    possible = math.prod(sizes.get(found, 1) ** most for found, _, most in pieces)
    more = 0
    while possible * 10**more < room:
        more += 1
    if not more:
        return pieces
    digits = [place for place, piece in enumerate(pieces) if piece[0] == _DIGITS]
    if not digits:
        return None
    found, least, most = pieces[digits[-1]]
    pieces[digits[-1]] = found, least, most + more
    return pieces


def _set_of(letters: set[str], *, may_stay: bool = True) -> str | None:
    """The least set that holds all letters, or the only one if it is no digit; None without."""
    if may_stay and len(letters) == 1 and not letters <= {*'0123456789'}:
        return _literal(*letters)
    everything = ''.join(letters)
    for found, _ in _SETS:
        if re.fullmatch(f'{found}*', everything, re.ASCII):
            return found
    return None


def _literal(text: str) -> str:
    return re.sub(r'\\([- ])', r'\1', re.escape(text))  # signs that mean nothing in a pattern


def _written(piece: _Piece) -> str:
    found, least, most = piece
    if found not in dict(_SETS):
        return found * most
    if least != most:
        return f'{found}{{{least},{most}}}'
    return found if most == 1 else f'{found}{{{most}}}'
