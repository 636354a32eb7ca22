"""Probabilities that the model gives to cells and rows, in the user's columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.formats import TableFormat
from sdv_tabdar.adapter.impute import known_cells
from sdv_tabdar.adapter.known import Known, Request, translate
from sdv_tabdar.adapter.processed import ProcessedFormat
from sdv_tabdar.adapter.profile import ColumnFacts, Role
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind


class Predictor:
    """Answers about one fitted synthesizer.

    Args:
        synth: The synthesizer.
        model: Its model.
        processed: The form of its processed table.
        form: Form of the training table.
        facts: What training saw of each of the user's columns.
        rewritten: For each constraint the columns it keeps with other values.
    """

    def __init__(
        self,
        synth: Any,
        model: TabDAR,
        processed: ProcessedFormat,
        form: TableFormat,
        facts: Mapping[str, ColumnFacts],
        rewritten: Sequence[Sequence[str]],
    ) -> None:
        self.synth = synth
        self.model = model
        self.processed = processed
        self.form = form
        self.facts = facts
        self.rewritten = rewritten

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
        if self.facts[key].role is Role.DATE:
            zone = self.facts[key].column.time_zone
            unit = self.processed.units.get(key) or 1.0
            found = found.apply(lambda counts: pd.to_datetime((counts / unit).round() * unit))
            if zone is not None:
                found = found.apply(lambda dates: dates.dt.tz_localize('UTC').dt.tz_convert(zone))
        return found.set_axis(data.index, axis=0)

    def log_likelihood(self, data: pd.DataFrame, num_orders: int) -> pd.Series:
        """Log-likelihood of rows; see the synthesizer's method of the same name."""
        known, excluded = known_cells(self.form, self.facts, data)
        for key in known.exact:
            # A missing cell is a value here, wherever training has seen one.
            if self.facts[key].has_missing:
                known.exact[key] |= self.form.plain(data)[key].isna().to_numpy()
        if private_names.has_constraints(self.synth) and len(known.cells.columns) == len(
            self.facts
        ):
            excluded = excluded | ~private_names.valid_rows(self.synth, known.cells).to_numpy()
        values = np.full(len(data), -np.inf)
        rows = np.flatnonzero(~excluded)
        if len(rows):
            request = self._translated(known.rows(rows))
            values[rows] = self.model.log_likelihood(
                request.frame, request.observed, num_orders=num_orders
            )
        return pd.Series(values, index=data.index, name='log_likelihood')

    def _request(self, data: pd.DataFrame, key: str) -> Request:
        rest = data[[name for name in data.columns if str(name) != key]]
        known, _ = known_cells(self.form, self.facts, rest)
        return self._translated(known)

    def _translated(self, known: Known) -> Request:
        return translate(self.synth, self.model, self.facts, known, rewritten=self.rewritten)

    def _target(self, column: Hashable, kind: ColumnKind) -> str:
        """SDV's label of a column that the model has as it is.

        Raises:
            ValueError: If it has not.
        """
        key = str(column)
        if key not in self.facts:
            raise ValueError(
                f"There is no column '{column}' in the training table. Its columns are "
                f'{self.form.names}.'
            )
        if self.facts[key].role is Role.GENERATED:
            raise ValueError(f"Column '{column}' is generated and not learnt, so it has no law.")
        field, transformer = private_names.outputs(self.synth).get(key, (None, None))
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
