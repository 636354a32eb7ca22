"""Plans runs of synthesizers x tables x seeds, does what is missing, keeps what is done.

A run directory holds ``runs/TABLE/LABEL/`` with a folder for each seed and setting (what fitting
took, what it scored, ``synthetic.csv.gz`` and ``log.txt``) and ``floors/TABLE/`` with the scores of
real rows against real rows. Asking for the same runs again does only what is missing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.data.datasets import DEMO, dataset_names
from sdv_tabdar.benchmark.jobs.job import DEFAULT_METRICS, Job
from sdv_tabdar.benchmark.jobs.measurements import measure_job
from sdv_tabdar.benchmark.jobs.steps import floor, generate, score
from sdv_tabdar.benchmark.methods.spec import OURS, parse_spec
from sdv_tabdar.evaluation.registry import ALIASES, METRICS

RUNS, FLOORS = 'runs', 'floors'


def plan(
    *,
    data: str | Path,
    synthesizers: Sequence[str],
    tables: Sequence[str] | None = None,
    seeds: Sequence[int] = (0,),
    metrics: Sequence[str] = DEFAULT_METRICS,
    rows: int | None = None,
    threads: int | None = None,
    max_training_time: float | None = None,
    targets: Mapping[str, str] | None = None,
    argn_python: str | None = None,
    halved: bool = False,
    paper_compatible: bool = False,
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
    unknown = [name for name in metrics if name not in METRICS and name not in ALIASES]
    if unknown:
        raise ValueError(f'There are no metrics {unknown}. The metrics are {[*METRICS, *ALIASES]}.')
    source = str(data) if str(data) == DEMO else str(Path(data).resolve())
    chosen = _chosen_tables(source, tables)
    return [
        Job(
            data=source,
            table=table,
            label=spec.label,
            spec=str(spec),
            seed=seed,
            rows=rows,
            threads=threads,
            # Others have no such setting, and their runs stay valid when it changes.
            max_training_time=max_training_time if spec.kind in OURS else None,
            target=(targets or {}).get(table),
            metrics=tuple(metrics),
            argn_python=argn_python,
            halved=halved,
            paper_compatible=paper_compatible,
        )
        for seed in seeds
        for table in chosen
        for spec in specs
    ]


def _chosen_tables(source: str, tables: Sequence[str] | None) -> list[str]:
    # The list of demos is not needed for a demo that is named.
    if source == DEMO and tables is not None:
        return list(tables)
    known = dataset_names(source)
    unknown = [name for name in tables or () if name not in known]
    if unknown:
        raise ValueError(f"There are no tables {unknown} in '{source}'. Its tables are {known}.")
    return list(known if tables is None else tables)


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
