"""Tables as Markdown and as a page."""

from __future__ import annotations

from sdv_tabdar.benchmark.output.rendering import Cell, Grid, to_html, to_markdown

GRID = Grid('T', ['name', 'x'], [('<b>', [Cell('1', best=True)]), ('c', [Cell('2')])], 'below')


def test_markdown_has_the_best_in_bold() -> None:
    assert to_markdown([GRID], 'end') == (
        '### T\n\n| name | x |\n| --- | ---: |\n| <b> | **1** |\n| c | 2 |\n\nbelow\n\nend\n'
    )


def test_html_is_one_page_that_needs_nothing_and_escapes() -> None:
    page = to_html([GRID], 'end', figure='<svg/>')
    assert '&lt;b&gt;' in page
    assert '<td class=best>1</td>' in page
    assert '<svg/>' in page
    assert 'prefers-color-scheme: dark' in page
    assert 'http' not in page
    assert '{{' not in page
