"""Tables as Markdown."""

from __future__ import annotations

from sdv_tabdar.benchmark.output.rendering import Cell, Grid, to_markdown

GRID = Grid('T', ['name', 'x'], [('<b>', [Cell('1', best=True)]), ('c', [Cell('2')])], 'below')


def test_markdown_has_the_best_in_bold() -> None:
    assert to_markdown([GRID], 'end') == (
        '### T\n\n| name | x |\n| --- | ---: |\n| <b> | **1** |\n| c | 2 |\n\nbelow\n\nend\n'
    )
