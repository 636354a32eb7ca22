"""The paper's tables from runs, with the published numbers of each method below its own row."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sdv_tabdar.benchmark.published import Number, Table
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.results import NOTHING

Result = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Row:
    """A method or setting.

    Attributes:
        title: What the table calls it.
        label: The label of its runs.
        published: What the published table calls it; None if it is not there.
    """

    title: str
    label: str
    published: str | None = None


@dataclasses.dataclass(frozen=True)
class Column:
    """A number of a run.

    Attributes:
        title: What the table calls it.
        value: Takes it from a run; None if the run does not have it.
        key: What the published table calls it; empty if it is not there.
        digits: Digits after the point.
        table: The table of data whose runs are meant; None for all, averaged.
    """

    title: str
    value: Callable[[Result], float | None]
    key: str = ''
    digits: int = 2
    table: str | None = None


def score(
    key: str, *, factor: float = 1.0, error: bool = False
) -> Callable[[Result], float | None]:
    """How to take a score from a run.

    Args:
        key: Its name in a result.
        factor: Multiplied.
        error: Whether to take it from 1 before.
    """

    def value(result: Result) -> float | None:
        found = result['scores'].get(key)
        if found is None:
            return None
        return factor * (1 - found if error else found)

    return value


def cost(step: str, field: str) -> Callable[[Result], float | None]:
    """How to take what ``'fit'`` or ``'sample'`` took from a run; None for rows made elsewhere."""
    return lambda result: None if result[step] is None else float(result[step][field])


MARGINAL = Column('Marginal, %', score('shape_error', factor=100), 'marginal')
JOINT = Column('Joint, %', score('trend_error', factor=100), 'joint')
PRECISION = Column(
    'alpha-precision error, %',
    score('alpha_precision', factor=100, error=True),
    'alpha_precision',
)
RECALL = Column(
    'beta-recall error, % (50 is honest)',
    score('beta_recall', factor=100, error=True),
    'beta_recall',
)
FIDELITY = (
    MARGINAL,
    JOINT,
    PRECISION,
    RECALL,
    Column('LR-C2ST error, %', score('lr_c2st', factor=100, error=True), 'c2st'),
    Column('JSD, 1e-2', score('jsd_paper', factor=100), 'jsd'),
    Column('XGB-C2ST error, %', score('xgb_c2st', factor=100, error=True)),
)
ABLATION = (MARGINAL, JOINT)
SENSITIVITY = (MARGINAL, JOINT, PRECISION, RECALL)
TIMING = (
    Column('Fit, s', cost('fit', 'seconds'), 'fit_seconds', 1),
    Column('Sample, s', cost('sample', 'seconds'), 'sample_seconds', 1),
    Column('Peak memory of fit, MiB', cost('fit', 'peak_memory_mib'), digits=0),
)


def mle_columns(tables: Sequence[str], key: str) -> list[Column]:
    """One column a table of data, with the score ``key``."""
    return [Column(table, score(key), table, 3, table) for table in tables]


def dcr_columns(tables: Sequence[str]) -> list[Column]:
    """Two columns a table of data: ties split, and ties counted as the published code does."""
    return [
        column
        for table in tables
        for column in (
            Column(f'{table}, %', score('dcr_share', factor=100), '', 2, table),
            Column(
                f'{table}, ties as published, %',
                score('dcr_share_paper', factor=100),
                table,
                2,
                table,
            ),
        )
    ]


def table_grid(
    title: str,
    results: Sequence[Result],
    rows: Sequence[Row],
    columns: Sequence[Column],
    published: Table | None = None,
    *,
    others: bool = True,
    name: str = 'method',
) -> Grid:
    """A table of the paper.

    Args:
        title: Above it.
        results: Runs; those of other labels than the rows' are left out.
        rows: What to show, in this order.
        columns: Numbers to show. Averages over tables of data come with their spread.
        published: The published table.
        others: Whether to end with the published methods that no row stands for.
        name: What the rows are.
    """
    shown: list[tuple[str, list[Cell]]] = []
    told: set[str] = set()
    every = {result['job']['table'] for result in results}
    for index, row in enumerate(rows):
        mine = [result for result in results if result['job']['label'] == row.label]
        shown.append((_title(row, mine, every), [_cell(mine, column) for column in columns]))
        # Two of our rows may stand for one published method; it is printed below the last.
        later = any(following.published == row.published for following in rows[index + 1 :])
        if published is not None and row.published in published.rows and not later:
            assert row.published is not None
            told.add(row.published)
            shown += _published_row(row.published, columns, published)
    if published is not None and others:
        for method in published.rows:
            if method not in told:
                shown += _published_row(method, columns, published)
    note = ''
    if published is not None:
        note = f'{published.remark} Published: {published.source}.'
    return Grid(title, [name, *(column.title for column in columns)], shown, note)


def _title(row: Row, mine: Sequence[Result], every: set[str]) -> str:
    """The row's title; a method that failed on some tables must not pass for one that did not."""
    done = {result['job']['table'] for result in mine}
    if not done or done == every:
        return row.title
    return f'{row.title} ({len(done)} of {len(every)} tables)'


def _cell(mine: Sequence[Result], column: Column) -> Cell:
    """The mean over seeds of one table, or mean and spread over tables."""
    by_table: dict[str, list[float]] = {}
    for result in mine:
        table = result['job']['table']
        value = column.value(result) if column.table in (None, table) else None
        if value is not None:
            by_table.setdefault(table, []).append(value)
    means = [statistics.fmean(values) for values in by_table.values()]
    if not means:
        return Cell(NOTHING)
    text = f'{statistics.fmean(means):,.{column.digits}f}'
    if len(means) > 1:
        text += f' ± {statistics.stdev(means):,.{column.digits}f}'
    return Cell(text)


def _published_row(
    method: str, columns: Sequence[Column], published: Table
) -> list[tuple[str, list[Cell]]]:
    """One row, or none if nothing is known for these columns."""
    numbers = [published.number(method, column.key) for column in columns]
    if not any(numbers):
        return []
    return [(f'{method}, published', [_published_cell(number) for number in numbers])]


def _published_cell(number: Number | None) -> Cell:
    """The digits are those of the print."""
    if number is None:
        return Cell(NOTHING)
    spread = '' if number.std is None else f' ± {number.std:g}'
    return Cell(f'{number.mean:g}{spread}')
