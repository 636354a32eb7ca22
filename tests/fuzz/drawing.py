"""Cases by number: the same seed and number give the same case, whatever the code under test is."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from .tables import TableSpec

_BYTES = 8192  # more than any description takes


def cases(
    strategy: st.SearchStrategy[TableSpec], *, number: int, start: int, stop: int
) -> Iterator[tuple[int, TableSpec]]:
    """Cases ``start`` to ``stop`` of a seed, with their places.

    Hypothesis reads them from random bytes. What it draws by itself depends on the constants that
    stand in all modules loaded at the time.

    Args:
        strategy: Draws descriptions.
        number: The seed.
        start: First place.
        stop: Place after the last one.
    """
    drawn: list[TableSpec] = []

    @settings(database=None)
    @given(strategy)
    def draw(spec: TableSpec) -> None:
        drawn.append(spec)

    read = draw.hypothesis.fuzz_one_input  # type: ignore[attr-defined]
    for place in range(start, stop):
        read(np.random.default_rng([number, place]).bytes(_BYTES))
        yield place, drawn.pop()


def smaller(spec: TableSpec) -> Iterator[TableSpec]:
    """Descriptions with one thing less, to find a minimal one."""
    defaults = {'index': 'plain', 'names': (), 'constraints': (), 'key': 'none', 'detected': False}
    for name, value in defaults.items():
        if getattr(spec, name) != value:
            yield dataclasses.replace(spec, **{name: value})
    for rows in (1, 3, 10, 30):
        if rows < spec.rows:
            yield dataclasses.replace(spec, rows=rows)
    for place in range(len(spec.constraints)):
        kept = spec.constraints[:place] + spec.constraints[place + 1 :]
        yield dataclasses.replace(spec, constraints=kept)
    for place in range(len(spec.relations)):
        fewer = spec.relations[:place] + spec.relations[place + 1 :]
        yield dataclasses.replace(spec, relations=fewer)
    for place, column in enumerate(spec.columns):
        kept_columns = spec.columns[:place] + spec.columns[place + 1 :]
        if kept_columns or spec.constraints or spec.relations:
            names = spec.names[:place] + spec.names[place + 1 :]
            yield dataclasses.replace(spec, columns=kept_columns, names=names)
        if column.gaps != 'none':
            whole = dataclasses.replace(column, gaps='none')
            columns = (*spec.columns[:place], whole, *spec.columns[place + 1 :])
            yield dataclasses.replace(spec, columns=columns)
