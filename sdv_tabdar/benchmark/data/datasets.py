"""Tables to measure on: a folder of prepared tables, or of one's own CSV files.

Two layouts of such a *source* are understood:

* ``SOURCE/TABLE/info.json`` beside ``train.csv.gz`` and ``test.csv.gz``; the info file names the
  target, the task and every column's sdtype;
* ``SOURCE/TABLE.csv`` (or ``.csv.gz``) with SDV metadata in ``TABLE.metadata.json``,
  ``TABLE.json`` or ``metadata.json``, and perhaps a test part ``TABLE.test.csv``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from sdv.metadata.errors import InvalidMetadataError

TASKS = ('binclass', 'multiclass', 'regression')
TEST_SHARE = 0.1
MIN_ROWS = 10
"""Rows of one's own table from which a test part can be taken."""
SPLIT_SEED = 1234
DISCRETE_SDTYPES = ('categorical', 'boolean', 'ordinal')

Task = Literal['binclass', 'multiclass', 'regression']


@dataclasses.dataclass(frozen=True)
class Dataset:
    """A table in two parts, with what is known about it.

    Attributes:
        name: Name of the table, also its name in ``metadata``.
        train: The rows that synthesizers are fitted on; RangeIndex.
        test: Rows that no synthesizer sees; the same columns.
        metadata: SDV metadata with exactly this table.
        target: The column that predictive metrics predict, or None if there is none.
        task: What predicting the target is, or None without a target.
        fresh: Rows that are neither trained on nor compared with, which stand in for the rows of a
            perfect synthesizer; None where there are none.
    """

    name: str
    train: pd.DataFrame
    test: pd.DataFrame
    metadata: Metadata
    target: str | None = None
    task: Task | None = None
    fresh: pd.DataFrame | None = None

    @property
    def sdtypes(self) -> dict[str, str]:
        """The sdtype of each column, in the metadata's order."""
        columns = self.metadata.to_dict()['tables'][self.name]['columns']
        return {name: str(column['sdtype']) for name, column in columns.items()}

    @property
    def discrete(self) -> list[str]:
        """The columns whose values are categories, in the table's order."""
        sdtypes = self.sdtypes
        return [name for name in self.train.columns if sdtypes[name] in DISCRETE_SDTYPES]

    def subsample(self, rows: int, seed: int) -> Dataset:
        """The same table with at most ``rows`` training rows, drawn without replacement.

        Args:
            rows: How many training rows to keep. A table that has no more is returned as it is.
            seed: Which rows: the same seed draws the same rows.

        Raises:
            ValueError: If ``rows`` is smaller than 1.
        """
        if rows < 1:
            raise ValueError(f'The number of rows to keep must be at least 1, but it is {rows}.')
        if rows >= len(self.train):
            return self
        kept = np.random.default_rng(seed).permutation(len(self.train))[:rows]
        train = self.train.iloc[np.sort(kept)].reset_index(drop=True)
        return dataclasses.replace(self, train=train)

    def halved(self, seed: int) -> Dataset:
        """The same table with all its rows in two parts of equal size, drawn at random.

        Args:
            seed: Which rows: the same seed draws the same rows.
        """
        half = (len(self.train) + len(self.test)) // 2
        train, test = self._parts([half, half], seed)
        return dataclasses.replace(self, train=train, test=test)

    def with_fresh_rows(self, seed: int) -> Dataset:
        """The same table with all its rows in new parts: half to train on, two quarters to compare.

        One quarter is the test part, the other the fresh rows.

        Args:
            seed: Which rows: the same seed draws the same rows.
        """
        quarter = (len(self.train) + len(self.test)) // 4
        train, test, fresh = self._parts([2 * quarter, quarter, quarter], seed)
        return dataclasses.replace(self, train=train, test=test, fresh=fresh)

    def _parts(self, sizes: Sequence[int], seed: int) -> list[pd.DataFrame]:
        """All rows in parts of given sizes, drawn at random, each in the rows' own order."""
        rows = pd.concat([self.train, self.test], ignore_index=True)
        order = np.random.default_rng(seed).permutation(len(rows))
        drawn = np.split(order, np.cumsum(sizes))[: len(sizes)]
        return [rows.iloc[np.sort(part)].reset_index(drop=True) for part in drawn]

    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that change with any cell of the training part."""
        digest = hashlib.sha256('\n'.join(map(str, self.train.columns)).encode())
        digest.update(pd.util.hash_pandas_object(self.train, index=False).to_numpy().tobytes())
        return digest.hexdigest()[:12]


def dataset_names(source: str | Path) -> list[str]:
    """The tables that a source has, in alphabetical order.

    Raises:
        FileNotFoundError: If there is no such folder.
        ValueError: If the folder has none of the known layouts.
    """
    folder = _existing_folder(source)
    names = [path.parent.name for path in folder.glob('*/info.json')]
    if not names:
        names = [name for name in map(_table_name, _csv_files(folder)) if name is not None]
    if not names:
        raise ValueError(
            f"The data folder '{folder}' holds no tables. It needs either a subfolder for each "
            "table with 'info.json', 'train.csv.gz' and 'test.csv.gz', or one CSV file for each "
            "table with SDV metadata beside it ('TABLE.metadata.json' or 'metadata.json')."
        )
    return sorted(names)


def load_dataset(source: str | Path, name: str, *, target: str | None = None) -> Dataset:
    """Read one table of a source.

    Args:
        source: A folder.
        name: One of ``dataset_names(source)``.
        target: The column to predict, for sources that do not say it themselves.

    Raises:
        FileNotFoundError: If the folder, the table or its metadata is missing.
        ValueError: If the metadata does not fit the table, or there is no column ``target``.
    """
    folder = _existing_folder(source)
    if (folder / name / 'info.json').is_file():
        return _load_prepared(folder / name, target)
    if name not in dataset_names(folder):
        raise FileNotFoundError(
            f"There is no table '{name}' in '{folder}'. Its tables are {dataset_names(folder)}."
        )
    return _load_own(folder, name, target)


def _existing_folder(source: str | Path) -> Path:
    folder = Path(source)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"There is no data folder '{source}'. Give one with tables, each a folder with "
            "'info.json' or a CSV file with SDV metadata."
        )
    return folder


def _load_prepared(folder: Path, target: str | None) -> Dataset:
    """A table with an info file; types come from there and never from the look of a column."""
    info = _info(folder / 'info.json')
    train, test = (_read(folder / f'{part}.csv.gz') for part in ('train', 'test'))
    columns = {column: {'sdtype': sdtype} for column, sdtype in info['columns'].items()}
    if list(train.columns) != list(columns) or list(test.columns) != list(columns):
        raise ValueError(
            f"The columns of 'train.csv.gz' and 'test.csv.gz' in '{folder}' must be the ones that "
            f"'info.json' lists, in its order: {list(columns)}."
        )
    metadata = Metadata.load_from_dict({'tables': {folder.name: {'columns': columns}}})
    if target is not None:
        return _with_target(folder.name, train, test, metadata, target)
    if info.get('task') not in TASKS:
        raise ValueError(
            f"The task in '{folder / 'info.json'}' is {info.get('task')!r}; it must be one of "
            f'{TASKS}.'
        )
    if info.get('target') not in columns:
        raise ValueError(
            f"The target in '{folder / 'info.json'}' is {info.get('target')!r}; it must be one of "
            f'the columns {list(columns)}.'
        )
    return Dataset(folder.name, train, test, metadata, info['target'], info['task'])


def _info(path: Path) -> dict[str, Any]:
    """What an info file says, the sdtypes of columns at least."""
    info = _json(path)
    columns = info.get('columns')
    if not isinstance(columns, dict) or not all(isinstance(s, str) for s in columns.values()):
        raise ValueError(
            f"'{path}' must name the sdtype of each column, as in "
            '{"columns": {"age": "numerical"}, "target": "age", "task": "regression"}, but its '
            f'columns are {columns!r}.'
        )
    return info


def _json(path: Path) -> dict[str, Any]:
    """A file that holds an object of JSON."""
    try:
        content = json.loads(path.read_text(encoding='utf-8'))
    except ValueError as error:  # no JSON, or not in UTF-8
        raise ValueError(f"'{path}' is no JSON file in UTF-8: {error}.") from error
    if not isinstance(content, dict):
        raise ValueError(f"'{path}' must hold a JSON object, but it holds {content!r:.80}.")
    return content


def _read(path: Path) -> pd.DataFrame:
    """A CSV file with a header line and rows."""
    try:
        table = pd.read_csv(path)
        if not isinstance(table.index, pd.RangeIndex):  # pandas takes what is too much for labels
            raise ValueError('lines have more fields than the header line has names')
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file '{path}', which its table needs.") from None
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"'{path}' cannot be read as a CSV file in UTF-8: {error}.") from error
    if table.empty:
        raise ValueError(f"'{path}' has no rows below its header line. Give at least one.")
    return table


def _load_own(folder: Path, name: str, target: str | None) -> Dataset:
    path = _csv_file(folder, name)
    assert path is not None, 'the caller has checked that the table is one of the folder'
    metadata = _own_metadata(folder, name)
    table = _read(path)
    described = list(metadata.get_column_names(name))
    if set(table.columns) != set(described):
        raise ValueError(
            f"The metadata of table '{name}' must describe the columns of its CSV file. Only in "
            f'the file: {sorted(set(table.columns) - set(described))}; only in the metadata: '
            f'{sorted(set(described) - set(table.columns))}.'
        )
    test_path = _csv_file(folder, f'{name}.test')
    if test_path is not None:
        test = _read(test_path)
        if set(test.columns) != set(table.columns):
            raise ValueError(
                f"'{test_path}' must have the columns of '{path}', {list(table.columns)}, but it "
                f'has {list(test.columns)}.'
            )
        return _with_target(name, table, test[list(table.columns)], metadata, target)
    if len(table) < MIN_ROWS:
        raise ValueError(
            f"'{path}' has {len(table)} rows, of which a tenth is to be the test part. Give at "
            f"least {MIN_ROWS}, or a test part of your own as '{name}.test.csv'."
        )
    return _with_target(name, *_split(table), metadata, target)


def _own_metadata(folder: Path, name: str) -> Metadata:
    """SDV metadata of one of the user's tables, whatever the table is called in there."""
    candidates = [folder / f'{name}.metadata.json', folder / f'{name}.json']
    candidates.append(folder / 'metadata.json')
    path = next((path for path in candidates if path.is_file()), None)
    if path is None:
        raise FileNotFoundError(
            f"There is no metadata for table '{name}'. Save it in SDV's format as "
            f"'{candidates[0]}': Metadata.detect_from_dataframes(...).save_to_json(...)."
        )
    content = _json(path)
    try:
        metadata = Metadata.load_from_dict(content, name)
    except (InvalidMetadataError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"'{path}' holds no metadata of SDV: {error}") from error
    if not metadata.tables:
        raise ValueError(f"'{path}' holds no metadata of SDV: it describes no table.")
    return _one_table(metadata, name, path.name)


def _one_table(metadata: Metadata, name: str, origin: str) -> Metadata:
    """Metadata of the table ``name`` alone; a single table may have any name in the original."""
    tables = metadata.to_dict()['tables']
    if name not in tables and len(tables) > 1:
        raise ValueError(
            f"The metadata of '{origin}' describes the tables {sorted(tables)} but not '{name}'."
        )
    table = tables.get(name, next(iter(tables.values())))
    columns = table.get('columns', {})
    if not all(isinstance(facts, dict) and 'sdtype' in facts for facts in columns.values()):
        raise ValueError(
            f"'{origin}' holds no metadata of SDV: each column of table '{name}' needs its sdtype, "
            'as in {"age": {"sdtype": "numerical"}}.'
        )
    return Metadata.load_from_dict({'tables': {name: table}})


def _with_target(
    name: str, train: pd.DataFrame, test: pd.DataFrame, metadata: Metadata, target: str | None
) -> Dataset:
    dataset = Dataset(name, train, test, metadata)
    if target is None:
        return dataset
    if target not in train.columns:
        raise ValueError(
            f"The target '{target}' is no column of table '{name}'. Its columns are "
            f'{list(train.columns)}.'
        )
    task: Task = 'regression'
    if target in dataset.discrete:
        task = 'binclass' if train[target].nunique() <= 2 else 'multiclass'
    return dataclasses.replace(dataset, target=target, task=task)


def _split(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and test part, nine to one, always the same rows."""
    order = np.random.default_rng(SPLIT_SEED).permutation(len(table))
    size = round(TEST_SHARE * len(table))
    test, train = (np.sort(part) for part in (order[:size], order[size:]))
    return (table.iloc[train].reset_index(drop=True), table.iloc[test].reset_index(drop=True))


def _csv_files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.endswith(('.csv', '.csv.gz'))]


def _csv_file(folder: Path, name: str) -> Path | None:
    candidates = (folder / f'{name}.csv', folder / f'{name}.csv.gz')
    return next((path for path in candidates if path.is_file()), None)


def _table_name(path: Path) -> str | None:
    name = path.name.removesuffix('.gz').removesuffix('.csv')
    return None if name.endswith('.test') else name
