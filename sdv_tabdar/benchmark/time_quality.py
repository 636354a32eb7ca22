"""Quality against fitting time: our synthesizer after given times, others at their defaults.

The table has every run; the plot shows them on a logarithmic axis of measured fitting time, ours
as a line, with the floor of real rows and the best published number where one is known.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from sdv_tabdar.benchmark import published
from sdv_tabdar.benchmark.arguments import add_data_options, plan_settings, timed_spec
from sdv_tabdar.benchmark.charts import Line, Panel, Point, Series, chart
from sdv_tabdar.benchmark.jobs import DEFAULT_METRICS
from sdv_tabdar.benchmark.rendering import to_html, to_markdown
from sdv_tabdar.benchmark.results import entries, footer, grids, load_floors
from sdv_tabdar.benchmark.runner import Launch, plan, run_all, run_floor
from sdv_tabdar.benchmark.synthesizers import parse_options, parse_spec

HELP = 'our synthesizer after given times of fitting beside others at their defaults, with a plot'
TABLES = ('adult', 'shoppers', 'default')
BUDGETS = (60.0, 120.0, 300.0, 900.0)
OTHERS = ('gaussian_copula', 'tvae', 'ctgan')
ARGN = 'tabularargn'
OURS = 'tabdar'
NAME = 'time_quality'
# Keys of the scores, titles of the columns of panels, factors.
SCORES = {
    'shape_error': ('Shape error, %', 100.0),
    'trend_error': ('Trend error, %', 100.0),
    'xgb_c2st': ('XGB-C2ST', 1.0),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data_options(parser, out='benchmark_runs/time_quality', tables=list(TABLES))
    parser.add_argument(
        '--budgets',
        nargs='+',
        type=float,
        default=list(BUDGETS),
        metavar='SECONDS',
        help=f'how long to train (default: {" ".join(f"{seconds:g}" for seconds in BUDGETS)})',
    )
    parser.add_argument(
        '--settings',
        default='',
        metavar='NAME=VALUE,...',
        help='hyperparameters in place of our defaults',
    )
    parser.add_argument(
        '--others',
        nargs='*',
        metavar='SYNTHESIZER',
        default=list(OTHERS),
        help=f'synthesizers beside ours (default: {" ".join(OTHERS)}, and {ARGN} with '
        '--argn-python)',
    )
    parser.add_argument(
        '--argn-python',
        metavar='PYTHON',
        help=f'the Python that has mostlyai-engine, for the synthesizer {ARGN}',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Run; keep table and plot as ``time_quality.md``, ``.html`` and ``.svg``; print the table."""
    others = list(options.others)
    if options.argn_python and not any(parse_spec(text).kind == ARGN for text in others):
        others.append(ARGN)
    overrides = parse_options(options.settings, options.settings)
    ours = [budget_spec(seconds, overrides) for seconds in options.budgets]
    settings = {**plan_settings(options), 'metrics': DEFAULT_METRICS}
    jobs = plan(synthesizers=[*others, *ours], argn_python=options.argn_python, **settings)
    results = run_all(jobs, options.out, launch=launch)
    for job in {job.table: job for job in jobs}.values():
        run_floor(job, options.out, launch=launch)
    if results:
        floors = load_floors(options.out)
        picture = plot(results, floors)
        (options.out / f'{NAME}.svg').write_text(picture, encoding='utf-8')
        tables = grids(entries(results, floors))
        note = f'{footer(results)} {explanation()}'
        text = to_markdown(tables, note)
        page = to_html(tables, note, figure=picture)
        linked = f'![Quality against fitting time]({NAME}.svg)\n\n{text}'
        (options.out / f'{NAME}.md').write_text(linked, encoding='utf-8')
        (options.out / f'{NAME}.html').write_text(page, encoding='utf-8')
        print('\n' + text)
    return results


def budget_spec(seconds: float, overrides: Mapping[str, object] | None = None) -> str:
    """Our synthesizer trained for so many seconds."""
    return timed_spec(budget_label(seconds), seconds, overrides)


def budget_label(seconds: float) -> str:
    """What a run of ours is called: ``'tabdar 1 min'`` or ``'tabdar 90 s'``."""
    if seconds >= 60 and seconds % 60 == 0:
        return f'{OURS} {seconds / 60:g} min'
    return f'{OURS} {seconds:g} s'


def explanation() -> str:
    """What the plot shows."""
    return (
        'Fitting time is measured, encoding of the data included. The dashed line of the plot is '
        'the floor, real rows against real rows; the dotted one the best published number '
        f'({published.TABPC_RUNS}).'
    )


def plot(
    results: Sequence[Mapping[str, Any]], floors: Mapping[str, Mapping[str, float | None]]
) -> str:
    """The picture: a row of panels a table, a column of panels a score."""
    tables = list(dict.fromkeys(result['job']['table'] for result in results))
    panels = [
        [_panel(results, floors.get(table, {}), table, key) for key in SCORES] for table in tables
    ]
    return chart(panels, x_title='fitting time')


def _panel(
    results: Sequence[Mapping[str, Any]],
    floor: Mapping[str, float | None],
    table: str,
    key: str,
) -> Panel:
    title, factor = SCORES[key]
    points: dict[str, list[Point]] = {}
    for result in results:
        score = result['scores'].get(key)
        if result['job']['table'] != table or score is None or result['fit'] is None:
            continue
        label = result['job']['label']
        name = OURS if label.startswith(f'{OURS} ') else label
        point = Point(result['fit']['seconds'], factor * score, label)
        points.setdefault(name, []).append(point)
    series = [Series(name, _means(found), is_ours=name == OURS) for name, found in points.items()]
    lines = []
    if (bound := floor.get(key)) is not None:
        lines.append(Line('floor', factor * bound, 'dashed'))
    if (best := published.best_published(table, key)) is not None:
        lines.append(Line(f'{best[0]}, published', factor * best[1], 'dotted'))
    return Panel(f'{table}: {title}', series, lines, is_error=key != 'xgb_c2st')


def _means(points: Sequence[Point]) -> list[Point]:
    """Means over seeds, in the order of time."""
    by_label: dict[str, list[Point]] = {}
    for point in points:
        by_label.setdefault(point.label, []).append(point)
    means = [
        Point(
            sum(point.x for point in found) / len(found),
            sum(point.y for point in found) / len(found),
            label,
        )
        for label, found in by_label.items()
    ]
    return sorted(means, key=lambda point: point.x)
