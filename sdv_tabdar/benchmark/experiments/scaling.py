"""Time and peak memory of one epoch of fitting and of sampling against the size of the table.

Tables are generated: with more and more rows, with more and more columns, and with one categorical
column of more and more levels; and more and more rows are written to disk as they are drawn. Each
is measured in a fresh process. The exponent beside a number is the slope of its logarithm between
that size and the one before: 1 is a straight line, 2 is quadratic, 0 does not depend on the size.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.benchmark.data.generated import make_table, metadata_of
from sdv_tabdar.benchmark.experiments.experiment import Rows, split_pair
from sdv_tabdar.benchmark.experiments.options import whole
from sdv_tabdar.benchmark.jobs.cost import MIB, Cost, measured
from sdv_tabdar.benchmark.jobs.environment import summary
from sdv_tabdar.benchmark.jobs.measurements import measure_once
from sdv_tabdar.benchmark.methods.spec import parse_options
from sdv_tabdar.benchmark.output.rendering import Cell, Grid
from sdv_tabdar.benchmark.output.tables import NOTHING, Number

SIZES = {
    'rows': (10_000, 100_000, 1_000_000, 10_000_000),
    'columns': (5, 10, 20, 50, 100, 200),
    'levels': (10, 100, 1_000, 10_000, 100_000, 1_000_000),
    'streamed': (10_000, 100_000, 1_000_000),
}
COLUMNS_OF_ROWS = 10
ROWS_OF_COLUMNS = 10_000
COLUMNS_OF_LEVELS = 2
MIN_ROWS_OF_LEVELS = 100_000
WARM_UP_ROWS = 100
SCORED_ROWS = 1_000
NUMBERS = (
    Number('fit_seconds', 'fit, s', digits=2),
    Number('fit_memory', 'memory added by fit, MiB', digits=0),
    Number('sample_seconds', 'sample, s', digits=2),
    Number('sample_memory', 'memory added by sampling, MiB', digits=0),
    Number('likelihood_seconds', '1,000 log-likelihoods, processor s', digits=2),
)


def collect(options: argparse.Namespace) -> Rows:
    """Measure what is missing.

    Raises:
        ValueError: If a sweep or the sweep of a limit is unknown.
    """
    unknown = [sweep for sweep in options.sweeps if sweep not in SIZES]
    if unknown:
        raise ValueError(f'--sweeps must be of {list(SIZES)}, but it has {unknown}.')
    limits = read_limits(options.up_to)
    rows: Rows = []
    for seed in options.seeds:
        for sweep in options.sweeps:
            limit = limits.get(sweep, math.inf)
            sizes = sorted(n for n in options.sizes or SIZES[sweep] if n <= limit)
            for size in sizes:
                asked = question(sweep, size, sizes, options.sample_rows)
                asked |= {'settings': parse_options(options.settings, options.settings)}
                answer = measure_once(
                    measure,
                    {**asked, 'seed': seed},
                    options.out / sweep,
                    threads=options.threads,
                    seed=seed,
                )
                if answer is not None:
                    begin = {'sweep': sweep, 'size': size, 'seed': seed, 'threads': options.threads}
                    machine = summary(answer['environment'])
                    rows.append({**begin, 'machine': machine, **answer['row']})
    return rows


def read_limits(texts: Sequence[str]) -> dict[str, int]:
    """``{'rows': 1000000}`` from ``['rows=1e6']``.

    Raises:
        ValueError: If a text is no ``SWEEP=N``.
    """
    form = f'SWEEP=N, with SWEEP one of {list(SIZES)} and a whole number N,'
    limits = {}
    for text in texts:
        sweep, size = split_pair(text, 'limit of --up-to', form)
        try:
            limits[sweep] = whole(size)
        except argparse.ArgumentTypeError:
            sweep = ''
        if sweep not in SIZES:
            raise ValueError(f"A limit of --up-to must look like {form} but it is '{text}'.")
    return limits


def question(sweep: str, size: int, sizes: Sequence[int], sample_rows: int) -> dict[str, Any]:
    """What is asked about one size of a sweep."""
    if sweep == 'rows':
        rows, columns = size, COLUMNS_OF_ROWS
    elif sweep == 'streamed':
        rows, columns = ROWS_OF_COLUMNS, COLUMNS_OF_ROWS
    elif sweep == 'columns':
        rows, columns = ROWS_OF_COLUMNS, size
    else:
        # All sizes have the same rows, and each of the most levels at least one.
        rows, columns = max(MIN_ROWS_OF_LEVELS, *sizes), COLUMNS_OF_LEVELS
    return {
        'rows': rows,
        'columns': columns,
        'levels': size if sweep == 'levels' else None,
        'streamed': sweep == 'streamed',
        'sample_rows': size if sweep == 'streamed' else min(rows, sample_rows),
    }


def measure(
    rows: int,
    columns: int,
    levels: int | None,
    streamed: bool,
    sample_rows: int,
    settings: Mapping[str, Any],
    seed: int,
) -> dict[str, Any]:
    """Fit one epoch and sample.

    Args:
        rows: See ``make_table``.
        columns: See ``make_table``.
        levels: See ``make_table``.
        streamed: Whether rows are written to disk as they are drawn and not kept.
        sample_rows: How many to draw.
        settings: Hyperparameters in place of the defaults.
        seed: Of the table and the synthesizer.
    """
    options = {'random_state': seed, **settings}
    # What torch and others load on first use is not the table's time and memory.
    first = make_table(WARM_UP_ROWS, 2)
    warm = _synthesizer(first, options)
    warm.fit(first)
    warm.sample(WARM_UP_ROWS)
    table = make_table(rows, columns, levels, seed)
    synthesizer = _synthesizer(table, options)
    with measured() as fitting:
        synthesizer.fit(table)
    with measured() as sampling, tempfile.TemporaryDirectory() as folder:
        if streamed:
            synthesizer.sample(sample_rows, output_folder_path=folder, return_rows=False)
        else:
            synthesizer.sample(sample_rows)
    with measured() as scoring:
        synthesizer.log_likelihood(table.head(SCORED_ROWS), seed=seed)
    row = {
        'fit_seconds': fitting.seconds,
        'fit_memory': _added(fitting),
        'sample_seconds': sampling.seconds,
        'sample_memory': _added(sampling),
        'likelihood_seconds': scoring.cpu_seconds,
        'table_rows': table.shape[0],
        'table_columns': table.shape[1],
        'table_mib': float(table.memory_usage(deep=True).sum()) / MIB,
    }
    return {'row': row}


def _added(cost: Cost) -> float:
    """What the peak of memory rose above its level at the start, in MiB."""
    return max(cost.peak_memory_mib - cost.memory_before_mib, 0.0)


def _synthesizer(table: pd.DataFrame, settings: Mapping[str, Any]) -> TabDARSynthesizer:
    once = {'epochs': 1, 'max_training_time': None, 'enable_gpu': False}
    return TabDARSynthesizer(metadata_of(table), **{**once, **settings})


def scaling_tables(rows: pd.DataFrame) -> list[Grid]:
    """For each sweep a row a size, each number with its exponent."""
    return [_sweep(str(sweep), part) for sweep, part in rows.groupby('sweep', sort=False)]


def _sweep(sweep: str, rows: pd.DataFrame) -> Grid:
    groups = [(int(size), part) for size, part in rows.groupby('size')]
    means = [part[[number.key for number in NUMBERS]].mean() for _, part in groups]
    header, lines = [sweep], []
    for number in NUMBERS:
        header += [number.title, 'exponent']
    for place, (size, part) in enumerate(groups):
        cells = []
        for number in NUMBERS:
            slope = None
            if place:
                before, after = means[place - 1][number.key], means[place][number.key]
                slope = exponent(groups[place - 1][0], size, before, after)
            cells.append(Cell(number.text(part[number.key].tolist())))
            cells.append(Cell(NOTHING if slope is None else f'{slope:.2f}'))
        lines.append((f'{size:,}', cells))
    largest = groups[-1][1].iloc[0]
    others = [
        f'{largest[f"table_{name}"]:,} {name}' for name in ('rows', 'columns') if name != sweep
    ]
    note = (
        f'Tables of {" and ".join(others)}; the largest takes {largest["table_mib"]:,.0f} MiB as a '
        'DataFrame.'
    )
    return Grid(f'Scaling with {sweep}', header, lines, note)


def exponent(small: float, large: float, before: float, after: float) -> float | None:
    """The slope of the logarithm between two sizes; None where a number is 0."""
    if before <= 0 or after <= 0:
        return None
    return math.log(after / before) / math.log(large / small)
