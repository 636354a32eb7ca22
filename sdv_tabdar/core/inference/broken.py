"""Which finished rows break what holds in all training rows, though not all of it was given."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.calendars import part_codes
from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.rates import rates_of
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats
from sdv_tabdar.core.codecs.zeros import allowed_codes
from sdv_tabdar.core.inference.summed import SummedColumns
from sdv_tabdar.core.inference.told_levels import held_together


def num_broken(
    encoder: TableEncoder, frame: pd.DataFrame, known: Marks, asked: Collection[str] = ()
) -> Codes:
    """How many relations each row ``(B,)`` breaks of which a cell at least was not given.

    What these make and the column cannot be, as it has a few numbers alone, counts likewise, and
    what is made beyond training, where other cells may be drawn.

    Args:
        encoder: The codes, and which columns follow from which.
        frame: Finished rows, with all columns.
        known: ``(B, C)``, cells that were given.
        asked: Columns of which something is asked, such as to be there; what never meets may then.
    """
    found = np.zeros(len(frame), dtype=np.int64)
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    codes = table.codes.numpy().astype(np.int64)
    of_cells = *_of_numbers(encoder, frame), *_of_told_levels(encoder, frame)
    for columns, broken in (*of_cells, *_of_levels(encoder, codes)):
        found += broken & ~known[:, [*columns]].all(axis=1)
    free = ~known
    free[:, [encoder.schema.position(name) for name in asked]] = False
    for columns, broken in _of_zeros(encoder, codes):
        found += broken & free[:, [*columns]].any(axis=1)
    for position, strange in _strange_numbers(encoder, frame):
        found += strange & ~known[:, position]
    for result, givers, beyond in _beyond_training(encoder, frame):
        found += beyond & ~known[:, result] & ~known[:, givers].all(axis=1)
    return found


def out_of_order(encoder: TableEncoder, frame: pd.DataFrame, known: Marks) -> Marks:
    """Which cells ``(B, C)`` are out of order, and may be drawn again beside all others.

    Args:
        encoder: The codes, and which columns are in order.
        frame: Finished rows, with all columns.
        known: ``(B, C)``, cells that were given; they are none.

    Returns:
        Cells of columns alone that no other relation holds, so that nothing else would follow.
    """
    found, names = np.zeros(known.shape, dtype=bool), encoder.schema.names
    for low, high in encoder.inequalities:
        broken = as_floats(frame[names[low]]) > as_floats(frame[names[high]])
        found[broken, low] = found[broken, high] = True
    if found.any():
        of_levels = [(entry.determinant, entry.dependent) for entry in encoder.dependencies]
        held = {at for pair in of_levels for at in pair}
        held = held.union(*(joint.columns for joint in encoder.schema.joints))
        held |= {at for at in range(len(names)) if len(held_together(encoder, [at])) > 1}
        found[:, [*held]] = False
    return found & ~known


def _strange_numbers(encoder: TableEncoder, frame: pd.DataFrame) -> Iterator[tuple[int, Marks]]:
    """Calculated columns of a few numbers alone, and the rows ``(B,)`` that have another one."""
    for position in sorted(encoder.calculated):
        codec = encoder.codecs[position]
        if isinstance(codec, NumericalCodec) and len(codec.atoms) and not codec.bins:
            numbers = as_floats(frame[codec.column.name])
            yield position, ~np.isnan(numbers) & (codec.contained(numbers) != numbers)


def _beyond_training(
    encoder: TableEncoder, frame: pd.DataFrame
) -> Iterator[tuple[int, list[int], Marks]]:
    """Results of rates, aggregates and choices that are beyond training.

    With the columns that may give way, and the rows ``(B,)``. Beside a source beyond training,
    which was asked for, none counts.
    """
    made = [(one.result, one.sources, [*one.sources]) for one in encoder.aggregates]
    made += [(one.result, one.sources, [*one.columns[1:]]) for one in encoder.choices]
    for product in encoder.multiplied:
        result, source, second = product.columns
        if second < 0:  # of the source of a rate another level is to be drawn
            made.append((result, (source,), [encoder.rates[-1 - second].level]))
    for result, sources, givers in made:
        beyond = _is_beyond(encoder, frame, result)
        for source in sources:
            beyond &= ~_is_beyond(encoder, frame, source)
        yield result, givers, beyond


def _is_beyond(encoder: TableEncoder, frame: pd.DataFrame, position: int) -> Marks:
    """In which rows ``(B,)`` the number of a column is outside those of training."""
    codec = encoder.codecs[position]
    if not isinstance(codec, NumericalCodec):
        return np.zeros(len(frame), dtype=bool)
    numbers = as_floats(frame[codec.column.name])
    low, high = codec.limits
    return (numbers < low) | (numbers > high)


Broken = Iterator[tuple[Sequence[int], Marks]]
"""The columns of each relation, and the rows ``(B,)`` that break it."""


def _of_levels(encoder: TableEncoder, codes: Codes) -> Broken:
    for entry in encoder.dependencies:
        wanted = np.array(entry.codes, dtype=np.int64)[codes[:, entry.determinant]]
        broken = (wanted >= 0) & (wanted != codes[:, entry.dependent])
        yield (entry.determinant, entry.dependent), broken

    for joint in encoder.schema.joints:
        first, second, own = (codes[:, place] for place in joint.columns)
        wanted = np.array(joint.codes, dtype=np.int64)[first * joint.num_second + second]
        yield joint.columns, (wanted >= 0) & (wanted != own)


def _of_zeros(encoder: TableEncoder, codes: Codes) -> Broken:
    for zeros in encoder.schema.zeros:
        pair = zeros.determinant, zeros.dependent
        allowed = allowed_codes(zeros, encoder.schema.columns[zeros.dependent].num_codes).numpy()
        yield pair, ~allowed[codes[:, pair[0]], codes[:, pair[1]]]


def _of_told_levels(encoder: TableEncoder, frame: pd.DataFrame) -> Broken:
    names = encoder.schema.names
    for one in encoder.told_by_numbers:
        wanted = one.wanted(one.numbers(lambda position: as_floats(frame[names[position]])))
        own = part_codes(encoder.codecs[one.position], frame[names[one.position]])
        yield (one.position, *one.sources), (wanted >= 0) & (own >= 0) & (wanted != own)


def _of_numbers(encoder: TableEncoder, frame: pd.DataFrame) -> Broken:
    names = encoder.schema.names

    def numbers(position: int) -> Floats:
        """Those of a column, also if it has levels."""
        cells = frame[names[position]]
        return as_floats(pd.to_numeric(cells, errors='coerce'))

    for low, high in encoder.inequalities:
        yield (low, high), numbers(low) > numbers(high)
    for echo in encoder.echoes:
        own, source = numbers(echo.position), numbers(echo.source)
        if echo.always:
            both = ~(np.isnan(own) | np.isnan(source))
            broken = ~echo.line.holds(own, source) | _is_led_out(encoder, echo, source)
            yield (echo.position, echo.source), both & broken
    summed = SummedColumns(encoder)
    if encoder.sums:
        added = np.stack([numbers(position) for position in summed.columns], axis=1)
        added = summed.with_constants(added)
        for one, total in zip(encoder.sums, summed.balance.totals, strict=True):
            yield one.columns, summed.balance.gaps(added, total) != 0
    for aggregate in encoder.aggregates:
        own, *sources = map(numbers, aggregate.columns)
        yield aggregate.columns, ~aggregate.holds(own, np.stack(sources, axis=1))
    for choice in encoder.choices:
        picked = choice.picked(encoder.codecs[choice.level], frame[names[choice.level]])
        own = numbers(choice.result)
        for place, at in enumerate(choice.sources):
            broken = (picked == place) & ~choice.holds(own, numbers(at))
            yield (choice.result, at, choice.level), broken
    for product in encoder.multiplied:
        result, first, second = product.columns
        if second >= 0:
            factor = numbers(second)
        else:
            rate = encoder.rates[-1 - second]
            second = rate.level
            factor = rates_of(rate, encoder.codecs[second], frame[names[second]])
        broken = ~product.holds(numbers(result), numbers(first), factor)
        yield (result, first, second), broken


def _is_led_out(encoder: TableEncoder, echo: Echo, source: Floats) -> Marks:
    """Where numbers ``(B,)`` of training lead out of a column's range: it was missing there."""
    low, high = encoder.codecs[echo.source].limits
    held = echo.line.leads_into(source, *encoder.codecs[echo.position].limits)
    return ~held & (source >= low) & (source <= high)
