"""Rows that the synthesizer draws: any, those that meet conditions, those like an example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.alike import like_conditions
from sdv_tabdar.adapter.blocks import BLOCK_ROWS
from sdv_tabdar.adapter.parameters import check_count, check_drawing, check_sample, check_whole
from sdv_tabdar.adapter.rows_on_disk import TableFile
from sdv_tabdar.adapter.shares import Shares, share_conditions
from sdv_tabdar.adapter.tables import Tables, condition_frames, with_text_labels
from sdv_tabdar.privacy.private_calls import PrivateCalls


class Drawing(PrivateCalls):
    """The methods that draw rows.

    Attributes:
        BLOCK_ROWS (int): Rows of a block, see :meth:`sample`.
    """

    BLOCK_ROWS = BLOCK_ROWS

    def sample(
        self,
        num_rows: int,
        main_table_name: str | None = None,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        output_format: str = 'csv',
        return_rows: bool = True,
        *,
        shares: Shares | None = None,
        seed: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Draw synthetic rows.

        Args:
            num_rows: How many.
            main_table_name: Name of the table; there is only one.
            max_tries_per_batch: How often to draw again for rows that break a constraint.
            batch_size: Rows to draw, and to write, at a time; None for all, or for 100,000 if
                they are not returned.
            output_folder_path: Folder in which to write ``<table>.csv`` as rows are drawn.
            output_format: ``'csv'`` or ``'parquet'``.
            return_rows: False for rows that are written only, in the memory of one batch.
            shares: For columns the shares that some of their levels are to have among the rows,
                as in ``{'income': {'>50K': 0.5}}``: exactly, up to whole rows (largest
                remainder). The other levels share the rest in the model's proportions. A level
                may also be None (missing), ``OneOf`` or, in columns of numbers and dates, whose
                shares add up to 1, ``Between``. Several columns are independent of each other.
            seed: Seed of all that is drawn in this call, keys and personal data among it: the
                same seed draws the same rows, and calls without one go on as if it had not been.
                None goes on where the last call stopped. Rows come in blocks of ``BLOCK_ROWS``
                that follow from model, seed and place alone, if ``batch_size`` is None or a
                multiple of it.
            first_row: With a seed, the first of its rows that are wanted, a multiple of
                ``BLOCK_ROWS``: what ``sample(first_row + num_rows, seed=seed)`` ends with. So
                several calls, in any order and on any machine, draw the rows of one.

        Returns:
            The rows: a frame if ``fit`` was given one, else a dictionary. No rows if
            ``return_rows`` is False.

        Raises:
            ValueError: If the rows are neither to be written nor to be returned, ``shares``
                names what training had not, has shares that do not add up, or speaks of a value
                twice, or the rows cannot begin at ``first_row``.
            AssertionError: If the file exists.
        """
        table = self._table_to_sample()
        check_sample(num_rows, return_rows, output_folder_path)
        check_drawing(max_tries_per_batch, batch_size, output_folder_path)
        name = private_names.table_name(self)
        file = TableFile(output_folder_path, name, output_format) if output_folder_path else None
        name = main_table_name or name
        check_whole(shares, first_row)
        with self._drawing(seed, first_row):
            wanted = None if shares is None else share_conditions(table, num_rows, shares)
            rows = self._sampled(
                num_rows, name, max_tries_per_batch, batch_size, file, return_rows, wanted
            )
        return self._as_given({name: rows})

    def sample_from_conditions(
        self,
        conditions: Sequence[Condition | DataFrameCondition],
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        *,
        seed: int | None = None,
    ) -> Any:
        """Draw rows that meet conditions.

        Args:
            conditions: SDV's ``Condition`` and ``DataFrameCondition``. Where they have a value
                there may also be ``Between``, ``OneOf`` or ``NotNull``. A missing value (None,
                NaN) asks for a missing cell.
            max_tries_per_batch: How often to draw for rows that the model cannot be conditioned
                on, such as one column of several under a constraint.
            batch_size: Rows to draw, and to write, at a time; None for all.
            output_folder_path: Folder in which to write ``<table>.csv`` as rows are drawn.
            seed: As in :meth:`sample`.

        Returns:
            The rows with a RangeIndex, conditions over the same columns together and otherwise
            in the order given: a frame if ``fit`` was given one, else a dictionary.

        Raises:
            ValueError: If a condition can never be met; it names column, value and what is
                allowed. Or if no row was met; it says how often each condition was.

        Values that training has not seen are kept, with a warning; the model is shown what comes
        nearest.
        """
        self._table_to_sample()
        check_drawing(max_tries_per_batch, batch_size, output_folder_path)
        frames = condition_frames(conditions)
        with self._drawing(seed):
            parts = self._sample_conditions(
                frames, max_tries_per_batch, batch_size, output_folder_path
            )
        drawn = [rows for rows in parts if len(rows)] or parts
        return self._restored(pd.concat(drawn, ignore_index=True))

    def sample_remaining_columns(
        self,
        known_columns: pd.DataFrame | Tables,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        *,
        seed: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Complete rows of which some columns are known.

        Args:
            known_columns: The known columns; cells as in :meth:`sample_from_conditions`.
            max_tries_per_batch: As in :meth:`sample_from_conditions`, as are the others.
            batch_size: Rows at a time.
            output_folder_path: Folder of the file.
            seed: As in :meth:`sample`.
            first_row: With a seed, how many rows of a larger table come before these, a multiple
                of ``BLOCK_ROWS``: they are completed as there.

        Returns:
            The rows in the order and with the index of ``known_columns``: a frame if ``fit`` was
            given one, else a dictionary. Rows that could not be met are left out, with a warning.

        Raises:
            ValueError: As in :meth:`sample_from_conditions`.
        """
        self._table_to_sample()
        check_drawing(max_tries_per_batch, batch_size, output_folder_path)
        known = with_text_labels(self._table_in(known_columns))
        with self._drawing(seed, first_row, known):
            (rows,) = self._sample_conditions(
                [known], max_tries_per_batch, batch_size, output_folder_path
            )
        return self._restored(rows)

    def sample_like(
        self,
        row: Any,
        num_rows: int,
        similarity: float = 0.8,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        *,
        seed: int | None = None,
    ) -> Any:
        """Draw rows that are like an example.

        Args:
            row: The example: a dictionary, a Series or a frame of one row, with any of the
                columns. Those that are generated (keys, personal data) do not count.
            num_rows: How many rows to draw.
            similarity: From 0 to 1. In each row so large a share of the example's columns, others
                in each, is held: categories and missing cells are the example's, numbers and
                dates no further from it than ``(1 - similarity) / 2`` of the table's rows on
                either side, counted among 1,000 rows that the model draws. The other columns are
                what the model makes of these. 1 gives copies, 0 rows like those of :meth:`sample`.
            max_tries_per_batch: As in :meth:`sample_from_conditions`, as are the others.
            batch_size: Rows at a time.
            output_folder_path: Folder of the file.
            seed: As in :meth:`sample`.

        Returns:
            The rows: a frame if ``fit`` was given one, else a dictionary.

        Raises:
            TypeError: If ``row`` is no row of values.
            ValueError: If ``similarity`` is not within 0 and 1, or ``row`` has a column that the
                training table had not, or a cell that its column cannot hold.
        """
        table = self._table_to_sample()
        check_count('num_rows', num_rows, 1)
        check_drawing(max_tries_per_batch, batch_size, output_folder_path)
        with self._drawing(seed):
            wanted = like_conditions(table, row, num_rows, similarity)
            (rows,) = self._sample_conditions(
                [wanted], max_tries_per_batch, batch_size, output_folder_path
            )
        return self._restored(rows)
