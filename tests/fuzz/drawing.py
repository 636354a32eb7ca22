"""Cases by number: the same seed and number give the same case."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from .tables import TableSpec

_BLOCK = 50
_DRAWN = 3  # Hypothesis varies each case a few times; most of these are left out
QUIET: dict[str, Any] = {
    'deadline': None,
    'database': None,
    'phases': [Phase.generate],
    'suppress_health_check': list(HealthCheck),
}


@functools.lru_cache(maxsize=4)
def _block(strategy: st.SearchStrategy[TableSpec], block: int, number: int) -> list[TableSpec]:
    drawn: list[TableSpec] = []

    @seed(1_000_003 * block + number)
    @settings(max_examples=_DRAWN * _BLOCK + 1, **QUIET)
    @given(strategy)
    def draw(spec: TableSpec) -> None:
        drawn.append(spec)

    draw()
    return drawn[1::_DRAWN][:_BLOCK]  # Hypothesis begins every run with the same simplest case


def cases(
    strategy: st.SearchStrategy[TableSpec], *, number: int, start: int, stop: int
) -> Iterator[tuple[int, TableSpec]]:
    """Cases ``start`` to ``stop`` of a seed, with their places.

    Args:
        strategy: Draws descriptions.
        number: The seed.
        start: First place.
        stop: Place after the last one.
    """
    for place in range(start, stop):
        block = _block(strategy, place // _BLOCK, number)
        if place % _BLOCK < len(block):
            yield place, block[place % _BLOCK]


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
    for place, column in enumerate(spec.columns):
        kept_columns = spec.columns[:place] + spec.columns[place + 1 :]
        if kept_columns or spec.constraints:
            names = spec.names[:place] + spec.names[place + 1 :]
            yield dataclasses.replace(spec, columns=kept_columns, names=names)
        if column.gaps != 'none':
            whole = dataclasses.replace(column, gaps='none')
            columns = (*spec.columns[:place], whole, *spec.columns[place + 1 :])
            yield dataclasses.replace(spec, columns=columns)
