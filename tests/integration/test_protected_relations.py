"""With protect_values, what holds in all rows of the table still holds in what comes out."""

from __future__ import annotations

import copy
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import TINY, make_metadata

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 800
LEAST = 5  # rows that must share a value for it to be kept
NUMBERS = [
    'price',
    'amount',
    'tax',
    'gross',
    'sand',
    'silt',
    'clay',
    'one',
    'other',
    'both',
    'copy',
]
COLUMNS: dict[str, dict[str, Any]] = {
    'quantity': {'sdtype': 'numerical'},
    'rate': {'sdtype': 'categorical'},
    **{name: {'sdtype': 'numerical'} for name in NUMBERS},
    **{name: {'sdtype': 'numerical'} for name in ('boys', 'girls', 'pupils')},
    'start': {'sdtype': 'datetime'},
    'end': {'sdtype': 'datetime'},
    'code': {'sdtype': 'categorical'},
    'name': {'sdtype': 'categorical'},
}


def invoices(seed: int = 0) -> pd.DataFrame:
    """Products, sums, shares, a copy, dates in order, and a code that fixes a name."""
    random = np.random.default_rng(seed)
    quantity, price = random.integers(1, 13, N), random.gamma(3, 8, N).round(2) + 1
    rate, amount = random.choice([0.07, 0.19], N), (quantity * price).round(2)
    tax = (amount * rate).round(2)
    silt, clay = (random.dirichlet([4, 3, 2], N) * 100).round(1).T[1:]
    one, other = random.lognormal(4, 1, (2, N)).round(2)
    boys, girls = random.poisson(5, (2, N))
    start = pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 900, N), 'D')
    code = random.zipf(1.6, N).clip(max=60)
    cells = {
        'quantity': quantity,
        'rate': rate,
        'price': price.round(2),
        'amount': amount,
        'tax': tax,
        'gross': (amount + tax).round(2),
        'sand': (100 - silt - clay).round(1),
        'silt': silt,
        'clay': clay,
        'one': one,
        'other': other,
        'both': (one + other).round(2),
        'copy': one,
        'boys': boys,
        'girls': girls,
        'pupils': boys + girls,
        'start': start,
        'end': start + pd.to_timedelta(random.gamma(1, 20, N).astype(int), 'D'),
        'code': [f'P{number:02d}' for number in code],
        'name': [f'name {number // 2}' for number in code],
    }
    return pd.DataFrame(cells)[[*COLUMNS]]


TABLE = invoices()


def fitted(data: pd.DataFrame = TABLE, **settings: Any) -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(
        make_metadata(COLUMNS), **{**TINY, 'protect_values': True, **settings}
    )
    synthesizer.fit(data)
    return synthesizer


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fitted()


def frequent(name: str, table: pd.DataFrame = TABLE) -> set[Any]:
    """The values of a column that enough rows share, however the limit was drawn."""
    counts = table[name].value_counts()
    return set(counts[counts >= LEAST + LEAST // 2].index)


def broken(rows: pd.DataFrame) -> dict[str, int]:
    """In how many rows which relation does not hold."""
    cells = rows[['quantity', 'rate', *NUMBERS, 'boys', 'girls', 'pupils']].astype(float)
    off = {
        'product': cells['quantity'] * cells['price'] - cells['amount'],
        'tax': cells['amount'] * cells['rate'] - cells['tax'],
        'gross': cells['amount'] + cells['tax'] - cells['gross'],
        'shares': cells['sand'] + cells['silt'] + cells['clay'] - 100,
        'both': cells['one'] + cells['other'] - cells['both'],
        'pupils': cells['boys'] + cells['girls'] - cells['pupils'],
        'copy': cells['one'] - cells['copy'],
    }
    found = {name: int((cells.abs() > 0.00501).sum()) for name, cells in off.items()}
    found['order'] = int((rows['start'] > rows['end']).sum())
    names = dict(TABLE[['code', 'name']].drop_duplicates().to_numpy())
    of_known = rows['code'].isin(frequent('code')) & rows['code'].map(names).isin(frequent('name'))
    return {**found, 'name': int((rows['code'].map(names) != rows['name'])[of_known].sum())}


def exposed(rows: pd.DataFrame, table: pd.DataFrame = TABLE) -> list[str]:
    """Columns with values of too few rows, or with some beyond what enough rows reach."""
    found = [name for name in ('code', 'name') if set(rows[name].dropna()) - {*table[name]}]
    for name in ('code', 'name'):
        rare = table[name].value_counts()
        found += [name] * bool(set(rows[name]) & set(rare[rare < LEAST].index))
    for name in (*NUMBERS, 'boys', 'girls', 'pupils', 'start', 'end'):
        ordered = table[name].sort_values().reset_index(drop=True)
        drawn = rows[name].dropna()
        low, high = ordered.iloc[LEAST - 1], ordered.iloc[-LEAST]
        found += [name] * (not drawn.between(low, high).all())
    return found


def test_the_table_has_what_is_protected() -> None:
    assert not any(broken(TABLE).values())
    assert {'code', 'name', *NUMBERS, 'pupils', 'start', 'end'} <= {*exposed(TABLE)}


def test_drawn_rows_keep_what_holds_and_expose_nothing(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(1500)
    wrong = broken(rows)
    # an amount so small that its tax would be less than it may be
    assert wrong.pop('product') <= 8
    assert not any(wrong.values())
    assert not exposed(rows)
    assert rows['pupils'].nunique() > 12


def test_a_primary_key_changes_nothing_of_that() -> None:
    table = TABLE.assign(invoice=[f'I{number:05d}' for number in range(N)])[::-1]
    columns = {**COLUMNS, 'invoice': {'sdtype': 'id', 'regex_format': 'I[0-9]{5}'}}
    metadata = make_metadata(columns, primary_key='invoice')
    synthesizer = TabDARSynthesizer(metadata, **TINY, protect_values=True)
    synthesizer.fit(table)
    rows = synthesizer.sample(600)
    wrong = broken(rows)
    assert wrong.pop('product') <= 5
    assert not any(wrong.values())
    assert not exposed(rows)


def test_without_protection_they_expose_much() -> None:
    assert len(set(exposed(fitted(protect_values=False).sample(1500)))) > 8


@pytest.mark.parametrize(
    'given',
    [
        {'quantity': 3},
        {'both': Between(100.0, 200.0)},
        {'sand': 50.5},
        {'pupils': 10},
        {'code': 'P01'},
        {'one': 60.0, 'rate': 0.07},
    ],
    ids=str,
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=200)])
    assert max(broken(rows).values()) <= 2
    assert not exposed(rows)
    assert all((rows[name] == value).all() for name, value in given.items() if name != 'both')


@pytest.mark.filterwarnings('ignore:Known cells hold')
@pytest.mark.parametrize('num_samples', [1, 4])
def test_gaps(synthesizer: TabDARSynthesizer, num_samples: int) -> None:
    hidden = ['amount', 'clay', 'both', 'boys', 'end', 'name']
    gaps = TABLE.copy()
    gaps[hidden] = None
    filled = synthesizer.impute(gaps, num_samples=num_samples)
    wrong = broken(filled)
    assert wrong.pop('product') <= 8  # an amount beside prices of cents and a known tax
    assert max(wrong.values()) <= 4
    # what the known cells of a row say by themselves, beyond the bounds as well
    assert np.allclose(filled[['both', 'clay', 'boys']], TABLE[['both', 'clay', 'boys']])
    assert not {'end', 'name'} & {*exposed(filled.assign(code='P01'))}
    known = [name for name in TABLE if name not in hidden]
    pd.testing.assert_frame_equal(filled[known], TABLE[known])


def test_a_file_keeps_it_and_has_no_protected_value(
    synthesizer: TabDARSynthesizer, tmp_path: Path
) -> None:
    path = tmp_path / 'invoices.tabdar'
    synthesizer.save_safe(path)
    found = describe(path)
    assert ('gross', "the sum of 'amount' and 'tax'") in found.sums
    assert ('amount', "'quantity' * 'price'") in found.products
    assert found.constant_sums == [(['sand', 'silt', 'clay'], 100.0)]
    assert ('start', 'end') in found.inequalities
    content = path.read_bytes()
    counts = TABLE['code'].value_counts()
    rare = [code for code, count in counts.items() if count < LEAST]
    assert rare
    assert not [code for code in rare if f'"{code}"'.encode() in content]

    again = TabDARSynthesizer.load_safe(path)
    pd.testing.assert_frame_equal(again.sample(50, seed=1), synthesizer.sample(50, seed=1))
    assert not exposed(again.sample(300))


def test_which_cells_were_replaced_is_not_saved(synthesizer: TabDARSynthesizer) -> None:
    assert '_replaced' in vars(synthesizer)
    assert '_replaced' not in vars(copy.deepcopy(synthesizer))


def test_training_goes_on_with_it(synthesizer: TabDARSynthesizer) -> None:
    again = copy.deepcopy(synthesizer)
    more = pd.concat([TABLE, invoices(1)], ignore_index=True)
    again.fit(more, warm_start=True)
    rows = again.sample(500)
    assert not any(broken(rows)[name] for name in ('product', 'gross', 'shares', 'both', 'pupils'))
    assert not set(exposed(rows, more)) & {*NUMBERS}


def test_a_processed_table_keeps_it_as_well() -> None:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY, protect_values=True)
    processed = synthesizer.preprocess(TABLE)
    synthesizer.fit_processed_data(processed.sample(frac=1, random_state=0))
    rows = synthesizer.sample(300)
    assert not any(broken(rows)[name] for name in ('product', 'gross', 'shares', 'both', 'pupils'))
    assert not exposed(rows)


def test_the_log_tells_what_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        fitted()
    assert any("'gross' is the sum of 'amount' and 'tax' in all rows" in m for m in caplog.messages)


def towns(num_rows: int = 2_000) -> pd.DataFrame:
    """Half of the rows in villages of few people, in states that have towns as well."""
    random = np.random.default_rng(0)
    state = random.choice(5, num_rows, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    in_town = random.random(num_rows) < 0.5
    number = np.where(in_town, random.integers(0, 2, num_rows), random.integers(9, 400, num_rows))
    city = [f'c{own}-{other}' for own, other in zip(state, number, strict=True)]
    return pd.DataFrame({'city': city, 'state': [f's{own}' for own in state]})


@pytest.mark.filterwarnings('ignore:Values that few rows share')
def test_villages_become_towns_of_their_state() -> None:
    table = towns()
    columns = {name: {'sdtype': 'categorical'} for name in table}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY, protect_values=True)
    synthesizer.fit(table)
    rows = synthesizer.sample(4_000)
    assert (rows['city'].str[1:2] == rows['state'].str[1:2]).all()
    assert set(rows['city'].str[3:]) == {'0', '1'}
    drawn, real = (each['state'].value_counts(normalize=True) for each in (rows, table))
    assert (drawn - real).abs().max() < 0.05


@pytest.mark.filterwarnings('ignore:Values that few rows share')
def test_a_state_of_villages_alone_does_not_vanish() -> None:
    table = towns()
    table = table[(table['state'] != 's2') | ~table['city'].str.contains('-[01]$')]
    columns = {name: {'sdtype': 'categorical'} for name in table}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY, protect_values=True)
    synthesizer.fit(table.reset_index(drop=True))
    rows = synthesizer.sample(2_000)
    assert (rows['state'] == 's2').mean() > 0.03
    assert set(rows['city'].str[3:]) == {'0', '1'}


def test_a_gap_is_filled_where_the_number_it_follows_leads_out_of_its_range() -> None:
    random = np.random.default_rng(1)
    salary, kind = np.round(random.normal(50, 12, 500), 1), random.choice(list('ABCD'), 500)
    paid = pd.DataFrame({'salary': salary, 'kind': kind, 'base': salary})
    paid['base'] = paid['base'].where(paid['kind'] == 'A')
    columns = {'salary': 'numerical', 'kind': 'categorical', 'base': 'numerical'}
    metadata = make_metadata({name: {'sdtype': sdtype} for name, sdtype in columns.items()})
    synthesizer = TabDARSynthesizer(metadata, protect_values=True, **{**TINY, 'epochs': 1})
    synthesizer.fit(paid)
    filled = synthesizer.impute(pd.DataFrame({'salary': [30.2, 30.4, 64.6, 50.0], 'kind': 'D'}))
    assert filled['base'].notna().all()
    assert filled['base'].iloc[3] == 50
