"""Are the conditional laws true? Completed cells against exact laws, on tables made from them.

A normal law of three columns, a law of categories that can be listed, and a mixture with spikes
and missing cells. Conditions are values, ranges, sets, nulls and several of these in one row.
Beside each distance stands what as many draws of the exact law itself exceed once in a hundred.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sdv.sampling import Condition

from sdv_tabdar.benchmark.evidence import (
    OUT,
    add_training_options,
    collect,
    plan_models,
    publish,
    run_label,
)
from sdv_tabdar.benchmark.jobs import write_json
from sdv_tabdar.benchmark.known_tables import KnownTable, known_tables
from sdv_tabdar.benchmark.laws import Case, compare, most_beyond
from sdv_tabdar.benchmark.models import Fitted
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.runner import Launch

HELP = 'completed cells against exact conditional laws'
NAME = 'conditional_truth'
TABLES = ('gaussian', 'discrete', 'spiked')
# Nothing is tested on these rows, but a table on disk has some.
TEST_ROWS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        '--tables',
        nargs='+',
        choices=TABLES,
        default=list(TABLES),
        help='which laws (default: all)',
    )
    parser.add_argument(
        '--rows',
        type=int,
        default=16_384,
        metavar='N',
        help='rows of each training table (default: %(default)s)',
    )
    parser.add_argument(
        '--draws',
        type=int,
        default=1_000,
        metavar='N',
        help='rows drawn for each condition (default: %(default)s)',
    )
    parser.add_argument(
        '--out',
        type=Path,
        default=Path(OUT),
        metavar='FOLDER',
        help='run directory; what it has is not done again (default: %(default)s)',
    )
    parser.add_argument(
        '--seeds', nargs='+', type=int, default=[0], metavar='N', help='seeds (default: 0)'
    )
    parser.add_argument(
        '--threads', type=int, metavar='N', help='threads of the numerical libraries'
    )
    add_training_options(parser)


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Make the tables, fit, draw, print how far the draws are from the laws.

    Raises:
        ValueError: If the tables have too few rows, or too few rows shall be drawn.
    """
    for name, least in (('rows', 100), ('draws', 100)):
        if getattr(options, name) < least:
            value = getattr(options, name)
            raise ValueError(f'--{name} must be at least {least}, but it is {value}.')
    source = options.out / f'known_tables-{options.rows}'
    tables = known_tables(options.rows, options.draws)
    for name in options.tables:
        write_table(tables[name], source)
    jobs = plan_models(
        options,
        data=source,
        tables=options.tables,
        seeds=options.seeds,
        threads=options.threads,
    )
    settings = {'rows': options.rows, 'draws': options.draws}
    results = collect(NAME, jobs, options.out, settings, launch=launch)
    note = (
        f'{options.draws:,} draws for each condition; training tables of about {options.rows:,} '
        'rows that lie evenly on their law.'
    )
    publish('conditional_truth', options.out, [verdict(results), checks(results)], results, note)
    return results


def write_table(table: KnownTable, folder: Path) -> None:
    """Write a known table as one of a user's own, with SDV metadata; once."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f'{table.name}.csv'
    if path.is_file():
        return
    columns = {name: {'sdtype': sdtype} for name, sdtype in table.sdtypes.items()}
    metadata = {'tables': {table.name: {'columns': columns}}, 'METADATA_SPEC_VERSION': 'V1'}
    write_json(metadata, folder / f'{table.name}.metadata.json')
    table.frame.head(TEST_ROWS).to_csv(folder / f'{table.name}.test.csv', index=False)
    partial = folder / f'.{table.name}.partial'
    table.frame.to_csv(partial, index=False)
    partial.rename(path)


def measure(fitted: Fitted, *, rows: int, draws: int) -> dict[str, Any]:
    """Draw for each condition of the table and compare with its laws."""
    table = known_tables(rows, draws)[fitted.job.table]
    found: list[dict[str, Any]] = []
    for case in table.cases:
        completed = _completed(fitted, case, draws)
        for columns, law in case.laws.items():
            name = columns if isinstance(columns, str) else ', '.join(columns)
            found.extend(
                {
                    'kind': case.kind,
                    'given': _told(case.given),
                    'column': name,
                    'statistic': check.statistic,
                    'count': check.count,
                    'distance': check.distance,
                    'bound': check.bound,
                }
                for check in compare(completed, columns, law)
            )
    return {'checks': found, 'fit_seconds': fitted.fit_seconds}


def _completed(fitted: Fitted, case: Case, draws: int) -> pd.DataFrame:
    rows: pd.DataFrame
    if isinstance(case.given, pd.DataFrame):
        rows = fitted.synthesizer.sample_remaining_columns(case.given)
    else:
        wanted = Condition(dict(case.given), num_rows=draws)
        rows = fitted.synthesizer.sample_from_conditions([wanted])
    return rows if case.derive is None else case.derive(rows)


def _told(given: Mapping[str, object] | pd.DataFrame) -> str:
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


def checks(results: Sequence[Mapping[str, Any]]) -> Grid:
    """Every distance with its bound."""
    rows = []
    for result in results:
        for check in result['checks']:
            label = f'{run_label(result)}: {check["kind"]}, {check["given"]}'
            cells = [
                check['column'],
                check['statistic'],
                f'{check["count"]:,}',
                f'{check["distance"]:.4f}',
                f'{check["bound"]:.4f}',
                'yes' if check['distance'] <= check['bound'] else 'NO',
            ]
            rows.append((label, [Cell(text) for text in cells]))
    header = ['given', 'law of', 'distance of', 'cells', 'distance', '99 % of chance', 'within']
    return Grid('Completed cells and their exact laws', header, rows)


def verdict(results: Sequence[Mapping[str, Any]]) -> Grid:
    """For each table and kind of condition, how many distances are more than chance."""
    rows = []
    for result in results:
        kinds = dict.fromkeys(check['kind'] for check in result['checks'])
        for kind in [*kinds, None]:
            chosen = [c for c in result['checks'] if kind is None or c['kind'] == kind]
            ratios = [check['distance'] / check['bound'] for check in chosen]
            cells = [
                f'{len(chosen)}',
                f'{sum(ratio > 1 for ratio in ratios)}',
                f'{most_beyond(len(chosen))}',
                f'{np.median(ratios):.2f}',
                f'{max(ratios):.2f}',
            ]
            label = f'{run_label(result)}: {kind or "all"}'
            rows.append((label, [Cell(text) for text in cells]))
    header = ['table', 'checks', 'beyond', 'beyond by chance, at most']
    header += ['median of distance / bound', 'largest']
    return Grid('How many distances are more than chance', header, rows)
