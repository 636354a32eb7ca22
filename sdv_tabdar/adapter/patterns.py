"""Patterns of generated text: how much memory RDT would need to go through one.

RDT lays a generator for every repetition of every part side by side, so that a short pattern with
nested repetitions can ask for more memory than there is.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from sdv_tabdar.adapter.checked import Unfit, text

if sys.version_info >= (3, 11):
    from re import _constants as constants  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as constants
    import sre_parse as parser

__all__ = ['RDT_UNBOUNDED', 'check_pattern', 'constants', 'parser']

_LONGEST = 1_000
_MOST_PARTS = 200_000  # of about 300 bytes each
RDT_UNBOUNDED = 16  # repetitions that RDT takes in place of no limit


def check_pattern(pattern: Any, place: str) -> None:
    """Refuse a pattern that RDT cannot go through, or only in much memory.

    Raises:
        Unfit: If it is one.
    """
    text(pattern, place)
    if len(pattern) > _LONGEST:
        raise Unfit(place, f'is a pattern of more than {_LONGEST:,} characters.')
    try:
        parts = _parts(parser.parse(pattern), 0)
    except (re.error, RecursionError, OverflowError):
        raise Unfit(place, 'is no regular expression.') from None
    if parts > _MOST_PARTS:
        raise Unfit(
            place,
            f'is a pattern of more than {_MOST_PARTS:,} parts, repetitions among them. Give a '
            'simpler one.',
        )


def _parts(parsed: Any, depth: int) -> int:
    """Generators that RDT makes for a parsed pattern."""
    if depth > 20:
        return _MOST_PARTS + 1
    total = 1
    for operation, arguments in parsed:
        if operation in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            low, high, repeated = arguments
            high = max(low, RDT_UNBOUNDED) if high is constants.MAXREPEAT else int(high)
            times = max(high * (high + 1) // 2 - low * (low - 1) // 2, 1)
            total += times * _parts(repeated, depth + 1)
        elif operation is constants.SUBPATTERN:
            total += _parts(arguments[-1], depth + 1)
        else:
            total += 1
        if total > _MOST_PARTS:
            break
    return int(total)
