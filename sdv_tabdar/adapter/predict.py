"""Probabilities that the model gives to cells and rows, in the user's columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.likelihood import Scores
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.core.schema import ColumnKind


class Predictor:
    """Answers about one fitted synthesizer.

    Args:
        table: The fitted table.

    Raises:
        ValueError: If nothing was learnt.
    """

    def __init__(self, table: FittedTable) -> None:
        if table.model is None:
            raise ValueError('All columns are generated, so there is nothing to predict.')
        self.table = table
        self.model, self.processed = table.trained

    def probabilities(self, data: pd.DataFrame, column: Hashable) -> pd.DataFrame:
        """Probability of each level of a column of categories; see ``predict_proba``."""
        key = self._target(column, ColumnKind.CATEGORICAL)
        request = self._request(data, key)
        found = self.model.predict_proba(request.frame, request.observed, key)
        return found.set_axis(data.index, axis=0)

    def quantiles(
        self, data: pd.DataFrame, column: Hashable, quantiles: Sequence[float]
    ) -> pd.DataFrame:
        """Quantiles of a column of numbers or dates; see ``predict_quantiles``."""
        key = self._target(column, ColumnKind.NUMERICAL)
        request = self._request(data, key)
        found = self.model.predict_quantiles(request.frame, request.observed, key, list(quantiles))
        profile = self.table.profiles[key]
        if profile.role is Role.DATE:
            zone = profile.column.dates.time_zone
            unit = self.processed.units.get(key) or 1.0
            found = found.apply(lambda counts: pd.to_datetime((counts / unit).round() * unit))
            if zone is not None:
                found = found.apply(lambda dates: dates.dt.tz_localize('UTC').dt.tz_convert(zone))
        return found.set_axis(data.index, axis=0)

    def log_likelihood(
        self,
        data: pd.DataFrame,
        num_orders: int,
        *,
        by_column: bool,
        unseen: str,
        progress: Callable[[int], Any] | None,
    ) -> pd.Series | pd.DataFrame:
        """Log-likelihood of rows; see the synthesizer's method of the same name."""
        scores = Scores(self.table, data, unseen)
        if by_column:
            return scores.of_cells(num_orders, progress)
        return scores.of_rows(num_orders, progress)

    def _request(self, data: pd.DataFrame, key: str) -> Request:
        rest = data[[name for name in data.columns if str(name) != key]]
        return Request.translate(self.table, Known.from_gaps(rest, self.table))

    def _target(self, column: Hashable, kind: ColumnKind) -> str:
        """SDV's label of a column that the model has as it is.

        Raises:
            ValueError: If it has not.
        """
        key = str(column)
        if key not in self.table.profiles:
            raise ValueError(
                f"There is no column '{column}' in the training table. Its columns are "
                f'{self.table.form.names}.'
            )
        if self.table.profiles[key].role is Role.GENERATED:
            raise ValueError(f"Column '{column}' is generated and not learnt, so it has no law.")
        field, transformer = private_names.outputs(self.table.host).get(key, (None, None))
        passes = transformer is None or private_names.keeps_order(transformer)
        if field != key or not passes or key not in self.processed.kinds:
            raise ValueError(
                f"The model has column '{column}' only in another form, because a constraint or "
                'the transformer assigned to it replaces it.'
            )
        if self.processed.kinds[key] is not kind:
            is_number = kind is ColumnKind.NUMERICAL
            other = 'predict_proba' if is_number else 'predict_quantiles'
            raise ValueError(
                f"Column '{column}' is {'categorical' if is_number else 'numerical'}; use {other}."
            )
        return key
