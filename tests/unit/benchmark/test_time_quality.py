"""Quality against time: the runs, and a picture that any program can read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sdv_tabdar.benchmark import charts, synthesizers, time_quality
from sdv_tabdar.benchmark.__main__ import build_parser
from sdv_tabdar.benchmark.charts import Line, Panel, Point, Series, chart, tick_step


class Repeated:
    """Stands in for our synthesizer: rows of the table again."""

    _model = None

    def fit(self, data: dict[str, Any]) -> None:
        self.data = data

    def sample(self, num_rows: int) -> dict[str, Any]:
        return {
            name: table.sample(num_rows, replace=True, random_state=0).reset_index(drop=True)
            for name, table in self.data.items()
        }


def parsed(*arguments: object) -> argparse.Namespace:
    return build_parser().parse_args(['time-quality', *map(str, arguments)])


def texts(svg: str) -> list[str]:
    """All texts of a picture; fails if it is no XML."""
    return [text for text in ElementTree.fromstring(svg).itertext() if text.strip()]


def result(label: str, seconds: float, error: float, table: str = 'adult') -> dict[str, Any]:
    return {
        'job': {'label': label, 'table': table},
        'fit': {'seconds': seconds},
        'scores': {'shape_error': error, 'trend_error': error, 'xgb_c2st': 1 - error},
    }


def test_the_command_keeps_a_table_and_a_picture(
    prepared: Path,
    tmp_path: Path,
    bootstrap: str,
    launch_here: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made: list[dict[str, Any]] = []

    def build(kind: str, dataset: object, options: dict[str, Any]) -> Repeated:
        made.append(options)
        return Repeated()

    monkeypatch.setattr(synthesizers, '_build_ours', build)
    out = tmp_path / 'out'
    options = parsed(
        *('--data', prepared, '--tables', 'one', '--out', out, '--budgets', 90, 120),
        *('--settings', 'width=8', '--others', f'boot={bootstrap}'),
    )
    results = time_quality.main(options, launch=launch_here)
    assert [found['job']['label'] for found in results] == ['boot', 'tabdar 90 s', 'tabdar 2 min']
    assert [options['max_training_time'] for options in made] == [90.0, 120.0]
    assert all(options['width'] == 8 for options in made)
    printed = capsys.readouterr().out
    assert '| tabdar 2 min |' in printed
    assert 'floor (real against real)' in printed
    svg = (out / 'time_quality.svg').read_text(encoding='utf-8')
    assert {'boot', 'tabdar', 'one: XGB-C2ST '} <= set(texts(svg))
    assert svg in (out / 'time_quality.html').read_text(encoding='utf-8')
    assert '(time_quality.svg)' in (out / 'time_quality.md').read_text(encoding='utf-8')


def test_tabularargn_joins_where_it_can_run(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[list[str]] = []

    def stop(*, synthesizers: list[str], **_: object) -> None:
        planned.append(synthesizers)
        raise InterruptedError

    monkeypatch.setattr(time_quality, 'plan', stop)
    for extra in (
        (),
        ('--argn-python', 'python'),
        ('--argn-python', 'p', '--others', 'tabularargn'),
    ):
        with pytest.raises(InterruptedError):
            time_quality.main(parsed('--data', prepared, '--out', tmp_path, *extra))
    assert [names.count('tabularargn') for names in planned] == [0, 1, 1]


def test_the_picture_has_means_over_seeds_floors_and_published_numbers() -> None:
    results = [
        result('tabdar 1 min', 62.0, 0.02),
        result('tabdar 1 min', 64.0, 0.04),
        result('tabdar 5 min', 301.0, 0.01),
        result('ctgan', 900.0, 0.1),
        result('tabdar 1 min', 61.0, 0.02, table='mine'),
    ]
    svg = time_quality.plot(results, {'adult': {'shape_error': 0.005, 'trend_error': None}})
    found = texts(svg)
    assert 'tabdar 1 min: 3 after 63 s' in found
    assert 'floor 0.5' in found
    assert 'TabPC, published 0.58' in found
    assert 'mine: Shape error, % ' in found
    assert {'1 min', '5 min', '15 min'} <= set(found)
    line = ElementTree.fromstring(svg).findall('.//{*}path')
    assert len(line) == 3  # one run of ours on the other table joins nothing
    empty = {**result('rows from a file', 0, 0.1), 'fit': None}
    assert 'rows from a file' not in time_quality.plot([empty, *results], {})


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


def test_labels_of_budgets() -> None:
    assert time_quality.budget_label(900.0) == 'tabdar 15 min'
    assert time_quality.budget_label(30.0) == 'tabdar 30 s'
    assert time_quality.budget_label(90.0) == 'tabdar 90 s'
