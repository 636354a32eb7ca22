"""Training settings of our own synthesizer compared at equal time on several tables.

Each setting is trained for the same number of seconds on each table, in turns, so that a machine
that is slower for an hour is slower for all of them.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.arguments import (
    add_data_options,
    add_metric_options,
    plan_settings,
    timed_spec,
)
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.results import (
    COSTS,
    METRICS,
    NOTHING,
    Metric,
    best_labels,
    entries,
    format_values,
    print_tables,
)
from sdv_tabdar.benchmark.runner import Launch, plan, run_all, run_floor
from sdv_tabdar.benchmark.synthesizers import parse_options

HELP = 'training settings of our synthesizer at equal time'
TABLES = ('adult', 'default', 'shoppers', 'beijing')
OVERVIEW = ('shape_error', 'trend_error', 'xgb_c2st', 'fit_seconds', 'fit_cpu_seconds')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data_options(parser, out='benchmark_runs/settings', tables=list(TABLES))
    add_metric_options(parser)
    parser.add_argument(
        '--settings',
        nargs='+',
        required=True,
        metavar='SETTING',
        help="'NAME:key=value,...' ('NAME' alone: the defaults), or a JSON file "
        '{"NAME": {"key": value}}',
    )
    parser.add_argument(
        '--budget',
        type=float,
        default=120.0,
        metavar='SECONDS',
        help='how long each may train (default: %(default)s)',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Run, print the tables, keep them as ``settings.md`` and ``settings.html``."""
    named = read_settings(options.settings)
    specs = [timed_spec(name, options.budget, overrides) for name, overrides in named.items()]
    jobs = plan(synthesizers=specs, **plan_settings(options))
    results = run_all(jobs, options.out, launch=launch)
    if options.floors:
        for job in {job.table: job for job in jobs}.values():
            run_floor(job, options.out, launch=launch)
    if results:
        first = [explained(named), overview(results)]
        print('\n' + print_tables(options.out, results, name='settings', first=first))
    return results


def read_settings(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    """Named overrides from ``'NAME:key=value,...'`` or from JSON files.

    Raises:
        ValueError: If a name occurs twice, cannot be a label, or a file holds something else.
    """
    found: list[tuple[str, dict[str, object]]] = []
    for text in texts:
        if text.endswith('.json'):
            found.extend(_read_file(Path(text)).items())
        else:
            name, _, options = text.partition(':')
            found.append((name, parse_options(options, text)))
    names = [name for name, _ in found]
    for name in names:
        if names.count(name) > 1 or not name or set(name) & set('=:,'):
            raise ValueError(
                f"The setting's name '{name}' must occur once, and must not be empty or hold any "
                f"of '=', ':' and ','. The names are {names}."
            )
    return dict(found)


def _read_file(path: Path) -> dict[str, dict[str, object]]:
    content = json.loads(path.read_text(encoding='utf-8'))
    if not isinstance(content, dict) or not all(isinstance(v, dict) for v in content.values()):
        raise ValueError(
            f"The file '{path}' must hold one JSON object, from names to objects of "
            'hyperparameters: {"wide": {"width": 128}}.'
        )
    return content


def explained(named: Mapping[str, Mapping[str, object]]) -> Grid:
    """What each setting is."""
    rows = [
        (name, [Cell(', '.join(f'{k}={v!r}' for k, v in overrides.items()) or 'the defaults')])
        for name, overrides in named.items()
    ]
    return Grid('Settings', ['setting', 'differs from the defaults in'], rows)


def overview(results: Sequence[Mapping[str, Any]]) -> Grid:
    """Each setting's metrics, averaged over the tables that all settings have."""
    numbers = entries(results)
    labels = list(dict.fromkeys(number.label for number in numbers))
    tables = [
        table
        for table in dict.fromkeys(number.table for number in numbers)
        if {number.label for number in numbers if number.table == table} == set(labels)
    ]
    metrics = [metric for metric in (*METRICS, *COSTS) if metric.key in OVERVIEW]
    columns = []
    for metric in metrics:
        means = {}
        for label in labels:
            values = [
                number.value
                for number in numbers
                if (number.label, number.key) == (label, metric.key) and number.table in tables
            ]
            if values:
                means[label] = statistics.fmean(values)
        columns.append(_column(means, metric))
    rows = [(label, [column.get(label, Cell(NOTHING)) for column in columns]) for label in labels]
    title = f'Averages over {", ".join(tables)}'
    return Grid(title, ['setting', *(metric.title for metric in metrics)], rows)


def _column(means: Mapping[str, float], metric: Metric) -> dict[str, Cell]:
    # Time is what was given to each, nothing to win.
    goal = metric.goal if metric in METRICS else None
    best = best_labels(means, goal, metric)
    return {label: Cell(format_values([v], metric), label in best) for label, v in means.items()}
