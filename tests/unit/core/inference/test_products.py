"""Drawn numbers are products and quotients, whatever the network says; what is given stays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members
from sdv_tabdar.core.schema import ColumnKind

N = 400
FEW_DRAWS = SamplingConfig(num_particles=8)
LEVELS = ('kind', 'quantity')


def table() -> pd.DataFrame:
    """Lines of invoices: quantity times price, its tax, both of them, and what a head pays."""
    random = np.random.default_rng(1)
    quantity = random.integers(1, 9, N).astype(float)
    price = random.gamma(3, 20, N).round(2)
    amount, rate = (quantity * price).round(2), random.choice([0.07, 0.19], N)
    tax, heads = (amount * rate).round(2), random.integers(1, 30, N).astype(float)
    total = (amount + tax).round(2)
    kind = random.choice(['a', 'b'], N)
    cells = {'total': total, 'price': price, 'tax': tax, 'quantity': quantity, 'kind': kind}
    head = (total / heads).round(2)
    return pd.DataFrame({**cells, 'rate': rate, 'amount': amount, 'heads': heads, 'head': head})


def trained(frame: pd.DataFrame | None = None, **settings: object) -> TabDAR:
    """A model that has learnt little, so that hardly a row is right by itself."""
    frame = table() if frame is None else frame
    config = ModelConfig(
        width=16, num_blocks=1, head_width=8, denoiser_width=16, num_bins=4, **settings
    )
    kinds = {
        name: ColumnKind.CATEGORICAL if name in LEVELS else ColumnKind.NUMERICAL for name in frame
    }
    return TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(frame, kinds)


@pytest.fixture(scope='module', params=['bidirectional', 'causal'])
def model(request: pytest.FixtureRequest) -> TabDAR:
    return trained(attention=request.param)


def wrong(rows: pd.DataFrame) -> pd.DataFrame:
    """Which products and sums are wrong by more than a half of their last digit."""
    cells = rows.drop(columns='kind').astype(float)
    made = {
        'amount': cells['quantity'] * cells['price'],
        'tax': cells['amount'] * cells['rate'],
        'total': cells['amount'] + cells['tax'],
        'head': cells['total'] / cells['heads'],
    }
    return pd.DataFrame({name: (cells[name] - own).abs() > 0.00501 for name, own in made.items()})


def test_all_drawn_rows_are_right_in_the_digits_of_training(model: TabDAR) -> None:
    rows = model.sample(600)
    assert wrong(rows).mean().max() < 0.005
    for name in ('total', 'price', 'tax', 'amount', 'head'):
        assert (rows[name] == rows[name].round(2)).all()
    assert rows['quantity'].isin(table()['quantity']).all()


def test_without_it_they_are_not() -> None:
    shares = wrong(trained(products=False).sample(600)).mean()
    assert shares.min() < 0.01  # the sum
    assert shares[['amount', 'head']].min() > 0.5


@pytest.mark.parametrize(
    'given',
    [
        ['quantity'],
        ['price'],
        ['amount'],
        ['quantity', 'price'],
        ['heads', 'kind'],
        ['rate', 'price'],
        ['amount', 'heads'],
    ],
)
def test_others_give_way_to_what_is_given(model: TabDAR, given: list[str]) -> None:
    values = table()[given].reset_index(drop=True)
    rows = model.complete(values).rows
    assert wrong(rows).mean().max() < 0.02
    assert rows[given].astype(values.dtypes).equals(values)


@pytest.mark.parametrize('given', [['total'], ['tax', 'quantity'], ['head'], ['amount', 'price']])
def test_what_rounding_leaves_room_for_is_right(model: TabDAR, given: list[str]) -> None:
    values = table()[given].reset_index(drop=True)
    rows = model.complete(values).rows
    assert wrong(rows)[['amount', 'total', 'head']].mean().max() < 0.25
    assert rows[given].astype(values.dtypes).equals(values)


def test_ranges_and_sets_are_kept_as_well(model: TabDAR) -> None:
    limits = {
        'amount': [Interval(100.0, 120.0)] * 200,
        'quantity': [Members((2.0, 3.0))] * 200,
        'price': [Interval(30.0, 60.0)] * 200,
    }
    rows = model.complete(pd.DataFrame(index=range(200)), restrictions=limits).rows
    assert rows['amount'].between(100, 120).all()
    assert rows['quantity'].isin([2, 3]).all()
    assert rows['price'].between(30, 60).all()
    assert not wrong(rows)['amount'].any()


def test_what_contradicts_itself_stays_as_it_is_given(model: TabDAR) -> None:
    given = pd.DataFrame({'amount': [10.0], 'price': [30.0], 'quantity': [2.0]})
    assert (model.complete(given).rows[given.columns] == given).all(axis=None)


def test_numbers_that_are_not_rounded_are_as_exact_as_floats() -> None:
    random = np.random.default_rng(2)
    frame = pd.DataFrame({'p': random.gamma(2, 1, N), 'q': random.gamma(2, 1, N)})
    frame['r'] = frame['p'] * frame['q']
    for rows in (trained(frame).sample(300), trained(frame).complete(frame[['r']]).rows):
        assert np.allclose(rows['r'], rows['p'] * rows['q'], rtol=1e-12, atol=0)


def signed() -> pd.DataFrame:
    """A product, its quotient, the sum of both, and a greatest that is no part of anything."""
    random = np.random.default_rng(2)
    x, y = random.integers(-9, 10, N).astype(float), random.normal(0, 5, N).round(1)
    w = random.integers(1, 20, N).astype(float)
    z = (x * y).round(1)
    v = (z / w).round(3)
    u = (z + v).round(3)
    most = np.where(random.random(N) < 0.4, u, u + random.exponential(9, N).round(3)).round(3)
    return pd.DataFrame({'x': x, 'y': y, 'z': z, 'w': w, 'v': v, 'u': u, 'most': most})


@pytest.mark.parametrize('given', [[], ['x', 'y'], ['w'], ['z']])
def test_products_stay_beside_sums_and_orders(given: list[str]) -> None:
    model = trained(signed())
    encoder = model.trained.encoder
    assert len(encoder.products) == 2
    assert encoder.sums
    assert encoder.inequalities
    rows = model.complete(signed()[given]).rows
    products = (rows['x'] * rows['y'] - rows['z']).abs() < 0.0501
    products &= (rows['z'] / rows['w'] - rows['v']).abs() < 0.000501
    assert products.mean() > (0.99 if given else 0.999)  # a sum may leave no room
    assert ((rows['z'] + rows['v'] - rows['u']).abs() < 1e-9).all()
    assert (rows['u'] <= rows['most']).all()


def parcels() -> pd.DataFrame:
    """Quantities of few prices, and postage, that make a total."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame({'quantity': random.integers(1, 9, N).astype(float)})
    frame['price'] = random.choice([2.5, 3.99, 12.5, 49.95], N)
    frame['net'] = (frame['quantity'] * frame['price']).round(2)
    frame['post'] = random.choice([0.0, 3.9, 5.9, 14.9], N)
    frame['gross'] = (frame['net'] + frame['post']).round(2)
    return frame


def test_a_total_of_two_sums_follows_that_of_products_and_few_numbers() -> None:
    random, frame = np.random.default_rng(4), parcels()
    frame['paid'] = (frame['gross'] * random.random(N)).round(2)
    frame['rest'] = (frame['gross'] - frame['paid']).round(2)
    rows = trained(frame[['paid', 'rest', 'gross', 'net', 'post', 'quantity', 'price']]).sample(600)
    assert ((rows['quantity'] * rows['price'] - rows['net']).abs() < 1e-9).mean() > 0.99
    assert ((rows['net'] + rows['post'] - rows['gross']).abs() < 1e-9).all()
    assert ((rows['paid'] + rows['rest'] - rows['gross']).abs() < 1e-9).all()
    assert rows['post'].isin(frame['post']).mean() > 0.99


def test_a_given_product_is_made_of_factors_of_two_digits() -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame({'w': random.uniform(1, 5, N), 'h': random.uniform(1, 5, N)}).round(2)
    frame['area'] = (frame['w'] * frame['h']).round(4)
    rows = trained(frame).complete(frame[['area']]).rows
    assert ((rows['w'] * rows['h']).round(4) == frame['area']).all()


def test_what_has_grown_follows_its_growth_and_makes_its_density() -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame({'area': random.lognormal(4, 1, N).round(1)})
    people = random.lognormal(8, 1.5, N).round()
    for year in range(4):
        later = (people * random.normal(1.03, 0.04, N)).round()
        if year:
            frame[f'growth {year}'] = ((later - people) / people).round(4)
        frame[f'people {year}'] = people = later
        frame[f'density {year}'] = (later / frame['area']).round(2)

    rows = trained(frame).sample(600)
    off = pd.DataFrame()
    for year in range(4):
        people = rows[f'people {year}']
        off[f'density {year}'] = (people / rows['area'] - rows[f'density {year}']).abs() > 0.00501
        if year:
            before = rows[f'people {year - 1}']
            grown = (people - before) / before
            off[f'growth {year}'] = (grown - rows[f'growth {year}']).abs() > 0.0000501
    assert off.mean().max() < 0.02


def test_ratios_of_what_is_made_are_those_that_were_drawn() -> None:
    """A fill is ink per area, an area a product; what gives way is the ink, of a run the runs."""
    random = np.random.default_rng(5)
    height, width = random.integers(5, 30, N), random.integers(5, 90, N)
    area = height * width
    ink = (area * random.normal(0.6, 0.03, N)).round()
    runs = (ink / random.normal(8, 0.4, N)).round()
    cells = {'height': height, 'width': width, 'area': area, 'ink': ink, 'runs': runs}
    frame = pd.DataFrame(cells).astype(float)
    frame['fill'], frame['run'] = (ink / area).round(3), (ink / runs).round(2)
    rows = trained(frame).sample(600)
    assert rows['area'].to_numpy() == pytest.approx(rows['height'] * rows['width'])
    assert (rows['ink'] / rows['area'] - rows['fill']).abs().max() < 0.000501
    assert (rows['ink'] / rows['runs'] - rows['run']).abs().max() < 0.00501
    assert (rows['fill'] - 0.6).abs().quantile(0.8) < 0.06
    assert (rows['run'] - 8).abs().quantile(0.8) < 1


def test_shares_of_the_same_parts_keep_the_fractions_that_recur() -> None:
    """Also where the parts are equal in some rows, which is no relation of theirs."""
    random = np.random.default_rng(4)
    words = random.integers(80, 900, N)
    good, bad = random.poisson(9, N) + 1, random.poisson(5, N) + 1
    cells = {'good': good / words, 'bad': bad / words}
    frame = pd.DataFrame({**cells, 'praise': good / (good + bad), 'blame': bad / (good + bad)})
    rows = trained(frame, max_atoms=8).sample(600)
    made = rows['good'] / (rows['good'] + rows['bad'])
    assert rows['praise'].to_numpy() == pytest.approx(made)
    assert rows['blame'].to_numpy() == pytest.approx(1 - made)
    often = frame['praise'].round(9).value_counts().index[:4]
    shares = [cells['praise'].round(9).isin(often).mean() for cells in (frame, rows)]
    assert shares[1] > shares[0] / 2 > 0.03


def test_equal_seeds_give_equal_rows() -> None:
    first, second = (trained().sample(100) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_rows_that_a_range_of_a_total_would_break_are_drawn_again() -> None:
    frame = parcels()
    model = trained(frame)
    asked = {'gross': [Interval(40.0, 60.0)] * 40}
    rows = model.complete(pd.DataFrame(index=range(40)), restrictions=asked).rows
    assert rows['gross'].between(40, 60).all()
    assert ((rows['net'] + rows['post'] - rows['gross']).abs() < 1e-9).all()
    assert ((rows['quantity'] * rows['price'] - rows['net']).abs() < 1e-9).mean() > 0.9
    contradiction = frame[['quantity', 'price', 'net']].assign(net=1.0)
    kept = model.complete(contradiction).rows[[*contradiction]]
    assert (kept == contradiction).all(axis=None)
