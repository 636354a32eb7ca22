"""Measurements that are made once and kept: of anything, and of a fitted model of ours.

What is asked for in another way is another file, so what is there is never mixed with it. Our
synthesizer is fitted once for all experiments of a run directory that ask it something;
``models/TABLE/LABEL/`` has it and the measurements that were made with it.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.files import digest, read_json, write_json
from sdv_tabdar.benchmark.jobs import process
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.process import Measure, RunFailed
from sdv_tabdar.benchmark.jobs.steps import fit, load_model

LOG = 'log.txt'


def measure_once(
    measure: Measure,
    arguments: Mapping[str, Any],
    folder: Path,
    *,
    threads: int | None = None,
    seed: int = 0,
) -> dict[str, Any] | None:
    """What is kept of a measurement, else a new one in a process of its own.

    Args:
        measure: The function to call.
        arguments: Its arguments, JSON values. All tell it from other measurements by the same
            function, but for the ``folder`` and the parts of a ``job`` that say where things lie.
        folder: Where the measurement is kept, and what the process writes.
        threads: See ``process.call``.
        seed: See ``process.call``.

    Returns:
        None if the process failed; the reason is printed.
    """
    told = {key: value for key, value in arguments.items() if key != 'folder'}
    what = ', '.join(f'{key} {value}' for key, value in told.items())
    if 'job' in arguments:
        job = Job.from_dict(arguments['job'])
        told, what = {**told, 'job': job.identity()}, str(job)
    asked = {'arguments': told, 'threads': threads, 'seed': seed}
    name = f'{measure.__module__}.{measure.__name__}'.split('.', 3)[-1]
    path = folder / f'{name}-{digest(asked)}.json'
    kept = read_json(path)
    if kept is not None:
        return kept
    print(f'{name}: {what}', flush=True)
    try:
        found = process.call(measure, arguments, threads=threads, seed=seed, log=folder / LOG)
    except RunFailed as error:
        print(f'FAILED  {what}: {error}\nThe same command tries again.')
        return None
    write_json({'asked': asked, **found}, path)
    return read_json(path)


def measure_job(
    measure: Measure,
    job: Job,
    folder: Path,
    arguments: Mapping[str, Any] | None = None,
    *,
    threads: int | None = None,
) -> dict[str, Any] | None:
    """Call ``measure_once`` with a job, its seed and, if no others are given, its threads."""
    asked = {'job': job.to_dict(), **(arguments or {})}
    return measure_once(measure, asked, folder, threads=threads or job.threads, seed=job.seed)


def ask_models(
    measure: Measure, jobs: Sequence[Job], out: Path, settings: Mapping[str, Any]
) -> list[tuple[Job, dict[str, Any]]]:
    """Fit what is not fitted, ask what was not asked, each in a fresh process.

    Args:
        measure: Called as ``measure(fitted, **settings)`` with ``steps.Fitted``.
        jobs: The models.
        out: The run directory.
        settings: JSON values.

    Returns:
        What was measured, in the order of ``jobs``; failed ones are reported and left out.
    """
    function = f'{measure.__module__}:{measure.__name__}'
    found = []
    for job in jobs:
        # Which column is predicted does not change what is learnt.
        learnt = dataclasses.replace(job, target=None)
        folder = out / 'models' / learnt.place
        place = {'folder': str(folder)}
        model = measure_job(fit, learnt, folder, place)
        if model is None:
            continue
        asked = {'function': function, 'settings': settings, 'seconds': model['fit']['seconds']}
        answer = measure_job(ask, job, folder, {**place, **asked})
        if answer is not None:
            found.append((job, answer))
    return found


def ask(
    job: dict[str, Any], folder: str, function: str, settings: Mapping[str, Any], seconds: float
) -> dict[str, Any]:
    """In a process of its own: load the kept model and call the function with it."""
    module, _, name = function.partition(':')
    measure: Measure = getattr(importlib.import_module(module), name)
    return dict(measure(load_model(Job.from_dict(job), Path(folder), seconds), **settings))
