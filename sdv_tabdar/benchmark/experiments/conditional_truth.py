"""Are the conditional distributions true? Completed cells against exact ones, on tables made so.

A normal distribution of three columns, one of categories that can be listed, and a mixture with
spikes and missing cells. Conditions are values, ranges, sets, nulls and several of these in one
row. Beside each distance stands what as many draws of the exact distribution itself exceed once in
a hundred. A condition that no value of a small training table meets is named and left out: no model
can know of it.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sdv.sampling import Condition

from sdv_tabdar.benchmark.data.distributions import Case, compare, most_beyond
from sdv_tabdar.benchmark.data.named_tables import known_table
from sdv_tabdar.benchmark.experiments.experiment import Rows, plan_models, rows_of
from sdv_tabdar.benchmark.files import write_json
from sdv_tabdar.benchmark.jobs.measurements import ask_models
from sdv_tabdar.benchmark.jobs.process import Measure
from sdv_tabdar.benchmark.jobs.steps import Fitted
from sdv_tabdar.benchmark.output.rendering import Cell, Grid
from sdv_tabdar.benchmark.output.tables import Number, table
from sdv_tabdar.conditions import Between, NotNull, OneOf

# Nothing is tested on these rows, but a table on disk has some.
TEST_ROWS = 100
UNMET = 'no such training rows'
CHECKS = (
    Number('count', 'cells', digits=0),
    Number('distance', 'distance', digits=4),
    Number('bound', '99 % of chance', digits=4),
    Number('within', 'within'),
)


def collect(options: argparse.Namespace) -> Rows:
    """Make the tables, fit, draw, compare."""
    return ask_of_known_tables(measure, options, {'draws': options.draws})


def ask_of_known_tables(
    measure: Measure, options: argparse.Namespace, settings: Mapping[str, Any]
) -> Rows:
    """Write the known tables that options name, fit them, and ask each model.

    Args:
        measure: Asks a fitted model.
        options: With ``known_tables``, ``table_rows`` and what ``plan_models`` takes.
        settings: Other arguments of ``measure``.
    """
    source = options.out / f'known_tables-{options.table_rows}'
    for name in options.known_tables:
        write_table(name, options.table_rows, source)
    jobs = plan_models(options, data=source, tables=options.known_tables)
    found = ask_models(measure, jobs, options.out, settings)
    return [row for job, answer in found for row in rows_of(job, answer)]


def write_table(name: str, rows: int, folder: Path) -> None:
    """Write a known table as one of a user's own, with SDV metadata; once."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f'{name}.csv'
    if path.is_file():
        return
    known = known_table(name)
    columns = {column: {'sdtype': sdtype} for column, sdtype in known.sdtypes.items()}
    metadata = {'tables': {name: {'columns': columns}}, 'METADATA_SPEC_VERSION': 'V1'}
    write_json(metadata, folder / f'{name}.metadata.json')
    frame = known.mixture.table(rows)
    frame.head(TEST_ROWS).to_csv(folder / f'{name}.test.csv', index=False)
    partial = folder / f'.{name}.partial'
    frame.to_csv(partial, index=False)
    partial.rename(path)


def measure(fitted: Fitted, *, draws: int) -> dict[str, Any]:
    """Draw for each condition of the table and compare with its distributions."""
    found: Rows = []
    for case in known_table(fitted.job.table).cases(draws):
        told = {'condition': case.kind, 'given': describe(case.given)}
        met = seen(case, fitted.dataset.train)
        if met is None:
            empty = {'statistic': '-', 'distance': None, 'bound': None}
            names = ', '.join(case.distributions)
            found.append({**told, 'column': names, **empty, 'count': 0, 'within': UNMET})
            continue
        completed = _completed(fitted, met, draws)
        for name, distribution in case.distributions.items():
            begin = {**told, 'column': name}
            found += [
                {
                    **begin,
                    'statistic': check.statistic,
                    'count': check.count,
                    'distance': check.distance,
                    'bound': check.bound,
                    'within': 'yes' if check.within else 'NO',
                }
                for check in compare(completed[name], distribution)
            ]
    return {'rows': found}


def seen(case: Case, train: pd.DataFrame) -> Case | None:
    """The case if training has seen each of its known cells: within a range, or a level.

    Of different values in each row those that it has seen.
    """
    given = case.given
    if isinstance(given, pd.DataFrame):
        known = [given[name].between(train[name].min(), train[name].max()) for name in given]
        return dataclasses.replace(case, given=given[np.logical_and.reduce(known)])
    is_seen = all(_is_met(cell, train[name]) for name, cell in given.items())
    return case if is_seen else None


def _is_met(cell: object, values: pd.Series) -> bool:
    present = values.dropna()
    if isinstance(cell, OneOf):
        return all(_is_met(value, values) for value in cell.values)
    if cell is None:
        return len(present) < len(values)
    if isinstance(cell, Between):
        low = present.min() if cell.low is None else cell.low
        high = present.max() if cell.high is None else cell.high
        return bool(present.between(low, high).any())
    if isinstance(cell, NotNull):
        return len(present) > 0
    if pd.api.types.is_numeric_dtype(values):
        return bool(present.min() <= cell <= present.max())
    return bool((present == cell).any())


def _completed(fitted: Fitted, case: Case, draws: int) -> pd.DataFrame:
    rows: pd.DataFrame
    if isinstance(case.given, pd.DataFrame):
        rows = fitted.synthesizer.sample_remaining_columns(case.given)
    else:
        wanted = Condition(dict(case.given), num_rows=draws)
        rows = fitted.synthesizer.sample_from_conditions([wanted])
    return rows if case.derive is None else case.derive(rows)


def describe(given: Mapping[str, object] | pd.DataFrame) -> str:
    """A condition as a short text."""
    if isinstance(given, pd.DataFrame):
        return f'other values of {", ".join(given.columns)} in each row'
    return ', '.join(f'{name} {_cell(cell)}' for name, cell in given.items())


def _cell(cell: object) -> str:
    low, high = getattr(cell, 'low', None), getattr(cell, 'high', None)
    if low is not None or high is not None:
        ends = ['' if end is None else f'{end:.4g}' for end in (low, high)]
        return f'in [{ends[0]}, {ends[1]}]'
    if isinstance(cell, (float, np.floating)):
        return f'= {cell:.4g}'
    plain = cell is None or isinstance(cell, str)
    return f'= {cell}' if plain else f'is {cell!r}'


def truth_tables(rows: pd.DataFrame) -> list[Grid]:
    """How many distances are more than chance by kind of condition, then every distance."""
    lines = []
    for name, part in rows[rows['within'] != UNMET].groupby('table', sort=False):
        for kind in [*dict.fromkeys(part['condition']), 'all']:
            chosen = part if kind == 'all' else part[part['condition'] == kind]
            ratios = chosen['distance'] / chosen['bound']
            cells = [f'{len(chosen)}', f'{(ratios > 1).sum()}', f'{most_beyond(len(chosen))}']
            cells += [f'{ratios.median():.2f}', f'{ratios.max():.2f}']
            lines.append((f'{name}: {kind}', [Cell(text) for text in cells]))
    header = ['table', 'checks', 'beyond', 'beyond by chance, at most']
    header += ['median of distance / bound', 'largest']
    by = ['table', 'condition', 'given', 'column', 'statistic']
    title = 'Completed cells and their exact distributions'
    return [
        Grid('How many distances are more than chance', header, lines),
        table(rows, title, by, CHECKS, name='given, distribution of, distance'),
    ]
