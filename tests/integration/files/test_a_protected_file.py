"""No value of a few rows is in the file of a protected model, looked for byte by byte.

The table has such values in every kind of column, and in every place where fitting keeps values:
codes, profiles, forms, transformers, constraints, and the metadata that SDV detects.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import ClusterBasedNormalizer, LabelEncoder
from safetensors import safe_open
from sdv.cag import FixedCombinations, Inequality
from sdv.metadata import Metadata

from sdv_tabdar import FixedSum, TabDARSynthesizer
from sdv_tabdar.files import describe

from ..conftest import TINY

pytestmark = [
    pytest.mark.filterwarnings('ignore:The table can be learnt'),
    pytest.mark.filterwarnings('ignore:Replacing the default transformer'),
    pytest.mark.filterwarnings('ignore:Values that few rows share'),
    pytest.mark.filterwarnings('ignore:The training data does not cover'),
]

ROWS = 600
LEAST = 5  # rows that must share a value for it to be kept


def make_table() -> pd.DataFrame:
    """600 rows: what is marked ZQRARE, and nearly every number, is that of a few rows."""
    random = np.random.default_rng(5)
    start = pd.Timestamp('1955-03-07 11:13:17.123457')
    born = start + pd.to_timedelta(random.choice(10**9, ROWS, replace=False), 's')
    rare = np.arange(ROWS) % 150 == 7
    note = np.where(rare, [f'noteZQRARE{number}' for number in range(ROWS)], 'nothing to say')
    part = np.where(rare, [f'partZQRARE{number // 300}' for number in range(ROWS)], 'usual part')
    share = random.uniform(10, 90, ROWS).round(7)
    ages = random.integers(20, 60, ROWS)
    table = pd.DataFrame(
        {
            'key': [f'keyZQRARE{number:05d}' for number in range(ROWS)],
            'email': [f'personZQRARE{number:05d}@example.org' for number in range(ROWS)],
            'note': note,
            'coded': pd.Series(note).astype('category'),
            'labelled': note,
            'part': part,
            'whole': np.where(rare, 'wholeZQRARE', random.choice(['this', 'that'], ROWS)),
            'level': np.where(rare, 71_307, random.integers(1, 4, ROWS)),
            'income': random.lognormal(3, 1, ROWS) + 1e-9,
            'clustered': random.normal(50, 9, ROWS) + 1e-9,
            'gaps': np.where(random.random(ROWS) < 0.3, np.nan, random.normal(900, 70, ROWS)),
            'whole_number': random.choice(10**12, ROWS, replace=False),
            'age': np.where(rare, 1_000 + ages, ages),
            'price': [decimal.Decimal(int(x)) / 1000 for x in random.choice(10**8, ROWS)],
            'short': random.normal(5_000, 100, ROWS).astype(np.float32),
            'born': born,
            'died': born + pd.to_timedelta(random.choice(10**8, ROWS, replace=False), 's'),
            'text_date': born.strftime('%Y-%m-%d %H:%M:%S'),
            'day': [moment.date() for moment in born],
            'first': share,
            'second': (100 - share).round(7),
        }
    )
    table.loc[3, ['note', 'income', 'born']] = None
    return table


@pytest.fixture(scope='module')
def table() -> pd.DataFrame:
    return make_table()


def fitted(table: pd.DataFrame, **settings: Any) -> TabDARSynthesizer:
    """A synthesizer with the metadata that SDV detects, which hold levels and ends."""
    content = Metadata.detect_from_dataframes({'table': table}).to_dict()
    columns = content['tables']['table']['columns']
    columns['price'] = {'sdtype': 'numerical'}
    del columns['day']['datetime_format']
    columns['clustered']['range_max'] = 10_000.0  # no row has it: the user's own statement
    metadata = Metadata.load_from_dict(content)
    before = metadata.to_dict()
    synthesizer = TabDARSynthesizer(metadata, **TINY, **settings)
    synthesizer.add_constraints(
        [
            FixedCombinations(['part', 'whole']),
            Inequality('born', 'died'),
            FixedSum(['first', 'second'], total=100),
        ]
    )
    synthesizer.auto_assign_transformers(table)
    synthesizer.update_transformers(
        {'clustered': ClusterBasedNormalizer(True), 'labelled': LabelEncoder()}
    )
    synthesizer.fit(table)
    assert metadata.to_dict() == before, 'the object of the user is as it was'
    return synthesizer


def rare_values(table: pd.DataFrame, name: str) -> list[Any]:
    """The values of a column that fewer rows share than may be kept."""
    counts = table[name].value_counts()
    return counts[(counts < LEAST) & (counts > 0)].index.tolist()


def forms(value: Any) -> tuple[list[bytes], list[float]]:
    """How a value may stand in a file: as text, and as a number."""
    if isinstance(value, str):
        return [value.encode()], []
    if isinstance(value, datetime.date):
        moment = pd.Timestamp(value)
        texts = [str(moment), moment.isoformat(), moment.strftime('%Y-%m-%d %H:%M:%S')]
        counts = [moment.value, moment.value // 1_000, moment.value // 10**9]
        return [text.encode() for text in texts], list(map(float, counts))
    return [], [float(value), float(np.float32(value))]


class Content:
    """What is in a file: its text, and whatever in it can be read as a number."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        with safe_open(path, framework='numpy') as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        self.text = arrays.pop('document').tobytes()
        written = re.findall(rb'-?[0-9]+(?:[.][0-9]+)?(?:[eE][-+]?[0-9]+)?', self.text)
        found = [np.array([float(number) for number in written])]
        found += [array.ravel().astype(np.float64) for array in arrays.values()]
        for start, kind in itertools.product(range(8), ('<f8', '<i8')):
            part = content[start : start + (len(content) - start) // 8 * 8]
            found.append(np.frombuffer(part, dtype=kind).astype(np.float64))
        self.numbers = np.unique(np.concatenate(found))

    def held(self, values: list[Any]) -> list[Any]:
        """Those that stand in it in some form."""
        return [value for value in values if self._has(value)]

    def _has(self, value: Any) -> bool:
        texts, numbers = forms(value)
        places = np.searchsorted(self.numbers, numbers).clip(max=len(self.numbers) - 1)
        is_number = bool((self.numbers[places] == numbers).any()) if numbers else False
        return is_number or any(text in self.text for text in texts)


@pytest.fixture(scope='module')
def protected(table: pd.DataFrame) -> TabDARSynthesizer:
    return fitted(table, protect_values=True, rare_token='_RARE_')


@pytest.fixture(scope='module')
def path(protected: TabDARSynthesizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp('protected') / 'model.tabdar'
    protected.save_safe(found)
    return found


def test_no_rare_value_is_in_the_file(table: pd.DataFrame, path: Path) -> None:
    content = Content(path)
    looked_for = {name: rare_values(table, name) for name in table}
    held = {name: content.held(values) for name, values in looked_for.items()}

    # a bound of dates without a time of day falls on a day that somebody may have
    assert not {table['day'].min(), table['day'].max()} & set(held.pop('day'))
    assert held == {name: [] for name in held}
    assert sum(map(len, looked_for.values())) > 8_000
    assert b'ZQRARE' not in path.read_bytes()


def test_no_rare_value_is_in_a_pickle_or_in_the_rows(
    protected: TabDARSynthesizer, table: pd.DataFrame, tmp_path: Path
) -> None:
    protected.save(str(tmp_path / 'model.pkl'))
    drawn = protected.sample(500, seed=0)

    assert b'ZQRARE' not in (tmp_path / 'model.pkl').read_bytes()
    assert not any('ZQRARE' in text for text in drawn.astype(str).to_numpy().ravel())
    for name in ('income', 'clustered', 'gaps', 'price', 'born', 'whole_number', 'first'):
        assert table[name].min() < drawn[name].min() <= drawn[name].max() < table[name].max()
    assert drawn['age'].between(20, 59).all()
    assert set(drawn['note'].dropna()) == {'nothing to say', '_RARE_'}
    assert set(drawn['coded'].cat.categories) == {'nothing to say', '_RARE_'}
    assert (drawn.dtypes.astype(str) == table.dtypes.astype(str)).all()


def test_what_the_user_has_said_stays(protected: TabDARSynthesizer) -> None:
    columns = protected.get_metadata().to_dict()['tables']['table']['columns']

    assert columns['clustered'] == {
        'sdtype': 'numerical',
        'range_is_nullable': False,
        'range_max': 10_000.0,
        'decimal_places': 15,
    }
    assert sorted(columns['level']['range_values']) == [1, 2, 3]


def test_without_protection_the_description_says_what_is_held(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    path = tmp_path / 'model.tabdar'
    fitted(table).save_safe(path)
    content, found = Content(path), describe(path)
    roles = {column.name: column for column in found.columns}
    learnt = {column.name: column for column in found.learnt}

    for name in ('key', 'email'):
        assert roles[name].role == 'generated'
        assert content.held(rare_values(table, name)) == []
    for name in ('note', 'coded', 'labelled', 'part', 'whole', 'level'):
        rare = rare_values(table, name)
        assert set(content.held(rare)) == set(rare) <= set(roles[name].levels)
    for name in ('income', 'gaps', 'whole_number', 'first'):
        low, high = roles[name].limits or (np.nan, np.nan)
        held = {float(value) for value in content.held(rare_values(table, name))}
        assert {low, high} <= held
        assert held <= {low, high, *learnt[name].quantiles}
