"""Tables as Markdown and as a page: what is printed, whatever the numbers mean."""

from __future__ import annotations

import dataclasses
import html
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


def to_html(tables: Sequence[Grid], note: str = '', *, figure: str = '') -> str:
    """One page that needs nothing else, light or dark as the reader's system is.

    Args:
        tables: What to print.
        note: The last line.
        figure: An SVG element to stand before the tables.
    """
    blocks = [f'<figure class=scroll>{figure}</figure>'] if figure else []
    for grid in tables:
        head = ''.join(f'<th scope="col">{html.escape(name)}</th>' for name in grid.header)
        body = ''.join(
            f'<tr><th scope="row">{html.escape(label)}</th>'
            + ''.join(
                f'<td{" class=best" if cell.best else ""}>{html.escape(cell.text)}</td>'
                for cell in cells
            )
            + '</tr>'
            for label, cells in grid.rows
        )
        below = f'<p>{html.escape(grid.note)}</p>' if grid.note else ''
        blocks.append(
            f'<section><h2>{html.escape(grid.title)}</h2><div class=scroll><table><thead><tr>{head}'
            f'</tr></thead><tbody>{body}</tbody></table></div>{below}</section>'
        )
    return _PAGE.replace('{{body}}', '\n'.join(blocks)).replace('{{note}}', html.escape(note))


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Benchmark of synthesizers</title>
<style>
:root { color-scheme: light dark; --ink: #1c2024; --quiet: #5c6670; --line: #d9dee3;
  --paper: #ffffff; --best: #e4f3ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --quiet: #9aa4ae;
  --line: #343b42; --paper: #14171a; --best: #1d3a2a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .8rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; font-weight: 400; }
thead th { color: var(--quiet); } th:first-child { text-align: left; }
td.best { background: var(--best); font-weight: 700; }
figure { margin: 1.5rem 0; } section p { color: var(--quiet); font-size: .85rem; }
footer { color: var(--quiet); margin-top: 2rem; font-size: .85rem; }
</style>
</head>
<body>
<h1>Benchmark of synthesizers</h1>
{{body}}
<footer>{{note}}</footer>
</body>
</html>
"""
