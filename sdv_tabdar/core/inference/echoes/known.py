"""Known numbers of columns whose source is hidden, read: the first law of the package."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.inference.echoes.cells import Rows
from sdv_tabdar.core.inference.echoes.family import Family
from sdv_tabdar.core.inference.echoes.odds import Odds
from sdv_tabdar.core.inference.echoes.rows import ReadRows
from sdv_tabdar.core.restrictions import meets


def read_known(read: ReadRows, odds: Odds, source: int, echoes: Sequence[Echo]) -> None:
    """Read the known numbers of the columns of a source, in the rows in which it is hidden.

    Args:
        read: The rows; written into.
        odds: What says how likely a reading is.
        source: The source's position.
        echoes: All columns that may follow from it.
    """
    own = np.stack([read.own_numbers(echo) for echo in echoes], axis=1)
    hidden = ~read.table.observed[:, source].numpy()
    rows = np.flatnonzero(hidden & ~np.isnan(own).all(axis=1))
    if not len(rows):
        return
    family = Family(source, echoes, own[rows])
    told = family.told()
    logs = _log_odds(read, odds, rows, family, told)
    read.log_joints[rows, source] = np.logaddexp.reduce(logs, axis=1)
    taken = read.taken(source, rows, logs)
    chosen = np.flatnonzero(taken > 0)
    if len(chosen):
        values = told[chosen, taken[chosen] - 1]
        _write(read, rows[chosen], family.rows(chosen), values)


def _log_odds(read: ReadRows, odds: Odds, rows: Rows, family: Family, told: Floats) -> Floats:
    """Logs ``(N, 1 + E)`` of how likely it is that the source is another number, or one told."""
    part, source = read.table.rows(torch.from_numpy(rows)), family.source
    logs = np.full((len(rows), 1 + len(family.echoes)), -np.inf)
    logs[:, 0] = odds.of_numbers(part, family, np.full(len(rows), np.nan))
    logs[:, 0] += odds.of_pieces(part, source, read.pieces_of(source, rows))
    limits = read.limits(source, rows)
    for reading, values in enumerate(family.distinct(told).T, start=1):
        can_be = np.array(
            [
                number == number and (limit is None or meets(limit, number))
                for limit, number in zip(limits, values.tolist(), strict=True)
            ],
            dtype=bool,
        )
        can_be &= _is_held(read, source, values) & _is_in_order(read, rows, source, values)
        chosen = np.flatnonzero(can_be)
        if len(chosen):
            asked = part.rows(torch.from_numpy(chosen))
            logs[chosen, reading] = odds.of_numbers(asked, family.rows(chosen), values[chosen])
    return _without_exceptions(logs, family, told)


def _without_exceptions(logs: Floats, family: Family, told: Floats) -> Floats:
    """Logs ``(N, 1 + E)`` of which those are out that would break what holds in all rows.

    Where nothing is left, known numbers contradict that, and all stay.
    """
    always = np.array([echo.always for echo in family.echoes])
    holding = np.empty(logs.shape, dtype=bool)
    for reading, values in enumerate([np.full(len(logs), np.nan), *told.T]):
        broken = ~family.follows(values) & ~np.isnan(family.own)
        holding[:, reading] = ~(broken & always).any(axis=1)
    holding |= ~(holding & np.isfinite(logs)).any(axis=1, keepdims=True)
    return np.where(holding, logs, -np.inf)


def _is_held(read: ReadRows, source: int, values: Floats) -> Marks:
    """Whether numbers ``(N,)`` are among those of a source that has only some."""
    codec = read.encoder.codecs[source]
    assert isinstance(codec, NumericalCodec)
    return np.isin(values, codec.atoms) | bool(codec.bins)


def _is_in_order(read: ReadRows, rows: Rows, source: int, values: Floats) -> Marks:
    """Where a source with numbers ``(N,)`` is in order with what is known of N rows."""
    found = np.ones(len(rows), dtype=bool)
    for low, high in read.encoder.inequalities:
        if low == source:
            found &= ~(values > read.numbers[rows, high])
        if high == source:
            found &= ~(values < read.numbers[rows, low])
    return found


def _write(read: ReadRows, rows: Rows, family: Family, values: Floats) -> None:
    """Make numbers those of the source, and what follows from them echoes."""
    follows = family.follows(values)
    for place, echo in enumerate(family.echoes):
        read.make_echoes(echo, rows[follows[:, place]])
    read.log_stretches[rows, family.source] = family.log_stretches(values)
    read.make_known(family.source, rows, values)
