"""Synthetic rows on disk, written batch by batch: CSV or Parquet in the memory of one batch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pandas as pd

from sdv_tabdar.paths import writing

FORMATS = ('csv', 'parquet')
STREAMED_ROWS = 6 * 16_384  # of a batch, where rows are written only: some whole blocks


class TableFile:
    """A file of one table that grows by batches; a context manager.

    What has been written is whole after each CSV batch, and when the file is closed for Parquet:
    also if an error or an interrupt ends the sampling.

    Args:
        folder: Where to write ``<table>.<format>``; made with the first batch.
        table: Name of the table.
        output_format: One of :data:`FORMATS`.

    Raises:
        ValueError: If the format is unknown.
        AssertionError: If the file exists, as in SDV.
        ModuleNotFoundError: If Parquet is asked for where there is no pyarrow.
    """

    def __init__(self, folder: str, table: str, output_format: str) -> None:
        if output_format not in FORMATS:
            raise ValueError(
                f"Parameter 'output_format' must be one of {list(FORMATS)}, however: "
                f'{output_format!r}.'
            )
        self.path = os.path.join(os.path.abspath(folder), f'{table}.{output_format}')
        if os.path.exists(self.path):
            raise AssertionError(f'The following output files already exist:\n{self.path}')
        self._parquet = _pyarrow() if output_format == 'parquet' else None
        self._writer: Any = None

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, rows: pd.DataFrame) -> None:
        """Append a batch.

        Raises:
            ValueError: If Parquet has no type for a column.
            OSError: If the file cannot be written.
        """
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with writing(self.path):
            if self._parquet is None:
                append_csv(self.path, rows)
            else:
                self._write_parquet(self._parquet, rows)

    def _write_parquet(self, arrow: Any, rows: pd.DataFrame) -> None:
        try:
            if self._writer is None:
                self._writer = arrow.parquet.ParquetWriter(self.path, _schema(arrow, rows))
            schema = self._writer.schema
            self._writer.write_table(
                arrow.Table.from_pandas(rows, schema=schema, preserve_index=False)
            )
        except (arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowNotImplementedError) as error:
            raise ValueError(
                f"These rows cannot be written as Parquet ({error}). Use output_format='csv'."
            ) from error


def append_csv(path: str, rows: pd.DataFrame) -> None:
    """Add rows to a CSV file; the first ones under a header."""
    is_new = not os.path.exists(path) or not os.path.getsize(path)
    rows.to_csv(path, mode='a', header=is_new, index=False, encoding='utf-8')


def batches(num_rows: int, batch_size: int | None) -> Iterator[int]:
    """Sizes of the batches that make ``num_rows`` rows."""
    size = batch_size or max(num_rows, 1)
    for start in range(0, num_rows, size):
        yield min(size, num_rows - start)


def _schema(arrow: Any, rows: pd.DataFrame) -> Any:
    """Types of the columns; text where the first batch has nothing but missing cells."""
    schema = arrow.Schema.from_pandas(rows, preserve_index=False)
    for number, field in enumerate(schema):
        if arrow.types.is_null(field.type):
            schema = schema.set(number, field.with_type(arrow.string()))
    return schema


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "Writing Parquet needs pyarrow. Run `pip install 'sdv_tabdar[parquet]'`, or use "
            "output_format='csv'."
        ) from None
    return pyarrow
