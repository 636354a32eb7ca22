"""The pattern that ids have in common."""

from __future__ import annotations

import random
import re
import uuid

import pytest

from sdv_tabdar.adapter.id_patterns import pattern_of

RANDOM = random.Random(0)


def ids(make: str, count: int = 100) -> list[str]:
    """Texts in which ``#`` is a digit, ``A`` a capital, and all else itself."""
    letters = {'#': '0123456789', 'A': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'}
    return [
        ''.join(RANDOM.choice(letters.get(letter, letter)) for letter in make) for _ in range(count)
    ]


@pytest.mark.parametrize(
    ('texts', 'pattern'),
    [
        (ids('####-AAAAA'), '[0-9]{4}-[A-Z]{5}'),
        (ids('s#####Q'), 's[0-9]{5}Q'),
        ([f'C{number:06d}' for number in range(100)], 'C[0-9]{6}'),
        ([f'cust-{number}' for number in range(5, 1_200)], 'cust-[0-9]{1,6}'),
        ([f'a.b+{number}' for number in range(8, 12)], r'a\.b\+[0-9]{1,3}'),
        ([f'{number:02d}' for number in range(90)], '[0-9]{2,4}'),
    ],
)
def test_pattern_is_the_simplest_with_room(texts: list[str], pattern: str) -> None:
    assert pattern_of(texts) == pattern
    assert all(re.fullmatch(pattern, text) for text in texts)


def test_hexadecimal_ids_have_a_pattern() -> None:
    texts = [str(uuid.UUID(int=RANDOM.getrandbits(128))) for _ in range(100)]
    pattern = pattern_of(texts)
    assert pattern is not None
    assert pattern.startswith('[0-9a-f]{8}-[0-9a-f]{4}-')
    assert all(re.fullmatch(pattern, text) for text in texts)


@pytest.mark.parametrize(
    'texts',
    [
        ['', 'ab'],
        ['ann@example.com', 'bob.b@example.org'],
        ['äb', 'cd'],
        ['x-1', 'x 2'],
        list('abcdefgh'),
    ],
    ids=['empty', 'words', 'accents', 'signs', 'no room'],
)
def test_texts_of_no_pattern_have_none(texts: list[str]) -> None:
    assert pattern_of(texts) is None
