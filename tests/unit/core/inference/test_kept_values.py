"""What relations make of a number stays what training left of its column, where that is asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.inference.kept_values import implied
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members
from sdv_tabdar.core.schema import ColumnKind

N = 500
FEW_DRAWS = SamplingConfig(num_particles=8)
NUMBERS = ['one', 'other', 'both', 'boys', 'girls', 'pupils', 'price', 'amount']


def table() -> pd.DataFrame:
    """Sums with and without bins, and a product; a quantity that is a category."""
    random = np.random.default_rng(1)
    one, other = random.gamma(1, 40, (2, N)).round(2)
    boys, girls = random.poisson(4, (2, N)).astype(float)
    quantity, price = random.integers(1, 9, N).astype(float), random.gamma(3, 20, N).round(2)
    return pd.DataFrame(
        {
            'one': one,
            'other': other,
            'both': (one + other).round(2),
            'boys': boys,
            'girls': girls,
            'pupils': boys + girls,
            'quantity': quantity,
            'price': price,
            'amount': (quantity * price).round(2),
        }
    )


def protected() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table without its ends and without two numbers of pupils, and which cells are others."""
    frame = table()
    found = frame.copy()
    for name in ('one', 'other', 'both', 'price', 'amount'):
        found[name] = frame[name].clip(*np.sort(frame[name])[[9, -10]])
    found['pupils'] = frame['pupils'].clip(2, 15).replace({8: 7, 11: 10})
    return found, found != frame


@pytest.fixture(scope='module')
def model() -> TabDAR:
    frame, replaced = protected()
    config = ModelConfig(width=16, num_blocks=1, head_width=8, denoiser_width=16, num_bins=4)
    kinds = {
        name: ColumnKind.CATEGORICAL if name == 'quantity' else ColumnKind.NUMERICAL
        for name in frame
    }
    return TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(
        frame, kinds, replaced=replaced
    )


def broken(rows: pd.DataFrame) -> pd.Series:
    """In how many rows the sums and the product do not hold."""
    cells = rows.astype(float)
    wrong = {
        'both': cells['one'] + cells['other'] - cells['both'],
        'pupils': cells['boys'] + cells['girls'] - cells['pupils'],
        'amount': cells['quantity'] * cells['price'] - cells['amount'],
    }
    return (pd.DataFrame(wrong).abs() > 0.00501).sum()


def kept(rows: pd.DataFrame) -> bool:
    """Whether all numbers are such as training left of their columns."""
    frame, _ = protected()
    inside = [rows[name].between(frame[name].min(), frame[name].max()).all() for name in NUMBERS]
    return all(inside) and set(rows['pupils']) <= set(frame['pupils'])


def test_drawn_rows_keep_relations_and_values(model: TabDAR) -> None:
    rows = model.sample(1000)
    assert (broken(rows) == 0).all()
    assert kept(rows)
    assert {7.0, 10.0} < set(rows['pupils'])


@pytest.mark.parametrize('given', [{'one': 90.0}, {'pupils': 12.0}, {'quantity': 1.0}], ids=str)
def test_under_conditions_as_well(model: TabDAR, given: dict[str, float]) -> None:
    rows = model.complete(pd.DataFrame({name: [cell] * 300 for name, cell in given.items()})).rows
    assert (broken(rows) <= 3).all()
    assert kept(rows)


def test_what_is_asked_for_stays(model: TabDAR) -> None:
    limits = {'both': [Interval(50.0, 60.0)] * 200, 'pupils': [Members((9.0, 12.0))] * 200}
    rows = model.complete(pd.DataFrame(index=range(200)), restrictions=limits).rows
    assert (broken(rows) == 0).all()
    assert kept(rows)
    assert rows['both'].between(50, 60).all()
    assert set(rows['pupils']) == {9, 12}


def test_where_both_cannot_be_the_values_stay(model: TabDAR) -> None:
    frame, _ = protected()
    beyond = frame['one'].max() + frame['other'].max() + 1
    rows = model.complete(pd.DataFrame({'one': [beyond] * 50, 'quantity': [1.0] * 50})).rows
    assert broken(rows)['both'] == 50
    assert rows['both'].max() <= frame['both'].max()


def test_what_given_cells_say_by_themselves_is_said(model: TabDAR) -> None:
    frame = table()
    given = frame.drop(columns=['both', 'pupils', 'amount'])
    rows = model.complete(given).rows
    assert (broken(rows) == 0).all()
    assert np.allclose(rows['both'], frame['both'])
    finished = rows.assign(both=0.0, pupils=0.0, amount=0.0)
    model.settle(finished, np.isin([*rows], [*given])[None].repeat(N, axis=0), {})
    assert np.allclose(finished, rows.astype(float))


def test_the_last_cell_of_a_relation_is_implied(model: TabDAR) -> None:
    encoder = model.trained.encoder
    names = list(encoder.schema.names)
    known = np.isin(names, ['one', 'both', 'pupils', 'price', 'amount'])[None]
    found = implied(encoder, known)[0]
    assert {name for name, told in zip(names, found, strict=True) if not told} == {'boys', 'girls'}
