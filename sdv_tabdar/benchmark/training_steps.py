"""The process that trains for some seconds and counts, or multiplies matrices for some seconds.

``python -m sdv_tabdar.benchmark.training_steps`` reads a question from standard input, see
:func:`measure`. The fast implementation is what ``TabDAR.fit`` runs; the plain one is that of
``plain``. They never share a process: once set, glibc's allocator does not go back to the way
it is by default.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch.utils.flop_counter import FlopCounterMode

from sdv_tabdar.benchmark import plain
from sdv_tabdar.benchmark.arguments import ENDLESS
from sdv_tabdar.benchmark.datasets import DISCRETE_SDTYPES, Dataset
from sdv_tabdar.benchmark.fresh import answer
from sdv_tabdar.benchmark.jobs import Job
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.training import losses
from sdv_tabdar.core.training.defaults import rows_of_step
from sdv_tabdar.core.training.loop import fit_network

FAST, PLAIN, PEAK = 'fast', 'plain', 'peak'
MATRIX_SIZES = (512, 1024, 2048)
MATRIX_TYPES = ('float32', 'bfloat16')


def measure(question: Mapping[str, Any]) -> dict[str, Any]:
    """Answer ``{'what': 'peak', 'seconds'}`` or ``{'what': 'fast' | 'plain', 'job', ...}``.

    The latter has ``settings`` (hyperparameters by name), ``warm_up`` and ``seconds``.
    """
    if question['what'] == PEAK:
        return {dtype: matrix_speed(dtype, question['seconds']) for dtype in MATRIX_TYPES}
    frame, kinds = core_table(Job.from_dict(question['job']).load())
    is_plain = question['what'] == PLAIN
    settings = {**question['settings'], **(plain.SETTINGS if is_plain else {})}
    return train(
        frame,
        kinds,
        settings,
        is_plain=is_plain,
        warm_up=question['warm_up'],
        seconds=question['seconds'],
    )


def core_table(dataset: Dataset) -> tuple[pd.DataFrame, dict[str, ColumnKind]]:
    """The numbers and categories of a table; keys, dates and the like are left out.

    Raises:
        ValueError: If there are none.
    """
    kinds = {
        name: ColumnKind.NUMERICAL if sdtype == 'numerical' else ColumnKind.CATEGORICAL
        for name, sdtype in dataset.sdtypes.items()
        if sdtype == 'numerical' or sdtype in DISCRETE_SDTYPES
    }
    if not kinds:
        raise ValueError(
            f"The table '{dataset.name}' has no column of numbers or categories to train on."
        )
    return dataset.train[list(kinds)], kinds


def train(
    frame: pd.DataFrame,
    kinds: Mapping[str, ColumnKind],
    settings: Mapping[str, Any],
    *,
    is_plain: bool,
    warm_up: float,
    seconds: float,
) -> dict[str, Any]:
    """Train, and count rows after a warm-up.

    Args:
        frame: The table.
        kinds: Of its columns.
        settings: Hyperparameters of model and training in place of the defaults.
        is_plain: Whether to train the plain implementation.
        warm_up: Seconds before the count begins.
        seconds: Seconds of the count.

    Returns:
        ``rows_per_second``, ``rows_per_cpu_second`` (of all threads together), ``flops_per_row``
        (floating-point operations of the matrix products, forwards and backwards),
        ``batch_size``, ``steps`` and ``loss`` (of the last epoch, or None).
    """
    model, config = (_configured(kind, settings) for kind in (ModelConfig, TrainingConfig))
    assert isinstance(model, ModelConfig)
    assert isinstance(config, TrainingConfig)
    encoder = TableEncoder.fit(frame, kinds, model)
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    limit = dataclasses.replace(config, epochs=ENDLESS, max_training_time=warm_up + seconds)
    stamps: list[tuple[float, float]] = []

    def stamp(share: float, epochs: int, loss: float) -> None:
        stamps.append((time.perf_counter(), time.process_time()))

    around = plain.plain_implementation() if is_plain else kept_memory()
    generator = torch.Generator().manual_seed(0)
    batch_size = rows_of_step(config, len(table), generator.device)
    start = time.perf_counter()
    with around:
        _, history = fit_network(
            table, encoder.schema, model, limit, generator=generator, progress=stamp
        )
        network = _network(encoder, model)
        counter = FlopCounterMode(display=False)
        with counter:
            rows = table.rows(slice(batch_size))
            losses.batch_loss(network, rows, config, generator=generator).backward()
    counted = [pair for pair in stamps if pair[0] - start >= warm_up]
    steps = len(counted) - 1
    if steps < 1:
        raise ValueError(
            f'{warm_up + seconds:g} seconds are not enough for two training steps; give more.'
        )
    wall, cpu = (counted[-1][clock] - counted[0][clock] for clock in (0, 1))
    return {
        'rows_per_second': steps * batch_size / wall,
        'rows_per_cpu_second': steps * batch_size / cpu,
        'flops_per_row': counter.get_total_flops() / batch_size,
        'batch_size': batch_size,
        'steps': steps,
        'loss': history.losses[-1] if history.losses else None,
    }


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


def _configured(
    kind: type[ModelConfig] | type[TrainingConfig], settings: Mapping[str, Any]
) -> ModelConfig | TrainingConfig:
    names = {field.name for field in dataclasses.fields(kind)}
    return kind(**{name: value for name, value in settings.items() if name in names})


def _network(encoder: TableEncoder, model: ModelConfig) -> TabDARNetwork:
    with torch.random.fork_rng(devices=[]):
        return TabDARNetwork(encoder.schema, model)


if __name__ == '__main__':
    answer(measure)
