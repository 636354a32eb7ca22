"""Cells that are known in part and may be echoes, read: the second law of the package."""

from __future__ import annotations

import numpy as np
import torch

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.lines import Line
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.inference.echoes.cells import Rows, can_hold
from sdv_tabdar.core.inference.echoes.odds import Odds
from sdv_tabdar.core.inference.echoes.rows import ReadRows
from sdv_tabdar.core.restrictions import Interval, Members, Restriction, both, meets


def read_in_part(read: ReadRows, odds: Odds, echo: Echo) -> None:
    """Read the cells of a column that are known in part.

    Args:
        read: The rows; written into.
        odds: What says how likely a reading is.
        echo: The column.
    """
    entries = read.pieces.get(echo.position)
    if entries is None:
        return
    rows = np.array([row for row, entry in enumerate(entries) if entry is not None], np.int64)
    is_known = read.table.observed[:, echo.source].numpy()[rows]
    _allow_echoes(read, echo, rows[is_known])
    _read_both(read, odds, echo, rows[~is_known])


def _allow_echoes(read: ReadRows, echo: Echo, rows: Rows) -> None:
    """Cells whose source is known may also be echoes, where its number meets their restriction."""
    entries, limits = read.pieces[echo.position], read.limits(echo.position, rows)
    numbers = read.numbers[rows, echo.source]
    held, told = can_hold(read.encoder, echo, numbers), echo.line.of(numbers)
    joined: dict[int, Pieces] = {}
    for place, (row, limit) in enumerate(zip(rows.tolist(), limits, strict=True)):
        piece = entries[row]
        assert piece is not None
        assert limit is not None
        if held[place] and meets(limit, float(told[place])):
            echo_piece = Pieces.of_codes({echo.code: 1.0})
            both_ways = echo_piece if echo.always else Pieces.joined([piece, echo_piece])
            entries[row] = joined.setdefault(id(piece), both_ways)
            read.is_changed = True


def _read_both(read: ReadRows, odds: Odds, echo: Echo, rows: Rows) -> None:
    """Read cells whose sources are hidden, too; what they may be then holds for the sources."""
    rows, within = _carried(read, echo, rows)
    if not len(rows):
        return
    own, source, name = echo.position, echo.source, read.encoder.schema.names[echo.source]
    pieces = read.encoder.restrict({name: within})[source]
    part = read.table.rows(torch.from_numpy(rows))
    logs = np.zeros((len(rows), 2))
    logs[:, 0] = odds.of_pieces(part, own, read.pieces_of(own, rows))
    logs[:, 0] += odds.of_pieces(part, source, read.pieces_of(source, rows))
    logs[:, 1] = odds.of_echoes(part, echo, pieces)
    if echo.always:
        logs[np.isfinite(logs[:, 1]), 0] = -np.inf
    taken = np.flatnonzero(read.taken(own, rows, logs))
    read.make_echoes(echo, rows[taken])
    read.table.observed[torch.from_numpy(rows[taken]), own] = True
    read.pieces.setdefault(source, [None] * len(read.table))
    read.restrictions.setdefault(name, [None] * len(read.table))
    for index in taken:
        read.pieces[own][rows[index]] = None
        read.pieces[source][rows[index]] = pieces[index]
        read.restrictions[name][rows[index]] = within[index]


def _carried(read: ReadRows, echo: Echo, rows: Rows) -> tuple[Rows, list[Restriction | None]]:
    """The rows in which a cell can be an echo, and what its source may be then."""
    pairs = zip(read.limits(echo.position, rows), read.limits(echo.source, rows), strict=True)
    found = [_within(own, source, echo.line) for own, source in pairs]
    distinct = list(dict.fromkeys(entry for entry in found if entry is not None))
    is_allowed = read.encoder.codecs[echo.source].allows_each(distinct)
    allowed = dict(zip(distinct, is_allowed.tolist(), strict=True))
    kept = np.array([entry is not None and allowed[entry] for entry in found], dtype=bool)
    return rows[kept], [found[index] for index in np.flatnonzero(kept)]


def _within(own: Restriction | None, source: Restriction | None, line: Line) -> Restriction | None:
    """What a source may be where both it and what follows from it are restricted; None: nothing."""
    if isinstance(own, Members):
        numbers = [line.back(value) for value in own.values if isinstance(value, int | float)]
        numbers = [value for value in numbers if meets(own, line.of(value))]
        return both(Members(tuple(numbers)), source) if numbers else None
    if isinstance(own, Interval):
        ends = [own.low, own.high][:: 1 if line.slope > 0 else -1]
        low, high = (None if end is None else line.inverse(end) for end in ends)
        own = Interval(low, high)
    return both(own, source)
