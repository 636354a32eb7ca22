"""Numbers and dates that lie on a line in all training rows do so in whatever comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar import Between, NotNull, OneOf, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 400
MONTH = pd.Timedelta(days=30)
COLUMNS: dict[str, dict[str, Any]] = {
    **{
        name: {'sdtype': 'numerical'} for name in ('net', 'gross', 'inner', 'fahrenheit', 'celsius')
    },
    **{name: {'sdtype': 'datetime'} for name in ('ordered', 'sent', 'due')},
    'kind': {'sdtype': 'categorical'},
}


def table(num_rows: int = N, days: int = 90) -> pd.DataFrame:
    """Days of which many are of several rows, one gross price of each net one, two scales."""
    random = np.random.default_rng(0)
    net = np.where(random.random(num_rows) < 0.3, 9.99, random.gamma(2, 40, num_rows)).round(2)
    celsius = random.normal(15, 9, num_rows).round(1)
    ordered = pd.Timestamp('2024-01-01') + pd.to_timedelta(random.integers(0, days, num_rows), 'D')
    return pd.DataFrame(
        {
            'kind': random.choice(['a', 'b'], num_rows),
            'fahrenheit': (1.8 * celsius + 32).round(2),
            'net': net,
            'ordered': ordered,
            'gross': (1.19 * net).round(2),
            'sent': ordered + pd.to_timedelta(random.integers(0, 30, num_rows), 'D'),
            'celsius': celsius,
            'inner': pd.Series(net).mask(random.random(num_rows) < 0.2),
            'due': ordered + MONTH,
        }
    )


def broken(rows: pd.DataFrame) -> int:
    """In how many rows, without a gap, something does not follow."""
    found = (1.19 * rows['net'] - rows['gross']).abs() > 0.00501
    found |= (1.8 * rows['celsius'] + 32 - rows['fahrenheit']).abs() > 0.0001
    found |= (rows['net'] - rows['inner']).abs() > 0
    found |= (rows['due'] - rows['ordered'] != MONTH) & rows[['due', 'ordered']].notna().all(axis=1)
    return int((found | (rows['sent'] < rows['ordered']) | (rows['sent'] > rows['due'])).sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_all_rows_are_on_their_lines(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(600)
    assert broken(rows) == 0
    assert rows.dtypes.equals(table().dtypes)
    assert 0.1 < (rows['net'] == 9.99).mean() < 0.6
    assert 0.05 < rows['inner'].isna().mean() < 0.5


@pytest.mark.parametrize(
    'given',
    [
        {'gross': 11.89},  # of the spike
        {'gross': 50.0, 'kind': 'a'},
        {'net': 9.99, 'celsius': 20.0},
        {'fahrenheit': 68.0},
        {'inner': Between(10, 20)},
        {'gross': Between(40, 60), 'celsius': Between(0, 10)},
        {'fahrenheit': OneOf([50.0, 59.0]), 'inner': NotNull()},
        {'inner': None},
        {'due': pd.Timestamp('2024-02-20')},
        {'sent': pd.Timestamp('2024-02-20')},
        {'sent': Between('2024-02-01', '2024-02-10'), 'due': Between('2024-02-10', '2024-02-20')},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=60)])
    assert len(rows) == 60
    assert broken(rows) == 0


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize(
    'hidden', [['gross'], ['net', 'inner'], ['due', 'sent'], ['net', 'gross', 'inner', 'celsius']]
)
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    filled, data = KEPT.check_gaps(synthesizer, hidden, num_samples)
    if len(hidden) == 1:  # which says what it was
        assert np.allclose(filled[hidden], data[hidden])


def test_a_column_is_missing_beside_numbers_that_lead_out_of_its_range() -> None:
    random = np.random.default_rng(0)
    data = pd.DataFrame({'net': random.exponential(30, 300).round(2)})
    data['paid'] = data['net'].where(random.random(300) < 0.7)
    data.loc[data['net'].nlargest(3).index, 'paid'] = np.nan
    columns = {name: {'sdtype': 'numerical'} for name in data}
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, epochs=10, random_state=0)
    synthesizer.fit(data)
    rows = synthesizer.sample(2000)
    assert (rows['paid'] == rows['net'])[rows['paid'].notna()].all()
    assert rows['paid'].max() <= data['paid'].max()
    greatest = Condition({'net': float(data['net'].max())}, num_rows=20)
    assert synthesizer.sample_from_conditions([greatest])['paid'].isna().mean() > 0.8


def test_gaps_anywhere(synthesizer: TabDARSynthesizer) -> None:
    gaps = table().mask(np.random.default_rng(1).random((N, 9)) < 0.4)
    for filled in (synthesizer.impute(gaps), synthesizer.impute(gaps, num_samples=1)):
        assert broken(filled) == 0
        assert not filled.isna().any(axis=None)
        assert filled[gaps.notna()].equals(gaps)


def test_means_are_in_order_with_days_that_were_voted_for() -> None:
    data = table(days=40)  # days of many rows each, which are levels that follow
    filled = KEPT.fitted(data).impute(data.drop(columns=['ordered', 'sent', 'due']))
    assert broken(filled) == 0


def test_quantiles_are_those_of_the_line(synthesizer: TabDARSynthesizer) -> None:
    known = table()[['kind', 'net']].head(20)
    found = synthesizer.predict_quantiles(known, 'gross', quantiles=[0.1, 0.9])
    for level in (0.1, 0.9):
        assert np.allclose(found[level], (1.19 * known['net']).round(2))
    ends = [
        synthesizer.predict_quantiles(known[['kind']], name, quantiles=[0.2, 0.5, 0.8])
        for name in ('celsius', 'fahrenheit')
    ]
    assert np.allclose(1.8 * ends[0] + 32, ends[1], atol=0.2)


def test_a_number_that_follows_costs_nothing(synthesizer: TabDARSynthesizer) -> None:
    parts = synthesizer.log_likelihood(table(), by_column=True, seed=0)
    assert parts[['due', 'gross']].mean().min() > -0.7


def test_files_and_warm_starts(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    KEPT.check_file(synthesizer, tmp_path)
    grown = KEPT.fitted()
    grown.fit(table(600), warm_start=True)
    assert broken(grown.sample(200)) == 0
    late = table().assign(due=lambda rows: rows['due'] + pd.Timedelta(days=1))
    grown.fit(late, warm_start=True)
    assert len(grown.sample(50)) == 50


def test_tables_in_files(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)


def test_the_log_says_so() -> None:
    lines = KEPT.logged
    assert "'gross' is 1.19 * 'net', rounded in all rows, and will be in drawn ones." in lines
