"""Probabilities that the model gives to cells and rows, in the user's columns."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names, replaced
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task, warn_of_unseen
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.adapter.values import level_key
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

    def probabilities(self, data: pd.DataFrame, column: Hashable, num_samples: int) -> pd.DataFrame:
        """Probability of each level of a column of categories; see ``predict_proba``."""
        key = self._target(column, ColumnKind.CATEGORICAL)
        known = self._others(data, key)
        if self._has(key):
            request = Request.translate(self.table, known)
            found = self.model.predict_proba(request.frame, request.observed, key)
        else:
            found = replaced.probabilities(self.table, known, key, num_samples)
        order = private_names.level_order(self.table.host, key)
        places = sorted_levels(list(found.columns), order)
        return found.iloc[:, places].set_axis(data.index, axis=0)

    def quantiles(
        self,
        data: pd.DataFrame,
        column: Hashable,
        quantiles: Sequence[float],
        num_samples: int,
    ) -> pd.DataFrame:
        """Quantiles of a column of numbers or dates; see ``predict_quantiles``."""
        key = self._target(column, ColumnKind.NUMERICAL)
        known = self._others(data, key)
        levels = list(quantiles)
        profile = self.table.profiles[key]
        unit = self.processed.units.get(key) or profile.date_unit or 1.0
        if self._has(key):
            request = Request.translate(self.table, known)
            found = self.model.predict_quantiles(request.frame, request.observed, key, levels)
        else:
            numbers = replaced.quantiles(self.table, known, key, levels, num_samples)
            found = pd.DataFrame(numbers, columns=levels)
        if profile.role is Role.DATE:
            zone = profile.column.dates.time_zone
            found = found.apply(lambda counts: pd.to_datetime((counts / unit).round() * unit))
            if zone is not None:
                found = found.apply(lambda dates: dates.dt.tz_localize('UTC').dt.tz_convert(zone))
        return found.set_axis(data.index, axis=0)

    def log_likelihood(self, data: pd.DataFrame, num_orders: int) -> pd.Series:
        """Log-likelihood of rows; see the synthesizer's method of the same name."""
        known = Known.from_gaps(data, self.table, Task.LIKELIHOOD, missing_is_known=True)
        warn_of_unseen(self.table, [known], Task.LIKELIHOOD)
        self._warn_about_rewritten(known)
        excluded = known.unseen
        is_whole = len(known.cells.columns) == len(self.table.profiles)
        if is_whole and private_names.has_constraints(self.table.host):
            excluded = excluded | ~private_names.valid_rows(self.table.host, known.cells).to_numpy()
        values = np.full(len(data), -np.inf)
        rows = np.flatnonzero(~excluded)
        if len(rows):
            request = Request.translate(self.table, known.rows(rows))
            values[rows] = self.model.log_likelihood(
                request.frame, request.observed, num_orders=num_orders
            )
        return pd.Series(values, index=data.index, name='log_likelihood')

    def _others(self, data: pd.DataFrame, key: str) -> Known:
        """What is known of the other columns."""
        rest = data[[name for name in data.columns if str(name) != key]]
        known = Known.from_gaps(rest, self.table, Task.PREDICT)
        warn_of_unseen(self.table, [known], Task.PREDICT)
        return known

    def _has(self, key: str) -> bool:
        """Whether the model has a column as the user has it."""
        field, transformer = private_names.outputs(self.table.host).get(key, (None, None))
        passes = transformer is None or private_names.keeps_order(transformer)
        is_rewritten = any(key in names for names in self.table.rewritten)
        return field == key and passes and key in self.processed.kinds and not is_rewritten

    def _warn_about_rewritten(self, known: Known) -> None:
        names = [name for names in self.table.rewritten for name in names if name in known.exact]
        if names:
            warnings.warn(
                f'The columns {names} are rewritten by a constraint of your own. What it does to a '
                'density is not known: log-likelihoods are per unit of the values that it writes. '
                'Rows of one table still compare with each other.',
                stacklevel=4,
            )

    def _target(self, column: Hashable, kind: ColumnKind) -> str:
        """SDV's label of a column that has a law of this kind.

        Raises:
            ValueError: If it has not.
        """
        key = str(column)
        if key not in self.table.profiles:
            raise ValueError(
                f"There is no column '{column}' in the training table. Its columns are "
                f'{self.table.form.names}.'
            )
        role = self.table.profiles[key].role
        if role is Role.GENERATED:
            raise ValueError(f"Column '{column}' is generated and not learnt, so it has no law.")
        is_discrete = role is Role.DISCRETE
        if self._has(key):
            is_discrete = self.processed.kinds[key] is ColumnKind.CATEGORICAL
        if is_discrete != (kind is ColumnKind.CATEGORICAL):
            other = 'predict_proba' if is_discrete else 'predict_quantiles'
            raise ValueError(
                f"Column '{column}' is {'categorical' if is_discrete else 'numerical'}; use "
                f'{other}.'
            )
        return key


def sorted_levels(levels: Sequence[Hashable], order: Sequence[Hashable]) -> list[int]:
    """Places of levels as tables show them.

    Args:
        levels: The levels; None stands for missing.
        order: Their order where they are ordinal, else nothing.

    Returns:
        The places of those in ``order``, then of the others by kind and value, then of None.
    """
    ranks = {level_key(level): rank for rank, level in enumerate(order)}

    def by_value(place: int) -> Any:
        level = levels[place]
        is_number = isinstance(level, numbers.Real) and not isinstance(level, bool)
        kind = 'number' if is_number else type(level).__name__
        return level is None, ranks.get(level_key(level), len(ranks)), kind, level

    def by_text(place: int) -> Any:
        return (*by_value(place)[:3], repr(levels[place]))

    try:
        return sorted(range(len(levels)), key=by_value)
    except TypeError:  # values of one kind that have no order
        return sorted(range(len(levels)), key=by_text)
