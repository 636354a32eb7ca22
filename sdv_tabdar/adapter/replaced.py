"""Probabilities and quantiles of columns that the model has only in another form.

A constraint puts other columns in their place, or a transformer writes them otherwise. Where the
distribution follows exactly from that of the new columns, it is computed: the probabilities of a
joint column are summed, and quantiles of a difference are added to the column below. Elsewhere it
is estimated from drawn rows.
"""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.asking import in_words
from sdv_tabdar.adapter.complete import Completer, NothingMetError
from sdv_tabdar.adapter.draft import Draft, Flags, Floats
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.private_names import Combinations, OrderedColumns
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.adapter.values import item, level_key
from sdv_tabdar.core.codecs.clock_times import quantiles_of_times
from sdv_tabdar.core.restrictions import Members, NotMissing

_TRIES = 5  # draws for rows that are hard to meet
_CHUNK_DRAWS = 50_000  # rows drawn together


def probabilities(table: FittedTable, known: Known, key: str, num_samples: int) -> pd.DataFrame:
    """Probability of each level of a column of categories.

    Args:
        table: The fitted table.
        known: What is known of the other columns.
        key: The column.
        num_samples: Draws for each row, where there is no exact way.

    Returns:
        ``(rows, levels)``, a level None for missing; NaN in rows that no draw has met.
    """
    allowed = _combinations_with(table, key)
    if allowed is None:
        return drawn_probabilities(table, known, key, num_samples)
    levels = _levels(table, key)
    return _as_shares(_summed(table, known, key, allowed, _places(levels)), levels)


def drawn_probabilities(
    table: FittedTable, known: Known, key: str, num_samples: int
) -> pd.DataFrame:
    """As :func:`probabilities`, as shares of ``num_samples`` draws of each row."""
    levels = _levels(table, key)
    places = _places(levels)
    draws = _draws(table, known, key, num_samples)
    found = np.zeros((len(known.cells), len(levels)))
    codes = [places[value] for value in table.profiles[key].comparable(draws).tolist()]
    np.add.at(found, (draws.index.to_numpy(), np.array(codes, dtype=np.int64)), 1.0)
    return _as_shares(found, levels)


def _levels(table: FittedTable, key: str) -> list[Hashable]:
    """The levels of a column as they are drawn, None last if cells may be missing."""
    profile = table.profiles[key]
    drawn = private_names.pseudonyms(table.host).get(key, {})
    levels = [drawn.get(level, level) for level in profile.levels.values()]
    return [*levels, *([None] if profile.has_missing else [])]


def _places(levels: Sequence[Hashable]) -> dict[Hashable, int]:
    return {None if level is None else level_key(level): i for i, level in enumerate(levels)}


def _as_shares(weights: Floats, levels: Sequence[Hashable]) -> pd.DataFrame:
    """Weights ``(rows, levels)`` of each level in shares of their row."""
    with np.errstate(invalid='ignore'):
        shares = weights / weights.sum(axis=1, keepdims=True)
    return pd.DataFrame(shares, columns=pd.Index(levels, dtype=object, tupleize_cols=False))


def quantiles(
    table: FittedTable, known: Known, key: str, levels: Sequence[float], num_samples: int
) -> Floats:
    """Quantiles ``(rows, levels)`` of a column of numbers, or of dates in nanoseconds.

    Args:
        table: The fitted table.
        known: What is known of the other columns.
        key: The column.
        levels: From 0 to 1.
        num_samples: Draws for each row, where there is no exact way.

    Returns:
        Given that the cell is not missing; NaN in rows that no draw has met.

    Raises:
        ValueError: If a level is not within 0 and 1.
    """
    outside = [level for level in levels if not 0 <= level <= 1]
    if outside:
        raise ValueError(f'quantiles must lie in [0, 1], however: {outside}.')
    found = np.full((len(known.cells), len(levels)), np.nan)
    exact = np.zeros(len(found), dtype=bool)
    columns = _order_with(table, key)
    if columns is not None:
        exact = _turned_back(table, known, key, columns, levels, found)
    left = np.flatnonzero(~exact)
    if len(left):
        found[left] = drawn_quantiles(table, known.rows(left), key, levels, num_samples)
    return found


def drawn_quantiles(
    table: FittedTable, known: Known, key: str, levels: Sequence[float], num_samples: int
) -> Floats:
    """As :func:`quantiles`, those of ``num_samples`` draws of each row."""
    found = np.full((len(known.cells), len(levels)), np.nan)
    draws = _draws(table, known, key, num_samples, present=True)
    profile = table.profiles[key]
    quantiles_of = quantiles_of_times if profile.is_clock else np.quantile
    for row, values in profile.comparable(draws).groupby(level=0):
        found[int(row)] = quantiles_of(values.to_numpy(dtype=np.float64), list(levels))
    return found


def _draws(
    table: FittedTable, known: Known, key: str, num_samples: int, *, present: bool = False
) -> pd.Series:
    """Values of a column in ``num_samples`` draws of each row, with the row as index."""
    num_rows = len(known.cells)
    if present and table.profiles[key].has_missing:
        wanted = {key: [NotMissing()] * num_rows}
        known = dataclasses.replace(known, partial={**known.partial, **wanted})
    copies = known.rows(np.repeat(np.arange(num_rows), num_samples))
    chunks = Completer(table).chunks(copies, max_tries=_TRIES, batch_size=_CHUNK_DRAWS)
    parts = [pd.Series([], dtype=object)]
    with contextlib.suppress(NothingMetError):
        parts.extend(rows[key] for rows in chunks)
    values = pd.concat([part for part in parts if len(part)] or parts)
    values.index = pd.Index(values.index.to_numpy() // num_samples)
    empty = num_rows - values.index.nunique()
    if empty:
        warnings.warn(
            f"In {empty} rows no draw of column '{key}' agrees with the known cells; their "
            'answers are missing. Leave out some of the known columns, or draw more with '
            "'num_samples'.",
            stacklevel=5,
        )
    return values


def _combinations_with(table: FittedTable, key: str) -> Combinations | None:
    """The FixedCombinations of a column, if the model has its joint column as it is."""
    for step in private_names.constraint_steps(table.host, table.rewritten):
        if type(step.constraint).__name__ == 'FixedCombinations':
            allowed = private_names.combinations(step.constraint)
            field, transformer = private_names.outputs(table.host).get(allowed.joint, (None, None))
            if key in allowed.names and field == allowed.joint and transformer is None:
                return allowed
    return None


def _summed(
    table: FittedTable,
    known: Known,
    key: str,
    allowed: Combinations,
    places: dict[Hashable, int],
) -> Floats:
    """Probabilities of a joint column, summed over the values of the others."""
    model, _ = table.trained
    request = Request.translate(table, known)
    with in_words(request):
        joint = model.predict_proba(request.frame, request.observed, allowed.joint)
    chances = joint.to_numpy(copy=True)
    positions = {label: place for place, label in enumerate(joint.columns)}
    masks: dict[Members, npt.NDArray[np.float64]] = {}
    for row, entry in enumerate(request.restrictions.get(allowed.joint, ())):
        if isinstance(entry, Members):
            if entry not in masks:
                masks[entry] = np.zeros(len(positions))
                masks[entry][[positions[value] for value in entry.values]] = 1.0
            chances[row] *= masks[entry]
    found = np.zeros((len(chances), len(places)))
    place = allowed.names.index(key)
    for label, values in allowed.labels.items():
        if label in positions:
            value = values[place]
            level = None if pd.isna(value) else level_key(item(value))
            found[:, places[level]] += chances[:, positions[label]]
    return found


def _order_with(table: FittedTable, key: str) -> OrderedColumns | None:
    """The Inequality or Range of a column, if the model learns its new columns as they are."""
    for step in private_names.constraint_steps(table.host, table.rewritten):
        if type(step.constraint).__name__ in ('Inequality', 'Range'):
            columns = private_names.ordered_columns(step.constraint)
            is_exact = private_names.compared_format(step.constraint) is None
            if key in columns.names and is_exact:
                profiles = [table.profiles.get(name) for name in columns.names]
                # SDV fills differences beside a missing cell with means, so that the learnt
                # distribution of a difference is not that of two columns with values.
                if all(profile is not None and not profile.has_missing for profile in profiles):
                    return columns
    return None


def _turned_back(
    table: FittedTable,
    known: Known,
    key: str,
    columns: OrderedColumns,
    levels: Sequence[float],
    found: Floats,
) -> Flags:
    """Quantiles, written into ``found``, where all columns below are known and none above.

    Returns:
        ``(rows,)``, where it is so.
    """
    draft = Draft(table, known, fill=False)
    place = columns.names.index(key)
    target = columns.differences[place - 1] if place else columns.low
    numbers = [draft.numbers(name) for name in columns.names]
    below, above = numbers[:place], numbers[place + 1 :]
    rows = np.logical_and.reduce([draft.none() | True, *(~np.isnan(values) for values in below)])
    rows &= np.logical_and.reduce([draft.none() | True, *(np.isnan(values) for values in above)])
    if not draft.restricts(target) or not rows.any():
        return draft.none()
    request = Request.translate(table, known).rows(np.flatnonzero(rows))
    with in_words(request):
        learnt = draft.model.predict_quantiles(
            request.frame, request.observed, target, list(levels)
        )
    values = learnt.to_numpy()
    if place:
        values = below[-1][rows, None] + np.expm1(values)
    profile = table.profiles[key]
    found[rows] = np.clip(values, profile.low, profile.high)
    return rows
