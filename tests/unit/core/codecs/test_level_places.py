"""Places of levels: by the numbers they are or by a declared order, and none for the rest."""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.level_places import level_places
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import NO_PLACE

ANY = [10, 20, 30, 40]


def _places(levels: list[Hashable], order: tuple[Hashable, ...] = ()) -> list[tuple[float, float]]:
    """Of levels with a code each, of which the counts are 1, 2, ... ."""
    counts = np.arange(len(levels)) + 1
    return list(level_places(levels, counts, np.arange(len(levels)), order))


@pytest.mark.parametrize(
    'levels',
    [
        [2013, 2010, 2011],
        ['13', '-10', '1e1'],
        [Decimal('2.5'), -1.5, 2],
        [np.float64(3.5), 1, '2'],
    ],
)
def test_levels_that_are_numbers_are_in_their_order(levels: list[Hashable]) -> None:
    assert np.allclose(_places(levels), [(5 / 6, 1), (0, 1 / 3), (1 / 3, 5 / 6)])


@pytest.mark.parametrize('other', [None, 'unknown', True, 'nan', '-inf', 10**400, ('a', 1)])
def test_what_is_no_number_has_no_place_and_takes_none(other: Hashable) -> None:
    places = _places([3, 1, 2, other])
    assert np.allclose(places[:3], [(5 / 6, 1), (0, 1 / 3), (1 / 3, 5 / 6)])
    assert places[3] == NO_PLACE


@pytest.mark.parametrize(
    'levels', [[1, 2], ['a', 'b', 'c'], [True, False, None], [], ['1', 1, 1.0]]
)
def test_fewer_than_three_places_are_no_order(levels: list[Hashable]) -> None:
    assert not _places(levels)


def test_a_declared_order_is_taken_as_it_is() -> None:
    order = ('low', 'middle', 'unseen', 'high')
    places = _places(['middle', 'high', 'low', None], order)
    assert np.allclose(places[:3], [(3 / 6, 4 / 6), (4 / 6, 1), (0, 3 / 6)])
    assert places[3] == NO_PLACE
    assert np.allclose(_places([1, 2, 3], (3, 2, 1)), [(5 / 6, 1), (3 / 6, 5 / 6), (0, 3 / 6)])


def test_an_order_of_other_levels_says_nothing() -> None:
    assert _places([1, 2, 3], ('a', 'b')) == _places([1, 2, 3])


def test_a_truth_value_is_no_number_of_an_order() -> None:
    assert _places([True, 2, 3, 4], (1, 2, 3, 4))[0] != NO_PLACE  # the number that equals it
    assert _places([True, 2, 3, 4])[0] == NO_PLACE


def test_levels_that_share_a_code_lie_between_them() -> None:
    codes = np.array([0, 1, 1, 2])
    places = level_places(ANY, np.array([4, 1, 3, 2]), codes)
    assert np.allclose(places[0], (0, 0.4))
    assert np.allclose(np.mean(places[1]), (1 * 0.45 + 3 * 0.65) / 4)
    assert np.allclose(places[2], (0.8, 1))


def test_intervals_stay_within_the_column() -> None:
    codes = np.array([0, 1, 0, 1])  # neighbours apart, as rare levels may be
    for low, high in level_places(ANY, np.array([1, 1, 1, 97]), codes):
        assert 0 <= low <= high <= 1


def test_a_codec_has_them_if_asked() -> None:
    values = pd.Series([3, 1, 2, 2, None], dtype=object)
    ordered = CategoricalCodec.fit('x', values, ModelConfig())
    assert ordered.levels == (2, 1, 3, None)
    assert ordered.column.uniform == ((0.25, 0.75), (0.0, 0.25), (0.75, 1.0), NO_PLACE)
    plain = CategoricalCodec.fit('x', values, ModelConfig(ordered_levels=False))
    assert not plain.column.uniform
    assert not plain.grown(values, ModelConfig(ordered_levels=False)).column.uniform
    assert CategoricalCodec.from_state(ordered.to_state()).column == ordered.column


def test_an_order_outlives_a_table_with_fewer_levels() -> None:
    ordered = CategoricalCodec.fit('x', pd.Series([3, 1, 2, 2]), ModelConfig())
    grown = ordered.grown(pd.Series([1, 1, 2]), ModelConfig())
    assert grown.levels == (1, 2, 3)
    assert grown.column.uniform == ((0.0, 0.5), (0.5, 0.75), (0.75, 1.0))


@pytest.mark.parametrize(
    'levels',
    [
        ['<18', '18-24', '25-34', '65+'],
        ['< 1 year', '2 years', '9 years', '10+ years'],
        ['$0-500', '$1,000', '$1,000-2,000', '$2,000.50'],
        ['08:30', '8:45', '09:00', '10'],
        ['2020-05', '2020-12', '2021-03', '2021-10'],
        ['1', '2', '4', '5more'],
        ['1st', '2nd', '3rd', '11th'],
        ['Jan', 'Mar.', 'june', 'Sept'],
        ['Monday', 'TUES', 'Wed', 'sun'],
    ],
)
def test_text_is_in_the_order_of_the_numbers_or_the_dates_it_begins_with(levels: list[str]) -> None:
    counts, codes = np.full(4, 5), np.array([2, 0, 3, 1])
    places = level_places([levels[code] for code in codes], counts, np.arange(4))
    assert np.allclose(places, [(code / 4, (code + 1) / 4) for code in codes])
    assert np.allclose(
        level_places([*levels, None], np.full(5, 5), np.arange(5))[:4],
        [(code / 4, (code + 1) / 4) for code in range(4)],
    )


@pytest.mark.parametrize(
    'levels',
    [['a1', 'b2', 'c3'], ['ma', 'ju', 'd'], ['Mon', 'Tue', 'Jan'], ['Mon', 'Tue', 'x', 'Sun']],
)
def test_other_text_is_in_no_order(levels: list[str]) -> None:
    assert not _places([*levels])
