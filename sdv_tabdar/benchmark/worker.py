"""The process that does one step of one run, so that memory and threads are that step's alone.

``python -m sdv_tabdar.benchmark.worker generate|score|floor|speed|fit|measure FOLDER`` reads the
job from ``FOLDER/job.json``. ``generate`` fits, samples as many rows as there are training rows
and keeps them; ``score`` compares them with the real ones; ``floor`` scores real rows against
real rows; ``speed`` fits and then samples several times; ``fit`` keeps our fitted synthesizer, and
``measure`` asks it what one of the evidence commands wants to know. Each writes its part of the
result.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import math
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_tabdar.benchmark.datasets import Dataset
from sdv_tabdar.benchmark.environment import describe_environment
from sdv_tabdar.benchmark.exchange import read_rows, write_rows
from sdv_tabdar.benchmark.jobs import RESULT, ROWS, Job, read_result, write_json
from sdv_tabdar.benchmark.measurement import Cost, measured
from sdv_tabdar.benchmark.models import fit_model, keep_measurement, load_model
from sdv_tabdar.benchmark.synthesizers import (
    SingleTable,
    Synthesizer,
    build,
    parse_spec,
    seed_globals,
)
from sdv_tabdar.evaluation.registry import METRICS

JOB = 'job.json'
FLOOR = 'floor.json'
SPEED = 'speed.json'
STEPS = ('generate', 'score', 'floor', 'speed', 'fit', 'measure')


def generate(job: Job, folder: Path) -> None:
    """Fit, sample, keep the rows and what it took."""
    dataset, synthesizer = _prepare(job)
    with measured() as fitting:
        synthesizer.fit(dataset.train.copy())
    with measured() as sampling:
        rows = synthesizer.sample(len(dataset.train))
    write_rows(rows, folder / ROWS)
    timed = getattr(synthesizer, 'timed', True)
    own_seconds: Mapping[str, float] = getattr(synthesizer, 'seconds', {})
    result = {
        'job': job.to_dict(),
        'environment': describe_environment(),
        'data': {
            'fingerprint': dataset.fingerprint(),
            'train_rows': len(dataset.train),
            'test_rows': len(dataset.test),
            'columns': dataset.train.shape[1],
            'target': dataset.target,
            'task': dataset.task,
        },
        'synthetic_rows': len(rows),
        'fit': _cost(fitting, own_seconds.get('fit')) if timed else None,
        'sample': _cost(sampling, own_seconds.get('sample')) if timed else None,
        'scored': [],
        'scores': {},
    }
    write_json(result, folder / RESULT)


def score(job: Job, folder: Path) -> None:
    """Add the metrics that the result does not have yet."""
    from sdv_tabdar import evaluation

    result = read_result(folder)
    assert result is not None, 'generate comes first'
    dataset = job.load()
    missing = [name for name in job.metrics if name not in result['scored']]
    start = time.perf_counter()
    scores = evaluation.score(
        dataset.train,
        read_rows(folder / ROWS, dataset.train),
        dataset.metadata,
        dataset.test,
        target=dataset.target,
        metrics=_possible(missing, dataset),
        seed=job.seed,
        paper_compatible=job.paper_compatible,
    )
    result['scored'] = [*result['scored'], *missing]
    result['scores'] = {**result['scores'], **_plain(scores)}
    result['score_seconds'] = result.get('score_seconds', 0) + time.perf_counter() - start
    write_json(result, folder / RESULT)


def floor(job: Job, folder: Path) -> None:
    """Score one half of the training rows against the other: what no generator can beat.

    Errors that shrink with the number of rows are scaled from half of the rows to all of them.
    """
    from sdv_tabdar import evaluation

    dataset = job.load()
    floors = evaluation.floor_scores(
        dataset.train,
        dataset.metadata,
        dataset.test,
        target=dataset.target,
        metrics=_possible(job.metrics, dataset),
        seed=job.seed,
        paper_compatible=job.paper_compatible,
    )
    write_json({'job': job.to_dict(), 'scores': _plain(floors)}, folder / FLOOR)


def _possible(metrics: Sequence[str], dataset: Dataset) -> list[str]:
    """Without a target there is nothing to predict; the other metrics need none."""
    return [
        name
        for name in metrics
        if dataset.target is not None or name not in METRICS or not METRICS[name].needs_target
    ]


def read_floor(folder: Path) -> dict[str, Any] | None:
    """What ``floor`` has written, or None if there is nothing yet."""
    path = folder / FLOOR
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return found


def speed(job: Job, folder: Path, *, sizes: tuple[int, ...]) -> None:
    """Fit once, then time the sampling of each number of rows in ``sizes``."""
    dataset, synthesizer = _prepare(job)
    with measured() as fitting:
        synthesizer.fit(dataset.train.copy())
    samplings: list[dict[str, float]] = []
    for size in sizes:
        with measured() as sampling:
            rows = synthesizer.sample(size)
        samplings.append({'rows': len(rows), **dataclasses.asdict(sampling)})
    result = {
        'job': job.to_dict(),
        'environment': describe_environment(),
        'fit': dataclasses.asdict(fitting),
        'samplings': samplings,
    }
    write_json(result, folder / SPEED)


def fit(job: Job, folder: Path) -> None:
    """Fit our synthesizer and keep it."""
    dataset, synthesizer = _prepare(job)
    # The job asks for ours, which is an SDV synthesizer.
    assert isinstance(synthesizer, SingleTable)
    fit_model(job, dataset, synthesizer.synthesizer, folder)


def measure(job: Job, folder: Path, *, module: str, settings: Mapping[str, Any], file: str) -> None:
    """Ask the kept model what ``measure`` of one of this package's modules wants to know."""
    _set_up(job)
    commands = importlib.import_module(f'{__package__}.{module}')
    found = commands.measure(load_model(job, folder), **settings)
    keep_measurement(job, folder, file, found, settings)


def _set_up(job: Job) -> None:
    """Seeds and threads."""
    if job.threads is not None:
        import torch

        torch.set_num_threads(job.threads)
    seed_globals(job.seed)


def _prepare(job: Job) -> tuple[Dataset, Synthesizer]:
    """Everything that is not to be measured: reading, imports, seeds, threads."""
    dataset = job.load()
    _set_up(job)
    synthesizer = build(
        parse_spec(job.spec),
        dataset,
        seed=job.seed,
        max_training_time=job.max_training_time,
        argn_python=job.argn_python,
    )
    return dataset, synthesizer


def _cost(cost: Cost, own_seconds: float | None) -> dict[str, float]:
    """A synthesizer that works in another process may know better how long it took."""
    values: dict[str, float] = dataclasses.asdict(cost)
    return values if own_seconds is None else {**values, 'seconds': own_seconds}


def _plain(scores: Mapping[str, float]) -> dict[str, float | None]:
    """Floats that JSON can hold; what is not a number becomes None."""
    return {
        name: float(value) if pd.notna(value) and math.isfinite(value) else None
        for name, value in scores.items()
    }


def main(arguments: list[str] | None = None) -> int:
    """Do the step named on the command line; the reason of a failure goes to standard error."""
    parser = argparse.ArgumentParser(description='One step of one benchmark run.')
    parser.add_argument('step', choices=STEPS)
    parser.add_argument('folder', type=Path)
    options = parser.parse_args(arguments)
    request: dict[str, Any] = json.loads((options.folder / JOB).read_text(encoding='utf-8'))
    job = Job.from_dict(request['job'])
    steps: dict[str, Callable[[], None]] = {
        'generate': lambda: generate(job, options.folder),
        'score': lambda: score(job, options.folder),
        'floor': lambda: floor(job, options.folder),
        'speed': lambda: speed(job, options.folder, sizes=tuple(request['sizes'])),
        'fit': lambda: fit(job, options.folder),
        'measure': lambda: measure(
            job, options.folder, **{key: request[key] for key in ('module', 'settings', 'file')}
        ),
    }
    try:
        steps[options.step]()
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
