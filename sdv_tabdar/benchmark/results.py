"""Tables from a run directory: mean and spread over seeds, the best marked, floors.

With one data table the synthesizers are rows and the metrics columns; with several there is a
table for each metric, synthesizers by data tables.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from sdv_tabdar.benchmark import worker
from sdv_tabdar.benchmark.environment import summary
from sdv_tabdar.benchmark.jobs import RESULT, read_result
from sdv_tabdar.benchmark.rendering import Cell, Grid, to_html, to_markdown
from sdv_tabdar.benchmark.runner import read_config
from sdv_tabdar.evaluation.registry import REAL_BESIDE, SCORES

FLOOR_LABEL = 'floor (real against real)'
NOTHING = '-'
TIME = 'time and memory'
# More columns than this are hard to read.
WIDEST = 10
# What a metric says about its own spread.
SPREADS = ('std', 'low', 'high')
# Better high for a class, better low for a number.
BY_TASK = ('mle', 'mle_paper')

Goal = Literal['low', 'high'] | float | None


@dataclasses.dataclass(frozen=True)
class Metric:
    """How a number of a result is printed.

    Attributes:
        key: Its name in a result.
        title: Its name in a table, with the unit.
        goal: Which is best: the lowest, the highest, the closest to a number; None says nothing.
        factor: Multiplied before printing.
        digits: Digits after the point.
        group: What it stands with where there are too many for one table.
    """

    key: str
    title: str
    goal: Goal = None
    factor: float = 1.0
    digits: int = 3
    group: str = 'other'


# The order in which metrics are shown; what the evaluation knows beyond these follows.
TITLES = {
    'shape_error': 'Shape error',
    'trend_error': 'Trend error',
    'xgb_c2st': 'XGB-C2ST',
    'lr_c2st': 'LR-C2ST',
    'alpha_precision': 'alpha-precision',
    'beta_recall': 'beta-recall',
    'mle': 'MLE (AUC, or RMSE of a number)',
    'dcr_share': 'DCR share',
}


def _metric(key: str) -> Metric:
    """A metric as the evaluation explains it."""
    meaning = SCORES[key]
    title = TITLES.get(key, meaning.title) + (', %' if meaning.percent else '')
    goals: dict[str, Goal] = {'lower': 'low', 'higher': 'high', 'floor': meaning.ideal}
    if meaning.goal == 'floor' and meaning.ideal is not None:
        # An honest sample has this value, and more comes from copying.
        title = f'{title} ({meaning.ideal:g} is honest)'
    factor, digits = (100, 2) if meaning.percent else (1, 3)
    return Metric(key, title, goals[meaning.goal], factor, digits, meaning.group)


METRICS = tuple(_metric(key) for key in dict.fromkeys((*TITLES, *SCORES)))
COSTS = (
    Metric('fit_seconds', 'Fit, s', 'low', 1, 1, TIME),
    Metric('fit_cpu_seconds', 'Fit, processor s', 'low', 1, 1, TIME),
    Metric('fit_peak_memory', 'Peak memory of fit, MiB', 'low', 1, 0, TIME),
    Metric('rows_per_second', 'Rows sampled per second', 'high', 1, 0, TIME),
    Metric('sample_peak_memory', 'Peak memory of sampling, MiB', 'low', 1, 0, TIME),
)


@dataclasses.dataclass(frozen=True)
class Entry:
    """One number of one run, or of a floor.

    Attributes:
        label: The synthesizer.
        table: The data table.
        key: The metric.
        value: The number.
        task: Of the data table.
    """

    label: str
    table: str
    key: str
    value: float
    task: str | None = None


def load_results(out: Path) -> list[dict[str, Any]]:
    """All finished runs of a run directory, in the order they were asked for.

    Raises:
        FileNotFoundError: If there are none.
    """
    found = [read_result(path.parent) for path in sorted(out.glob(f'runs/*/*/*/{RESULT}'))]
    results = [result for result in found if result is not None]
    if not results:
        raise FileNotFoundError(
            f"There are no finished runs in '{out}'. Make some with: python -m "
            f'sdv_tabdar.benchmark run --out {out} --data ...'
        )
    config = read_config(out)
    labels, tables = list(config['synthesizers']), list(config['tables'])

    def place(result: dict[str, Any]) -> tuple[int, int, int]:
        job = result['job']
        return (_index(labels, job['label']), _index(tables, job['table']), job['seed'])

    return sorted(results, key=place)


def load_floors(out: Path) -> dict[str, dict[str, float | None]]:
    """The scores of real rows against real rows: ``{table: {metric: score}}``."""
    found = {path.parent.name: worker.read_floor(path.parent) for path in out.glob('floors/*/*')}
    return {table: floor['scores'] for table, floor in found.items() if floor is not None}


def entries(
    results: Iterable[Mapping[str, Any]],
    floors: Mapping[str, Mapping[str, float | None]] | None = None,
) -> list[Entry]:
    """Every number of the results; floors become one more synthesizer.

    What real rows score in the place of synthetic ones (a model trained on real rows, distances of
    unseen rows) stands beside some scores, and is their floor.
    """
    numbers: list[Entry] = []
    bounds: dict[tuple[str, int | None, str], float | None] = {}
    tasks: dict[str, str | None] = {}
    for result in results:
        label, table, task = result['job']['label'], result['job']['table'], result['data']['task']
        tasks[table] = task
        scores = result['scores']
        for key, beside in REAL_BESIDE.items():
            if key in scores and beside in scores:
                bounds[table, result['job']['seed'], key] = scores[beside]
        shown = {key: value for key, value in scores.items() if _is_shown(key)}
        numbers.extend(
            Entry(label, table, key, value, task)
            for key, value in {**shown, **_costs(result)}.items()
            if value is not None
        )
    for table, found in (floors or {}).items():
        if table in tasks:
            bounds.update({(table, None, key): value for key, value in found.items()})
    numbers.extend(
        Entry(FLOOR_LABEL, table, key, value, tasks[table])
        for (table, _, key), value in bounds.items()
        if value is not None
    )
    return numbers


def _is_shown(key: str) -> bool:
    """Not the spread within a run, and not what is shown as a floor."""
    name, _, suffix = key.rpartition('_')
    is_spread = key not in SCORES and suffix in SPREADS and name.removesuffix('_real') in SCORES
    return not is_spread and key not in REAL_BESIDE.values()


def _costs(result: Mapping[str, Any]) -> dict[str, float]:
    fit, sample = result['fit'], result['sample']
    if fit is None or sample is None:
        return {}
    return {
        'fit_seconds': fit['seconds'],
        'fit_cpu_seconds': fit['cpu_seconds'],
        'fit_peak_memory': fit['peak_memory_mib'],
        'rows_per_second': result['synthetic_rows'] / max(sample['seconds'], 1e-9),
        'sample_peak_memory': sample['peak_memory_mib'],
    }


def grids(numbers: Sequence[Entry]) -> list[Grid]:
    """The tables to print."""
    tables = list(dict.fromkeys(number.table for number in numbers))
    metrics = _metrics(numbers)
    if len(tables) == 1:
        groups = dict.fromkeys(metric.group for metric in metrics)
        if len(metrics) <= WIDEST:
            return [_one_table(numbers, metrics, tables[0], tables[0])]
        return [
            _one_table(numbers, [m for m in metrics if m.group == group], tables[0], title)
            for group in groups
            for title in [f'{tables[0]}, {group}']
        ]
    return [_one_metric(numbers, metric, tables) for metric in metrics]


def _metrics(numbers: Sequence[Entry]) -> list[Metric]:
    """The metrics that occur; those that are not known come between quality and costs."""
    keys = dict.fromkeys(number.key for number in numbers)
    known = {metric.key for metric in (*METRICS, *COSTS)}
    others = [Metric(key, key) for key in keys if key not in known]
    return [metric for metric in (*METRICS, *others, *COSTS) if metric.key in keys]


def _one_table(numbers: Sequence[Entry], metrics: Sequence[Metric], table: str, title: str) -> Grid:
    columns = [_column(numbers, metric, table) for metric in metrics]
    keys = {metric.key for metric in metrics}
    labels = _labels([number for number in numbers if number.key in keys])
    rows = [(label, [column[label] for column in columns]) for label in labels]
    return Grid(title, ['synthesizer', *(metric.title for metric in metrics)], rows)


def _one_metric(numbers: Sequence[Entry], metric: Metric, tables: Sequence[str]) -> Grid:
    columns = [_column(numbers, metric, table) for table in tables]
    columns.append(_average(numbers, metric, tables))
    relevant = [number for number in numbers if number.key == metric.key]
    rows = [(label, [column[label] for column in columns]) for label in _labels(relevant)]
    return Grid(metric.title, ['synthesizer', *tables, 'average'], rows)


def _labels(numbers: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(number.label for number in numbers))


def _column(numbers: Sequence[Entry], metric: Metric, table: str) -> dict[str, Cell]:
    """One cell for each synthesizer: mean and spread over seeds."""
    values: dict[str, list[float]] = {label: [] for label in _labels(numbers)}
    task = None
    for number in numbers:
        if (number.table, number.key) == (table, metric.key):
            values[number.label].append(number.value)
            task = number.task
    means = {label: statistics.fmean(found) for label, found in values.items() if found}
    best = best_labels(means, _goal(metric, task), metric)
    return {
        label: Cell(format_values(found, metric), label in best) for label, found in values.items()
    }


def _average(numbers: Sequence[Entry], metric: Metric, tables: Sequence[str]) -> dict[str, Cell]:
    """The mean over tables of each synthesizer that has all of them."""
    means: dict[str, float] = {}
    for label in _labels(numbers):
        found = [
            [n.value for n in numbers if (n.label, n.table, n.key) == (label, table, metric.key)]
            for table in tables
        ]
        if all(found):
            means[label] = statistics.fmean(statistics.fmean(values) for values in found)
    # An AUC on one table and an RMSE on another have no average that means anything to win.
    goal = metric.goal if metric.key not in BY_TASK else None
    best = best_labels(means, goal, metric)
    return {
        label: Cell(format_values([means[label]] if label in means else [], metric), label in best)
        for label in _labels(numbers)
    }


def _goal(metric: Metric, task: str | None) -> Goal:
    if metric.key in BY_TASK and task is not None:
        return 'low' if task == 'regression' else 'high'
    return metric.goal


def best_labels(means: Mapping[str, float], goal: Goal, metric: Metric) -> set[str]:
    """The synthesizers whose printed mean is the best; floors do not compete."""
    competing = {label: value for label, value in means.items() if label != FLOOR_LABEL}
    if goal is None or len(competing) < 2:
        return set()
    # What is printed the same is equally good.
    printed = {
        label: round(_distance(value, goal) * metric.factor, metric.digits)
        for label, value in competing.items()
    }
    lowest = min(printed.values())
    return {label for label, value in printed.items() if value == lowest}


def _distance(value: float, goal: Literal['low', 'high'] | float) -> float:
    """Smaller is better."""
    if goal == 'low':
        return value
    return -value if goal == 'high' else abs(value - goal)


def format_values(values: Sequence[float], metric: Metric) -> str:
    """Mean, and standard deviation over seeds where there are several."""
    if not values:
        return NOTHING
    scaled = [value * metric.factor for value in values]
    mean = f'{statistics.fmean(scaled):,.{metric.digits}f}'
    if len(scaled) == 1 or not all(map(math.isfinite, scaled)):
        return mean
    return f'{mean} ± {statistics.stdev(scaled):,.{metric.digits}f}'


def footer(results: Sequence[Mapping[str, Any]]) -> str:
    """How the numbers came about: machine, versions, threads, rows, seeds."""
    machines = dict.fromkeys(summary(result['environment']) for result in results)
    threads = {result['job']['threads'] for result in results}
    seeds = sorted({result['job']['seed'] for result in results})
    told = ', '.join(str(count) for count in sorted(threads, key=str) if count is not None)
    parts = [
        f'Threads: {told or "as the libraries choose"}.',
        f'Seeds: {", ".join(map(str, seeds))}.',
        *(f'Made with {machine}.' for machine in machines),
    ]
    rows = {result['job']['rows'] for result in results} - {None}
    if rows:
        parts.insert(0, f'At most {max(rows):,} training rows a table.')
    return ' '.join(parts)


def print_tables(
    out: Path, results: Sequence[Mapping[str, Any]], *, name: str, first: Sequence[Grid] = ()
) -> str:
    """Write ``NAME.md`` and ``NAME.html`` into a run directory and give back the Markdown.

    Args:
        out: The run directory; its floors are shown.
        results: The runs to show.
        name: How to call the files.
        first: Tables that come before the usual ones.
    """
    tables = [*first, *grids(entries(results, load_floors(out)))]
    note = footer(results)
    text = to_markdown(tables, note)
    (out / f'{name}.md').write_text(text, encoding='utf-8')
    (out / f'{name}.html').write_text(to_html(tables, note), encoding='utf-8')
    return text


def _index(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)
