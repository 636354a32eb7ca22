"""Columns that are others times the rate of a level: which they are, and that they are saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.formulas import Formula
from sdv_tabdar.core.codecs.products import Product
from sdv_tabdar.core.codecs.rates import Rate, behind_factors, kept_rates, multiplied, rates_of
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 400
DAY = 8.64e13  # nanoseconds
RATES: Mapping[str | None, float] = {'DE': 0.19, 'CH': 0.081, 'US': 0.0, None: 0.1}


def bills(seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    net = random.gamma(2, 300, N).round(2)
    discount = random.choice([0.0, 5.0, 20.0], N)
    country = random.choice(np.array([*RATES], dtype=object), N)
    paid = (net * (1 - discount / 100)).round(2)
    tax = (paid * np.array([RATES[name] for name in country])).round(2)
    return pd.DataFrame(
        {'net': net, 'discount': discount, 'paid': paid, 'country': country, 'tax': tax}
    )


def found_in(frame: pd.DataFrame) -> tuple[TableEncoder, Sequence[Rate]]:
    numbers = frame.select_dtypes('number').columns
    kinds = {
        name: ColumnKind.NUMERICAL if name in numbers else ColumnKind.CATEGORICAL for name in frame
    }
    encoder = TableEncoder.fit(frame, kinds, ModelConfig(max_atoms=32))
    return encoder, encoder.rates


def named(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    names = list(frame)
    return [tuple(names[place] for place in one.columns) for one in found_in(frame)[1]]


def test_a_rate_is_found_among_many_columns_of_levels() -> None:
    """Each of which is looked at in a few rows first."""
    random, frame = np.random.default_rng(1), bills()
    others = {
        f'x{place}': random.choice(np.array(['a', 'b', None], dtype=object), N)
        for place in range(60)
    }
    wide = pd.concat([pd.DataFrame(others), frame], axis=1)
    assert named(wide) == [('paid', 'net', 'discount'), ('tax', 'paid', 'country')]


def test_rates_are_found_as_somebody_wrote_them() -> None:
    frame = bills()
    encoder, found = found_in(frame)
    assert named(frame) == [('paid', 'net', 'discount'), ('tax', 'paid', 'country')]
    by_discount = dict(zip(encoder.codec('discount').atoms, found[0].rates, strict=False))
    assert by_discount == {0.0: 1.0, 5.0: 0.95, 20.0: 0.8}
    country = encoder.codec('country')
    assert dict(zip(country.levels, found[1].rates, strict=True)) == RATES
    said = rates_of(found[1], country, frame['country'])
    assert said.tolist() == [RATES[name] for name in frame['country']]
    assert found[1].digits == (2, 2)


def test_other_levels_say_nothing() -> None:
    encoder, found = found_in(bills())
    cells = pd.Series(['FR', 'DE', np.nan], dtype=object)
    said = rates_of(found[1], encoder.codec('country'), cells)
    assert np.array_equal(said, [np.nan, 0.19, 0.1], equal_nan=True)


@pytest.mark.parametrize('column', ['paid', 'net', 'discount'])
def test_missing_cells_are_passed_over(column: str) -> None:
    frame = bills()
    frame.loc[::7, column] = np.nan
    if column == 'discount':  # of a missing one nothing follows
        assert named(frame) == [('tax', 'paid', 'country')]
    else:
        assert named(frame) == [('paid', 'net', 'discount'), ('tax', 'paid', 'country')]


def test_one_row_that_is_otherwise_takes_it_away() -> None:
    frame = bills()
    frame.loc[3, 'tax'] += 0.02
    assert named(frame) == [('paid', 'net', 'discount')]
    frame.loc[frame.index[frame['country'] == 'US'][0], ['paid', 'tax']] = [0.0, 5.0]
    assert not any(result == 'tax' for result, *_ in named(frame))


def test_amounts_of_few_prices_and_a_total_of_both() -> None:
    random = np.random.default_rng(3)
    frame = bills()
    prices = random.gamma(2, 30, 30).round(2)
    frame['net'] = (random.choice(prices, N) * random.integers(1, 4, N)).round(2)
    frame['paid'] = (frame['net'] * (1 - frame['discount'] / 100)).round(2)
    frame['tax'] = (frame['paid'] * frame['country'].map(RATES).fillna(RATES[None])).round(2)
    frame['gross'] = (frame['paid'] + frame['tax']).round(2)
    assert named(frame) == [('paid', 'net', 'discount'), ('tax', 'paid', 'country')]


def test_independent_columns_and_one_rate_for_all_are_none() -> None:
    frame = bills()
    frame['tax'] = (frame['paid'] * 0.19).round(2)  # a straight line
    assert named(frame) == [('paid', 'net', 'discount')]
    frame['paid'] = bills(1)['paid']
    assert named(frame) == []
    assert named(frame[:20]) == named(frame[:1]) == []


def test_whole_numbers_of_few_values_are_no_rates_of_each_other() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            'a': random.integers(1, 4, N),
            'b': random.integers(1, 4, N),
            'level': random.choice(list('xyz'), N),
        }
    )
    assert named(frame) == []


def test_results_of_products_and_totals_are_left_to_these() -> None:
    frame = bills()
    frame['gross'] = (frame['paid'] + frame['tax']).round(2)
    encoder, found = found_in(frame)
    assert [one.total for one in encoder.sums] == [frame.columns.get_loc('gross')]
    assert len(found) == 2
    frame['count'] = np.random.default_rng(1).integers(1, 9, N)
    frame['every'] = (frame['net'] * frame['count']).round(2)
    encoder, found = found_in(frame)
    assert encoder.products
    assert {one.result for one in found}.isdisjoint(one.result for one in encoder.products)


def test_products_and_rates_stand_behind_what_they_are_made_of() -> None:
    none = (None, None, None)
    of_rate = Product(5, (6, 0), Formula('product'), none)  # of the result of the first rate
    rates = [Rate(6, 7, 8, (1.0, 2.0), (2, 2)), Rate(9, 5, 8, (0.5, 0.1), (2, 2))]
    assert [one.columns for one in multiplied([of_rate], rates)] == [
        (6, 7, -1),
        (5, 6, 0),
        (9, 5, -2),
    ]


def test_what_many_are_made_of_is_looked_at_once() -> None:
    made = {place: (place - 2 - place % 2, place - 1 - place % 2) for place in range(2, 200)}
    assert behind_factors(made) == list(range(2, 200))
    assert behind_factors({1: (2,), 2: (3,), 3: (2,), 4: (5,)}) == [4]


def test_other_rows_keep_what_holds_in_them() -> None:
    frame = bills()
    encoder, found = found_in(frame)
    more = bills(1)
    more.loc[0, 'tax'] += 1
    assert kept_rates(more, encoder.codecs, found) == found[:1]


def test_a_table_in_files_has_the_same(tmp_path: Path) -> None:
    frame = bills()
    encoder, found = found_in(frame)
    kinds = {codec.column.name: codec.column.kind for codec in encoder.codecs}
    with StoredTable(tmp_path, kinds) as stored:
        for start in range(0, N, 150):
            stored.append(frame[start : start + 150])
        rates = TableEncoder.fit(stored, kinds, ModelConfig(max_atoms=32)).rates
    assert rates == found


def test_a_state_is_plain_and_comes_back() -> None:
    encoder, found = found_in(bills())
    again = TableEncoder.from_state(encoder.to_state())
    assert again.rates == tuple(found)
    assert len(again.multiplied) == 2


def salaries() -> pd.DataFrame:
    """A bonus of the percentage of a grade: each of salary and bonus follows from the other."""
    random = np.random.default_rng(0)
    grade = random.integers(1, 5, 3 * N)
    salary = (30_000 + 15_000 * grade + random.integers(0, 150, 3 * N) * 100).astype(float)
    percentage = np.array([0, 3, 5, 10, 20.0])[grade]
    fte = random.choice([1, 0.8, 0.5], 3 * N)
    return pd.DataFrame(
        {
            'grade': np.array([f'grade {one}' for one in grade], dtype=object),
            'salary': salary,
            'percentage': percentage,
            'bonus': salary * percentage / 100,
            'fte': fte,
            'monthly': (salary * fte / 12).round(2),
        }
    )


def test_what_would_follow_from_itself_is_kept_one_way() -> None:
    encoder, rates = found_in(salaries())
    names = encoder.schema.names
    made = {names[one.result] for one in encoder.multiplied}
    assert made == {names[one.result] for one in (*encoder.products, *rates)}
    assert made >= {'bonus', 'monthly'}
    assert 'salary' not in made  # the roundest


def terms(seed: int = 0) -> pd.DataFrame:
    """A bill has the fee of its plan beside its use, and is due so many days later as terms say."""
    random = np.random.default_rng(seed)
    plan, term = random.integers(0, 3, (2, N))
    use = random.gamma(2, 30, N).round(2)
    issued = random.integers(19_000, 20_000, N) * DAY
    return pd.DataFrame(
        {
            'plan': np.array(['S', 'M', 'L'], dtype=object)[plan],
            'use': use,
            'bill': (use + np.array([0, 9.99, 39.99])[plan]).round(2),
            'terms': np.array(['two weeks', 'a month', 'a quarter'], dtype=object)[term],
            'issued': issued,
            'due': issued + np.array([14.0, 30.0, 91.0])[term] * DAY,
        }
    )


def test_a_level_may_say_what_is_added() -> None:
    encoder, rates = found_in(terms())
    names = encoder.schema.names
    found = {tuple(names[at] for at in one.columns): one for one in rates}
    assert found.keys() == {('bill', 'use', 'plan'), ('due', 'issued', 'terms')}
    assert all(one.adds for one in rates)
    assert {*found['bill', 'use', 'plan'].rates} == {0, 9.99, 39.99}
    assert {*found['due', 'issued', 'terms'].rates} == {14 * DAY, 30 * DAY, 91 * DAY}
    assert [Rate.from_state(one.to_state()) for one in rates] == [*rates]
    before = Rate.from_state({k: v for k, v in rates[0].to_state().items() if k != 'adds'})
    assert not before.adds
    assert {*kept_rates(terms(1), encoder.codecs, rates)} == {*rates}
    broken = terms()
    broken.loc[3, 'bill'] += 0.01
    assert [names[one.result] for one in found_in(broken)[1]] == ['due']


def test_what_needs_no_source_or_no_level_is_no_rate() -> None:
    """A share that a level says, of rounded numbers; a column and 4 more."""
    random = np.random.default_rng(0)
    place = random.integers(0, 12, 4 * N)
    latitude = (48 + place / 20 + random.normal(0, 0.005, 4 * N)).round(4)
    points = random.integers(600, 850, 4 * N).astype(float)
    frame = pd.DataFrame(
        {
            'latitude': latitude,
            'place': np.array([f'place {one}' for one in place], dtype=object),
            'commission': np.array([3.57, 2.38, 5.95])[place % 3],
            'from': points,
            'to': points + 4,
        }
    )
    assert found_in(frame)[1] == ()


def test_a_weighted_sum_of_two_columns_is_no_rate() -> None:
    random = np.random.default_rng(0)
    hour, minute = random.integers(5, 24, 800), random.choice([*range(0, 60, 5), 59, 29, 1], 800)
    frame = pd.DataFrame({'time': 100 * hour + minute, 'hour': hour, 'minute': minute})
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    encoder = TableEncoder.fit(frame.astype(float), kinds, ModelConfig())
    assert encoder.rates == ()
    assert [(one.columns, one.weights) for one in encoder.aggregates] == [((0, 1, 2), (100.0, 1.0))]


@pytest.mark.parametrize('order', [['year', 'gallon', 'dollar'], ['year', 'dollar', 'gallon']])
def test_what_is_not_rounded_is_made_of_what_is(order: list[str]) -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame({'year': random.choice(['1', '2', '3'], N).astype(object)})
    frame['gallon'] = random.gamma(20, 1, N).round(1)
    prices = {'1': 1.0373, '2': 1.2931, '3': 0.8847}
    frame['dollar'] = frame['gallon'] / frame['year'].map(prices)
    assert named(frame[order]) == [('dollar', 'gallon', 'year')]
