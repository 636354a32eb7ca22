"""Columns that are products or quotients of two others in all rows: which, and that they last."""

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.formulas import LONG_UNITS, UNITS, Formula
from sdv_tabdar.core.codecs.products import Product, has_numbers
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.codecs.terms import later
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 400
CONFIG = ModelConfig(num_bins=4)


def lines() -> pd.DataFrame:
    """Lines of invoices: an amount, its tax, and what each of some heads pays."""
    random = np.random.default_rng(0)
    price, quantity = random.gamma(2, 20, N).round(2), random.integers(1, 40, N).astype(float)
    amount, rate = (quantity * price).round(2), random.choice([0.07, 0.19], N)
    heads = random.integers(2, 9, N).astype(float)
    return pd.DataFrame(
        {
            'tax': (amount * rate).round(2),
            'price': price,
            'head': (amount / heads).round(1),
            'quantity': quantity,
            'amount': amount,
            'rate': rate,
            'heads': heads,
        }
    )


def fitted(frame: pd.DataFrame, config: ModelConfig = CONFIG, *levels: str) -> TableEncoder:
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    return TableEncoder.fit(
        frame, {**kinds, **dict.fromkeys(levels, ColumnKind.CATEGORICAL)}, config
    )


def found(frame: pd.DataFrame, *levels: str) -> set[tuple[str, str, str, str]]:
    """The names of results and of their factors, and formulas."""
    products = fitted(frame, CONFIG, *levels).products
    names = list(frame)
    return {(*(names[place] for place in one.columns), one.formula.name) for one in products}


@pytest.mark.parametrize('order', range(6))
def test_they_are_found_in_any_order_of_the_columns(order: int) -> None:
    frame = lines().sample(frac=1, axis=1, random_state=order)
    products = {
        (result, *sorted([first, second]), name) for result, first, second, name in found(frame)
    }
    assert products == {
        ('amount', 'price', 'quantity', 'product'),
        ('tax', 'amount', 'rate', 'product'),
        ('head', 'amount', 'heads', 'quotient'),
    }


def test_results_come_before_what_they_are_factors_of() -> None:
    names = [list(lines())[one.result] for one in fitted(lines()).products]
    assert names.index('amount') < min(names.index('tax'), names.index('head'))


def test_a_result_comes_behind_its_factors_though_it_is_more_exact() -> None:
    random = np.random.default_rng(0)
    width, height, depth = (random.uniform(1, 9, N).round(2) for _ in range(3))
    area = (width * height).round(1)
    frame = pd.DataFrame({'volume': area * depth, 'area': area, 'w': width, 'h': height})
    encoder = fitted(frame.assign(d=depth))
    results = [encoder.schema.names[one.result] for one in encoder.products]
    assert results == ['area', 'volume']


def test_digits_are_those_of_all_rows() -> None:
    frame = lines()[['price', 'quantity', 'amount']]
    assert fitted(frame).products == (Product(2, (0, 1), Formula('product'), (2, 2, 0)),)
    random = np.random.default_rng(1)
    exact = pd.DataFrame({'p': random.normal(size=N), 'q': random.normal(size=N)})
    assert fitted(exact.assign(r=exact.p * exact.q)).products == (
        Product(2, (0, 1), Formula('product'), (None,) * 3),
    )


def test_levels_that_are_numbers_are_factors() -> None:
    assert ('amount', 'price', 'quantity', 'product') in found(lines(), 'quantity', 'heads', 'rate')
    encoder = fitted(lines().assign(rate='much'), CONFIG, 'quantity', 'rate')
    flags = lines().assign(rate=lambda frame: frame['rate'] > 0.1)
    assert has_numbers(encoder.codec('quantity'))
    assert not has_numbers(encoder.codec('rate'))
    assert not has_numbers(fitted(flags, CONFIG, 'rate').codec('rate'))


def test_rows_with_gaps_or_without_a_quotient_say_nothing() -> None:
    frame = lines()
    frame.loc[::7, 'price'] = np.nan
    frame.loc[::5, 'heads'] = 0
    frame.loc[::5, 'head'] = 3
    assert len(found(frame)) == 3


@pytest.mark.parametrize('name', ['amount', 'price'])
def test_one_row_that_breaks_it_is_enough(name: str) -> None:
    frame = lines()
    frame.loc[3, name] += 1
    assert {one[0] for one in found(frame) if {'price', 'quantity'} < {*one[:3]}} <= {'quantity'}


def test_by_chance_there_are_none() -> None:
    random = np.random.default_rng(2)
    assert not found(pd.DataFrame(random.integers(0, 4, (N, 30)), columns=[*map(str, range(30))]))
    assert not found(pd.DataFrame(random.gamma(1, 1, (N, 30)), columns=[*map(str, range(30))]))
    flags = random.random((N, 30)) < 0.01
    assert not found(pd.DataFrame(flags * 1.0, columns=[*map(str, range(30))]))


def test_a_factor_that_hardly_varies_is_none() -> None:
    frame = lines()[['price', 'quantity']].assign(quantity=1.0)
    assert not found(frame.assign(amount=frame['price']))


def test_a_half_is_no_result_that_is_rounded_to_nought_or_one() -> None:
    random = np.random.default_rng(3)
    score = random.gamma(2, 20, N).round(2)
    frame = pd.DataFrame({'score': score, 'again': score, 'flag': random.integers(0, 2, N)})
    assert fitted(frame).products == ()


def test_off_there_are_none() -> None:
    assert not fitted(lines(), ModelConfig(products=False)).products
    assert not fitted(lines(), ModelConfig(column_order='fixed', attention='causal')).products


def test_few_rows_have_none_and_some_the_same_as_many() -> None:
    assert not fitted(lines().head(19)).products
    found = [one.columns for one in fitted(lines().head(36)).products]
    assert found == [one.columns for one in fitted(lines()).products]


def test_a_saved_encoder_has_the_same() -> None:
    encoder = fitted(lines())
    state = encoder.to_state()
    assert TableEncoder.from_state(state).products == encoder.products
    del state['products']
    assert TableEncoder.from_state(state).products == ()


def test_training_goes_on_with_those_that_still_hold() -> None:
    encoder, frame = fitted(lines()), lines()
    frame.loc[0, 'tax'] += 5
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    results = {list(frame)[one.result] for one in encoder.grown(frame, kinds, CONFIG).products}
    assert results == {'amount', 'head'}


def test_from_files_they_are_what_they_are_from_a_frame(tmp_path) -> None:
    frame = lines()
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    kinds['quantity'] = ColumnKind.CATEGORICAL
    with StoredTable(tmp_path, kinds) as stored:
        for start in range(0, N, 150):
            stored.append(frame[start : start + 150])
        products = TableEncoder.fit(stored, kinds, CONFIG).products
    assert products == fitted(frame, CONFIG, 'quantity').products
    assert len(products) == 3


FORMULAS = [
    ('interest', 'money', 'per_cent', Formula('product', 0.01)),
    ('clicked', 'clicks', 'shown', Formula('quotient', 100.0)),
    ('index', 'weight', 'height', Formula('per_square', 1e4)),
    ('gross', 'money', 'per_cent', Formula('increased', 0.01)),
    ('left', 'money', 'part', Formula('reduced')),
    ('growth', 'after', 'money', Formula('change', 100.0)),
    ('margin', 'cost', 'money', Formula('rest')),
    ('rate', 'wins', 'losses', Formula('share')),
    ('lead', 'wins', 'losses', Formula('balance', 100.0)),
]


@pytest.mark.parametrize(('name', 'first', 'second', 'formula'), FORMULAS)
def test_shares_and_per_cent_are_found(
    name: str, first: str, second: str, formula: Formula
) -> None:
    random = np.random.default_rng(0)
    money, shown = random.lognormal(4, 1, N).round(2), random.integers(900, 9000, N)
    frame = pd.DataFrame(
        {
            'money': money,
            'per_cent': random.uniform(0, 9, N).round(2),
            'part': random.uniform(0, 0.4, N).round(3),
            'cost': (money * random.uniform(0.5, 0.9, N)).round(2),
            'after': (money * random.lognormal(0, 0.3, N)).round(2),
            'shown': shown,
            'clicks': random.binomial(shown, 0.05),
            'weight': random.normal(75, 12, N).round(1),
            'height': random.normal(172, 9, N).round(),
            'wins': random.integers(1, 40, N),
            'losses': random.integers(1, 40, N),
        }
    ).astype(float)
    made = formula.result(frame[first].to_numpy(), frame[second].to_numpy()).round(2)
    (product,) = fitted(frame.assign(**{name: made})).products
    assert product.formula == formula
    assert [[*frame, name][place] for place in product.columns] == [name, first, second]


@pytest.mark.parametrize(
    ('name', 'unit', 'digits'),
    [('between', 'days', 0), ('about_between', 'hours', 1), ('whole_between', 'weeks', None)],
)
def test_times_between_dates_are_found(name: str, unit: str, digits: int | None) -> None:
    random = np.random.default_rng(0)
    second, size = UNITS['seconds'], UNITS[unit]
    step = size if name == 'between' else second
    start = np.floor(1.6e18 / step + random.uniform(0, 1e17 / step, N)) * step
    stay = np.rint(random.exponential(30, N) * size / step) * step
    count = np.floor(stay / size) if digits is None else (stay / size).round(digits)
    frame = pd.DataFrame({'start': start, 'count': count, 'end': start + stay})
    (product,) = fitted(frame).products
    assert product.formula == Formula(name, size)
    assert [list(frame)[place] for place in product.columns] == ['count', 'end', 'start']


@pytest.mark.parametrize('digits', [1, None])
@pytest.mark.parametrize('unit', ['years of 365.25 days', 'months of 30.4375 days'])
def test_years_with_decimals_are_found(unit: str, digits: int | None) -> None:
    random = np.random.default_rng(0)
    day, size = UNITS['days'], LONG_UNITS[unit]
    start = 1.2e18 // day * day + day * random.integers(0, 3_000, N)
    end = start + day * random.integers(1, 4_000, N)
    count = (end - start) / size
    frame = pd.DataFrame({'start': start, 'end': end, 'count': count})
    if digits is not None:
        frame['count'] = count.round(digits)
    (product,) = fitted(frame).products
    assert product.formula == Formula('about_between', size)
    assert product.formula.written('end', 'start') == f"'end' - 'start' in rounded {unit}"


def test_whole_months_are_none_of_so_many_days() -> None:
    random = np.random.default_rng(0)
    day = UNITS['days']
    start = 1.2e18 // day * day + day * random.integers(0, 3_000, N)
    frame = pd.DataFrame({'start': start, 'term': random.choice([6.0, 12.0, 24.0, 60.0], N)})
    frame['end'] = later('months later', start, frame['term'].to_numpy(), 0.0)
    assert fitted(frame).products == ()


def test_what_is_a_sum_already_is_no_increase() -> None:
    rates = np.random.default_rng(1).uniform(0.01, 0.3, N).round(3)
    frame = lines()[['amount']].assign(rate=rates)
    frame['tax'] = (frame['amount'] * frame['rate']).round(2)
    frame['gross'] = (frame['amount'] + frame['tax']).round(2)
    assert found(frame) == {('tax', 'amount', 'rate', 'product')}
    assert ('gross', 'amount', 'rate', 'increased') in found(frame.drop(columns='tax'))


def test_numbers_in_float32_are_near_enough() -> None:
    random = np.random.default_rng(1)
    frame = pd.DataFrame({name: random.normal(size=N) for name in 'pq'})
    frame = frame.assign(r=frame['p'] * frame['q']).astype(np.float32)
    assert found(frame) == {('r', 'p', 'q', 'product')}


def test_former_files_tell_an_exponent() -> None:
    state = {'result': 0, 'factors': [1, 2], 'exponent': -1, 'digits': [0, 0, 0]}
    assert Product.from_state(state).formula == Formula('quotient')
    assert Product.from_state({**state, 'exponent': 1}).formula == Formula('product')


def test_what_is_above_another_number_or_else_0() -> None:
    generator = np.random.default_rng(0)
    claim = generator.lognormal(5, 1, 600).round(2)
    frame = pd.DataFrame({'claim': claim, 'deductible': generator.choice([0, 50, 200.0], 600)})
    frame['paid'] = (frame['claim'] - frame['deductible']).clip(lower=0).round(2)
    (one,) = fitted(frame).products
    assert (one.columns, one.formula.name) == ((2, 0, 1), 'excess')
    assert one.written(['claim', 'deductible']) == "'claim' - 'deductible' (0 where that is less)"
    assert one.of(np.array([70.0, 30.0]), np.array([50.0, 50.0])).tolist() == [20, 0]
    assert one.formula.tells(np.array([20.0, 0.0])).tolist() == [True, False]


@pytest.mark.parametrize(
    ('clipped', 'names'), [(0, []), (4, []), (5, ['excess']), (15, ['excess'])]
)
def test_few_rows_say_that_there_is_nothing_below_0(clipped: int, names: list[str]) -> None:
    generator = np.random.default_rng(0)
    claim = generator.uniform(60, 300, 120).round(2)
    claim[:clipped] = 10.25
    frame = pd.DataFrame({'claim': claim, 'deductible': generator.choice([20.0, 40.0, 55.0], 120)})
    frame['paid'] = (frame['claim'] - frame['deductible']).clip(lower=0).round(2)
    found = fitted(frame)
    assert [one.formula.name for one in found.products] == names
    assert len(found.sums) == (clipped == 0)


def test_a_flag_is_no_share_of_what_is_0_where_another_number_is_not() -> None:
    random = np.random.default_rng(0)
    electric = random.random(N) < 0.4
    reach = np.where(electric, random.integers(100, 400, N), 0.0)
    fuel = np.where(electric, 0.0, random.gamma(3, 20, N).round(2))
    frame = pd.DataFrame({'electric': electric.astype(float), 'reach': reach, 'fuel': fuel})
    assert found(frame) == set()
    share = (reach / (reach + fuel + 1)).round(3)
    assert found(frame.assign(electric=share, fuel=fuel + 1)) == {
        ('electric', 'reach', 'fuel', 'share')
    }
