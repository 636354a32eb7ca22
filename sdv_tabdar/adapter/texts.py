"""Values that generators make, by number: the text at any place of a pattern without the others.

RDT can only count from the first text of a pattern on, and Faker only draw; who draws rows far
behind the first one needs the values of these rows.
"""

from __future__ import annotations

import dataclasses
import math
import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sdv_tabdar.adapter.patterns import RDT_UNBOUNDED, constants, parser

_CATEGORIES = {
    constants.CATEGORY_SPACE: r'\s',
    constants.CATEGORY_NOT_SPACE: r'\S',
    constants.CATEGORY_DIGIT: r'\d',
    constants.CATEGORY_NOT_DIGIT: r'\D',
    constants.CATEGORY_WORD: r'\w',
    constants.CATEGORY_NOT_WORD: r'\W',
}
_MARKS = {'#': string.digits, '%': string.digits[1:]}  # Faker's, for a digit
_OPTIONAL = '!@'  # Faker's, for a digit that may be absent: texts would have no fixed length


@dataclasses.dataclass(frozen=True)
class Texts:
    """Distinct values in an order.

    Attributes:
        number: How many there are.
        at: The value at a place from 0 to ``number - 1``.
    """

    number: int
    at: Callable[[int], Any]


def texts_of_faker(function: str, arguments: Mapping[str, Any]) -> Texts | None:
    """The values that a function of Faker's own provider draws from, if they can be counted.

    Args:
        function: Its name.
        arguments: What it is called with.

    Returns:
        Whole numbers of ``random_int``, texts of ``bothify`` and ``lexify``; None for all others.
    """
    if function == 'random_int' and set(arguments) == {'min', 'max'}:
        low, high = arguments['min'], arguments['max']
        return Texts(high - low + 1, lambda place: low + place)
    text = arguments.get('text')
    if function not in ('bothify', 'lexify') or not isinstance(text, str):
        return None
    letters = arguments.get('letters', string.ascii_letters)
    marks = {'?': letters, **(_MARKS if function == 'bothify' else {})}
    if set(arguments) - {'text', 'letters'} or len(set(letters)) < len(letters):
        return None
    if function == 'bothify' and set(_OPTIONAL) & set(text):
        return None
    return _product([_listed(marks.get(sign, [sign])) for sign in text])


def texts_of_pattern(pattern: str) -> Texts:
    """The texts of a pattern in RDT's order.

    They are digits of mixed radix, the last part of the pattern the lowest digit.

    Raises:
        NotImplementedError: If RDT has no texts for a part of the pattern, as for lookaheads.
    """
    parsed = parser.parse(pattern, flags=parser.SRE_FLAG_UNICODE)
    return _product([_texts(*part) for part in _without_ends(parsed)])


def _without_ends(parsed: Any) -> list[tuple[Any, Any]]:
    return [part for part in parsed if part[0] is not constants.AT]


def _texts(operation: Any, arguments: Any) -> Texts:
    """The texts of one part of a pattern."""
    if operation is constants.LITERAL:
        return _listed(chr(arguments))
    if operation is constants.RANGE:
        low, high = arguments
        return Texts(high - low + 1, lambda place: chr(low + place))
    if operation is constants.ANY:
        return _listed(string.printable)
    if operation is constants.CATEGORY:
        letter = re.compile(_CATEGORIES[arguments])
        return _listed([sign for sign in string.printable if letter.match(sign)])
    if operation is constants.IN:
        return _one_of([_texts(*option) for option in arguments])
    if operation is constants.SUBPATTERN:
        return _product([_texts(*part) for part in _without_ends(arguments[-1])])
    if operation is constants.MAX_REPEAT:
        low, high, repeated = arguments
        high = RDT_UNBOUNDED if high is constants.MAXREPEAT else int(high)
        once = _texts(*repeated[0])  # RDT looks no further, and never repeats nothing
        return _one_of([_product([once] * times) for times in range(max(low, 1), high + 1)])
    raise NotImplementedError(f'RDT has no texts for {operation}.')


def _listed(texts: Sequence[str]) -> Texts:
    return Texts(len(texts), texts.__getitem__)


def _one_of(choices: Sequence[Texts]) -> Texts:
    """The texts of the first choice, then those of the second, and so on."""

    def at(place: int) -> str:
        for choice in choices:
            if place < choice.number:
                return choice.at(place)
            place -= choice.number
        raise IndexError(place)

    return Texts(sum(choice.number for choice in choices), at)


def _product(parts: Sequence[Texts]) -> Texts:
    """A text of each part, side by side; the last part changes fastest."""

    def at(place: int) -> str:
        texts = []
        for part in reversed(parts):
            place, digit = divmod(place, part.number)
            texts.append(part.at(digit))
        return ''.join(reversed(texts))

    return Texts(math.prod(part.number for part in parts), at)
