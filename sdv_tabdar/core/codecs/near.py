"""Numbers that are near to those of another column: their codes are bins alone.

Six thousand orders of two years have days on which a dozen of them fall, by chance, and would be
atoms between bins. The law of a difference (:mod:`.gaps`) needs all numbers in one order, and what
is frequent by chance alone needs no code.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.codecs.atoms import runs
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.copulas import may_be_tied
from sdv_tabdar.core.codecs.gaps import are_near, find_gaps, is_mixed, spread
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.stored import Table
from sdv_tabdar.core.codecs.table_parts import some_numbers
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable

_MOST_COLUMNS = 64
_AS_WIDE = 2.5  # times, at most, columns are that are near to each other
_AROUND = 15  # numbers on either side, beside which ...
_MORE, _DEVIATIONS = 2.0, 4.0  # ... so many times as many are more than chance, and so many more


def with_bins_alone(frame: Table, codecs: Sequence[Codec], config: ModelConfig) -> list[Codec]:
    """Codecs of a training table; those of numbers with a gap to others have no atoms by chance.

    Args:
        frame: The table.
        codecs: One for each column, fitted on it.
        config: For ``copula``, without which no differences are learnt.
    """
    found = list(codecs)
    mixed = {place for place, codec in enumerate(codecs) if is_mixed(codec.column)}
    if not config.copula or not mixed:
        return found
    places = [at for at, codec in enumerate(codecs) if may_be_tied(codec.column)][:_MOST_COLUMNS]
    numbers = some_numbers(frame, [codecs[at].column.name for at in places])
    trial = {at: codecs[at] for at in places}
    for at in mixed.intersection(places) & _near(places, numbers):
        name = codecs[at].column.name
        alone = dataclasses.replace(config, max_atoms=0)
        trial[at] = NumericalCodec.fit(name, frame[name], alone)
    if any(trial[at] is not codecs[at] for at in places):
        for at in _with_gaps(trial, numbers):
            found[at] = trial[at]
    return found


def _near(places: Sequence[int], numbers: Floats) -> set[int]:
    """The columns ``(columns, rows)`` without spikes that are near to another one."""
    spreads, found = [spread(column) for column in numbers], set[int]()
    for pair in itertools.combinations(range(len(places)), 2):
        both = {places[at] for at in pair}
        narrowest, widest = sorted(spreads[at] for at in pair)
        may_be_new = widest < _AS_WIDE * narrowest and not both <= found
        if may_be_new and are_near(numbers[pair[0]], numbers[pair[1]], narrowest):
            found |= both
    return {
        at
        for at, column in zip(places, numbers, strict=True)
        if at in found and not _has_spikes(column)
    }


def _with_gaps(codecs: Mapping[int, Codec], numbers: Floats) -> set[int]:
    """The positions of columns ``(columns, rows)`` that have gaps by some codecs."""
    places, own = [*codecs], [*codecs.values()]
    series = [
        pd.Series(column, name=codec.column.name)
        for codec, column in zip(own, numbers, strict=True)
    ]
    parts = [codec.encode(values) for codec, values in zip(own, series, strict=True)]
    codes, residuals = (
        torch.from_numpy(np.stack(part, axis=1)) for part in zip(*parts, strict=True)
    )
    seen = torch.ones((), dtype=torch.bool).expand(codes.shape)
    table = EncodedTable(codes, residuals, seen)
    gaps = find_gaps(table, own, TableSchema(tuple(codec.column for codec in own)))
    return {places[at] for gap in gaps for at in (gap.first, gap.second)}


def _has_spikes(numbers: Floats) -> bool:
    """Whether some of the numbers ``(B,)`` are much more frequent than those around them.

    Few different ones have no surroundings: each of them may be.
    """
    _, counts = runs(np.sort(numbers[~np.isnan(numbers)]))
    if len(counts) <= _AROUND:
        return True
    padded = np.pad(counts, _AROUND, 'reflect')
    around = np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * _AROUND + 1), axis=1)
    return bool((counts > _MORE * around + _DEVIATIONS * np.sqrt(around)).any())
