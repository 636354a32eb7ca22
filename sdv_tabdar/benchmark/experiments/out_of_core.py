"""Fitting generated rows from Parquet: time of both passes, memory over time, and fidelity.

The rows are written to Parquet in parts, and fitted in a process of its own; beside it the first
of them are fitted as a frame, for the same training time. Memory is what belongs to the process
alone (anonymous pages, without the files that are mapped), above what it was after a small fit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import torch

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.adapter import streamed
from sdv_tabdar.benchmark.data.generated import make_table, metadata_of
from sdv_tabdar.benchmark.experiments.experiment import Rows
from sdv_tabdar.benchmark.jobs.environment import summary
from sdv_tabdar.benchmark.jobs.measurements import measure_once
from sdv_tabdar.benchmark.methods.spec import parse_options
from sdv_tabdar.benchmark.output.pictures import Panel, curves, sheet
from sdv_tabdar.benchmark.output.tables import Number
from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.training.defaults import rows_of_step
from sdv_tabdar.core.training.trainer import Trainer
from sdv_tabdar.evaluation import score

COLUMNS = 10
PARQUET, FRAME = 'Parquet', 'frame'
NUMBERS = (
    Number('first_pass', 'first pass, s', digits=1),
    Number('second_pass', 'second pass, s', digits=1),
    Number('codes', 'codecs and codes, s', digits=1),
    Number('training', 'training, s', digits=1),
    Number('steps_a_second', 'steps/s', digits=1),
    Number('epoch', 'share of an epoch', digits=4),
    Number('processor', 'processor s before training', digits=1),
    Number('memory', 'memory of both passes and codes, MiB', digits=0),
    Number('peak', 'memory at most, MiB', digits=0),
    Number('shape_error', 'shape error, %', 'low', 100, 2),
    Number('trend_error', 'trend error, %', 'low', 100, 2),
)
_PART = 500_000  # rows that are made and written together
_INTERVAL = 0.5  # seconds between two looks at memory
_STATUS = Path('/proc/self/status')
_HELD_OUT_SEED = 10**6  # of rows that are not among those that are learnt


def collect(options: argparse.Namespace) -> Rows:
    """Measure what is missing."""
    settings = parse_options(options.settings, options.settings)
    runs = [(PARQUET, size) for size in sorted(options.stored_rows)]
    runs.append((FRAME, options.frame_rows))
    rows: Rows = []
    for seed in options.seeds:
        for form, size in runs:
            asked = {
                'form': form,
                'num_rows': size,
                'sample_rows': options.sample_rows,
                'settings': {'max_training_time': options.fit_seconds, **settings},
                'seed': seed,
            }
            answer = measure_once(
                measure, asked, options.out / form.lower(), threads=options.threads, seed=seed
            )
            if answer is not None:
                begin = {'form': form, 'size': f'{size:,}', 'seed': seed}
                machine = summary(answer['environment'])
                begin |= {'threads': options.threads, 'machine': machine}
                rows.append({**begin, **answer['row']})
    return rows


def measure(
    form: str, num_rows: int, sample_rows: int, settings: Mapping[str, Any], seed: int
) -> dict[str, Any]:
    """Write rows, fit them and compare drawn rows with others of their law.

    Args:
        form: ``'Parquet'`` or ``'frame'``.
        num_rows: How many rows to learn.
        sample_rows: How many to draw, and to compare with.
        settings: Hyperparameters in place of the defaults.
        seed: Of the rows and the synthesizer.
    """
    first = make_table(100, 2)
    options = {'random_state': seed, 'enable_gpu': False, **settings}
    TabDARSynthesizer(metadata_of(first), **{**options, 'epochs': 1}).fit(first)
    with tempfile.TemporaryDirectory() as folder:
        part = _write(Path(folder), num_rows, seed)
        synthesizer = TabDARSynthesizer(metadata_of(part), **options)
        table = pd.read_parquet(folder) if form == FRAME else folder
        with _watched() as seen:
            synthesizer.fit(table)
    others = make_table(sample_rows, COLUMNS, seed=_HELD_OUT_SEED + seed)
    drawn = synthesizer.sample(sample_rows, seed=seed)
    found = score(others, drawn, metadata_of(others), metrics=['shape', 'trend'], seed=seed)
    names = ('shape_error', 'trend_error')
    config = TrainingConfig(batch_size=synthesizer.batch_size)
    batch_size = rows_of_step(config, num_rows, torch.device('cpu'))
    row = {**seen.row(num_rows, batch_size), **{name: float(found[name]) for name in names}}
    return {'row': row}


def _write(folder: Path, num_rows: int, seed: int) -> pd.DataFrame:
    """Rows as files; the last of them."""
    part = pd.DataFrame()
    for number, start in enumerate(range(0, num_rows, _PART)):
        size = min(_PART, num_rows - start)
        part = make_table(size, COLUMNS, seed=seed * 10_000 + number)
        part.to_parquet(folder / f'part-{number:05d}.parquet', index=False)
    return part


class _Seen:
    """What a fit did, and when."""

    def __init__(self) -> None:
        self.start, self.processor = time.perf_counter(), time.process_time()
        self.passes: dict[str, float] = {}
        self.steps = 0
        self.begun = self.begun_processor = 0.0
        self.end = 0.0
        self.memory: list[tuple[float, float]] = []

    def row(self, num_rows: int, batch_size: int) -> dict[str, Any]:
        """As a raw row, of so many rows and so many in a step."""
        begun = self.begun - self.start
        training = self.end - self.begun
        lowest = self.memory[0][1]
        before = [mib - lowest for at, mib in self.memory if at <= begun]
        every = max(len(self.memory) // 400, 1)
        return {
            'first_pass': self.passes.get('First', 0.0),
            'second_pass': self.passes.get('Second', 0.0),
            'codes': begun - sum(self.passes.values()),
            'training': training,
            'steps_a_second': self.steps / max(training, 1e-9),
            'epoch': self.steps * batch_size / num_rows,
            'processor': self.begun_processor - self.processor,
            'memory': max(before),
            'peak': max(mib for _, mib in self.memory) - lowest,
            'begun': begun,
            'over_time': json.dumps([(at, mib - lowest) for at, mib in self.memory[::every]]),
        }


@contextlib.contextmanager
def _watched() -> Iterator[_Seen]:
    """Watch a fit: its passes, by what it logs; its steps; its memory, from a thread."""
    seen, over = _Seen(), threading.Event()
    step = Trainer.step

    def counted(trainer: Trainer, *arguments: Any) -> Any:
        if not seen.steps:
            seen.begun, seen.begun_processor = time.perf_counter(), time.process_time()
        seen.steps += 1
        return step(trainer, *arguments)

    def look() -> None:
        while True:
            seen.memory.append((time.perf_counter() - seen.start, _anonymous_mib()))
            if over.wait(_INTERVAL):
                return

    class Passes(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if isinstance(record.args, tuple) and len(record.args) == 3:
                seen.passes[str(record.args[0])] = float(str(record.args[2]))

    logger, handler = logging.getLogger(streamed.__name__), Passes()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        with mock.patch.object(Trainer, 'step', counted):
            yield seen
    finally:
        seen.end = time.perf_counter()
        over.set()
        thread.join()
        logger.removeHandler(handler)
        logger.setLevel(level)


def _anonymous_mib() -> float:
    """Memory of this process alone that no file stands for, in MiB.

    Raises:
        FileNotFoundError: If this is not Linux.
    """
    lines = _STATUS.read_text().splitlines()
    line = next(line for line in lines if line.startswith('RssAnon:'))
    return int(line.split()[1]) / 1024


def over_time(rows: pd.DataFrame) -> str:
    """Memory over the time of each fit, as an SVG: a panel a fit, all to the same height."""
    seen = [np.array(json.loads(text), dtype=float) for text in rows['over_time']]
    top = max(float(points[:, 1].max()) for points in seen)
    panels = []
    for (_, row), points in zip(rows.iterrows(), seen, strict=True):
        end = float(points[-1, 0])
        begun = (np.full(2, float(row['begun'])), np.array([0.0, top]))
        content = curves([(points[:, 0], points[:, 1]), begun], ((0.0, end), (0.0, top)))
        title = f'{row["size"]} rows, {row["form"]}'
        ends = ('0', 'MiB', f'{top:.0f}')
        panels.append(Panel(title, content, ('0', 'seconds', f'{end:,.0f}'), ends))
    legend = ('memory beyond the start, MiB', 'training begins')
    return sheet(panels, 2, legend, 'Memory over the time of fits')
