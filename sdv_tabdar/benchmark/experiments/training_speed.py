"""Training rows per second beside a plain implementation of the same network.

The plain one is float32, eager, with the fused attention call, torch's own softmax and the
default allocator; the fast one is what ``TabDAR.fit`` runs. Both, and the speed of the machine's
own matrix products, are measured in turns, each in a fresh process: once set, glibc's allocator
does not go back to the way it is by default. The medians count, and the ratio is that of the ratios
of the turns.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch.utils.flop_counter import FlopCounterMode

from sdv_tabdar.benchmark.experiments.core_table import configurations, core_table
from sdv_tabdar.benchmark.experiments.experiment import Rows, facts, plan_settings
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.measurements import measure_job, measure_once
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.methods import plain
from sdv_tabdar.benchmark.methods.spec import ENDLESS, parse_options
from sdv_tabdar.benchmark.output.rendering import Grid
from sdv_tabdar.benchmark.output.tables import median, table
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import losses
from sdv_tabdar.core.training.defaults import rows_of_step
from sdv_tabdar.core.training.loop import fit_network

FAST, PLAIN = 'this package', 'plain implementation'
MATRIX_SIZES = (512, 1024, 2048)
MATRIX_TYPES = ('float32', 'bfloat16')
MATRIX_SECONDS = 5.0
GIGA = 1e9


NUMBERS = (
    median('rows_per_second', 'rows/s', 0),
    median('rows_per_cpu_second', 'rows per processor second', 0),
    median('gflops', 'GFLOP/s', 1),
    *(median(f'share_{dtype}', f'share of the {dtype} peak, %', 1) for dtype in MATRIX_TYPES),
    median('ratio', 'times the plain, rows/s', 2),
    median('cpu_ratio', 'times the plain, rows per processor second', 2),
)


def collect(options: argparse.Namespace) -> Rows:
    """Measure what is missing, in turns."""
    rows: Rows = []
    for job in plan(synthesizers=['tabdar'], **plan_settings(options)):
        for turn in range(options.repeats):
            rows += _turn(job, turn, options)
    return rows


def _turn(job: Job, turn: int, options: argparse.Namespace) -> Rows:
    """Plain, fast, matrix products; nothing if one of them failed."""
    folder = options.out / 'measured' / job.place / f'turn={turn}'
    settings = parse_options(options.settings, options.settings)
    asked = {'settings': settings, 'seconds': options.seconds, 'warm_up': options.warm_up}
    found = {
        name: measure_job(measure, job, folder, {'is_plain': name == PLAIN, **asked})
        for name in (PLAIN, FAST)
    }
    seconds = min(options.seconds, MATRIX_SECONDS)
    peak = measure_once(measure_matrix, {'seconds': seconds}, folder, threads=job.threads)
    known = {name: answer for name, answer in found.items() if answer is not None}
    if peak is None or len(known) < len(found):
        return []
    begin = {**facts(job, known[FAST]['environment']), 'turn': turn}
    return [{**begin, **row} for row in turn_rows(known, peak)]


def turn_rows(found: Mapping[str, Mapping[str, Any]], peak: Mapping[str, float]) -> Rows:
    """Raw rows of one turn: both implementations, and the machine's peaks."""
    rows: Rows = []
    for name, answer in found.items():
        rate = answer['rows_per_second'] * answer['flops_per_row']
        row = {
            'implementation': name,
            'rows_per_second': answer['rows_per_second'],
            'rows_per_cpu_second': answer['rows_per_cpu_second'],
            'gflops': rate / GIGA,
            'flops_per_row': answer['flops_per_row'],
            'batch_size': answer['batch_size'],
            **{f'share_{dtype}': 100 * rate / peak[dtype] for dtype in MATRIX_TYPES},
        }
        if name == FAST:
            for key, ratio in (('rows_per_second', 'ratio'), ('rows_per_cpu_second', 'cpu_ratio')):
                row[ratio] = answer[key] / found[PLAIN][key]
        rows.append(row)
    return rows + [
        {'implementation': f'matrix products, {dtype}', 'gflops': peak[dtype] / GIGA}
        for dtype in MATRIX_TYPES
    ]


def speed_tables(rows: pd.DataFrame) -> list[Grid]:
    """Both implementations and the machine's peaks, for each table."""
    grids = []
    for name, part in rows.groupby('table', sort=False):
        first = part.dropna(subset='flops_per_row').drop_duplicates('implementation')
        millions = (first.set_index('implementation')['flops_per_row'] / 1e6).to_dict()
        note = (
            f'Steps of {first["batch_size"].iloc[-1]:.0f} rows; {millions[PLAIN]:.1f} million '
            f'operations a row in the plain implementation, {millions[FAST]:.1f} in this package, '
            'which leaves out those that no loss depends on.'
        )
        title = f'Training speed, {name}'
        grids.append(table(part, title, ['implementation'], NUMBERS, note=note))
    return grids


def measure(
    job: dict[str, Any],
    settings: Mapping[str, Any],
    is_plain: bool,
    warm_up: float,
    seconds: float,
) -> dict[str, Any]:
    """Train one of the implementations, and count rows after a warm-up.

    Args:
        job: Has the table.
        settings: Hyperparameters of model and training in place of the defaults.
        is_plain: Whether to train the plain implementation.
        warm_up: Seconds before the count begins.
        seconds: Seconds of the count.

    Returns:
        ``rows_per_second``, ``rows_per_cpu_second`` (of all threads together), ``flops_per_row``
        (see ``_operations``), ``batch_size`` and ``steps``.
    """
    frame, kinds = core_table(Job.from_dict(job).load())
    model, config = configurations({**settings, **(plain.SETTINGS if is_plain else {})})
    encoder = TableEncoder.fit(frame, kinds, model)
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    limit = dataclasses.replace(config, epochs=ENDLESS, max_training_time=warm_up + seconds)
    stamps: list[tuple[float, float]] = []

    def stamp(share: float, epochs: int, loss: float) -> None:
        stamps.append((time.perf_counter(), time.process_time()))

    generator = torch.Generator().manual_seed(0)
    batch_size = rows_of_step(config, len(table), generator.device)
    start = time.perf_counter()
    with plain.plain_implementation() if is_plain else kept_memory():
        fit_network(table, encoder.schema, model, limit, generator=generator, progress=stamp)
        operations = _operations(table.rows(slice(batch_size)), encoder.schema, model, config)
    counted = np.array([pair for pair in stamps if pair[0] - start >= warm_up])
    steps = len(counted) - 1
    if steps < 1:
        raise ValueError(
            f'{warm_up + seconds:g} seconds are not enough for two training steps; give more.'
        )
    wall, cpu = (counted[-1] - counted[0]).tolist()
    return {
        'rows_per_second': steps * batch_size / wall,
        'rows_per_cpu_second': steps * batch_size / cpu,
        'flops_per_row': operations / batch_size,
        'batch_size': batch_size,
        'steps': steps,
    }


def _operations(
    rows: EncodedTable, schema: TableSchema, model: ModelConfig, config: TrainingConfig
) -> int:
    """Floating-point operations of a step's matrix products, forwards and backwards."""
    with torch.random.fork_rng(devices=[]):
        network = TabDARNetwork(schema, model)
    generator = torch.Generator().manual_seed(0)
    with FlopCounterMode(display=False) as counter:
        losses.batch_loss(network, rows, config, generator=generator).backward()
    return int(counter.get_total_flops())


def measure_matrix(seconds: float) -> dict[str, Any]:
    """Floating-point operations a second of matrix products, by type."""
    return {dtype: matrix_speed(dtype, seconds) for dtype in MATRIX_TYPES}


def matrix_speed(dtype: str, seconds: float) -> float:
    """Floating-point operations a second of the fastest square matrix product.

    Args:
        dtype: ``'float32'`` or ``'bfloat16'``.
        seconds: How long to try, all sizes together.
    """
    best = 0.0
    for size in MATRIX_SIZES:
        generator = torch.Generator().manual_seed(0)
        left, right = (
            torch.randn(size, size, generator=generator).to(getattr(torch, dtype)) for _ in range(2)
        )
        product = left @ right
        start = time.perf_counter()
        while time.perf_counter() - start < seconds / len(MATRIX_SIZES):
            before = time.perf_counter()
            torch.mm(left, right, out=product)
            best = max(best, 2 * size**3 / (time.perf_counter() - before))
    return best
