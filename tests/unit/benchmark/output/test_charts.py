"""Plots are pictures that any program can read."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from sdv_tabdar.benchmark.output import charts
from sdv_tabdar.benchmark.output.charts import Line, Panel, Point, Series, chart, tick_step


def texts(svg: str) -> list[str]:
    """All texts of a picture; fails if it is no XML."""
    return [text for text in ElementTree.fromstring(svg).itertext() if text.strip()]


@pytest.mark.parametrize('is_error', [True, False])
def test_marks_lie_inside_their_panel(is_error: bool) -> None:
    points = [Point(1.0, 0.0, 'a'), Point(5000.0, 0.93, 'b')]
    floor = Line('floor', 0.99, 'dashed')
    panel = Panel('a <b>', [Series('ours', points, is_ours=True)], [floor], is_error=is_error)
    tree = ElementTree.fromstring(chart([[panel]], x_title='time'))
    marks = tree.findall('.//{*}circle')[1:]  # the first is the legend's
    for mark in marks:
        assert charts.LEFT <= float(mark.attrib['cx']) <= charts.WIDTH - charts.RIGHT
        assert charts.TOP <= float(mark.attrib['cy']) <= charts.HEIGHT - charts.BOTTOM
    assert float(marks[0].attrib['cy']) > float(marks[1].attrib['cy'])


def test_a_picture_of_nothing_is_one_too() -> None:
    assert texts(chart([], x_title='time'))
    assert texts(chart([[Panel('empty', [])]], x_title='time'))


def test_many_names_make_several_lines_and_every_mark_a_shape() -> None:
    series = [Series(f'method {n}', [Point(10.0 * (n + 1), 1.0, 'x')]) for n in range(7)]
    tree = ElementTree.fromstring(chart([[Panel('many', series)]], x_title='time'))
    assert len(tree.findall('.//{*}polygon')) == 14


@pytest.mark.parametrize(
    ('highest', 'step'), [(1.0, 0.2), (0.9, 0.2), (26.0, 10.0), (12.0, 2.5), (0.04, 0.01), (0, 0.2)]
)
def test_ticks_are_round(highest: float, step: float) -> None:
    assert tick_step(highest) == pytest.approx(step)


def test_ticks_of_a_logarithmic_axis() -> None:
    assert charts.log_ticks(0.4, 12.0) == pytest.approx([0.5, 1.0, 2.0, 5.0, 10.0])
