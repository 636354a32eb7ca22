"""Plans runs of synthesizers x tables x seeds, does what is missing, keeps what is done.

A run directory holds ``runs/TABLE/LABEL/`` with a folder for each seed and setting (what fitting
took, what it scored, ``synthetic.csv.gz`` and ``log.txt``) and ``floors/TABLE/`` with the scores of
real rows against real rows. Asking for the same runs again does only what is missing.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.data.datasets import dataset_names
from sdv_tabdar.benchmark.jobs.job import DEFAULT_METRICS, Job
from sdv_tabdar.benchmark.jobs.measurements import measure_job
from sdv_tabdar.benchmark.jobs.steps import floor, generate, score
from sdv_tabdar.benchmark.methods.spec import TIMED, parse_spec
from sdv_tabdar.evaluation.registry import ALIASES, METRICS

RUNS, FLOORS = 'runs', 'floors'


def plan(
    *,
    data: str | Path,
    synthesizers: Sequence[str],
    tables: Sequence[str] | None = None,
    seeds: Sequence[int] = (0,),
    metrics: Sequence[str] = DEFAULT_METRICS,
    max_training_time: float | None = None,
    targets: Mapping[str, str] | None = None,
    **settings: Any,
) -> list[Job]:
    """The runs of synthesizers x tables x seeds, in an order that mixes the synthesizers.

    A machine is not equally fast all day. So each table has all its synthesizers in turn, and
    the next seed begins when all tables have had the last one. The arguments are those of ``Job``,
    for all runs; ``synthesizers`` are texts as in ``methods.spec``, and ``tables=None`` takes all
    of the source.

    Raises:
        ValueError: If two synthesizers have one label, or a table or a metric is unknown.
    """
    specs = [parse_spec(text) for text in synthesizers]
    labels = [spec.label for spec in specs]
    if len(set(labels)) < len(labels):
        raise ValueError(
            f'Each synthesizer needs a label of its own, but these are asked for: {labels}. Give '
            "labels as in 'wide=tabdar:width=128'."
        )
    source = str(Path(data).resolve())
    there = dataset_names(source)
    _require_known('metrics', metrics, [*METRICS, *ALIASES])
    _require_known(f"tables in '{source}'", tables or (), there)
    settings |= {'data': source, 'metrics': tuple(metrics)}
    jobs = []
    for seed, table, spec in itertools.product(seeds, there if tables is None else tables, specs):
        # Others have no such setting, and their runs stay valid when it changes.
        limit = max_training_time if spec.kind in TIMED else None
        own: dict[str, Any] = {
            'seed': seed,
            'target': (targets or {}).get(table),
            'max_training_time': limit,
        }
        jobs.append(Job(table=table, label=spec.label, spec=str(spec), **settings, **own))
    return jobs


def _require_known(what: str, asked: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise ValueError(f'There are no {what} called {unknown}. There are {list(known)}.')


def run_all(jobs: Sequence[Job], out: Path) -> list[dict[str, Any]]:
    """Do all runs that are not done; a failed one is reported and the next one begins.

    Returns:
        The results of the runs that are done, in the order of ``jobs``: the ``job``, its ``scores``
        and what ``steps.generate`` says.
    """
    results = []
    for number, job in enumerate(jobs, 1):
        folder = out / RUNS / job.place
        made = measure_job(generate, job, folder, {'folder': str(folder)})
        asked = {'folder': str(folder), 'metrics': list(job.metrics)}
        scored = measure_job(score, job, folder, asked) if made and job.metrics else made
        if made and scored:
            scores = scored.get('scores', {})
            results.append({**made, 'job': job.to_dict(), 'scores': scores})
            shown = (f'{name} {value:.4f}' for name, value in scores.items() if value is not None)
            print(f'{number} of {len(jobs)}: {job}: {"  ".join(shown)}', flush=True)
    return results


def run_floors(jobs: Sequence[Job], out: Path) -> dict[str, dict[str, float | None]]:
    """What real rows score against real rows, of each table of the jobs, with their metrics."""
    floors = {}
    for job in {job.table: job for job in jobs}.values():
        # Whatever the synthesizer, the floor is the same.
        real = dataclasses.replace(job, label='real', spec='tabdar', max_training_time=None)
        folder = out / FLOORS / job.table
        found = measure_job(floor, real, folder, {'metrics': list(job.metrics)})
        if found is not None:
            floors[job.table] = found['scores']
    return floors
