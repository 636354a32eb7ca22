"""Conditions, gaps and probabilities: what one trained model answers about known cells."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.complete import Completer
from sdv_tabdar.adapter.formats import is_missing
from sdv_tabdar.adapter.impute import Imputer
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.predict import Predictor
from sdv_tabdar.adapter.processed import ProcessedFormat
from sdv_tabdar.adapter.profile import Allowed, ColumnFacts
from sdv_tabdar.adapter.tables import Tables, TableSynthesizer, check_count
from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.core.model import TabDAR

_IMPUTATION_TRIES = 5


class ConditionalSynthesizer(TableSynthesizer):
    """A synthesizer whose model completes rows of which any cells are known.

    Attributes:
        _model: The trained model; None if there is nothing to learn.
        _processed: The form of the table that the model has learnt.
    """

    _model: TabDAR | None = None
    _processed: ProcessedFormat | None = None

    def sample_from_conditions(
        self,
        conditions: Sequence[Condition | DataFrameCondition],
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
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

        Returns:
            The rows with a RangeIndex, conditions over the same columns together and otherwise
            in the order given: a frame if ``fit`` was given one, else a dictionary.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted.
            ValueError: If a condition can never be met; it names column, value and what is
                allowed.
        """
        self._validate_fit_before_sample()
        check_count('batch_size', batch_size, 1)
        _check_conditions(conditions)
        with private_names.untouched_random_states():
            sampled = super().sample_from_conditions(
                list(conditions), max_tries_per_batch, batch_size, output_folder_path
            )
        return self._as_given(self._restored(sampled))

    def sample_remaining_columns(
        self,
        known_columns: pd.DataFrame | Tables,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
    ) -> Any:
        """Complete rows of which some columns are known.

        Args:
            known_columns: The known columns; cells as in :meth:`sample_from_conditions`.
            max_tries_per_batch: As in :meth:`sample_from_conditions`.
            batch_size: As in :meth:`sample_from_conditions`.
            output_folder_path: As in :meth:`sample_from_conditions`.

        Returns:
            The rows in the order and with the index of ``known_columns``: a frame if ``fit`` was
            given one, else a dictionary. Rows that could not be met are left out, with a warning.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted.
            ValueError: If a cell can never be met; it names column, value and what is allowed.
        """
        self._validate_fit_before_sample()
        check_count('batch_size', batch_size, 1)
        known = self._single_table(known_columns).copy(deep=False)
        known.columns = pd.Index([str(name) for name in known.columns])
        with private_names.untouched_random_states():
            sampled = super().sample_remaining_columns(
                known, max_tries_per_batch, batch_size, output_folder_path
            )
        return self._as_given(self._restored(sampled))

    def impute(
        self,
        data: pd.DataFrame | Tables,
        num_draws: int = 1,
        num_samples: int = 10,
        batch_size: int | None = None,
    ) -> Any:
        """Fill the missing cells of a table.

        Every missing cell is taken for unknown and gets a value; the known cells of its row say
        which. Columns may be absent altogether, and the rows need not be training rows.

        Args:
            data: The table.
            num_draws: 1 for one completed table; more for that many tables, each completed with
                draws from the model, for multiple imputation.
            num_samples: For one table: how many draws the filled cell is the mean of (numbers and
                dates) or the most frequent value among (everything else). 1 for a single draw.
            batch_size: Rows to fill at a time; None lets the synthesizer choose.

        Returns:
            The completed table, or a list of ``num_draws`` tables; a frame or a dictionary, like
            ``data``. Known cells, index, column order and dtypes are those of ``data``, absent
            columns follow in the order of the training table.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted.
            ValueError: If ``data`` has a column that the training table had not, or a known cell
                that its column cannot hold.
        """
        self._validate_fit_before_sample()
        for name, value in (('num_draws', num_draws), ('num_samples', num_samples)):
            if value is None:
                raise ValueError(f"Parameter '{name}' must be a whole number, however: None.")
            check_count(name, value, 1)
        check_count('batch_size', batch_size, 1)
        frame = self._single_table(data)
        assert self._format is not None
        with private_names.untouched_random_states():
            private_names.seed_sampling(self)
            imputer = Imputer(self._completer(), self._format, frame)
            if num_draws > 1 or num_samples == 1:
                filled = imputer.draws(num_draws, _IMPUTATION_TRIES, batch_size)
            else:
                filled = [imputer.expectation(num_samples, _IMPUTATION_TRIES, batch_size)]
        if not isinstance(data, pd.DataFrame):
            tables = [{private_names.table_name(self): table} for table in filled]
            return tables if num_draws > 1 else tables[0]
        return filled if num_draws > 1 else filled[0]

    def predict_proba(self, data: pd.DataFrame, column: Hashable) -> pd.DataFrame:
        """The distribution of a column of categories, given the other known cells of each row.

        Args:
            data: Rows; any of the other columns. A missing cell counts as unknown, and what
                ``data`` has in ``column`` itself is ignored.
            column: A categorical, boolean or ordinal column, or an id that is no key.

        Returns:
            Probabilities: one row a row of ``data`` (same index), one column a level; a level
            None stands for missing.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted.
            ValueError: If the column is unknown, not categorical, or replaced by a constraint.
        """
        return self._predictor().probabilities(self._single_table(data), column)

    def predict_quantiles(
        self,
        data: pd.DataFrame,
        column: Hashable,
        quantiles: Sequence[float] = (0.05, 0.5, 0.95),
    ) -> pd.DataFrame:
        """Quantiles of a column of numbers or dates, given the other known cells of each row.

        Args:
            data: As in :meth:`predict_proba`.
            column: A numerical or datetime column.
            quantiles: Levels from 0 to 1.

        Returns:
            One row a row of ``data`` (same index), one column a level: numbers in the unit of
            the column, not rounded, or dates; given that the cell is not missing.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted.
            ValueError: If the column is unknown, not numerical, or replaced by a constraint, or a
                level is not within 0 and 1.
        """
        return self._predictor().quantiles(self._single_table(data), column, quantiles)

    def log_likelihood(self, data: pd.DataFrame, num_orders: int = 10) -> pd.Series:
        """How likely the model finds each row, to rank outliers or to compare models.

        Args:
            data: Rows; absent columns are left out. A missing cell is an event like any value
                if training has seen one in its column, and is left out otherwise.
            num_orders: Random orders of the columns to average over (mean of the likelihoods).

        Returns:
            Nats, with the index of ``data``: log mass for categories, missing cells and numbers
            that occur often, log density per unit of the column (dates: per nanosecond) for
            others; with constraints, of the columns that these put in the place of the user's.
            ``-inf`` for rows with a level that training has not seen, a number outside its range,
            or a broken constraint. Generated columns do not count.

        Raises:
            sdv.errors.SamplingError: If the synthesizer has not been fitted.
            ValueError: If ``num_orders`` is no whole number of at least 1.
        """
        check_count('num_orders', num_orders, 1)
        predictor = self._predictor()
        with private_names.untouched_random_states():
            private_names.seed_sampling(self)
            return predictor.log_likelihood(self._single_table(data), num_orders)

    @staticmethod
    def _make_condition_dfs(
        conditions: Sequence[Condition | DataFrameCondition],
    ) -> list[pd.DataFrame]:
        """SDV's frames, one for each set of columns, with cells exactly as they were given."""
        frames: dict[tuple[str, ...], list[pd.DataFrame]] = {}
        for condition in conditions:
            if isinstance(condition, Condition):
                values = condition.get_column_values()
                cells = np.empty((condition.get_num_rows(), len(values)), dtype=object)
                for place, value in enumerate(values.values()):
                    cells[:, place] = [value] * len(cells)
                frame = pd.DataFrame(cells, columns=[str(name) for name in values])
            else:
                frame = condition.get_dataframe().astype(object)
                frame.columns = pd.Index([str(name) for name in frame.columns])
            frames.setdefault(tuple(frame.columns), []).append(frame)
        return [pd.concat(parts, ignore_index=True) for parts in frames.values()]

    def _validate_conditions_unseen_columns(self, conditions: pd.DataFrame) -> None:
        """SDV's check of the columns, and then of the values."""
        super()._validate_conditions_unseen_columns(conditions)
        self._conditioned(conditions)

    def _sample_with_conditions(
        self,
        conditions: pd.DataFrame,
        max_tries_per_batch: int,
        batch_size: int | None,
        progress_bar: Any = None,
        output_file_path: str | None = None,
        keep_extra_columns: bool = False,
    ) -> pd.DataFrame:
        """Rows for SDV's frame of conditions, all through the model together.

        SDV's own method makes a call of the model for each distinct row and then filters.
        ``keep_extra_columns`` is for SDV's multi-table models, which cannot use this one.
        """
        assert self._format is not None
        known = self._conditioned(conditions)
        private_names.seed_sampling(self)
        update = None if progress_bar is None else progress_bar.update
        chunks = self._completer().chunks(
            known, max_tries=max_tries_per_batch, batch_size=batch_size, progress=update
        )
        parts = []
        for rows in chunks:
            restored = self._format.restore(rows)
            restored.index = conditions.index[rows.index.to_numpy()]
            if output_file_path and len(restored):
                with open(output_file_path, 'a', encoding='utf-8') as file:
                    restored.to_csv(file, index=False, header=file.tell() == 0)
            if len(restored):
                parts.append(restored)
        return pd.concat(parts) if parts else self._format.empty()

    def _conditioned(self, conditions: pd.DataFrame) -> Known:
        """The cells of a frame of conditions in plain form.

        Raises:
            ValueError: If one of them can never be met.
        """
        columns, exact, partial = {}, {}, {}
        index = pd.RangeIndex(len(conditions))
        for key in conditions.columns:
            facts = self._facts[key]
            values, limits = _checked_cells(facts, conditions[key])
            columns[key] = facts.typed(values, index)
            exact[key] = np.array([limit is None for limit in limits], dtype=bool)
            if not exact[key].all():
                partial[key] = limits
            self._check_unique(key, columns[key])
        return Known(
            pd.DataFrame(columns, index=index),
            pd.DataFrame(exact, index=index, dtype=bool),
            partial,
        )

    def _check_unique(self, key: str, values: pd.Series) -> None:
        repeated = values[values.duplicated() & values.notna()]
        if key in private_names.keys(self) and len(repeated):
            raise ValueError(
                f"Unable to sample any rows for the given conditions: column '{key}' is a key, and "
                f'{repeated.iloc[0]!r} is asked for in more than one row. Keys must be unique.'
            )

    def _predictor(self) -> Predictor:
        self._validate_fit_before_sample()
        if self._model is None or self._processed is None:
            raise ValueError('All columns are generated, so there is nothing to predict.')
        assert self._format is not None
        return Predictor(
            self, self._model, self._processed, self._format, self._facts, self._rewritten
        )

    def _completer(self) -> Completer:
        return Completer(self, self._model, self._processed, self._facts, self._rewritten)

    def _restored(self, tables: Tables) -> dict[str, pd.DataFrame]:
        """Tables in the user's form again, after SDV has put parts together."""
        assert self._format is not None
        return {name: self._format.restore(table) for name, table in tables.items()}


def _checked_cells(facts: ColumnFacts, values: pd.Series) -> tuple[list[Any], list[Allowed | None]]:
    """Plain values of conditioned cells, and what the cells may be that have no single value.

    Raises:
        ValueError: If a condition can never be met.
    """
    distinct: dict[tuple[type, Hashable], Any] = {}
    keys: list[tuple[type, Hashable]] = []
    for value in values.tolist():
        if not isinstance(value, Hashable):
            facts.check(value)  # refuses it, unless the column is generated
            raise ValueError(
                f"Column '{facts.column.name}' cannot be {value!r}: it is a container."
            )
        keys.append((type(value), None if is_missing(value) else value))
        distinct.setdefault(keys[-1], value)
    limits = {
        key: facts.check_partial(value)
        for key, value in distinct.items()
        if isinstance(value, (Between, OneOf, NotNull))
    }
    exact = [key for key in distinct if key not in limits]
    plain = dict(zip(exact, facts.check_all([distinct[key] for key in exact]), strict=True))
    return [plain.get(key) for key in keys], [limits.get(key) for key in keys]


def _check_conditions(conditions: Any) -> None:
    """Refuse what is no list of SDV's conditions.

    Raises:
        ValueError: If it is not.
    """
    if not isinstance(conditions, (list, tuple)) or not conditions:
        raise ValueError(
            'The conditions must be a list of at least one Condition or DataFrameCondition, '
            f'however: {conditions!r}.'
        )
    for condition in conditions:
        if not isinstance(condition, (Condition, DataFrameCondition)):
            raise ValueError(
                '`conditions` must be list of Condition or DataFrameCondition, however: '
                f'{condition!r}.'
            )
        if condition.get_num_rows() is None:
            raise ValueError(f'A condition has no number of rows; give num_rows: {condition!r}.')
