"""Which values of the training table are in a model file, looked for byte by byte.

The table has values that occur nowhere else by chance. What is found here is what a reader of the
file can find; the documentation says the same.
"""

from __future__ import annotations

import itertools
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files import describe

from ..conftest import TINY, make_metadata

pytestmark = pytest.mark.filterwarnings('ignore:The table can be learnt')

ROWS = 600
COLUMNS: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'id'},
    'second_key': {'sdtype': 'id'},
    'email': {'sdtype': 'email', 'pii': True},
    'city': {'sdtype': 'categorical'},
    'note': {'sdtype': 'categorical'},
    'price': {'sdtype': 'numerical'},
    'income': {'sdtype': 'numerical'},
    'born': {'sdtype': 'datetime'},
    'part': {'sdtype': 'categorical'},
    'whole': {'sdtype': 'categorical'},
}


@pytest.fixture(scope='module')
def table() -> pd.DataFrame:
    random = np.random.default_rng(5)
    numbers = range(ROWS)
    parts = random.integers(0, 4, ROWS)
    start = pd.Timestamp('1955-03-07 11:13:17')
    return pd.DataFrame(
        {
            'key': [f'keyZQ{number:05d}' for number in numbers],
            'second_key': [7_310_000_000_000 + 13 * number for number in numbers],
            'email': [f'personZQ{number:05d}@example.org' for number in numbers],
            'city': random.choice([f'cityZQ{number}' for number in range(5)], ROWS),
            'note': [f'noteZQ{number:05d}' for number in random.permutation(ROWS)],
            'price': random.choice(np.array([101.37, 202.93, 303.71, 404.59]), ROWS),
            'income': random.lognormal(3, 1, ROWS) + 1e-9,
            'born': start + pd.to_timedelta(random.choice(10**9, ROWS, replace=False), 's'),
            'part': [f'partZQ{part}' for part in parts],
            'whole': [f'wholeZQ{part // 2}' for part in parts],
        }
    )


@pytest.fixture(scope='module')
def path(table: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    metadata = make_metadata(COLUMNS, primary_key='key', alternate_keys=['second_key'])
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.add_constraints([FixedCombinations(['part', 'whole'])])
    synthesizer.fit(table)
    found = tmp_path_factory.mktemp('held') / 'model.tabdar'
    synthesizer.save_safe(found)
    return found


@pytest.fixture(scope='module')
def content(path: Path) -> bytes:
    return path.read_bytes()


def forms(value: Any) -> list[bytes]:
    """How a value may stand in a file."""
    if isinstance(value, str):
        return [value.encode(), value.encode('utf-16-le')]
    if isinstance(value, pd.Timestamp):
        counts = [value.value, value.value // 10**9]
        return [
            str(value).encode(),
            value.isoformat().encode(),
            *(form for count in counts for form in forms(count)),
        ]
    found = [repr(value).encode(), repr(float(value)).encode()]
    found += [struct.pack('<d', value), struct.pack('<f', value)]
    return [*found, struct.pack('<q', int(value))] if value == int(value) else found


def held(values: pd.Series, content: bytes) -> list[Any]:
    """Those distinct values that stand in a file in some form."""
    distinct = values.drop_duplicates().tolist()
    return [value for value in distinct if any(form in content for form in forms(value))]


@pytest.mark.parametrize('column', ['key', 'second_key', 'email'])
def test_generated_columns_are_not_held(column: str, table: pd.DataFrame, content: bytes) -> None:
    assert held(table[column], content) == []


@pytest.mark.parametrize('column', ['city', 'note', 'part', 'whole'])
def test_every_level_is_held(column: str, table: pd.DataFrame, content: bytes) -> None:
    assert set(held(table[column], content)) == set(table[column])


def test_numbers_that_occur_often_are_held(table: pd.DataFrame, content: bytes) -> None:
    assert set(held(table['price'], content)) == set(table['price'])


@pytest.mark.parametrize('column', ['income', 'born'])
def test_of_other_numbers_the_limits_are_held(
    column: str, table: pd.DataFrame, content: bytes, path: Path
) -> None:
    learnt = {entry.name: entry for entry in describe(path).learnt}[column]
    numbers = table[column].astype('int64' if column == 'born' else 'float64').astype(float)
    quantiles = np.array(learnt.quantiles)
    ends = {table[column].min(), table[column].max()}

    assert quantiles[[0, -1]].tolist() == [numbers.min(), numbers.max()]
    assert len(quantiles) > 20
    assert not set(numbers) & set(quantiles[1:-1])
    assert set(held(table[column], content)) == ends


def test_the_limits_of_dates_are_told_as_dates(table: pd.DataFrame, path: Path) -> None:
    first, last = table['born'].min(), table['born'].max()
    assert f"'born': datetime, datetime64[ns], from {first} to {last}" in str(describe(path))


def test_no_row_is_held(table: pd.DataFrame, content: bytes) -> None:
    """Numbers stand sorted, by column: no two neighbours of the table side by side."""
    for column in ('income', 'price'):
        values = table[column].to_numpy()
        for first, second in itertools.pairwise(values):
            if first > second:
                assert struct.pack('<dd', first, second) not in content
    for row in table.head(50).itertuples(index=False):
        assert struct.pack('<dd', row.price, row.income) not in content
        assert struct.pack('<dd', row.income, row.price) not in content


def test_levels_are_not_in_the_order_of_the_rows(table: pd.DataFrame, path: Path) -> None:
    found = describe(path)
    (learnt,) = (entry for entry in found.learnt if entry.name == 'note')
    (column,) = (entry for entry in found.columns if entry.name == 'note')

    assert [level for level, _ in learnt.levels] == sorted(table['note'])
    assert list(column.levels) == sorted(table['note'])
    assert sorted(table['note']) != table['note'].tolist()


def test_the_description_names_what_is_held(table: pd.DataFrame, path: Path) -> None:
    found = describe(path)
    learnt = {entry.name: entry for entry in found.learnt}
    roles = {column.name: column.role for column in found.columns}

    assert {name for name, role in roles.items() if role == 'generated'} == {
        'key',
        'second_key',
        'email',
    }
    assert dict(learnt['city'].levels) == table['city'].value_counts().to_dict()
    assert dict(learnt['price'].levels) == table['price'].value_counts().to_dict()
    assert len(learnt['note'].levels) == ROWS
    assert found.combinations == [(['part', 'whole'], 4)]
    assert 'ZQ' not in str(found).split('What it holds')[0]
