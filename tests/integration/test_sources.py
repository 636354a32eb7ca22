"""Tables that are not in memory are learnt as those that are."""

from __future__ import annotations

import datetime
import decimal
import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sdv.cag import FixedCombinations, Inequality
from sdv.errors import InvalidDataError, SynthesizerInputError

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.adapter import private_names, sources, survey
from sdv_tabdar.core.runtime import row_order

from .conftest import COLUMNS, TINY, make_metadata, make_table

pytest.importorskip('pyarrow')

ROWS = 1000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches and samples of far fewer rows than there are."""
    monkeypatch.setattr(survey, 'SAMPLE_ROWS', 200)
    monkeypatch.setattr(survey, '_FEWEST_ROWS', 100)
    monkeypatch.setattr(sources, '_CELLS', 4_000)
    monkeypatch.setattr(sources, '_FEWEST_ROWS', 100)


def _written(table: pd.DataFrame, folder: Path, parts: int = 2) -> Path:
    """Several files of several row groups."""
    for number, rows in enumerate(np.array_split(np.arange(len(table)), parts)):
        part = table.iloc[rows].reset_index(drop=True)
        part.to_parquet(folder / f'{number}.parquet', row_group_size=300)
    return folder


def _fitted(data: Any, metadata: Any, constraints: Any = (), **fit: Any) -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    if constraints:
        synthesizer.add_constraints(list(constraints))
    synthesizer.fit(data, **fit)
    return synthesizer


def _weights(synthesizer: TabDARSynthesizer) -> dict[str, torch.Tensor]:
    table = synthesizer._fitted_table
    assert table is not None
    return dict(table.trained[0].trained.network.state_dict())


def _assert_same(first: TabDARSynthesizer, second: TabDARSynthesizer) -> None:
    """The same weights to the bit, and the same rows."""
    weights, others = _weights(first), _weights(second)
    assert all(torch.equal(weights[name], others[name]) for name in weights)
    pd.testing.assert_frame_equal(first.sample(40, seed=1), second.sample(40, seed=1))


@pytest.fixture(scope='module')
def in_memory() -> tuple[pd.DataFrame, TabDARSynthesizer]:
    table = make_table(ROWS)
    return table, _fitted(table, make_metadata(COLUMNS, primary_key='key'))


def test_parquet_gives_the_model_of_the_frame(in_memory: Any, tmp_path: Path) -> None:
    table, expected = in_memory
    found = _fitted(_written(table, tmp_path), make_metadata(COLUMNS, primary_key='key'))
    _assert_same(found, expected)
    assert repr(found).endswith(f'fitted on {ROWS:,} rows of 13 columns')
    profiles = [synthesizer._fitted_table.profiles for synthesizer in (found, expected)]
    for key, profile in profiles[1].items():
        state = {**profile.to_state(), 'column': profile.column.to_state()}
        same = {**profiles[0][key].to_state(), 'column': profiles[0][key].column.to_state()}
        assert str(same) == str(state)


def test_datasets_and_frames_of_dask_likewise(in_memory: Any, tmp_path: Path) -> None:
    table, expected = in_memory
    dataset = pytest.importorskip('pyarrow.dataset')
    metadata = make_metadata(COLUMNS, primary_key='key')
    _assert_same(_fitted(dataset.dataset(_written(table, tmp_path)), metadata), expected)
    dask = pytest.importorskip('dask')
    dd = pytest.importorskip('dask.dataframe')
    with dask.config.set({'dataframe.convert-string': False}):
        frame = dd.from_pandas(table, npartitions=4)
        _assert_same(_fitted(frame, metadata), expected)


def test_very_many_rows_are_learnt_in_an_order_that_is_computed(
    in_memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_order, 'MANY', 100)
    table, _ = in_memory
    metadata = make_metadata(COLUMNS, primary_key='key')
    _assert_same(_fitted(_written(table, tmp_path), metadata), _fitted(table, metadata))


def test_a_rare_value_that_is_invented_is_known_to_be_there(tmp_path: Path) -> None:
    table = make_table(ROWS)[['age', 'city']].assign(email=None)
    table.loc[ROWS - 1 - ROWS // 4, 'email'] = 'a@x.org'
    columns = {**{name: COLUMNS[name] for name in ('age', 'city')}, 'email': {'sdtype': 'email'}}
    metadata = make_metadata(columns)
    found, expected = _fitted(_written(table, tmp_path), metadata), _fitted(table, metadata)
    _assert_same(found, expected)
    assert found._table.presences == {'email': 'email (missing)'}
    gaps = table.head(5).assign(email=None)
    assert found.impute(gaps)['email'].notna().all()


TYPES: dict[str, dict[str, Any]] = {
    'whole': {'sdtype': 'numerical'},
    'rare': {'sdtype': 'numerical'},
    'short': {'sdtype': 'numerical'},
    'exact': {'sdtype': 'numerical'},
    'kind': {'sdtype': 'categorical'},
    'truth': {'sdtype': 'boolean'},
    'date': {'sdtype': 'datetime'},
    'zoned': {'sdtype': 'datetime'},
    'of arrow': {'sdtype': 'datetime'},
    'nothing': {'sdtype': 'numerical'},
}


def _typed_table() -> pd.DataFrame:
    random = np.random.default_rng(3)
    days = random.integers(0, 300, ROWS)
    whole = random.integers(0, 50, ROWS).astype(float)
    whole[-5:] = np.nan  # in the last batch alone
    rare = random.integers(0, 9, ROWS) / 2
    rare[700] = 1.2345
    zoned = pd.Timestamp('2020-01-01', tz='Europe/Paris') + pd.to_timedelta(days, 'D')
    of_arrow = zoned.where(np.arange(ROWS) != 777, zoned + pd.Timedelta(3, 'h')).to_series()
    of_arrow = of_arrow.astype('timestamp[us, tz=Europe/Paris][pyarrow]').reset_index(drop=True)
    truth = random.choice(np.array([True, False], dtype=object), ROWS)
    truth[800] = None
    kind = pd.Categorical(random.choice(['b', 'a'], ROWS), categories=['b', 'a', 'z', 'rare'])
    kind[650] = 'rare'
    start = datetime.date(2020, 1, 1)
    return pd.DataFrame(
        {
            'whole': whole,
            'rare': rare,
            'short': random.normal(size=ROWS).round(2).astype(np.float32),
            'exact': [decimal.Decimal(int(day)) / 100 for day in days],
            'kind': kind,
            'truth': truth,
            'date': [start + datetime.timedelta(int(day)) for day in days],
            'zoned': zoned,
            'of arrow': of_arrow,
            'nothing': np.full(ROWS, np.nan),
        }
    )


def test_types_come_back_as_pandas_reads_them(tmp_path: Path) -> None:
    path = _written(_typed_table(), tmp_path)
    table = pd.read_parquet(path)
    metadata = make_metadata(TYPES)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of the column of nothing
        expected, found = _fitted(table, metadata), _fitted(path, metadata)
        _assert_same(found, expected)
    rows = found.sample(20)
    assert dict(rows.dtypes) == dict(table.dtypes)


CONSTRAINED: dict[str, dict[str, Any]] = {
    'low': {'sdtype': 'numerical'},
    'high': {'sdtype': 'numerical'},
    'country': {'sdtype': 'categorical'},
    'city': {'sdtype': 'categorical'},
    'left': {'sdtype': 'numerical'},
}


def _constrained_table() -> pd.DataFrame:
    random = np.random.default_rng(4)
    low = random.normal(size=ROWS).round(2)
    country = random.choice(['x', 'y'], ROWS)
    high = low + random.exponential(size=ROWS).round(2) + 0.01
    left = random.normal(size=ROWS)
    left[random.random(ROWS) < 0.2] = np.nan
    city = country + random.choice(np.array(['1', '2'], dtype=object), ROWS)
    city[860] = 'z9'  # a combination of one row
    return pd.DataFrame({'low': low, 'high': high, 'country': country, 'city': city, 'left': left})


def _constraints() -> list[Any]:
    return [Inequality('low', 'high'), FixedCombinations(['country', 'city'])]


def test_constraints_are_learnt_from_all_rows(tmp_path: Path) -> None:
    table = _constrained_table()
    metadata = make_metadata(CONSTRAINED)
    expected = _fitted(table, metadata, _constraints())
    found = _fitted(_written(table, tmp_path), metadata, _constraints())
    _assert_same(found, expected)


def test_rows_that_break_a_constraint_are_named(tmp_path: Path) -> None:
    table = _constrained_table()
    table.loc[777, 'high'] = -99.0
    table.loc[778, 'high'] = table.loc[777, 'low'] - 1
    with pytest.raises(private_names.ConstraintNotMetError, match='777'):
        _fitted(_written(table, tmp_path), make_metadata(CONSTRAINED), _constraints())


def test_rows_that_break_the_metadata_are_named(tmp_path: Path) -> None:
    table = make_table(ROWS)[['age', 'key']]
    table['key'] = np.arange(ROWS)
    table.loc[704, 'key'] = 703
    columns = {'age': {'sdtype': 'numerical'}, 'key': {'sdtype': 'id'}}
    metadata = make_metadata(columns, primary_key='key')
    with pytest.raises(InvalidDataError, match=r'(?s)Among rows .*703'):
        _fitted(_written(table, tmp_path), metadata)
    table.loc[704, 'key'] = 1  # of another batch
    with pytest.raises(InvalidDataError, match=r"key \['key'\] has values that several rows share"):
        _fitted(_written(table, tmp_path), metadata)
    table['age'] = table['age'].astype(str)
    table['key'] = np.arange(ROWS)
    with pytest.raises(InvalidDataError, match="numerical column 'age'"):
        _fitted(_written(table, tmp_path), metadata)


def _fit_number(data: Any, **fit: Any) -> TabDARSynthesizer:
    return _fitted(data, make_metadata({'number': {'sdtype': 'numerical'}}), **fit)


def test_what_cannot_be_read_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match="There is no file or folder 'nowhere'"):
        _fit_number('nowhere')
    (tmp_path / 'rows.parquet').write_text('no Parquet')
    with pytest.raises(InvalidDataError, match=r'cannot be read.*read_csv'):
        _fit_number(str(tmp_path))
    pd.DataFrame({'number': [1.0]}).head(0).to_parquet(tmp_path / 'rows.parquet')
    with pytest.raises(InvalidDataError, match='has no rows'):
        _fit_number(tmp_path / 'rows.parquet')
    pd.DataFrame({'other': [1.0, 2.0]}).to_parquet(tmp_path / 'rows.parquet')
    with pytest.raises(InvalidDataError, match='other'):
        _fit_number(tmp_path)


def test_infinite_numbers_and_too_many_levels_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pd.DataFrame({'number': np.arange(ROWS, dtype=float)})
    table.loc[888, 'number'] = np.inf
    with pytest.raises(InvalidDataError, match='infinite'):
        _fit_number(_written(table, tmp_path))
    monkeypatch.setattr(survey, '_MOST_LEVELS', 500)
    with pytest.raises(InvalidDataError, match='more than 500 levels'):
        _fitted(tmp_path, make_metadata({'number': {'sdtype': 'categorical'}}))


def test_rare_values_are_protected_in_memory_only(tmp_path: Path) -> None:
    path = _written(pd.DataFrame({'number': np.arange(60.0)}), tmp_path)
    metadata = make_metadata({'number': {'sdtype': 'numerical'}})
    synthesizer = TabDARSynthesizer(metadata, protect_values=True, **TINY)
    with pytest.raises(SynthesizerInputError, match='in tables in memory only'):
        synthesizer.fit(path)


def test_the_scratch_folder_is_left_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'rows').mkdir()
    (tmp_path / 'scratch').mkdir()
    table = pd.DataFrame({'number': np.arange(300.0)})
    path, folder = _written(table, tmp_path / 'rows'), tmp_path / 'scratch'
    seen: list[list[str]] = []
    _fit_number(path, scratch_folder=folder, on_epoch_end=lambda _: seen.append(os.listdir(folder)))
    assert seen == [[]]  # no names, so that nothing is left even of a process that is killed
    with pytest.raises(SynthesizerInputError, match="must be a folder that exists, however: 'no'"):
        _fit_number(path, scratch_folder='no')
    usage = shutil.disk_usage(folder)
    monkeypatch.setattr(shutil, 'disk_usage', lambda _: usage._replace(free=10))
    with pytest.raises(SynthesizerInputError, match='GiB for 300 rows'):
        _fit_number(path, scratch_folder=folder)


def test_training_goes_on_from_a_checkpoint_and_from_what_was_learnt(tmp_path: Path) -> None:
    (tmp_path / 'rows').mkdir()
    path = _written(pd.DataFrame({'number': np.arange(300.0)}), tmp_path / 'rows')
    checkpoint = tmp_path / 'state'
    expected = _fitted(path, make_metadata({'number': {'sdtype': 'numerical'}}))
    metadata = make_metadata({'number': {'sdtype': 'numerical'}})
    settings = {**TINY, 'epochs': 2}
    whole, part = (TabDARSynthesizer(metadata, **settings) for _ in range(2))
    whole.fit(path)
    part.fit(path, checkpoint_path=checkpoint, on_epoch_end=lambda report: report.epoch == 1)
    part = TabDARSynthesizer(metadata, **settings)
    part.fit(path, checkpoint_path=checkpoint)
    _assert_same(part, whole)
    expected.fit(path, warm_start=True)
    assert len(expected.sample(5)) == 5
