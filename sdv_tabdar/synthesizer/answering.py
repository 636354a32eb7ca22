"""What the synthesizer says of given rows: their gaps filled, probabilities and quantiles."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from sdv_tabdar.adapter.impute import impute
from sdv_tabdar.adapter.likelihood import UNSEEN
from sdv_tabdar.adapter.parameters import check_count, check_flag
from sdv_tabdar.adapter.predict import Predictor
from sdv_tabdar.adapter.tables import Tables
from sdv_tabdar.privacy.private_calls import PrivateCalls


class Answering(PrivateCalls):
    """The methods that answer questions about rows."""

    def impute(
        self,
        data: pd.DataFrame | Tables,
        num_draws: int = 1,
        num_samples: int = 10,
        batch_size: int | None = None,
        *,
        keep_structural: bool = False,
        seed: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Fill the missing cells of a table.

        Every missing cell is taken for unknown and gets a value; the known cells of its row say
        which. Columns may be absent altogether, and the rows need not be training rows. Where a
        constraint leaves no value beside the known cells, the cell stays missing, with a warning
        that names the column.

        Args:
            data: The table.
            num_draws: 1 for one completed table; more for that many tables, each completed with
                draws from the model, for multiple imputation.
            num_samples: For one table: how many draws the filled cell is the mean of (numbers and
                dates) or the most frequent value among (everything else). 1 for a single draw.
            batch_size: Rows to fill at a time; None lets the synthesizer choose.
            keep_structural: Whether a missing cell stays so that, beside the known cells of its
                row, is missing in all training rows: the year of stopping of who never smoked.
            seed: As in :meth:`sample`.
            first_row: As in :meth:`sample_remaining_columns`.

        Returns:
            The completed table, or a list of ``num_draws`` tables; a frame or a dictionary, like
            ``data``. Known cells, index, column order and dtypes are those of ``data`` (floats
            that are whole numbers in the training table become so again where all gaps are
            filled), absent columns follow in the order of the training table.

        Raises:
            ValueError: If ``data`` has a column that the training table had not, or a known cell
                that its column cannot hold.
        """
        table = self._table_to_sample()
        check_count('num_draws', num_draws, 1)
        check_count('num_samples', num_samples, 1)
        check_count('batch_size', batch_size, 1, optional=True)
        check_flag('keep_structural', keep_structural)
        rows = self._table_in(data)
        with self._drawing(seed, first_row, rows) as blocks:
            filled = impute(
                table,
                rows,
                num_draws,
                num_samples,
                batch_size,
                blocks,
                keep_structural=keep_structural,
            )
        found = [self._like(data, frame) for frame in filled]
        return found if num_draws > 1 else found[0]

    def predict_proba(
        self,
        data: pd.DataFrame,
        column: Hashable,
        num_samples: int = 200,
        *,
        seed: int | None = None,
        first_row: int = 0,
    ) -> pd.DataFrame:
        """The distribution of a column of categories, given the other known cells of each row.

        Args:
            data: Rows; any of the other columns. A missing cell counts as unknown, and what
                ``data`` has in ``column`` itself is ignored.
            column: A categorical, boolean or ordinal column, or an id that is no key.
            num_samples: Draws for each row, of which probabilities are the shares. Only for a
                column that a constraint or a transformer replaces, where its distribution does
                not follow from those of the new columns, and for rows in which an upper column
                of an Inequality or a Range is known without one below it, or a total without
                its parts.
            seed: Seed of these draws, as in :meth:`sample`.
            first_row: As in :meth:`sample_remaining_columns`.

        Returns:
            Probabilities: one row a row of ``data`` (same index), one column a level; sorted,
            ordinal ones in their order, and last None, which stands for missing.

        Raises:
            ValueError: If the column is unknown or not categorical.
        """
        predictor = Predictor(self._table_to_sample())

        def answer(rows: pd.DataFrame) -> pd.DataFrame:
            return predictor.probabilities(rows, column, num_samples)

        return self._by_block(self._table_in(data), answer, seed, first_row)

    def predict_quantiles(
        self,
        data: pd.DataFrame,
        column: Hashable,
        quantiles: Sequence[float] = (0.05, 0.5, 0.95),
        num_samples: int = 200,
        *,
        seed: int | None = None,
        first_row: int = 0,
    ) -> pd.DataFrame:
        """Quantiles of a column of numbers or dates, given the other known cells of each row.

        Args:
            data: As in :meth:`predict_proba`.
            column: A numerical or datetime column.
            quantiles: Levels from 0 to 1.
            num_samples: As in :meth:`predict_proba`; quantiles are those of the draws.
            seed: As in :meth:`predict_proba`.
            first_row: As in :meth:`sample_remaining_columns`.

        Returns:
            One row a row of ``data`` (same index), one column a level: numbers in the unit of
            the column, not rounded, or dates; given that the cell is not missing. Missing ones
            of a column without any value in training.

        Raises:
            ValueError: If the column is unknown or not numerical, or a level is not from 0 to 1.
        """
        predictor = Predictor(self._table_to_sample())

        def answer(rows: pd.DataFrame) -> pd.DataFrame:
            return predictor.quantiles(rows, column, quantiles, num_samples)

        return self._by_block(self._table_in(data), answer, seed, first_row)

    def log_likelihood(
        self,
        data: pd.DataFrame,
        num_orders: int = 1,
        *,
        by_column: bool = False,
        unseen: str = UNSEEN[0],
        steps: Mapping[str, float] | None = None,
        seed: int | None = None,
        first_row: int = 0,
    ) -> pd.Series | pd.DataFrame:
        """How likely the model finds each row, to rank outliers or to compare models.

        Args:
            data: Rows; absent columns are left out. A missing cell is an event like any value
                if training has seen one in its column, and is left out otherwise.
            num_orders: Random orders of the columns to average over (mean of the likelihoods).
                Each takes about as long as drawing the rows; more of them differ less from each
                other, and say better which cell is odd.
            by_column: Whether to give the part of each cell as well, in place of the sum: the
                mean over the orders of its log-likelihood given the cells before it. The parts
                of a row add up to at most its log-likelihood.
            unseen: What a value counts as that training has not seen (a new level, a number
                outside its range): ``'impossible'``, ``-inf``; ``'skip'``, left out; ``'rare'``,
                as likely as if the next row after training had brought it, 1 / (rows + 1), for
                numbers that have a density spread over the training range.
            steps: Columns of numbers with the distance of neighbouring values, as in
                ``{'age': 1, 'price': 0.01}``: what counts is then the mass of all numbers that
                round to a value in place of its density, so that different models can be compared.
            seed: Seed of the orders; None goes on where the last call stopped.
            first_row: As in :meth:`sample_remaining_columns`.

        Returns:
            Nats, with the index of ``data``: log mass for categories, missing cells and numbers
            that occur often, log density per unit of the column (dates: per nanosecond) for
            others; with constraints, of the columns that these put in the place of the user's.
            By column a frame, the columns in the order of the training table, with NaN for cells
            that are left out. ``-inf`` for rows that break a constraint. Of generated columns it
            counts whether a cell is there, where training had both, as in ``email (missing)``.

        Raises:
            ValueError: If ``unseen`` is none of these words, or ``steps`` names a column that is
                none of the model's numbers or has a step that is not above 0.
            TypeError: If ``steps`` is no dictionary.
        """
        table = self._table_to_sample()
        predictor = Predictor(table)
        frame = self._table_in(data)
        bar = self._bar('Scoring rows', len(frame))
        with bar, self._drawing(seed, first_row, table.form.empty()) as blocks:
            return predictor.log_likelihood(
                frame,
                num_orders,
                by_column=by_column,
                unseen=unseen,
                steps=steps or {},
                blocks=blocks,
                progress=bar.update,
            )
