"""Tables of raw rows: mean and spread over seeds, the best marked, floors beside them.

Raw rows are a frame with a row for each run, or for each measurement of one. Whatever has the same
names (table, synthesizer, ...) goes into one row of the printed table.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from sdv_tabdar.benchmark.output.rendering import Cell, Grid
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
# What is no number of a run, and one that another number says.
FACTS = (
    *('table', 'synthesizer', 'kind', 'spec', 'seed', 'task', 'threads', 'limit', 'machine'),
    'sample_seconds',
)

Goal = Literal['low', 'high'] | float | None
Key = tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class Number:
    """How a column of raw rows is printed.

    Attributes:
        key: Its name.
        title: Its name in a table, with the unit.
        goal: Which is best: the lowest, the highest, the closest to a number; None says nothing.
        factor: Multiplied before printing.
        digits: Digits after the point.
        group: What it stands with where there are too many for one table.
        center: 'mean' is followed by the standard deviation, 'median' by lowest and highest.
        sign: '+' to print the sign of positive numbers as well.
    """

    key: str
    title: str
    goal: Goal = None
    factor: float = 1.0
    digits: int = 3
    group: str = 'other'
    center: Literal['mean', 'median'] = 'mean'
    sign: str = ''

    def text(self, values: Sequence[Any]) -> str:
        """The middle, with a spread where there are several values; texts are listed."""
        if not values:
            return NOTHING
        if isinstance(values[0], str):
            return ', '.join(dict.fromkeys(map(str, values)))
        scaled = [float(value) * self.factor for value in values]
        middle = getattr(statistics, self.center)(scaled)
        pattern = f'{self.sign},.{self.digits}f'
        text = f'{middle:{pattern}}'
        if len(scaled) == 1 or not all(map(math.isfinite, scaled)):
            return text
        if len(set(scaled)) == 1 and (self.center == 'median' or not self.digits):
            return text
        if self.center == 'mean':
            return f'{text} ± {statistics.stdev(scaled):,.{self.digits}f}'
        return f'{text} [{min(scaled):{pattern}}, {max(scaled):{pattern}}]'


def median(key: str, title: str, digits: int) -> Number:
    """A number whose median counts, with the lowest and the highest."""
    return Number(key, title, digits=digits, center='median')


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


def _metric(key: str) -> Number:
    """A metric as the evaluation explains it."""
    meaning = SCORES[key]
    title = TITLES.get(key, meaning.title) + (', %' if meaning.percent else '')
    goals: dict[str, Goal] = {'lower': 'low', 'higher': 'high', 'floor': meaning.ideal}
    if meaning.goal == 'floor' and meaning.ideal is not None:
        # An honest sample has this value, and more comes from copying.
        title = f'{title} ({meaning.ideal:g} is honest)'
    factor, digits = (100, 2) if meaning.percent else (1, 3)
    return Number(key, title, goals[meaning.goal], factor, digits, meaning.group)


METRICS = tuple(_metric(key) for key in dict.fromkeys((*TITLES, *SCORES)))
COSTS = (
    Number('fit_seconds', 'Fit, s', 'low', 1, 1, TIME),
    Number('fit_cpu_seconds', 'Fit, processor s', 'low', 1, 1, TIME),
    Number('fit_peak_memory', 'Peak memory of fit, MiB', 'low', 1, 0, TIME),
    Number('rows_per_second', 'Rows sampled per second', 'high', 1, 0, TIME),
    Number('sample_peak_memory', 'Peak memory of sampling, MiB', 'low', 1, 0, TIME),
)


def table(
    rows: pd.DataFrame,
    title: str,
    by: Sequence[str],
    numbers: Sequence[Number],
    *,
    within: str | None = None,
    name: str | None = None,
    note: str = '',
) -> Grid:
    """A table with a row for each combination of some names.

    Args:
        rows: Raw rows.
        title: Of the table.
        by: The names.
        numbers: What to print.
        within: The name within which the best is marked; by default among all.
        name: What the first column is called; by default as the last name.
        note: What stands below.
    """
    columns = [_cells(rows, by, number, within) for number in numbers]
    printed = [
        (': '.join(map(str, key)), [column[key] for column in columns]) for key in _keys(rows, by)
    ]
    return Grid(title, [name or by[-1], *(number.title for number in numbers)], printed, note)


def comparison(rows: pd.DataFrame) -> list[Grid]:
    """Synthesizers by metrics if there is one table of data, else by tables for each metric."""
    names = list(dict.fromkeys(rows['table']))
    numbers = _numbers(rows)
    if len(names) > 1:
        return [_one_number(rows, number, names) for number in numbers]
    if len(numbers) <= WIDEST:
        return [table(rows, names[0], ['synthesizer'], numbers)]
    grids = []
    for group in dict.fromkeys(number.group for number in numbers):
        chosen = [number for number in numbers if number.group == group]
        known = rows[rows[[number.key for number in chosen]].notna().any(axis=1)]
        grids.append(table(known, f'{names[0]}, {group}', ['synthesizer'], chosen))
    return grids


def footer(rows: pd.DataFrame) -> str:
    """How the numbers came about: machine, threads, rows, seeds."""
    threads = sorted({int(count) for count in rows['threads'].dropna()})
    seeds = sorted({int(seed) for seed in rows['seed'].dropna()})
    parts = [
        f'Threads: {", ".join(map(str, threads)) or "as the libraries choose"}.',
        f'Seeds: {", ".join(map(str, seeds))}.',
        *(f'Made with {machine}.' for machine in dict.fromkeys(rows['machine'].dropna())),
    ]
    if 'limit' in rows and rows['limit'].notna().any():
        parts.insert(0, f'At most {int(rows["limit"].max()):,} training rows a table.')
    return ' '.join(parts)


def _numbers(rows: pd.DataFrame) -> list[Number]:
    """The metrics that occur; those that are not known come between quality and costs."""
    known = {number.key for number in (*METRICS, *COSTS)}
    others = [Number(key, key) for key in rows if key not in known and key not in FACTS]
    return [
        number
        for number in (*METRICS, *others, *COSTS)
        if number.key in rows and rows[number.key].notna().any() and _is_shown(number.key)
    ]


def _is_shown(key: str) -> bool:
    """Not the spread within a run, and not what is shown as a floor."""
    name, _, suffix = key.rpartition('_')
    is_spread = key not in SCORES and suffix in SPREADS and name.removesuffix('_real') in SCORES
    return not is_spread and key not in REAL_BESIDE.values()


def _one_number(rows: pd.DataFrame, number: Number, names: Sequence[str]) -> Grid:
    """Synthesizers by tables of data, with the mean of those that have all tables."""
    known = rows[rows[number.key].notna()]
    labels = _keys(known, ['synthesizer'])
    columns = [
        _cells(known[known['table'] == name], ['synthesizer'], number, None) for name in names
    ]
    means = known.groupby(['synthesizer', 'table'])[number.key].mean().unstack()
    averages = means.reindex(columns=names).mean(axis=1, skipna=False).rename(number.key)
    # An AUC on one table and an RMSE on another have no average that means anything to win.
    goal = None if number.key in BY_TASK else number.goal
    number = dataclasses.replace(number, goal=goal)
    columns.append(_cells(averages.reset_index(), ['synthesizer'], number, None))
    printed = [
        (str(key[0]), [column.get(key, Cell(NOTHING)) for column in columns]) for key in labels
    ]
    return Grid(number.title, ['synthesizer', *names, 'average'], printed)


def _cells(
    rows: pd.DataFrame, by: Sequence[str], number: Number, within: str | None
) -> dict[Key, Cell]:
    """The printed number of each combination of names."""
    values = {
        key: part[number.key].dropna().tolist() if number.key in part else []
        for key, part in rows.groupby(list(by), sort=False, dropna=False)
    }
    best: set[Key] = set()
    for _, part in rows.groupby(within, sort=False) if within else [(None, rows)]:
        means = {
            key: statistics.fmean(values[key])
            for key in _keys(part, by)
            if number.goal is not None and values[key]
        }
        best |= best_keys(means, _goal(number, part), number)
    return {key: Cell(number.text(found), key in best) for key, found in values.items()}


def _keys(rows: pd.DataFrame, by: Sequence[str]) -> list[Key]:
    return list(dict.fromkeys(rows[list(by)].itertuples(index=False, name=None)))


def _goal(number: Number, rows: pd.DataFrame) -> Goal:
    if number.key in BY_TASK and 'task' in rows and rows['task'].notna().any():
        return 'low' if rows['task'].dropna().iloc[0] == 'regression' else 'high'
    return number.goal


def best_keys(means: Mapping[Key, float], goal: Goal, number: Number) -> set[Key]:
    """The rows whose printed mean is the best; floors do not compete."""
    competing = {key: value for key, value in means.items() if FLOOR_LABEL not in key}
    if goal is None or len(competing) < 2:
        return set()
    # What is printed the same is equally good.
    printed = {
        key: round(_distance(value, goal) * number.factor, number.digits)
        for key, value in competing.items()
    }
    lowest = min(printed.values())
    return {key for key, value in printed.items() if value == lowest}


def _distance(value: float, goal: Literal['low', 'high'] | float) -> float:
    """Smaller is better."""
    if goal == 'low':
        return value
    return -value if goal == 'high' else abs(value - goal)
