"""Numbers that belong to what another column names: each of their values becomes an atom.

A shop has its coordinates, a product its weight, a day its price of oil: in a table that was joined
from several, a number follows from another cell in every row, or another cell from the number. Bins
could not keep that; of atoms it is a dependency like any other (:mod:`.dependencies`).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.codecs.atoms import recur, runs
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.density import LEAST_EQUAL
from sdv_tabdar.core.codecs.dependencies import exact_columns, find_dependencies
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.relations import Relations
from sdv_tabdar.core.codecs.stored import Table
from sdv_tabdar.core.codecs.table_parts import some_codes, some_numbers
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.table import EncodedTable

_ROWS = 10_000  # that are looked at, between two thirds and twice as many of longer tables


def with_attributes(
    frame: Table,
    codecs: Sequence[Codec],
    config: ModelConfig,
    relations: Relations,
    replaced: pd.DataFrame | None = None,
) -> list[Codec]:
    """Codecs of a training table; those of numbers that belong to another column have no bins.

    Of such a number there are at most ``max_categories`` values, which recur. What the rows that
    are looked at show need not hold in all of them: whether it does is seen when all are encoded.

    Args:
        frame: The table.
        codecs: One for each column, fitted on it.
        config: For ``max_categories``, and whether dependencies are kept.
        relations: What has been found by these codecs; what it says needs no atoms.
        replaced: As in ``TabDAR.fit``; such cells say nothing, and no value of few rows is kept.
    """
    found = list(codecs)
    if 'dependencies' not in config.kept_relations or not config.max_atoms:
        return found
    step = len(frame) // _ROWS | 1  # odd, as periods seldom are
    trial = list(codecs)
    for place in _recurring(frame, codecs, config, step):
        name = codecs[place].column.name
        codec = NumericalCodec.fit(name, frame[name], config, belongs=True)
        if not codec.bins and (replaced is None or min(codec.column.counts) >= LEAST_EQUAL):
            trial[place] = codec
    changed = {place for place, codec in enumerate(codecs) if trial[place] is not codec}
    if changed:
        for place in changed & _belonging(frame, trial, step, replaced, _told(relations)):
            found[place] = trial[place]
    return found


def _recurring(frame: Table, codecs: Sequence[Codec], config: ModelConfig, step: int) -> list[int]:
    """The positions of numbers with bins whose values seem to be few, and most of them to recur."""
    places = [place for place, codec in enumerate(codecs) if codec.column.bins]
    names = [codecs[place].column.name for place in places]
    found = []
    for place, numbers in zip(places, some_numbers(frame, names, step), strict=True):
        _, counts = runs(np.sort(numbers[~np.isnan(numbers)]))
        if recur(counts, config.max_categories):
            found.append(place)
    return found


def _belonging(
    frame: Table,
    codecs: Sequence[Codec],
    step: int,
    replaced: pd.DataFrame | None,
    told: Collection[frozenset[int]],
) -> set[int]:
    """The positions of columns of which one follows from another, but for pairs that are told."""
    places = exact_columns(codecs)
    exact = [codecs[place] for place in places]
    codes = np.stack(some_codes(frame, exact, step, replaced), axis=1)
    table = EncodedTable(
        torch.from_numpy(codes.clip(min=0)),
        torch.zeros(len(codes), 0),
        torch.ones((), dtype=torch.bool).expand(codes.shape),
    )
    pairs = (
        {places[entry.determinant], places[entry.dependent]}
        for entry in find_dependencies(table, exact, codes < 0 if replaced is not None else None)
    )
    return set().union(*(pair for pair in pairs if frozenset(pair) not in told))


def _told(relations: Relations) -> set[frozenset[int]]:
    """Pairs of columns of which a line, a curve, a range or a part of a date says the same.

    What a range of a number tells, a range of its logarithm tells as well.
    """
    lines = [(one.position, one.source) for one in relations.echoes if one.always]
    curves = [one.columns for one in relations.aggregates if len(one.sources) == 1]
    levels = [(one.position, *one.sources) for one in relations.told_by_numbers]
    alike: dict[int, set[int]] = {}
    for pair in (*lines, *curves):
        together = set(pair).union(*(alike.get(place, ()) for place in pair))
        alike.update(dict.fromkeys(together, together))
    return {
        frozenset(pair)
        for columns in (*lines, *curves, *levels)
        for pair in itertools.product(*(alike.get(place, {place}) for place in columns))
    }
