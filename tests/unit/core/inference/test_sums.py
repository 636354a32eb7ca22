"""Drawn numbers add up, whatever the network says; what is given or asked for stays."""

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


def table() -> pd.DataFrame:
    """A subtotal of two and a total of three decimals' worth of parts, some often 0 or missing."""
    random = np.random.default_rng(1)
    fees = np.where(random.random(N) < 0.3, 0.0, random.gamma(2, 20, N)).round(2)
    rooms = random.integers(0, 50, N).astype(float)
    stay = (fees + rooms).round(2)
    food = np.where(random.random(N) < 0.2, np.nan, random.gamma(1, 30, N)).round(1)
    total = (stay + food).round(2)
    kind = random.choice(['a', 'b'], N)
    return pd.DataFrame(
        {'total': total, 'fees': fees, 'kind': kind, 'rooms': rooms, 'stay': stay, 'food': food}
    )


def trained(frame: pd.DataFrame | None = None, **settings: object) -> TabDAR:
    """A model that has learnt little, so that hardly a row adds up by itself."""
    frame = table() if frame is None else frame
    config = ModelConfig(
        width=16, num_blocks=1, head_width=8, denoiser_width=16, num_bins=4, **settings
    )
    kinds = {
        name: ColumnKind.CATEGORICAL if name == 'kind' else ColumnKind.NUMERICAL for name in frame
    }
    return TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(frame, kinds)


@pytest.fixture(scope='module', params=['bidirectional', 'causal'])
def model(request: pytest.FixtureRequest) -> TabDAR:
    return trained(attention=request.param)


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a sum is wrong by as much as a digit that can be seen."""
    stay = (rows['stay'] - rows['fees'] - rows['rooms']).abs() > 1e-9
    return int((stay | ((rows['total'] - rows['stay'] - rows['food']).abs() > 1e-9)).sum())


def test_all_drawn_rows_add_up_in_the_digits_of_training(model: TabDAR) -> None:
    rows = model.sample(600)
    assert broken(rows) == 0
    assert rows['food'].isna().any()
    for name, digits in {'total': 2, 'fees': 2, 'rooms': 0, 'stay': 2, 'food': 1}.items():
        assert (rows[name].dropna() == rows[name].dropna().round(digits)).all()
        real, drawn = table()[name], rows[name].dropna()
        assert drawn.between(real.min(), real.max()).all()
    assert 0.2 < (rows['fees'] == 0).mean() < 0.6


def test_without_it_they_do_not() -> None:
    assert broken(trained(sums=False, products=False).sample(600)) > 300
    assert broken(trained(column_order='fixed', attention='causal').sample(600)) > 300


@pytest.mark.parametrize(
    'given',
    [
        ['total'],
        ['fees'],
        ['fees', 'rooms'],
        ['total', 'fees'],
        ['total', 'stay'],
        ['total', 'fees', 'rooms'],
        ['total', 'food', 'fees'],
        ['fees', 'rooms', 'food'],
        ['stay', 'food', 'kind'],
    ],
)
def test_others_give_way_to_what_is_given(model: TabDAR, given: list[str]) -> None:
    values = table().dropna()[given].reset_index(drop=True)
    rows = model.complete(values).rows
    assert broken(rows) == 0
    assert rows[given].equals(values)
    assert (rows[['fees', 'rooms', 'food']].min() >= 0).all()


def test_what_contradicts_itself_stays_as_it_is_given(model: TabDAR) -> None:
    given = pd.DataFrame({'total': [10.0] * 50, 'fees': [30.0] * 50, 'food': [5.0] * 50})
    rows = model.complete(given).rows
    assert (rows[given.columns] == given).all(axis=None)
    assert (rows['stay'] == rows['fees'] + rows['rooms']).all()
    all_of_it = pd.DataFrame({'stay': [50.0], 'fees': [30.0], 'rooms': [10.0]})
    assert (model.complete(all_of_it).rows[all_of_it.columns] == all_of_it).all(axis=None)


def test_given_numbers_keep_what_a_computer_has_added_to_them(model: TabDAR) -> None:
    given = pd.DataFrame({'fees': [np.nextafter(12.5, 20)] * 30, 'total': [1.0] * 30})
    rows = model.complete(given).rows
    assert (rows[['fees', 'total']] == given).all(axis=None)


def test_a_total_out_of_reach_is_come_as_near_as_possible(model: TabDAR) -> None:
    rows = model.complete(pd.DataFrame({'stay': [10_000.0] * 20})).rows
    assert (rows['stay'] == 10_000).all()
    assert (rows['fees'] == table()['fees'].max()).all()
    assert (rows['rooms'] == 49).all()


def test_ranges_and_sets_are_kept_as_well(model: TabDAR) -> None:
    limits = {
        'total': [Interval(60.0, 80.0)] * 200,
        'fees': [Interval(5.0, 30.0)] * 200,
        'rooms': [Members((7.0, 11.0))] * 200,
    }
    rows = model.complete(pd.DataFrame(index=range(200)), restrictions=limits).rows
    assert broken(rows) == 0
    assert rows['total'].between(60, 80).all()
    assert rows['total'].nunique() > 50  # and not at the ends alone
    assert rows['fees'].between(5, 30).all()
    assert rows['rooms'].isin([7, 11]).all()


def test_numbers_that_are_not_rounded_are_as_exact_as_floats() -> None:
    frame = pd.DataFrame(np.random.default_rng(2).normal(size=(N, 3)), columns=['p', 'q', 'r'])
    frame['all'] = frame.sum(axis=1)
    rows = trained(frame).sample(300)
    assert np.allclose(rows['all'], rows[['p', 'q', 'r']].sum(axis=1), rtol=1e-12, atol=1e-12)


def test_sums_in_float32_are_exact_where_drawn_and_leave_no_crumbs_where_given() -> None:
    random = np.random.default_rng(5)
    parts = {name: random.gamma(2, 20, N) for name in ('visits', 'drugs', 'stay')}
    for values, share in zip(parts.values(), (0.3, 0.6, 0.9), strict=True):
        values[random.random(N) < share] = 0.0
    frame = pd.DataFrame(parts).astype(np.float32)
    frame['all'] = frame.sum(axis=1)
    frame['log'] = np.log1p(frame['all'])
    frame = frame.astype(float)
    model = trained(frame)
    rows = model.sample(400)
    assert (rows['all'] - rows[[*parts]].sum(axis=1)).abs().max() <= 1e-9
    assert (rows['log'] - np.log1p(rows['all'])).abs().max() <= 1e-6
    for name in frame:
        known = np.tile(frame.columns != name, (N, 1))
        filled = model.complete(frame.where(known), known).rows
        assert ((filled[name] == 0) == (frame[name] == 0)).all()
        assert np.allclose(filled[name], frame[name], rtol=1e-5, atol=1e-4)


def test_figures_that_do_not_add_up_due_to_rounding_nearly_do() -> None:
    random = np.random.default_rng(6)
    costs, shares = random.gamma(2, 300, (N, 3)), 100 * random.dirichlet([3, 2, 4], N)
    frame = pd.DataFrame(costs.round(0), columns=['rent', 'food', 'rest'])
    frame['all'] = costs.sum(axis=1).round(0)
    frame[['sand', 'silt', 'clay']] = shares.round(1)
    model = trained(frame)

    def off(rows: pd.DataFrame) -> int:
        costs = (rows['all'] - rows[['rent', 'food', 'rest']].sum(axis=1)).abs() > 2.001
        shares = (rows[['sand', 'silt', 'clay']].sum(axis=1) - 100).abs() > 0.201
        return int((costs | shares).sum())

    rows = model.sample(600)
    assert off(frame) == off(rows) == 0
    for name in frame:
        assert rows[name].between(frame[name].min(), frame[name].max()).all()
        known = np.tile(frame.columns != name, (N, 1))
        assert off(model.complete(frame.where(known), known).rows) == 0
    assert model.complete(frame.assign(all=9_000)).rows['all'].eq(9_000).all()


def test_orders_are_kept_beside_sums() -> None:
    random = np.random.default_rng(4)
    net = random.integers(40, 90, N) / 4
    tax = (net * random.random(N)).round(2)
    paid = (net + tax) * random.choice([0.5, 1.0], N)
    frame = pd.DataFrame({'tax': tax, 'net': net, 'gross': net + tax, 'paid': paid})
    model = trained(frame)
    assert len(model.trained.encoder.inequalities) == 5
    for rows in (model.sample(500), model.complete(frame[['gross']]).rows):
        assert ((rows['gross'] - rows['net'] - rows['tax']).abs() < 1e-9).all()
        assert (rows['tax'] <= rows['net']).all()
        assert (rows['paid'] <= rows['gross']).mean() > 0.99


def invoices() -> pd.DataFrame:
    random = np.random.default_rng(3)
    net = random.lognormal(4, 1, N).round(2)
    tax = (net * random.choice([0.07, 0.19], N)).round(2)
    gross = (net + tax).round(2)
    paid = np.where(random.random(N) < 0.3, gross, (gross * random.random(N)).round(2))
    least = np.where(random.random(N) < 0.2, net, (net * random.uniform(0.2, 1, N)).round(2))
    frame = pd.DataFrame({'net': net, 'tax': tax, 'gross': gross, 'paid': paid, 'least': least})
    return frame.assign(rest=(gross - paid).round(2), floor=(tax + least).round(2))


ORDERS = [('paid', 'gross'), ('tax', 'net'), ('tax', 'least'), ('least', 'net'), ('floor', 'gross')]


def test_orders_are_kept_among_totals_of_the_same_parts() -> None:
    frame = invoices().assign(again=lambda rows: rows['floor'], more=lambda rows: rows['floor'])
    model = trained(frame)
    for rows in (model.sample(500), model.complete(frame[['gross']]).rows):
        for low, high in ORDERS:
            assert (rows[low] <= rows[high]).all()


def test_a_part_is_at_most_its_total_also_where_another_part_is_missing() -> None:
    frame = invoices()
    frame['rest'] = frame['rest'].mask(np.arange(N) % 5 == 0)
    model = trained(frame)
    for given in (['rest'], ['rest', 'net'], ['rest', 'paid']):
        rows = model.complete(frame.loc[frame['rest'].isna(), given]).rows
        assert rows['rest'].isna().all()
        assert (rows['paid'] <= rows['gross']).all()


def test_parts_stay_in_order_with_given_ones() -> None:
    frame = invoices()
    model = trained(frame)
    rows = model.complete(frame[['net', 'floor']]).rows
    for low, high in ORDERS:
        assert (rows[low] <= rows[high]).mean() > 0.99


def test_what_a_known_number_may_tell_of_a_part_gives_way_to_orders() -> None:
    random = np.random.default_rng(4)
    net = random.uniform(10, 400, N).round(2)
    tax = (net * random.uniform(0.05, 0.25, N)).round(2)
    least = np.where(random.random(N) < 0.6, net, (net * random.uniform(0.3, 1, N)).round(2))
    frame = pd.DataFrame({'net': net, 'tax': tax, 'gross': (net + tax).round(2), 'least': least})
    model = trained(frame)
    assert model.trained.encoder.echoes
    rows = model.complete(frame[['gross', 'least']]).rows
    assert ((rows['net'] + rows['tax'] - rows['gross']).abs() < 1e-9).all()
    assert (rows['tax'] <= rows['least']).all()
    assert (rows['least'] <= rows['net']).all()


def test_a_price_that_follows_from_another_goes_on_to_follow_from_it() -> None:
    net = np.random.default_rng(5).gamma(3, 20, N).round(2)
    frame = pd.DataFrame({'net': net, 'gross': (1.19 * net).round(2)})
    frame['tax'] = (frame['gross'] - frame['net']).round(2)
    model = trained(frame)
    assert len(model.trained.encoder.echoes) > 0
    rows = model.sample(300)
    assert ((rows['net'] + rows['tax'] - rows['gross']).abs() < 1e-9).all()
    assert ((1.19 * rows['net']).round(2) == rows['gross']).mean() > 0.8


def test_a_total_of_few_numbers_stays_one_of_them() -> None:
    random = np.random.default_rng(6)
    budget = random.choice([100.0, 250.0, 500.0], N)
    used = (budget * random.random(N)).round(2)
    frame = pd.DataFrame({'budget': budget, 'used': used, 'left': (budget - used).round(2)})
    rows = trained(frame).sample(300)
    assert ((rows['used'] + rows['left'] - rows['budget']).abs() < 1e-9).all()
    assert rows['budget'].isin([100, 250, 500]).all()


def soils() -> pd.DataFrame:
    """Percentages of one decimal, one often 0, one of their sums, and something else."""
    random = np.random.default_rng(7)
    weights = random.dirichlet([3, 2, 1, 1], N)
    weights[random.random(N) < 0.3, 3] = 0
    weights = (100 * weights / weights.sum(axis=1, keepdims=True)).round(1)
    sand, silt, clay, peat = weights.T
    sand = (100 - silt - clay - peat).round(1)
    fine = (silt + clay).round(1)
    depth = random.integers(1, 90, N).astype(float)
    columns = {'fine': fine, 'sand': sand, 'silt': silt, 'depth': depth, 'clay': clay}
    return pd.DataFrame({**columns, 'peat': peat})


@pytest.fixture(scope='module')
def soil_model() -> TabDAR:
    model = trained(soils())
    assert len(model.trained.encoder.sums) == 2
    return model


def off(rows: pd.DataFrame) -> int:
    """In how many rows parts do not make 100, or their sum."""
    made = rows[['sand', 'fine', 'peat']].sum(axis=1, skipna=False) - 100
    return int(((made.abs() > 1e-9) | ((rows.silt + rows.clay - rows.fine).abs() > 1e-9)).sum())


def test_parts_of_a_constant_make_it(soil_model: TabDAR) -> None:
    rows, real = soil_model.sample(600).drop(columns='depth'), soils().drop(columns='depth')
    assert off(rows) == 0
    assert (rows == rows.round(1)).all(axis=None)
    assert ((rows >= real.min()) & (rows <= real.max())).all(axis=None)
    assert 0.15 < (rows['peat'] == 0).mean() < 0.6
    assert off(trained(soils(), sums=False).sample(600)) > 300


@pytest.mark.parametrize(
    'given',
    [
        ['sand'],
        ['peat', 'depth'],
        ['silt', 'clay'],
        ['sand', 'silt'],
        ['sand', 'peat'],
        ['sand', 'silt', 'clay'],
        ['fine', 'clay', 'peat'],
    ],
)
def test_other_parts_of_a_constant_give_way(soil_model: TabDAR, given: list[str]) -> None:
    values = soils()[given]
    rows = soil_model.complete(values).rows
    assert off(rows) == 0
    assert rows[given].equals(values)


def test_parts_that_make_more_than_the_constant_stay(soil_model: TabDAR) -> None:
    given = pd.DataFrame({'sand': [70.0] * 30, 'fine': [45.0] * 30})
    rows = soil_model.complete(given).rows
    assert (rows[given.columns] == given).all(axis=None)
    assert (rows['peat'] == 0).all()
    assert np.allclose(rows['silt'] + rows['clay'], 45)


def test_ranges_and_sets_of_parts_of_a_constant(soil_model: TabDAR) -> None:
    limits = {
        'sand': [Interval(20.0, 30.0)] * 200,
        'silt': [Members((21.0, 33.5))] * 200,
        'peat': [Interval(0.0, 20.0)] * 200,
    }
    rows = soil_model.complete(pd.DataFrame(index=range(200)), restrictions=limits).rows
    assert off(rows) == 0
    assert rows['sand'].between(20, 30).all()
    assert rows['silt'].isin([21, 33.5]).all()
    assert rows['peat'].between(0, 20).all()


def test_rows_with_a_gap_need_not_make_the_constant() -> None:
    frame = soils()[['sand', 'fine', 'peat']]
    frame.loc[::3, 'peat'] = np.nan
    rows = trained(frame).sample(400)
    assert rows['peat'].isna().any()
    assert np.allclose(rows.dropna().sum(axis=1), 100, atol=1e-9)


def test_weights_that_are_not_rounded_make_one() -> None:
    weights = np.random.default_rng(8).dirichlet([0.5, 1, 2, 3], N)
    rows = trained(pd.DataFrame(weights, columns=list('pqrs'))).sample(300)
    assert np.allclose(rows.sum(axis=1), 1, rtol=1e-12, atol=0)
    assert (rows >= 0).all(axis=None)


def test_numbers_in_steps_stay_in_steps() -> None:
    random = np.random.default_rng(9)
    fives = [5.0 * random.multinomial(20, random.dirichlet([3, 2, 1])) for _ in range(N)]
    rows = trained(pd.DataFrame(fives, columns=list('pqr'))).sample(300)
    assert (rows.sum(axis=1) == 100).all()
    assert (rows % 5 == 0).all(axis=None)


def test_equal_seeds_give_equal_rows() -> None:
    first, second = (trained().sample(100) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
