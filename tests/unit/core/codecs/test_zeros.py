"""Codes of two columns that never meet: which are found, and what is kept of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs.dependencies import find_dependencies
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.zeros import allowed_codes, find_zeros, kept_zeros
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind, Zeros

N = 1_000
RANDOM = np.random.default_rng(0)
NOISE = RANDOM.random(N)
AGE = RANDOM.integers(16, 90, N).astype(float)
CONFIG = ModelConfig(max_atoms=8, num_bins=16)


def encoded(frame: pd.DataFrame) -> TableEncoder:
    numbers = frame.select_dtypes('number').columns
    kinds = {
        name: ColumnKind.NUMERICAL if name in numbers else ColumnKind.CATEGORICAL for name in frame
    }
    return TableEncoder.fit(frame, kinds, CONFIG)


def found_in(frame: pd.DataFrame) -> tuple[TableEncoder, Sequence[Zeros]]:
    encoder = encoded(frame)
    return encoder, find_zeros(encoder.encode_all(frame), encoder.schema)


def named(frame: pd.DataFrame) -> set[tuple[str, str]]:
    names = list(frame)
    return {(names[one.determinant], names[one.dependent]) for one in found_in(frame)[1]}


def allows(frame: pd.DataFrame, given: object, asked: object) -> bool:
    """Whether a cell of the second column may be so where one of the first is."""
    encoder, found = found_in(frame)
    pair = pd.DataFrame({name: [value] for name, value in zip(frame, (given, asked), strict=True)})
    codes = encoder.encode(pair.astype(frame.dtypes), np.ones((1, 2), dtype=bool)).codes[0].long()
    for one in found:
        table = allowed_codes(one, encoder.schema.columns[one.dependent].num_codes)
        if not table[codes[one.determinant], codes[one.dependent]]:
            return False
    return True


def test_what_is_missing_exactly_where_another_cell_says_so() -> None:
    kids = np.where(NOISE < 0.4, 0, RANDOM.poisson(2, N) + 1).astype(str)
    youngest = pd.Series(RANDOM.gamma(4, 3, N)).mask(kids == '0')
    frame = pd.DataFrame({'kids': kids, 'youngest': youngest})
    assert named(frame) == {('kids', 'youngest'), ('youngest', 'kids')}
    assert allows(frame, '0', np.nan)
    assert allows(frame, '2', 7.5)
    assert not allows(frame, '0', 7.5)
    assert not allows(frame, '2', np.nan)


def test_two_amounts_of_which_one_is_zero() -> None:
    gain = np.where(NOISE < 0.1, RANDOM.gamma(2, 900, N), 0.0)
    loss = np.where(NOISE > 0.9, RANDOM.gamma(2, 900, N), 0.0)
    frame = pd.DataFrame({'gain': gain, 'loss': loss})
    assert not found_in(frame)[1]  # a hundred times a tenth may be by chance, nearly
    frame = pd.DataFrame({'gain': gain, 'loss': np.where(gain > 0, 0.0, loss + AGE)})
    assert allows(frame, 500.0, 0.0)
    assert not allows(frame, 500.0, 40.0)
    assert not allows(frame, 0.0, 0.0)


def test_a_sharp_limit_is_one_and_a_tail_that_fades_is_none() -> None:
    retired = np.where((AGE > 67) | (NOISE < 0.2), 'yes', 'no')
    assert not allows(pd.DataFrame({'age': AGE, 'retired': retired}), 85.0, 'no')
    assert allows(pd.DataFrame({'age': AGE, 'retired': retired}), 60.0, 'no')
    chance = 1 / (1 + np.exp((AGE - 30) / 4))
    fading = np.where(chance > NOISE, 'yes', 'no')
    assert (fading[AGE > 65] == 'no').all()
    assert allows(pd.DataFrame({'age': AGE, 'young': fading}), 85.0, 'yes')


def test_independent_columns_have_none() -> None:
    frame = pd.DataFrame(
        {
            'level': RANDOM.choice(list('abc'), N, p=[0.95, 0.04, 0.01]),
            'size': np.where(RANDOM.random(N) < 0.3, 0, RANDOM.normal(size=N)),
            'gap': pd.Series(RANDOM.normal(size=N)).mask(RANDOM.random(N) < 0.2),
            'rare': np.where(RANDOM.random(N) < 0.005, 'x', 'y'),
        }
    )
    assert not found_in(frame)[1]


@pytest.mark.parametrize('num_rows', [1, 2, 15])
def test_few_rows_tell_nothing(num_rows: int) -> None:
    frame = pd.DataFrame({'a': ['x', 'y'] * num_rows, 'b': [1.0, np.nan] * num_rows})
    assert not find_zeros(
        encoded(frame[:num_rows]).encode_all(frame[:num_rows]), encoded(frame[:num_rows]).schema
    )


def test_few_rows_with_the_same_gaps_are_enough() -> None:
    random = np.random.default_rng(8)
    gone = np.isin(np.arange(N), random.choice(N, 8, replace=False))
    first = pd.Series(random.normal(size=N)).mask(gone)
    second = pd.Series(random.choice(list('ab'), N)).astype(object).mask(gone, None)
    frame = pd.DataFrame({'first': first, 'second': second})
    assert not allows(frame, np.nan, 'a')
    assert not allows(frame, 0.5, None)
    assert allows(frame, np.nan, None)
    other = frame.assign(second=second.mask(np.arange(N) == np.flatnonzero(~gone)[0], None))
    assert not found_in(other)[1], 'a gap more is not the same'
    few = frame.assign(second=np.where(gone, 'c', second.fillna('a')))
    assert not found_in(few)[1], 'a level says more than a gap'


def test_one_row_that_is_otherwise_takes_a_zero_away() -> None:
    level = np.where(NOISE < 0.5, 'a', 'b')
    size = pd.Series(AGE).mask(level == 'a')
    size[np.flatnonzero(level == 'a')[7]] = 30.0
    frame = pd.DataFrame({'level': level, 'size': size})
    assert allows(frame, 'a', 30.0)
    assert not allows(frame, 'b', np.nan)


def test_columns_that_follow_from_others_anyway_are_left_out() -> None:
    city = RANDOM.integers(0, 20, N)
    frame = pd.DataFrame({'city': city.astype(str), 'state': (city // 5).astype(str)})
    encoder = encoded(frame)
    table = encoder.encode_all(frame)
    follows = find_dependencies(table, encoder.codecs)
    assert follows
    assert find_zeros(table, encoder.schema)
    assert not find_zeros(table, encoder.schema, follows)


def test_many_columns_that_are_missing_together_are_told_by_twelve_others_at_most() -> None:
    gap = NOISE < 0.3
    frame = pd.DataFrame(
        {f'x{place}': pd.Series(RANDOM.random(N)).mask(gap) for place in range(15)}
    )
    found = found_in(frame)[1]
    assert {one.dependent for one in found} == set(range(15))
    assert len(found) == 15 * 12


def test_other_rows_keep_what_holds_in_them_and_say_nothing_of_new_codes() -> None:
    level = np.where(NOISE < 0.3, 'a', np.where(NOISE < 0.6, 'b', 'c'))
    frame = pd.DataFrame({'level': level, 'size': pd.Series(AGE).mask(level != 'c')})
    encoder, found = found_in(frame)
    more = frame.copy()
    more.loc[more.index[level == 'b'][0], 'size'] = 20.0  # no longer missing beside every b
    more.loc[N] = ['d', 50.0]
    kinds = {'level': ColumnKind.CATEGORICAL, 'size': ColumnKind.NUMERICAL}
    grown = encoder.grown(more, kinds, CONFIG)
    former = grown.codes_in(encoder)
    kept = kept_zeros(found, grown.encode_all(more), grown.schema, former)
    (of_size,) = (one for one in kept if one.dependent == 1)
    codes = {value: code for code, value in enumerate(grown.codec('level').levels)}
    says = {value: of_size.says[code] for value, code in codes.items()}
    assert says['b'] == says['d'] == -1
    missing = grown.schema.columns[1].missing
    assert of_size.allowed[says['a']] == (missing,)
    assert missing not in of_size.allowed[says['c']]


def test_codes_that_are_no_more_and_all_new_ones_say_nothing() -> None:
    level = np.where(NOISE < 0.5, 'a', 'b')
    frame = pd.DataFrame({'level': level, 'size': pd.Series(AGE).mask(level == 'a')})
    encoder, found = found_in(frame)
    table = encoder.encode_all(frame)
    same = [torch.arange(column.num_codes) for column in encoder.schema.columns]
    assert kept_zeros(found, table, encoder.schema, same) == tuple(found)
    fewer = [same[0], torch.where(same[1] < 2, same[1], -1)]
    assert all(one.says != () for one in kept_zeros(found, table, encoder.schema, fewer))
    new = [torch.full_like(codes, -1) for codes in same]
    assert kept_zeros(found, table, encoder.schema, new) == ()


def test_a_handful_of_rows_tells_nothing_even_of_each_code() -> None:
    rare = np.arange(N) < 8
    frame = pd.DataFrame({'open': np.where(rare, 'y', 'n'), 'end': pd.Series(AGE).mask(rare)})
    assert not found_in(frame)[1]


def test_a_state_is_plain_and_comes_back() -> None:
    level = np.where(NOISE < 0.5, 'a', 'b')
    encoder, found = found_in(pd.DataFrame({'a': level, 'b': pd.Series(AGE).mask(level == 'a')}))
    encoder = encoder.with_relations((), (), found)
    again = TableEncoder.from_state(encoder.to_state())
    assert again.schema.zeros == tuple(found) != ()
    state = encoder.to_state()
    del state['zeros']
    assert TableEncoder.from_state(state).schema.zeros == ()


def test_a_look_at_many_columns_is_at_fewer_rows() -> None:
    torch.manual_seed(0)
    gap = NOISE < 0.3
    columns = {f'x{place}': RANDOM.choice(list('abcd'), N) for place in range(120)}
    frame = pd.DataFrame(
        {**columns, 'y': np.where(gap, 'no', 'yes'), 'z': pd.Series(AGE).mask(gap)}
    )
    assert named(frame) == {('y', 'z'), ('z', 'y')}


def survey(num_rows: int, per_year: int = 15) -> pd.DataFrame:
    """Days of surveys: some of each year, others in each."""
    random = np.random.default_rng(3)
    days = np.stack([random.permutation(31)[:per_year] + 1 for _ in range(12)])
    year = random.integers(0, 12, num_rows)
    return pd.DataFrame(
        {'year': year + 1980.0, 'day': days[year, random.integers(0, per_year, num_rows)] + 0.0}
    )


def drawn_apart(frame: pd.DataFrame) -> float:
    """The share of rows that would be ruled out if the two columns were independent."""
    encoder, found = found_in(frame)
    other = frame.assign(day=frame['day'].sample(frac=1, random_state=0).to_numpy())
    codes = encoder.encode_all(other).codes.long()
    broken = np.zeros(len(other), dtype=bool)
    for one in found:
        table = allowed_codes(one, encoder.schema.columns[one.dependent].num_codes)
        broken |= ~table[codes[:, one.determinant], codes[:, one.dependent]].numpy()
    return float(broken.mean())


def test_levels_that_never_meet_are_told_by_all_of_them_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr('tests.unit.core.codecs.test_zeros.CONFIG', ModelConfig(max_atoms=64))
    frame = survey(3_000)
    years = frame['year'].to_numpy()[:, None]
    seen = frame.groupby('year')['day'].unique()
    assert drawn_apart(frame) > 0.4
    assert not allows(frame, 1980.0, min(set(frame['day']) - set(seen[1980.0])))
    assert allows(frame, 1980.0, seen[1980.0][0])
    assert drawn_apart(survey(150)) == 0.0  # rows that are too few to know all pairs
    assert drawn_apart(survey(3_000, per_year=31)) == 0.0
    # Numbers that rise with each other meet fewer and fewer of those far away: an edge, no support.
    noise = np.random.default_rng(0).normal(scale=3.0, size=len(frame))
    rising = pd.DataFrame(
        {'year': years[:, 0], 'day': np.clip(np.rint(years[:, 0] - 1975 + noise), 1, 31)}
    )
    assert drawn_apart(rising) < 0.1
