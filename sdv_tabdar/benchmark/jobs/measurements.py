"""Measurements that are made once and kept: of anything, and of a fitted model of ours.

A measurement with other settings is another file, so what is there is never mixed with what is
asked for. Our synthesizer is fitted once for all experiments of a run directory that ask it
something; ``models/TABLE/LABEL/seed=N/`` has it and the measurements that were made with it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.files import read_json, write_json
from sdv_tabdar.benchmark.jobs import process
from sdv_tabdar.benchmark.jobs.environment import source_fingerprint
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.process import Measure, RunFailed
from sdv_tabdar.benchmark.jobs.steps import MODEL, fit, load_model

LOG = 'log.txt'
# Which column is predicted does not change what is learnt.
_NOT_LEARNT = ('target',)


def measure_once(
    measure: Measure,
    arguments: Mapping[str, Any],
    folder: Path,
    *,
    settings: Mapping[str, Any],
    threads: int | None = None,
    seed: int = 0,
    log: Path | None = None,
) -> dict[str, Any] | None:
    """What is kept of a measurement, else a new one in a process of its own.

    Args:
        measure: The function to call.
        arguments: Its arguments, JSON values.
        folder: Where the measurement is kept.
        settings: JSON values that tell it from other measurements by the same function.
        threads: See ``process.call``.
        seed: See ``process.call``.
        log: See ``process.call``.

    Returns:
        None if the process failed; the reason is printed.
    """
    asked = {'settings': dict(settings), 'threads': threads, 'seed': seed}
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:8]
    name = f'{measure.__module__}.{measure.__name__}'.split('.', 3)[-1]
    path = folder / f'{name}-{digest}.json'
    kept = read_json(path)
    if kept is not None:
        return kept
    shown = ', '.join(f'{key} {value}' for key, value in settings.items() if value is not None)
    print(f'measure {name}: {shown}', flush=True)
    try:
        found = process.call(measure, arguments, threads=threads, seed=seed, log=log)
    except RunFailed as error:
        print(f'FAILED  {shown}: {error}')
        return None
    write_json({**asked, **found}, path)
    return read_json(path)


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

    Raises:
        ValueError: If the directory has one of the models with other settings.
    """
    folders = [out / 'models' / job.place for job in jobs]
    for job, folder in zip(jobs, folders, strict=True):
        job.require_same(folder / MODEL, ignored=_NOT_LEARNT)
    found = [
        (job, _ask_model(measure, job, folder, settings))
        for job, folder in zip(jobs, folders, strict=True)
    ]
    return [(job, answer) for job, answer in found if answer is not None]


def _ask_model(
    measure: Measure, job: Job, folder: Path, settings: Mapping[str, Any]
) -> dict[str, Any] | None:
    model = read_json(folder / MODEL)
    if model is None:
        print(f'fit     {job}', flush=True)
        arguments = {'job': job.to_dict(), 'folder': str(folder)}
        try:
            found = process.call(
                fit, arguments, threads=job.threads, seed=job.seed, log=folder / LOG
            )
        except RunFailed as error:
            print(f'FAILED  {job}: {error}')
            return None
        write_json({'job': job.to_dict(), **found}, folder / MODEL)
    elif model['environment'].get('source') != source_fingerprint():
        print(f"note    the code has changed since the model in '{folder}' was fitted")
    asked = {'table': job.table, 'target': job.target, **settings}
    function = f'{measure.__module__}:{measure.__name__}'
    return measure_once(
        ask,
        {'job': job.to_dict(), 'folder': str(folder), 'function': function, 'settings': settings},
        folder,
        settings={'function': function.rpartition('.')[-1], **asked},
        threads=job.threads,
        seed=job.seed,
        log=folder / LOG,
    )


def ask(
    job: dict[str, Any], folder: str, function: str, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """In a process of its own: load the kept model and call the function with it."""
    module, _, name = function.partition(':')
    measure: Measure = getattr(importlib.import_module(module), name)
    return dict(measure(load_model(Job.from_dict(job), Path(folder)), **settings))
