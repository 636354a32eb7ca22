"""Texts by number are those that RDT counts through and Faker draws from, in one order."""

from __future__ import annotations

import itertools

import faker
import pytest
from rdt.transformers.utils import strings_from_regex

from sdv_tabdar.adapter.texts import texts_of_faker, texts_of_pattern

PATTERNS = [
    'ID_[0-9]{3}',
    '[0-9a-c]{2,3}-x?',
    '^a[bc](de){1,2}$',
    r'\d{2}\w',
    r'\s\S',
    '.[xy]*',
    '(ab[cd])?z',
    '[a-c]+',
    '(a[bc]){2}',
    'a|b',
]


@pytest.mark.parametrize('pattern', PATTERNS)
def test_texts_of_a_pattern_are_in_the_order_of_rdt(pattern: str) -> None:
    generator, _ = strings_from_regex(pattern)
    texts = texts_of_pattern(pattern)
    counted = list(itertools.islice(generator, 2_000))

    assert [texts.at(place) for place in range(min(texts.number, 2_000))] == counted
    assert texts.number == len(counted) or len(counted) == 2_000


def test_a_text_far_behind_is_found_at_once() -> None:
    texts = texts_of_pattern('[a-z]{12}')

    assert texts.number == 26**12
    assert texts.at(26**12 - 1) == 'z' * 12


def test_what_rdt_has_no_texts_for_is_refused() -> None:
    with pytest.raises(NotImplementedError, match='RDT has no texts for NOT_LITERAL'):
        texts_of_pattern('[^a]')


@pytest.mark.parametrize(
    ('function', 'arguments', 'number'),
    [
        ('random_int', {'min': 3, 'max': 12}, 10),
        ('bothify', {'text': 'k-?#%', 'letters': 'xy'}, 2 * 10 * 9),
        ('lexify', {'text': '?#'}, 52),
    ],
)
def test_values_of_faker_are_among_them(
    function: str, arguments: dict[str, object], number: int
) -> None:
    texts = texts_of_faker(function, arguments)
    assert texts is not None
    every = [texts.at(place) for place in range(texts.number)]
    source = faker.Faker()
    source.seed_instance(0)

    assert len(set(every)) == len(every) == number
    drawn = {getattr(source, function)(**arguments) for _ in range(2_000)}
    assert drawn <= set(every)
    assert len(drawn) > number / 2


@pytest.mark.parametrize(
    ('function', 'arguments'),
    [
        ('email', {}),
        ('bothify', {'text': 'a!'}),
        ('bothify', {'text': '?', 'letters': 'aa'}),
        ('random_int', {'min': 0, 'max': 9, 'step': 2}),
        ('lexify', {}),
    ],
)
def test_what_cannot_be_counted_is_not(function: str, arguments: dict[str, object]) -> None:
    assert texts_of_faker(function, arguments) is None
