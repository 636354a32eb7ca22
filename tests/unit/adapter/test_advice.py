"""What is said of a training table, and what is not: most columns are as they should be."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.advice import advice
from sdv_tabdar.core.config import ModelConfig

from .conftest import profile_of

N = 120
RANDOM = np.random.default_rng(0)
RELATIONS = ModelConfig().kept_relations
AMOUNT = RANDOM.lognormal(3, 1, N).round(2)
TAX = RANDOM.lognormal(1, 1, N).round(2)


def said(
    data: pd.DataFrame,
    constrained: Collection[str] = (),
    sdtype: str = 'categorical',
    *,
    kept: Collection[str] = RELATIONS,
    summed: Collection[str] = (),
    invented: Collection[str] = (),
) -> list[str]:
    """The advice about a table; floats are numerical, other columns have the given sdtype.

    Columns that are invented have it whatever they hold.
    """
    sdtypes = {
        name: 'numerical'
        if pd.api.types.is_float_dtype(data[name].dtype) and name not in invented
        else sdtype
        for name in data
    }
    profiles = {
        name: profile_of(data[name], sdtypes[name], generated=name in invented) for name in data
    }
    plain = pd.DataFrame({name: profiles[name].column.plain(data[name]) for name in data})
    return advice(plain, profiles, constrained, kept=kept, summed=summed)


QUIET: dict[str, list[object]] = {
    'few levels': list(RANDOM.choice(list('abc'), N)),
    'three quarters unique': [f'text {number // 4 * 3 + number % 4}' for number in range(N)],
    'whole numbers as codes': list(RANDOM.integers(10_000, 99_999, N)),
    'postcodes': [f'{number:05d}' for number in range(0, N * 30, 30)][: N // 2] * 2,
    'a few days': ['2020-01-0' + str(number % 5 + 1) for number in range(N)],
    'one level': ['x'] * N,
    'nothing': [None] * N,
    'mixed': [1, 'x', 2.5, None] * (N // 4),
}


@pytest.mark.parametrize('case', QUIET)
def test_nothing_is_said_of_what_is_as_it_should_be(case: str) -> None:
    assert said(pd.DataFrame({'x': pd.Series(QUIET[case], dtype=object)})) == []


def test_nothing_is_said_of_very_small_tables() -> None:
    data = pd.DataFrame({'x': [f'name {number}' for number in range(19)]})

    assert said(data) == []
    assert len(said(pd.concat([data, data.tail(1)], ignore_index=True))) == 1


@pytest.mark.parametrize(
    ('sdtype', 'instead'),
    [('categorical', "sdtype='name'"), ('id', "sdtype='id', regex_format='name [0-9]{1,5}'")],
)
def test_real_texts(sdtype: str, instead: str) -> None:
    data = pd.DataFrame({'x': [f'name {number}' for number in range(N)]})

    (line,) = said(data, sdtype=sdtype)
    assert line.startswith(f"Column 'x' has {N} different texts in {N} cells, and these real texts")
    assert f"update_column(column_name='x', {instead}" in line
    assert said(data, sdtype='ordinal') == []  # whoever says so has looked


def test_values_that_recur_and_are_invented() -> None:
    data = pd.DataFrame({'x': list(RANDOM.permutation(['Ohio', 'Utah', 'Iowa'] * (N // 3)))})

    (line,) = said(data, sdtype='state', invented='x')
    assert line.startswith("Column 'x' is invented anew, as its sdtype 'state' says")
    assert f'3 different values in {N} cells' in line
    assert "update_column(column_name='x', sdtype='categorical')" in line
    assert said(data, sdtype='id', invented='x') == []
    assert said(data, sdtype='first_name', invented='x') == [], 'names of people recur, too'
    unique = pd.DataFrame({'x': [f'name {number}' for number in range(N)]})
    assert said(unique, sdtype='name', invented='x') == []
    containers = pd.DataFrame({'x': [{'a': 1}, ['b']] * (N // 2)})
    assert said(containers, sdtype='state', invented='x') == []


def test_coordinates_that_are_invented() -> None:
    data = pd.DataFrame({'x': RANDOM.normal(52, 1, N)})

    (line,) = said(data, sdtype='latitude', invented='x')
    assert line.startswith("Column 'x' is invented anew, as its sdtype 'latitude' says")
    assert "update_column(column_name='x', sdtype='numerical')" in line
    assert said(data.astype(str), sdtype='latitude', invented='x') == []
    assert 'numerical' in said(data, sdtype='street_address', invented='x')[0]
    assert said(data.round(), sdtype='phone_number', invented='x') == []


@pytest.mark.parametrize(
    'text_format',
    ['%Y-%m-%d', '%d.%m.%Y', '%m/%d/%Y %H:%M', '%Y-%m-%dT%H:%M:%S', '%d %b %Y', '%B %d, %Y'],
)
def test_dates(text_format: str) -> None:
    days = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 90, N), 'D'))

    (line,) = said(pd.DataFrame({'x': days.dt.strftime(text_format)}))
    assert f"sdtype='datetime', datetime_format={text_format!r}" in line


def test_dates_that_are_no_text() -> None:
    days = pd.Series(pd.date_range('2020-01-01', periods=N).date, dtype=object)

    (line,) = said(pd.DataFrame({'x': days}))
    assert "sdtype='datetime')" in line


def test_numbers() -> None:
    (line,) = said(pd.DataFrame({'x': pd.Series(AMOUNT, dtype=object)}))
    assert "Say metadata.update_column(column_name='x', sdtype='numerical')" in line
    (line,) = said(pd.DataFrame({'x': pd.Series(AMOUNT).astype(str)}))
    assert 'pandas.to_numeric' in line


@pytest.mark.parametrize('mark', ['?', '-', 'unknown'])
def test_numbers_beside_what_stands_for_a_gap(mark: str) -> None:
    ages = [str(number % 60) for number in range(N)]

    (line,) = said(pd.DataFrame({'x': [mark, *ages]}))
    assert f'na_values=[{mark!r}]' in line
    assert 'na_values' not in str(said(pd.DataFrame({'x': ages})))
    assert 'na_values' not in str(said(pd.DataFrame({'x': [mark, 'many', *ages]})))


@pytest.mark.parametrize('text_format', ['%Y-%m-%d', '%d-%b-%y', '%m/%d/%y', '%b %Y'])
def test_ids_that_are_dates(text_format: str) -> None:
    freq = 'MS' if '%d' not in text_format else 'D'
    days = pd.Series(pd.date_range('2013-01-01', periods=N, freq=freq))

    (line,) = said(pd.DataFrame({'x': days.dt.strftime(text_format)}), sdtype='id', invented='x')
    assert f"sdtype='datetime', datetime_format={text_format!r}" in line
    assert 'remove_primary_key' in line


def test_ids_that_are_quantities() -> None:
    people = np.arange(N) ** 2 + 1_000
    data = pd.DataFrame({'people': people, 'price': RANDOM.normal(0, 20, N) + people})

    (line,) = said(data, sdtype='id', invented=['people'])
    assert "rises or falls with 'price'" in line
    assert "update_column(column_name='people', sdtype='numerical')" in line
    for name in ('id', 'orderNo', 'Order ID', 'row_number', 'PassengerId', 'car_ids', 'Unnamed: 0'):
        assert said(data.rename(columns={'people': name}), sdtype='id', invented=[name]) == []
    running = data.assign(people=np.arange(N))
    assert said(running, sdtype='id', invented=['people']) == []


def test_ids_that_are_part_of_a_sum_may_be_quantities() -> None:
    wages, rent = (RANDOM.permutation(np.arange(N)) * 97 + 1_000 for _ in range(2))
    data = pd.DataFrame({'wages': wages, 'rent': rent + 0.5, 'total': wages + rent + 0.5})
    (line,) = said(data, sdtype='id', invented=['wages'])
    assert "though 'total' is the sum of 'wages' and 'rent'. If it is none" in line
    assert said(data[['wages', 'rent']], sdtype='id', invented=['wages']) == []


def test_ids_of_a_type_for_fractions_may_be_quantities() -> None:
    numbers = RANDOM.permutation(np.arange(N) * 97.0 + 1_000)
    data = pd.DataFrame({'days': numbers, 'number': numbers, 'x': np.arange(N) % 7 / 2})
    (line,) = said(data, sdtype='id', invented=['days', 'number'])
    assert "'days'" in line
    assert 'though its numbers are of a type for fractions' in line
    gaps = data.assign(days=data['days'].where(np.arange(N) > 3))  # else these were whole numbers
    assert said(gaps, sdtype='id', invented=['days', 'number']) == []


def test_rare_levels_of_few_rows_are_no_copy_by_chance() -> None:
    once = ['yes', *['no'] * 29]
    data = pd.DataFrame({'x': once, 'y': ['b' if level == 'yes' else 'a' for level in once]})
    assert said(data, kept=()) == []


def test_ids_that_crowd_at_an_end_may_be_quantities() -> None:
    crowded = RANDOM.permutation(np.arange(N) ** 2 + 1_000)
    (line,) = said(pd.DataFrame({'days': crowded}), sdtype='id', invented=['days'])
    assert 'its numbers are not spread evenly, as those of ids are. If it is none' in line
    assert said(pd.DataFrame({'day_no': crowded}), sdtype='id', invented=['day_no']) == []
    blocks = np.concatenate([np.arange(N - 9), 900_000 + np.arange(9)])
    for numbers in (np.sort(crowded), RANDOM.permutation(100_000)[:N], RANDOM.permutation(blocks)):
        assert said(pd.DataFrame({'days': numbers}), sdtype='id', invented=['days']) == []


def test_copies_with_gaps() -> None:
    amount = np.where(AMOUNT > 50, np.nan, AMOUNT)
    code = pd.Series(RANDOM.choice(['a', 'b', None], N), dtype=object)
    data = pd.DataFrame({'p': amount, 'q': amount, 'c': code, 'd': code.map({'a': 1, 'b': 2})})
    data['d'] = data['d'].astype(object)

    (copy,) = said(data)
    assert copy.startswith("Column 'q' is a copy of 'p', and synthetic rows keep that, but not")
    (nearly,) = said(data[['p', 'q']], kept=())
    assert nearly.startswith("Column 'q' is a copy of 'p', which synthetic rows keep only nearly")
    whole = data[['p', 'q']].fillna(0)
    assert said(whole) == []
    assert len(said(whole, kept=())) == 1
    (label,) = said(data[['c', 'd']], kept=())
    assert "FixedCombinations(['c', 'd'])" in label
    few = pd.DataFrame({'c': np.arange(N) // 2, 'd': -(np.arange(N) // 2)}).astype(str)
    assert any("FixedCombinations(['c', 'd'])" in line for line in said(few))
    assert said(data, constrained={'c', 'd', 'q'}) == []


def test_sums_of_several_columns_and_differences() -> None:
    data = pd.DataFrame({'net': AMOUNT, 'tax': TAX, 'tip': RANDOM.normal(size=N).round(2)})
    data['gross'] = data.sum(axis=1)

    (line,) = said(data)
    assert line.startswith("Column 'gross' is the sum of 'net' and 'tax' and 'tip'")
    assert "FixedSum(['net', 'tax', 'tip'], total_column='gross')" in line
    (line,) = said(data[['gross', 'tax', 'net', 'tip']])
    assert line.startswith("Column 'gross' is the sum of ")
    assert said(data, constrained=['tax']) == []
    assert said(data, summed=list(data)) == []
    assert len(said(data, summed=['net', 'tax', 'gross'])) == 1
    assert said(data.assign(gross=data['gross'] + RANDOM.choice([0, 0.01], N))) == []
    assert said(data[['net', 'tax']].assign(other=2 * data['net'] - data['tax'])) == []


def test_parts_that_make_a_number() -> None:
    weights = pd.DataFrame(RANDOM.dirichlet([1, 2, 3], N).round(2), columns=['p', 'q', 'r'])
    data = weights.assign(r=(1 - weights['p'] - weights['q']).round(2))

    (line,) = said(data)
    assert line.startswith("Columns 'p' and 'q' and 'r' make 1 in all rows, which synthetic rows")
    assert "FixedSum(['p', 'q', 'r'], total=1)" in line
    assert said(data, summed=list(data)) == said(data, constrained=['q']) == []
    assert said(data, summed=['p', 'q']) == [line]


def test_sums_hold_in_all_rows() -> None:
    size = 5000
    data = pd.DataFrame({'p': RANDOM.normal(size=size), 'q': RANDOM.normal(size=size)})
    data['r'] = data['p'] + data['q']
    data.loc[7, 'r'] += 1

    assert said(data) == []


def test_ids_of_a_pattern_that_sdv_does_not_know_are_told_of() -> None:
    data = pd.DataFrame({'ref': [f'B-{number:05d}' for number in range(N)]})
    profiles = {'ref': profile_of(data['ref'], 'id', generated=True)}
    plain = pd.DataFrame({'ref': profiles['ref'].column.plain(data['ref'])})
    (line,) = advice(plain, profiles, (), kept=RELATIONS, plain_ids=['ref'])
    assert "regex_format='B-[0-9]{5}'" in line
    assert advice(plain, profiles, (), kept=RELATIONS) == []
