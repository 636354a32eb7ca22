"""Probabilities that the model gives to cells and rows, in the user's columns."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names, replaced
from sdv_tabdar.adapter.asking import in_words
from sdv_tabdar.adapter.blocks import Blocks
from sdv_tabdar.adapter.candidates import needs_draws
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task, warn_of_unseen
from sdv_tabdar.adapter.likelihood import UNSEEN, Scores
from sdv_tabdar.adapter.parameters import (
    check_choice,
    check_column,
    check_count,
    check_quantiles,
)
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.adapter.sums import has_open_sums
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
        check_column(column)
        check_count('num_samples', num_samples, 1)
        key = self._target(column, ColumnKind.CATEGORICAL)
        known = self._others(data, key)
        if self._has(key) and not has_open_sums(self.table, known).any():
            request = Request.translate(self.table, known)
            with in_words(request):
                found = self.model.predict_proba(request.frame, request.observed, key)
        else:
            found = replaced.probabilities(self.table, known, key, num_samples)
        drawn = np.flatnonzero(needs_draws(self.table, known))
        if len(drawn):
            shares = replaced.drawn_probabilities(self.table, known.rows(drawn), key, num_samples)
            found.iloc[drawn] = shares.set_axis(_keys(shares), axis=1)[_keys(found)].to_numpy()
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
        check_column(column)
        check_quantiles(quantiles)
        check_count('num_samples', num_samples, 1)
        key = self._target(column, ColumnKind.NUMERICAL)
        known = self._others(data, key)
        levels = list(quantiles)
        profile = self.table.profiles[key]
        if self._has(key) and not has_open_sums(self.table, known).any():
            request = Request.translate(self.table, known)
            with in_words(request):
                found = self.model.predict_quantiles(request.frame, request.observed, key, levels)
        else:
            numbers = replaced.quantiles(self.table, known, key, levels, num_samples)
            found = pd.DataFrame(numbers, columns=levels)
        drawn = np.flatnonzero(needs_draws(self.table, known))
        if len(drawn):
            found.iloc[drawn] = replaced.drawn_quantiles(
                self.table, known.rows(drawn), key, levels, num_samples
            )
        if profile.role is Role.DATE:
            zone = profile.column.dates.time_zone
            found = found.apply(lambda counts: pd.to_datetime(self._whole_units(counts, key)))
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
        steps: Mapping[str, float],
        blocks: Blocks,
        progress: Callable[[int], Any] | None,
    ) -> pd.Series | pd.DataFrame:
        """Log-likelihood of rows; see the synthesizer's method of the same name."""
        check_count('num_orders', num_orders, 1)
        check_choice('unseen', unseen, UNSEEN)
        self._warn_about_rewritten({str(name) for name in data.columns})
        scores = Scores(self.table, data, unseen, steps, blocks)
        if by_column:
            return scores.of_cells(num_orders, progress)
        return scores.of_rows(num_orders, progress)

    def _whole_units(self, counts: pd.Series, key: str) -> pd.Series:
        """Nanoseconds in whole units of a column of dates."""
        if key in self.processed.units:
            return self.processed.rounded(counts.rename(key))
        rounded = self.table.profiles[key].rounded(counts.to_numpy(dtype=np.float64))
        return pd.Series(rounded.round(), index=counts.index, name=counts.name)

    def _others(self, data: pd.DataFrame, key: str) -> Known:
        """What is known of the other columns."""
        # By places: a list of the labels True and False would be taken for a mask of rows.
        rest = data.loc[:, [str(name) != key for name in data.columns]]
        known = Known.from_gaps(rest, self.table, Task.PREDICT)
        warn_of_unseen(self.table, [known], Task.PREDICT)
        return known

    def _has(self, key: str) -> bool:
        """Whether the model has a column as the user has it."""
        field, transformer = private_names.outputs(self.table.host).get(key, (None, None))
        passes = transformer is None or private_names.keeps_order(transformer)
        passes |= key in private_names.pseudonyms(self.table.host)
        is_rewritten = any(key in names for names in self.table.rewritten)
        return field == key and passes and key in self.processed.kinds and not is_rewritten

    def _warn_about_rewritten(self, given: set[str]) -> None:
        names = [name for names in self.table.rewritten for name in names if name in given]
        if names:
            warnings.warn(
                f'The columns {names} are rewritten by a constraint of your own. What it does to a '
                'density is not known: log-likelihoods are per unit of the values that it writes. '
                'Rows of one table still compare with each other.',
                stacklevel=4,
            )

    def _target(self, column: Hashable, kind: ColumnKind) -> str:
        """SDV's label of a column whose distribution is of this kind.

        Raises:
            ValueError: If there is no such column, it is not learnt or of the other kind.
        """
        key = str(column)
        if key not in self.table.profiles:
            raise ValueError(
                f"There is no column '{column}' in the training table. Its columns are "
                f'{self.table.form.names}.'
            )
        role = self.table.profiles[key].role
        if role is Role.GENERATED:
            raise ValueError(
                f"Column '{column}' is generated and not learnt, so there is no distribution to "
                'predict.'
            )
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


def _keys(probabilities: pd.DataFrame) -> list[Hashable]:
    """The keys of the levels that the columns stand for, None for missing."""
    return [None if level is None else level_key(level) for level in probabilities.columns]


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
