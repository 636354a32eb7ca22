"""Tables as Markdown: what is printed, whatever the numbers mean."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Cell:
    """A printed number."""

    text: str
    best: bool = False


@dataclasses.dataclass(frozen=True)
class Grid:
    """A table to print: a title, a header whose first name is that of the row labels, rows.

    ``note`` is a sentence or two to stand below it.
    """

    title: str
    header: list[str]
    rows: list[tuple[str, list[Cell]]]
    note: str = ''


def to_markdown(tables: Sequence[Grid], note: str = '') -> str:
    """GitHub's Markdown; the best in bold."""
    blocks = []
    for grid in tables:
        lines = [' | '.join(grid.header), ' | '.join(['---', *['---:'] * (len(grid.header) - 1)])]
        lines += [
            ' | '.join([label, *(f'**{c.text}**' if c.best else c.text for c in cells)])
            for label, cells in grid.rows
        ]
        below = f'\n\n{grid.note}' if grid.note else ''
        blocks.append(f'### {grid.title}\n\n' + '\n'.join(f'| {line} |' for line in lines) + below)
    return '\n\n'.join([*blocks, *([note] if note else [])]) + '\n'
