"""Plans runs of synthesizers x tables x seeds, does what is missing, keeps what is done.

A run directory holds ``runs/TABLE/LABEL/seed=N/`` for each run (``result.json`` with the job, the
environment, what it took and what it scored, ``synthetic.csv.gz`` and ``log.txt``) and
``floors/TABLE/`` with the scores of real rows against real rows. Asking for the same runs again
does only what is missing; a finished run with other settings under the same name is an error, never
silently mixed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.data.datasets import DEMO, dataset_names
from sdv_tabdar.benchmark.files import read_json, write_json
from sdv_tabdar.benchmark.jobs import process
from sdv_tabdar.benchmark.jobs.job import DEFAULT_METRICS, Job
from sdv_tabdar.benchmark.jobs.process import RunFailed
from sdv_tabdar.benchmark.jobs.steps import floor, generate, score
from sdv_tabdar.benchmark.methods.spec import OURS, parse_spec
from sdv_tabdar.evaluation.registry import ALIASES, METRICS

RUNS, FLOORS = 'runs', 'floors'
RESULT, FLOOR, LOG = 'result.json', 'floor.json', 'log.txt'

Report = Callable[[str], None]


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


def run_all(jobs: Sequence[Job], out: Path, *, report: Report = print) -> list[dict[str, Any]]:
    """Do all runs that are not done; a failed one is reported and the next one begins.

    Returns:
        The results of the runs that are done, in the order of ``jobs``.

    Raises:
        ValueError: If the directory has one of the runs with other settings; nothing is done then.
    """
    for job in jobs:
        job.require_same(out / RUNS / job.place / RESULT)
    results = []
    failed = 0
    for number, job in enumerate(jobs, 1):
        try:
            results.append(run_one(job, out, report=report))
        except RunFailed as error:
            failed += 1
            report(f'FAILED  {job}: {error}')
        if len(jobs) > 1:
            report(f'        {number} of {len(jobs)} runs')
    if failed:
        report(f'{failed} runs failed; the same command tries them again.')
    return results


def run_one(job: Job, out: Path, *, report: Report = print) -> dict[str, Any]:
    """Do one run, or what is missing of it.

    Raises:
        RunFailed: If a step ended with an error.
        ValueError: If the directory has a run of that name with other settings.
    """
    folder = out / RUNS / job.place
    job.require_same(folder / RESULT)
    settings: dict[str, Any] = {'threads': job.threads, 'seed': job.seed, 'log': folder / LOG}
    result = read_json(folder / RESULT)
    if result is None:
        report(f'fit     {job}')
        made = process.call(generate, {'job': job.to_dict(), 'folder': str(folder)}, **settings)
        result = {'job': job.to_dict(), **made, 'scored': [], 'scores': {}}
        write_json(result, folder / RESULT)
        if result['fit'] is not None:
            report(
                f'        {result["fit"]["seconds"]:.1f} s to fit, '
                f'{result["sample"]["seconds"]:.1f} s for {result["synthetic_rows"]:,} rows'
            )
    missing = [name for name in job.metrics if name not in result['scored']]
    if missing:
        report(f'score   {job}: {", ".join(missing)}')
        asked = {'job': {**job.to_dict(), 'metrics': missing}, 'folder': str(folder)}
        found = process.call(score, asked, **settings)
        result['scored'] += missing
        result['scores'] |= found['scores']
        result['score_seconds'] = result.get('score_seconds', 0) + found['score_seconds']
        write_json(result, folder / RESULT)
    scores = '  '.join(
        f'{name} {value:.4f}' for name, value in result['scores'].items() if value is not None
    )
    report(f'done    {job}: {scores}')
    return result


def run_floors(
    jobs: Sequence[Job], out: Path, *, report: Report = print
) -> dict[str, dict[str, float | None]]:
    """What real rows score against real rows, of each table of the jobs, with their metrics."""
    floors = {}
    for job in {job.table: job for job in jobs}.values():
        path = out / FLOORS / job.table / FLOOR
        found = read_json(path)
        fits = found is not None and set(job.metrics) <= set(found['job']['metrics'])
        if found is None or not fits or found['job']['rows'] != job.rows:
            report(f'floor   {job.table}')
            measured = process.call(
                floor,
                {'job': job.to_dict()},
                threads=job.threads,
                seed=job.seed,
                log=path.with_name(LOG),
            )
            found = {'job': job.to_dict(), **measured}
            write_json(found, path)
        floors[job.table] = found['scores']
    return floors


def finished(out: Path) -> tuple[list[dict[str, Any]], dict[str, dict[str, float | None]]]:
    """All finished runs of a run directory, and its floors by table.

    Raises:
        FileNotFoundError: If there are no finished runs.
    """
    results = [read_json(path) for path in sorted(out.glob(f'{RUNS}/*/*/*/{RESULT}'))]
    if not results:
        raise FileNotFoundError(
            f"There is nothing to print in '{out}'. Make some runs with: python -m "
            f'sdv_tabdar.benchmark run --out {out} --data ...'
        )
    floors = {path.parent.name: read_json(path) for path in out.glob(f'{FLOORS}/*/{FLOOR}')}
    return (
        [result for result in results if result is not None],
        {table: found['scores'] for table, found in floors.items() if found is not None},
    )
