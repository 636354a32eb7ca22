"""Batches of a table that is not in memory: checked, and as the model is to learn them.

SDV has held the summary of the first pass against the metadata, in which are the ends, the levels
and the decimals of each column and a missing cell. So what is left for each batch is cheap.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.table_format import TableFormat
from sdv_tabdar.adapter.tables import check_finite, quiet_about_plain_dates

_PLAIN_KINDS = {'numerical': 'iuf', 'datetime': 'M'}  # of NumPy's dtypes whose values SDV accepts
_KEYS_TOGETHER = 1 << 20  # that are compared at a time


def plain_batch(synth: Any, form: TableFormat, batch: pd.DataFrame) -> pd.DataFrame:
    """Rows in plain form, after they are held against the metadata.

    Args:
        synth: The synthesizer.
        form: The form of the user's table.
        batch: Some rows of it, in its dtypes.

    Raises:
        InvalidDataError: If they do not match.
    """
    plain = form.plain(batch, copy=private_names.has_constraints(synth))
    errors = _errors(synth, form, plain)
    if errors:
        raise InvalidDataError([_where(batch), *errors])
    return plain


def processed_batch(synth: Any, form: TableFormat, plain: pd.DataFrame) -> pd.DataFrame:
    """Rows as SDV's constraints and transformers make them.

    Args:
        synth: The synthesizer; both are fitted.
        form: The form of the user's table.
        plain: From :func:`plain_batch`.

    Raises:
        ConstraintNotMetError: If rows break a constraint; it names them.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # the summary has shown them
            return private_names.processed_rows(synth, plain)
    except private_names.ConstraintNotMetError as error:
        message = private_names.order_message(synth, plain, form.restore) or str(error)
        raise private_names.ConstraintNotMetError(f'{_where(plain)} {message}') from error


def _where(rows: pd.DataFrame) -> str:
    return f'Among rows {rows.index[0]:,} to {rows.index[-1]:,} of the table:'


def _errors(synth: Any, form: TableFormat, plain: pd.DataFrame) -> list[str]:
    """How rows do not match the metadata: infinite numbers, keys, and columns of objects."""
    columns = private_names.original_table(synth).columns
    try:
        check_finite(plain, columns)
    except InvalidDataError as error:
        return list(error.errors)
    errors = private_names.repeated_keys(synth, plain)
    described = private_names.described(synth, form.plain_entries(columns))
    with warnings.catch_warnings(), quiet_about_plain_dates(form), described:
        warnings.simplefilter('ignore')
        for key, entry in columns.items():
            kinds = _PLAIN_KINDS.get(entry.get('sdtype'))
            if kinds and plain[key].dtype.kind not in kinds:
                errors += private_names.column_errors(synth, plain[key])
    return errors


class Keys:
    """The values of a key, to see whether rows share one: in a file, as 64 bits each.

    Whole numbers are there as they are, others by a hash, so that a wrong alarm has the chance
    of the square of the number of rows over 2**65.

    Args:
        columns: Of the key.
        folder: Where the file is to be.
    """

    def __init__(self, columns: list[str], folder: Path) -> None:
        self.columns = columns
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - until repeated()

    def __enter__(self) -> Keys:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def add(self, plain: pd.DataFrame) -> None:
        """Add rows."""
        values = plain[self.columns]
        if len(self.columns) == 1 and plain[self.columns[0]].dtype.kind in 'iu':
            numbers = plain[self.columns[0]].to_numpy().astype(np.uint64)
        else:
            numbers = pd.util.hash_pandas_object(values, index=False).to_numpy()
        self._file.write(numbers.tobytes())

    def repeated(self) -> bool:
        """Whether two rows share a value."""
        self._file.flush()
        values = np.asarray(np.memmap(self._file, dtype=np.uint64, mode='r+'))
        values.sort()
        starts = range(0, len(values), _KEYS_TOGETHER)
        parts = (values[start : start + _KEYS_TOGETHER + 1] for start in starts)
        return any(bool((part[1:] == part[:-1]).any()) for part in parts)
