"""Levels come back; rare ones share a code; restrictions of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.categorical import CategoricalCodec, even_parts
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing

DEFAULT = ModelConfig()


def _categorical(values: Any, config: ModelConfig = DEFAULT) -> CategoricalCodec:
    return CategoricalCodec.fit('x', pd.Series(values, name='x'), config)


def _round_trip(codec: CategoricalCodec, values: Any) -> np.ndarray:
    codes, residuals = codec.encode(pd.Series(values))
    assert not residuals.any()
    return codec.decode(codes, residuals, np.zeros(len(codes)))


LEVELS: dict[str, Callable[[], Any]] = {
    'text': lambda: list('abacab'),
    'one category': lambda: ['a'] * 5,
    'one row': lambda: ['a'],
    'missing': lambda: ['a', None, 'b', None],
    'all missing': lambda: [None] * 4,
    'bool': lambda: [True, False, True],
    'bool and missing': lambda: pd.Series([True, None, False], dtype=object),
    'numbers': lambda: [3, 1, 3, 2],
    'floats': lambda: [0.5, 1.5, 0.5],
    'mixed types': lambda: pd.Series(['1', 1, (1, 2), None, 2.5, b'x', 'nan'], dtype=object),
    'tuples': lambda: pd.Series([(1, 2), (3, 4), (1, 2)], dtype=object),
    'nested tuples': lambda: pd.Series([(1, (2, 3)), ('a', 4)], dtype=object),
    'times': lambda: list(pd.to_datetime(['2020-01-01', '2021-01-01'])),
    'empty text': lambda: ['', ' ', ''],
    'pandas category': lambda: pd.Categorical(['b', 'a', None], categories=['a', 'b', 'unused']),
    'nullable integers': lambda: pd.array([1, None, 2], dtype='Int64'),
    'nullable booleans': lambda: pd.array([True, None, False], dtype='boolean'),
    'nullable text': lambda: pd.array(['a', None, 'b'], dtype='string'),
    'thousands': lambda: [f'level {i % 2000}' for i in range(5000)],
}


@pytest.mark.parametrize('name', LEVELS)
def test_levels_come_back(name: str) -> None:
    values = LEVELS[name]()
    back = _round_trip(_categorical(values), values)
    given = pd.Series(values).astype(object)
    expected = given.where(given.notna(), None).tolist()
    assert back.dtype == object
    assert back.tolist() == expected


@pytest.mark.parametrize('missing', [None, np.nan, pd.NA, pd.NaT])
def test_all_ways_to_be_missing_are_one_level(missing: Any) -> None:
    codec = _categorical(pd.Series(['a', None, np.nan, pd.NA], dtype=object))
    assert codec.levels == (None, 'a')
    assert codec.encode(pd.Series([missing], dtype=object))[0].tolist() == [0]
    assert codec.column.missing == 0


def test_levels_are_ordered_by_frequency_and_plain_python_objects() -> None:
    codec = _categorical(np.array([2, 1, 1, 3, 1, 2]))
    assert codec.levels == (1, 2, 3)
    assert codec.column.counts == (3, 2, 1)
    assert all(type(level) is int for level in codec.levels)


def test_equally_frequent_levels_are_in_an_order_that_says_nothing_of_the_rows() -> None:
    levels = ['b', 'a', 'é', (1, 'x'), (1, None), b'z', 2.5, 2, True, pd.Timestamp('2020'), '']
    orders = [np.random.default_rng(seed).permutation(len(levels)) for seed in range(4)]
    found = []
    for order in orders:
        cells = np.empty(len(levels) + 2, dtype=object)
        cells[:-2] = [levels[place] for place in order]
        cells[-2:] = 'b'
        found.append(_categorical(pd.Series(cells)).levels)
    assert set(found) == {found[0]}
    assert found[0][:4] == ('b', True, 2, 2.5)


def test_unseen_category_is_an_error_that_names_column_value_and_what_is_allowed() -> None:
    codec = _categorical(list('aab'))
    with pytest.raises(
        ValueError,
        match=r"Column 'x' has values that the model has never seen: \['z', nan\]. "
        r"Allowed are the 2 values of the training data: 'a', 'b'\.",
    ):
        _round_trip(codec, ['a', 'z', np.nan, 'z'])


def test_unseen_category_of_many_lists_the_first_only() -> None:
    codec = _categorical([f'{i:04d}' for i in range(3000)])
    with pytest.raises(ValueError, match=r'the 3000 values .* \.\.\.') as error:
        _round_trip(codec, ['z'])
    assert len(str(error.value)) < 400


def test_values_that_cannot_be_hashed_are_an_error() -> None:
    with pytest.raises(TypeError, match=r"Column 'x' is categorical .*unhashable type: 'list'"):
        _categorical(pd.Series([[1], [2]], dtype=object))


# Rare levels that share a code


@pytest.fixture
def rare() -> CategoricalCodec:
    """5 frequent levels; missing and 'a'..'e' are rare, and the letters share a code."""
    values: list[str | None] = [f'f{i}' for i in range(5) for _ in range(100)]
    values += ['a'] * 5 + ['b'] * 4 + ['c'] * 3 + ['d'] * 2 + ['e'] + [None]
    return _categorical(values, ModelConfig(max_categories=7))


def test_rare_levels_share_the_last_code_and_missing_does_not(rare: CategoricalCodec) -> None:
    assert rare.column.num_codes == 7
    assert rare.needs_uniforms
    assert rare.levels[5] is None
    assert rare.column.missing == 5
    assert rare.column.counts[5:] == (1, 15)
    codes, _ = rare.encode(pd.Series(list('abcde')))
    assert codes.tolist() == [6] * 5


def test_rare_levels_are_drawn_by_their_frequency(rare: CategoricalCodec) -> None:
    size = 15_000
    uniforms = (np.arange(size) + 0.5) / size
    levels, counts = np.unique(
        rare.decode(np.full(size, 6), np.zeros(size), uniforms).astype(str), return_counts=True
    )
    assert dict(zip(levels.tolist(), counts.tolist(), strict=True)) == {
        'a': 5000,
        'b': 4000,
        'c': 3000,
        'd': 2000,
        'e': 1000,
    }


def test_shares_within_codes(rare: CategoricalCodec) -> None:
    shares = [1] * 6 + [count / 15 for count in (5, 4, 3, 2, 1)]
    assert rare.level_probabilities(np.ones((1, 7)))[0] == pytest.approx(shares)
    volumes = rare.log_volume(pd.Series(rare.levels, dtype=object))
    assert np.exp(volumes) == pytest.approx(shares)


@pytest.fixture
def zips() -> CategoricalCodec:
    """28 frequent levels, and 60 rare ones that share 4 codes."""
    frequent = [f'f{number:02}' for number in range(28) for _ in range(9)]
    rare = [f'z{number:02}' for number in range(60) for _ in range(1 + number % 3)]
    return _categorical([*rare[::-1], *frequent], ModelConfig(max_categories=32))


def test_neighbours_share_codes_evenly(zips: CategoricalCodec) -> None:
    assert (zips.column.num_codes, zips.num_single) == (32, 28)
    assert zips.column.counts[28:] == (30, 30, 30, 30)
    codes, _ = zips.encode(pd.Series([f'z{number:02}' for number in range(60)]))
    assert (np.diff(codes) >= 0).all()
    assert set(codes) == {28, 29, 30, 31}
    assert (zips.known_codes(pd.Series(['z00', 'new', 'f00'])) == [28, -1, 0]).all()


def test_each_shared_code_has_its_own_levels(zips: CategoricalCodec) -> None:
    codes = np.repeat(np.arange(28, 32), 3_000)
    drawn = zips.decode(codes, np.zeros(12_000), np.tile((np.arange(3_000) + 0.5) / 3_000, 4))
    assert (zips.encode(pd.Series(drawn))[0] == codes).all()
    counts = pd.Series(drawn).value_counts()
    assert (counts['z00'], counts['z01'], counts['z02']) == (100, 200, 300)
    assert len(counts) == 60
    ends = zips.decode(np.array([28, 28, 31, 31]), np.zeros(4), np.array([0, 1 - 1e-8] * 2))
    assert ends[[0, -1]].tolist() == ['z00', 'z59']


def test_members_are_drawn_within_the_code_that_was(zips: CategoricalCodec) -> None:
    members = Members(('z00', 'z02', 'z59', 'f03'))
    pieces = zips.restrict(members)
    assert pieces.codes.tolist() == [3, 28, 31]
    assert pieces.share.tolist() == pytest.approx([1, 4 / 30, 3 / 30])
    drawn = np.array(['z05', 'z06', 'z50', 'f03'], dtype=object)
    obeying = zips.enforce(drawn, members, np.array([0.2, 0.3, 0.9, 0.5]))
    assert obeying.tolist() == ['z00', 'z02', 'z59', 'f03']


def test_parts_are_even_and_none_is_empty() -> None:
    assert even_parts(np.array([100, 1, 1, 1]), 3) == [1, 1, 2]
    assert even_parts(np.array([1, 1, 1, 100]), 3) == [2, 1, 1]
    assert even_parts(np.array([1, 100, 1]), 3) == [1, 1, 1]
    assert even_parts(np.ones(12, dtype=np.int64), 4) == [3, 3, 3, 3]


def test_in_former_versions_all_rare_levels_shared_the_last_code(zips: CategoricalCodec) -> None:
    state = zips.to_state()
    assert CategoricalCodec.from_state(state).to_state() == state
    del state['sharing']
    state['column']['counts'] = [*state['column']['counts'][:28], 120]
    former = CategoricalCodec.from_state(state)
    assert former.encode(pd.Series(['f00', 'z00', 'z59']))[0].tolist() == [0, 28, 28]


def test_members_that_share_a_code_have_their_share_of_it(rare: CategoricalCodec) -> None:
    pieces = rare.restrict(Members(('f0', 'b', 'd', 'b')))
    assert pieces.codes.tolist() == [0, 6]
    assert pieces.share.tolist() == pytest.approx([1, 6 / 15])
    drawn = np.array(['f0', 'a', 'e', 'd', 'b'], dtype=object)
    obeying = rare.enforce(drawn, Members(('f0', 'b', 'd')), np.array([0.0, 0.1, 0.9, 0.6, 0.7]))
    assert obeying.tolist() == ['f0', 'b', 'd', 'b', 'd']
    assert rare.enforce(drawn, NotMissing(), np.zeros(5)) is drawn


def test_not_missing_leaves_the_rare_levels(rare: CategoricalCodec) -> None:
    assert rare.restrict(NotMissing()).codes.tolist() == [0, 1, 2, 3, 4, 6]


# Restrictions


def test_categorical_pieces() -> None:
    codec = _categorical(['a', 'a', 'b', None])
    assert codec.restrict(NotMissing()).codes.tolist() == [0, 1]
    assert codec.restrict(Members(('b', None, 'b'))).codes.tolist() == [1, 2]


def test_an_interval_of_categories_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Column 'x' is categorical; Interval\(.* needs a numer"):
        _categorical(['a']).restrict(Interval(0, 1))


def test_an_unseen_member_is_an_error() -> None:
    with pytest.raises(ValueError, match="never seen: \\['z'\\]. Allowed are the 1 values"):
        _categorical(['a']).restrict(Members(('a', 'z')))


def test_not_missing_where_all_were_missing_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Column 'x' cannot be NotMissing.* nothing but miss"):
        _categorical(pd.Series([None, None], dtype=object)).restrict(NotMissing())


def test_it_grows_by_new_levels_and_forgets_none() -> None:
    before = _categorical(['a', 'a', 'b', None])
    codec = before.grown(pd.Series(['c', 'c', 'c', 'a', 'a', 'd'], name='x'), DEFAULT)
    assert codec.levels[:2] == ('c', 'a')
    assert set(codec.levels) == {'a', 'b', 'c', 'd', None}
    old = codec.codes_in(before)
    found = {
        level: before.levels[code] if code >= 0 else '-'
        for level, code in zip(codec.levels, old, strict=True)
    }
    assert found == {'a': 'a', 'b': 'b', None: None, 'c': '-', 'd': '-'}
    assert codec.column.missing == codec.levels.index(None)


def test_levels_that_share_a_code_grow_too() -> None:
    few = ModelConfig(max_categories=3)
    before = _categorical(list('aaabbcd'), few)
    codec = before.grown(pd.Series(list('aaabbbbceee'), name='x'), few)
    assert codec.column.num_codes == 3
    assert set(codec.levels) == set('abcde')
    assert codec.codes_in(before).tolist() == [1, 0, 2]
