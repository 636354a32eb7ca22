"""Drawn levels follow from each other, whatever the network says; what is given or asked stays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Members
from sdv_tabdar.core.schema import ColumnKind

N = 600
FEW_DRAWS = SamplingConfig(num_particles=8)
STATE = {f'c{number}': f's{number // 4}' for number in range(16)}
PRICE = {f'c{number}': float(number // 2) for number in range(16)}


def table() -> pd.DataFrame:
    random = np.random.default_rng(1)
    city = pd.Series(random.choice(list(STATE), N))
    return pd.DataFrame(
        {
            'state': city.map(STATE),
            'size': random.normal(size=N),
            'city': city,
            'price': city.map(PRICE),
        }
    )


def trained(**settings: object) -> TabDAR:
    """A model that has learnt little, so that many levels come out wrong."""
    config = ModelConfig(
        width=16, num_blocks=1, head_width=8, denoiser_width=16, num_bins=4, **settings
    )
    kinds = {
        name: ColumnKind.NUMERICAL if name in ('size', 'price') else ColumnKind.CATEGORICAL
        for name in table()
    }
    return TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(table(), kinds)


@pytest.fixture(scope='module')
def model() -> TabDAR:
    return trained()


def wrong(rows: pd.DataFrame) -> int:
    of_state = rows['city'].map(STATE) != rows['state']
    return int((of_state | (rows['city'].map(PRICE) != rows['price'])).sum())


def test_all_drawn_levels_follow(model: TabDAR) -> None:
    rows = model.sample(600)
    assert wrong(rows) == 0
    assert rows['city'].nunique() == 16


def test_without_it_they_do_not() -> None:
    assert wrong(trained(dependencies=False, structural_zeros=False).sample(600)) > 200


@pytest.mark.parametrize('given', [['city'], ['state'], ['price'], ['state', 'price']])
def test_others_give_way_to_what_is_given(model: TabDAR, given: list[str]) -> None:
    values = table()[given].head(200)
    rows = model.complete(values).rows
    assert wrong(rows) == 0
    assert (rows[given] == values).all(axis=None)


def test_what_contradicts_itself_stays_as_it_is_given(model: TabDAR) -> None:
    given = pd.DataFrame({'city': ['c0'] * 50, 'state': ['s3'] * 50})
    rows = model.complete(given).rows
    assert (rows[['city', 'state']] == given).all(axis=None)
    given = pd.DataFrame({'state': ['s0'] * 50, 'price': [7.0] * 50})  # no city has both
    rows = model.complete(given).rows
    assert (rows[['state', 'price']] == given).all(axis=None)


def test_what_is_asked_for_stays_asked(model: TabDAR) -> None:
    asked = {
        'state': [Members(('s1', 's2'))] * 200,
        'city': [Members(('c1', 'c5', 'c9', 'c10'))] * 200,
    }
    rows = model.complete(pd.DataFrame(index=range(200)), restrictions=asked).rows
    assert wrong(rows) == 0
    assert set(rows['state']) == {'s1', 's2'}
    assert set(rows['city']) == {'c5', 'c9', 'c10'}


def test_equal_seeds_give_equal_rows() -> None:
    first, second = (trained().complete(table()[['state']].head(100)).rows for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def sales() -> pd.DataFrame:
    """Items have their price and their category; an amount is the price of so many of them."""
    random = np.random.default_rng(2)
    prices = np.array([0.99, 1.49, 2.5, 3.99, 4.25, 7.99, 9.95, 12.5, 15, 19.99, 24.9, 49])
    item, quantity = random.integers(0, 12, N), 1.0 + random.poisson(2, N)
    columns = {'item': [f'i{number}' for number in item], 'price': prices[item]}
    columns |= {'kind': [f'k{number // 4}' for number in item], 'quantity': quantity}
    return pd.DataFrame(columns).assign(amount=(quantity * prices[item]).round(2))


@pytest.fixture(scope='module')
def of_sales() -> TabDAR:
    config = ModelConfig(width=16, num_blocks=1, head_width=8, denoiser_width=16)
    numbers = ('price', 'quantity', 'amount')
    kinds = {
        name: ColumnKind.NUMERICAL if name in numbers else ColumnKind.CATEGORICAL
        for name in sales()
    }
    model = TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(sales(), kinds)
    encoder = model.trained.encoder
    assert encoder.inequalities  # a price is at most the amount
    assert encoder.products
    assert len(encoder.dependencies) == 3
    return model


@pytest.mark.parametrize(
    'given', [[], ['item'], ['kind'], ['price'], ['amount'], ['quantity', 'kind']]
)
def test_levels_follow_beside_products_and_orders(of_sales: TabDAR, given: list[str]) -> None:
    frame = sales()
    rows = of_sales.complete(frame[given]).rows
    assert rows[given].equals(frame[given])
    for name in ('price', 'kind'):
        assert (rows['item'].map(frame.groupby('item')[name].first()) == rows[name]).all()
    assert ((rows['quantity'] * rows['price'] - rows['amount']).abs() < 0.0051).all()


def test_numbers_of_a_set_are_those_of_the_given_item(of_sales: TabDAR) -> None:
    sets = {'amount': [Members((50.0, 47.94, 24.9))] * 50}
    rows = of_sales.complete(pd.DataFrame({'item': ['i5'] * 50}), restrictions=sets).rows
    assert (rows['amount'] == 47.94).all()
    assert (rows['quantity'] == 6).all()
    assert (rows['price'] == 7.99).all()
