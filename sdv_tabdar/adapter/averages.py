"""The mean or the vote of many draws of each row, as the model has its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.asking import ask
from sdv_tabdar.adapter.candidates import FILL_PARTICLES, Candidates, needs_draws
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.handed_back import handed_back
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.core.codecs.clock_times import mean_time
from sdv_tabdar.core.schema import ColumnKind


def averaged_rows(candidates: Candidates, known: Known, num_samples: int) -> pd.DataFrame:
    """What the model would say of rows with gaps, on average.

    Args:
        candidates: Draws them.
        known: What is known of each row.
        num_samples: Draws for each row.

    Returns:
        Rows of the processed table, one for each of ``known``.
    """
    table = candidates.table
    model, _ = table.trained
    drawn = _repeated_draws(candidates, known, num_samples)
    draws = {name: drawn[name].to_numpy().reshape(-1, num_samples) for name in drawn.columns}
    averaged = {name: _average(table, name, cells) for name, cells in draws.items()}
    averaged |= _moved_means(table, averaged, draws)
    for names in model.columns_together:
        chosen = _vote(*(draws[name] for name in names))
        averaged |= {name: np.take_along_axis(draws[name], chosen, 1)[:, 0] for name in names}
    rows = pd.DataFrame(averaged, index=pd.RangeIndex(len(known.cells)))
    free = np.stack([_differ(cells) for cells in draws.values()], axis=1)
    rows = model.followed(rows, free)
    for pair in model.ordered_columns:
        _keep_beside_votes(rows, pair, model.levels_that_follow, free)
    return handed_back(table, rows)


def _moved_means(
    table: FittedTable, averaged: Mapping[str, npt.NDArray[Any]], draws: Mapping[str, Any]
) -> dict[str, npt.NDArray[Any]]:
    """Means moved to numbers that their columns have, but where something is calculated of them.

    No invoice is written on a Sunday because others are on a Friday and on a Tuesday. Rows in
    which columns would come out of order stay as they are.

    Args:
        table: The fitted table.
        averaged: The mean or the vote ``(rows,)`` of each column.
        draws: What it is of, ``(rows, samples)``.

    Returns:
        The columns that it is for.
    """
    model, processed = table.trained
    fixed = {*model.calculated_columns, *model.levels_that_follow} - model.dates_between
    moved = {
        name: np.where(_differ(draws[name]), model.nearest_numbers(name, means), means)
        for name, means in averaged.items()
        if processed.kinds[name] is ColumnKind.NUMERICAL and name not in fixed
    }
    pairs = [pair for pair in model.ordered_columns if moved.keys() & {*pair}]
    then = {**averaged, **moved}
    in_order = np.ones(len(next(iter(then.values()))), dtype=bool)
    for low, high in pairs:
        in_order &= ~(then[low] > then[high])
    for name in moved.keys() & {name for pair in pairs for name in pair}:
        moved[name] = np.where(in_order, moved[name], averaged[name])
    return moved


def _keep_beside_votes(
    rows: pd.DataFrame, pair: tuple[str, str], voted: frozenset[str], free: npt.NDArray[np.bool_]
) -> None:
    """Put a mean that is free in order with a number that was voted for.

    Args:
        rows: ``(rows, C)``; written into.
        pair: Columns of which the first is never more than the second.
        voted: Columns that are no means.
        free: ``(rows, C)``, which cells may change.
    """
    numbers = [rows[name].to_numpy(np.float64) for name in pair]
    for own, other in ((1, 0), (0, 1)):
        if pair[own] not in voted and pair[other] in voted:
            may = free[:, rows.columns.get_loc(pair[own])] & (numbers[0] > numbers[1])
            rows[pair[own]] = np.where(may, numbers[other], numbers[own])


def _repeated_draws(candidates: Candidates, known: Known, num_samples: int) -> pd.DataFrame:
    """``num_samples`` draws of each row of the model, one after the other."""
    table = candidates.table
    model, _ = table.trained
    lower = needs_draws(table, known)
    copies = np.repeat(np.flatnonzero(lower), num_samples)
    drawn = []
    if not lower.all():
        request = Request.translate(table, known.rows(np.flatnonzero(~lower)), fill=True)
        repeated = request.repeated(num_samples)
        drawn.append(ask(model, repeated, FILL_PARTICLES, num_samples))
    if len(copies):
        part = candidates.with_draws(known.rows(copies), fill=True)
        drawn.append(candidates.ask_once(Request.translate(table, part, fill=True), 1))
    order = np.argsort(np.repeat(lower, num_samples), kind='stable')
    return pd.concat(drawn, ignore_index=True).iloc[np.argsort(order)].reset_index(drop=True)


def _average(table: FittedTable, name: str, draws: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The mean ``(rows,)`` of draws ``(rows, samples)`` of a column of the model, or the vote."""
    model, processed = table.trained
    if processed.kinds[name] is not ColumnKind.NUMERICAL or name in model.levels_that_follow:
        return vote_of_draws(draws)
    transformer = private_names.outputs(table.host).get(name, (name, None))[1]
    if transformer is not None and private_names.encodes_levels(transformer):
        return draws[:, 0]  # a level written as a number: the mean would be another level
    return mean_time(draws) if name in model.clock_times else mean_of_draws(draws)


def _differ(draws: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """In which rows ``(rows,)`` draws ``(rows, samples)`` are not all the same."""
    codes = pd.factorize(draws.ravel(), use_na_sentinel=False)[0].reshape(draws.shape)
    return np.asarray((codes != codes[:, :1]).any(axis=1))


def mean_of_draws(draws: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean ``(rows,)`` of draws ``(rows, samples)``, exact where all draws agree."""
    first = draws[:, :1]
    return np.asarray(first[:, 0] + (draws - first).mean(axis=1))


def vote_of_draws(draws: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Most frequent value ``(rows,)`` of draws ``(rows, samples)``; the earliest among equals."""
    return np.take_along_axis(draws, _vote(draws), 1)[:, 0]


def _vote(*columns: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Which draw ``(rows, 1)`` of columns ``(rows, samples)`` has what most of the others have."""
    agree = np.ones((*columns[0].shape, columns[0].shape[1]), dtype=bool)
    for draws in columns:
        codes = pd.factorize(draws.ravel(), use_na_sentinel=False)[0].reshape(draws.shape)
        agree &= codes[:, :, None] == codes[:, None, :]
    return agree.sum(axis=2).argmax(axis=1)[:, None]
