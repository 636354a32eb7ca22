"""How fast rows are completed when the known cells differ in every row, beside plain sampling.

Plain sampling and completing take turns in one process, and medians are printed. SDV's
GaussianCopula completes some of the same rows; it makes a call of its model for each of them.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.datasets import Dataset
from sdv_tabdar.benchmark.evidence import (
    add_model_options,
    collect,
    plan_models,
    publish,
    run_label,
)
from sdv_tabdar.benchmark.models import Fitted
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.runner import Launch

HELP = 'completing rows with other known numbers in each, beside plain sampling'
NAME = 'conditional_speed'
WARM_UP_ROWS = 1_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_model_options(parser, tables=['adult'])
    parser.add_argument(
        '--columns',
        nargs='+',
        default=['fnlwgt', 'age'],
        metavar='COLUMN',
        help='the known columns (default: fnlwgt age)',
    )
    parser.add_argument(
        '--known-rows',
        type=int,
        default=10_000,
        metavar='N',
        help='how many distinct rows to complete (default: %(default)s)',
    )
    parser.add_argument(
        '--copula-rows',
        type=int,
        default=500,
        metavar='N',
        help='how many of them GaussianCopula completes; 0 for none (default: %(default)s)',
    )
    parser.add_argument(
        '--repeats', type=int, default=5, metavar='N', help='counted turns (default: %(default)s)'
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Measure, print the table, keep it as ``conditional_speed.md``.

    Raises:
        ValueError: If there is nothing to repeat or to complete.
    """
    for name, least in (('repeats', 1), ('known_rows', 1), ('copula_rows', 0)):
        value = getattr(options, name)
        if value < least:
            option = name.replace('_', '-')
            raise ValueError(f'--{option} must be at least {least}, but it is {value}.')
    settings = {
        'columns': options.columns,
        'known_rows': options.known_rows,
        'copula_rows': options.copula_rows,
        'repeats': options.repeats,
    }
    results = collect(NAME, plan_models(options), options.out, settings, launch=launch)
    note = f'Medians of {options.repeats} turns. Known: {", ".join(options.columns)}.'
    publish(NAME, options.out, [speed_grid(results)], results, note)
    return results


def measure(
    fitted: Fitted, *, columns: list[str], known_rows: int, copula_rows: int, repeats: int
) -> dict[str, Any]:
    """Time plain sampling and completing in turns, and then GaussianCopula."""
    known = distinct_rows(fitted.dataset, columns, known_rows, fitted.job.seed)
    synthesizer = fitted.synthesizer
    # What is prepared on first use is not counted.
    synthesizer.sample(min(WARM_UP_ROWS, len(known)))
    synthesizer.sample_remaining_columns(known.head(WARM_UP_ROWS))
    plain, completed = [], []
    returned = []
    for _ in range(repeats):
        start = time.perf_counter()
        synthesizer.sample(len(known))
        middle = time.perf_counter()
        rows = synthesizer.sample_remaining_columns(known)
        plain.append(middle - start)
        completed.append(time.perf_counter() - middle)
        returned.append(_kept(rows, known))
    copula = known.head(copula_rows)
    return {
        'known': len(known),
        'returned': min(returned),
        'plain_seconds': plain,
        'completed_seconds': completed,
        'copula': _copula(fitted.dataset, copula) if len(copula) else None,
    }


def distinct_rows(dataset: Dataset, columns: Sequence[str], count: int, seed: int) -> pd.DataFrame:
    """Distinct known cells, taken from training rows at random.

    Raises:
        ValueError: If a column is unknown, or there are not so many distinct rows.
    """
    unknown = [name for name in columns if name not in dataset.train.columns]
    if unknown:
        raise ValueError(
            f"Table '{dataset.name}' has no columns {unknown}. Its columns are "
            f'{list(dataset.train.columns)}.'
        )
    distinct = dataset.train[list(columns)].dropna().drop_duplicates()
    if len(distinct) < count:
        raise ValueError(
            f"Table '{dataset.name}' has {len(distinct):,} distinct rows of {list(columns)}, but "
            f'{count:,} are to be completed. Ask for fewer with --known-rows.'
        )
    order = np.random.default_rng(seed).permutation(len(distinct))[:count]
    return distinct.iloc[order].reset_index(drop=True)


def _kept(rows: pd.DataFrame, known: pd.DataFrame) -> int:
    """How many rows came back, each with its known cells."""
    wanted = known.loc[rows.index]
    return int((rows[list(known.columns)] == wanted).all(axis=1).sum())


def _copula(dataset: Dataset, known: pd.DataFrame) -> dict[str, Any]:
    from sdv.single_table import GaussianCopulaSynthesizer

    copula = GaussianCopulaSynthesizer(dataset.metadata)
    copula.fit({dataset.name: dataset.train.copy()})
    start = time.perf_counter()
    rows = copula.sample_remaining_columns(known)[dataset.name]
    return {
        'known': len(known),
        'returned': len(rows),
        'seconds': time.perf_counter() - start,
    }


def speed_grid(results: Sequence[Mapping[str, Any]]) -> Grid:
    """Rows a second: plain, completed, and GaussianCopula's."""
    rows = []
    for result in results:
        count, copula = result['known'], result['copula']
        plain = count / statistics.median(result['plain_seconds'])
        completed = count / statistics.median(result['completed_seconds'])
        cells = [
            f'{result["returned"]:,} of {count:,}',
            f'{plain:,.0f}',
            f'{completed:,.0f}',
            f'{completed / plain:.2f}',
        ]
        if copula is None:
            cells += ['-'] * 3
        else:
            speed = copula['known'] / copula['seconds']
            cells += [
                f'{copula["returned"]:,} of {copula["known"]:,}',
                f'{speed:,.1f}',
                f'{completed / speed:,.1f}',
            ]
        rows.append((run_label(result), [Cell(text) for text in cells]))
    header = ['table', 'completed', 'plain, rows/s', 'completing, rows/s', 'completing / plain']
    header += ['GaussianCopula completed', 'its rows/s', 'ours / its, per row']
    return Grid('Completing rows with distinct known cells', header, rows)
