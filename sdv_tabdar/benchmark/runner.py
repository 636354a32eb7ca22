"""Plans runs, starts a fresh process for each step of each, and skips what is done.

A run directory holds ``runs/TABLE/LABEL/seed=N/`` for each run (see ``jobs``),
``floors/TABLE/`` with the scores of real rows against real rows, ``config.json`` with what was
asked for and ``environment.json`` of the last start. Asking for the same runs again does only
what is missing; a finished run with other settings under the same name is an error, never
silently mixed in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from sdv_tabdar.benchmark import worker
from sdv_tabdar.benchmark.datasets import dataset_names
from sdv_tabdar.benchmark.environment import describe_environment, thread_settings
from sdv_tabdar.benchmark.jobs import DEFAULT_METRICS, LOG, Job, read_result, write_json
from sdv_tabdar.benchmark.synthesizers import OURS, parse_spec
from sdv_tabdar.evaluation.registry import ALIASES, METRICS

PACKAGE_ROOT = Path(__file__).resolve().parents[2]
CONFIG = 'config.json'
LAST_LINES = 12

Report = Callable[[str], None]


class Launch(Protocol):
    """Does one step of a job in a folder; ``extra`` joins the job in the request."""

    def __call__(
        self, step: str, folder: Path, job: Job, *, extra: Mapping[str, object] | None = None
    ) -> None:
        """Do the step, or raise ``RunFailed``."""
        ...


class RunFailed(RuntimeError):
    """A step ended with an error; the message has the end of its log."""


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
) -> list[Job]:
    """The runs of synthesizers x tables x seeds, in an order that mixes the synthesizers.

    A machine is not equally fast all day. So each table has all its synthesizers in turn, and
    the next seed begins when all tables have had the last one.

    Args:
        data: A folder, or ``'demo'``.
        synthesizers: Texts as in ``synthesizers.parse_spec``; their labels must differ.
        tables: Which tables; None takes all of the source.
        seeds: Which seeds.
        metrics: Names that ``evaluation.score`` knows.
        rows: At most so many training rows from each table.
        threads: Threads of the numerical libraries.
        max_training_time: Seconds that our own synthesizer may train.
        targets: The column to predict in a table, for sources that do not say it.
        argn_python: Another Python that has mostlyai-engine.

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
    source = str(data) if str(data) == 'demo' else str(Path(data).resolve())
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
        )
        for seed in seeds
        for table in chosen
        for spec in specs
    ]


def _chosen_tables(source: str, tables: Sequence[str] | None) -> list[str]:
    # The list of demos is not needed for a demo that is named.
    if source == 'demo' and tables is not None:
        return list(tables)
    known = dataset_names(source)
    unknown = [name for name in tables or () if name not in known]
    if unknown:
        raise ValueError(f"There are no tables {unknown} in '{source}'. Its tables are {known}.")
    return list(known if tables is None else tables)


def run_all(
    jobs: Sequence[Job], out: Path, *, launch: Launch | None = None, report: Report = print
) -> list[dict[str, Any]]:
    """Do all runs that are not done; a failed one is reported and the next one begins.

    Returns:
        The results of the runs that are done, in the order of ``jobs``.

    Raises:
        ValueError: If the directory has one of the runs with other settings; nothing is done then.
    """
    for job in jobs:
        _require_same(job, out / job.folder)
    write_json(describe_environment(), out / 'environment.json')
    _remember(jobs, out)
    results = []
    failed = 0
    for number, job in enumerate(jobs, 1):
        try:
            results.append(run_one(job, out, launch=launch, report=report))
        except RunFailed as error:
            failed += 1
            report(f'FAILED  {job}: {error}')
        if len(jobs) > 1:
            report(f'        {number} of {len(jobs)} runs')
    if failed:
        report(f'{failed} runs failed; the same command tries them again.')
    return results


def run_one(
    job: Job, out: Path, *, launch: Launch | None = None, report: Report = print
) -> dict[str, Any]:
    """Do one run, or what is missing of it.

    Args:
        job: The run.
        out: The run directory.
        launch: Does one step of the job in a folder; by default in a process of its own.
        report: Gets a line of progress at a time.

    Raises:
        RunFailed: If a step ended with an error.
        ValueError: If the directory has a run of that name with other settings.
    """
    start = launch or launch_process
    folder = out / job.folder
    _require_same(job, folder)
    result = read_result(folder)
    if result is None:
        report(f'fit     {job}')
        result = _step('generate', job, folder, start)
        if result['fit'] is not None:
            report(
                f'        {result["fit"]["seconds"]:.1f} s to fit, '
                f'{result["sample"]["seconds"]:.1f} s for {result["synthetic_rows"]:,} rows'
            )
    missing = [name for name in job.metrics if name not in result['scored']]
    if missing:
        report(f'score   {job}: {", ".join(missing)}')
        result = _step('score', job, folder, start)
    scores = '  '.join(
        f'{name} {value:.4f}' for name, value in result['scores'].items() if value is not None
    )
    report(f'done    {job}: {scores}')
    return result


def run_floor(
    job: Job, out: Path, *, launch: Launch | None = None, report: Report = print
) -> dict[str, float | None]:
    """What real rows score against real rows, of the job's table with the job's metrics."""
    folder = out / 'floors' / job.table
    found = worker.read_floor(folder)
    fits = found is not None and set(job.metrics) <= set(found['job']['metrics'])
    if found is None or not fits or found['job']['rows'] != job.rows:
        report(f'floor   {job.table}')
        (launch or launch_process)('floor', folder, job)
        found = worker.read_floor(folder)
        assert found is not None, 'the step has written it or raised'
    scores: dict[str, float | None] = found['scores']
    return scores


def launch_process(
    step: str, folder: Path, job: Job, *, extra: Mapping[str, object] | None = None
) -> None:
    """Do a step of a job in a fresh Python, its output going to the folder's log.

    Raises:
        RunFailed: If it ended with an error.
    """
    prepare_folder(folder, job, extra)
    command = [sys.executable, '-m', worker.__name__, step, str(folder)]
    environment = process_environment(job.threads)
    with (folder / LOG).open('a', encoding='utf-8') as log:
        log.write(f'--- {step}, {time.strftime("%Y-%m-%d %H:%M:%S")}\n')
        log.flush()
        code = subprocess.run(
            command, stdout=log, stderr=log, env=environment, check=False
        ).returncode
    if code:
        lines = (folder / LOG).read_text(encoding='utf-8', errors='replace').splitlines()
        raise RunFailed(
            f"{step} ended with code {code}; the whole log is in '{folder / LOG}'. Its end:\n"
            + '\n'.join(lines[-LAST_LINES:])
        )


def process_environment(threads: int | None) -> dict[str, str]:
    """Environment variables of a fresh process that runs a module of this package.

    Args:
        threads: Of the numerical libraries; None leaves it to them.
    """
    # The process finds this package wherever the caller found it.
    paths = [str(PACKAGE_ROOT), os.environ.get('PYTHONPATH', '')]
    return {
        **os.environ,
        'PYTHONPATH': os.pathsep.join(filter(None, paths)),
        **thread_settings(threads),
    }


def prepare_folder(folder: Path, job: Job, extra: Mapping[str, object] | None = None) -> None:
    """Write down the job where the worker looks for it."""
    write_json({'job': job.to_dict(), **(extra or {})}, folder / worker.JOB)


def _step(step: str, job: Job, folder: Path, launch: Launch) -> dict[str, Any]:
    launch(step, folder, job)
    result = read_result(folder)
    assert result is not None, 'the step has written it or raised'
    return result


def _require_same(job: Job, folder: Path) -> None:
    result = read_result(folder)
    differences = job.differences(Job.from_dict(result['job'])) if result is not None else {}
    if differences:
        listed = ', '.join(
            f'{name}: {theirs!r} there, {mine!r} now'
            for name, (mine, theirs) in differences.items()
        )
        raise ValueError(
            f"'{folder}' holds a finished run with other settings ({listed}). Choose another "
            '--out, give the synthesizer another label, or remove that folder.'
        )


def _remember(jobs: Sequence[Job], out: Path) -> None:
    """Keep what was asked for, in the order it was asked for; tables are printed in that order."""
    config = read_config(out)
    for job in jobs:
        config['synthesizers'].setdefault(job.label, job.spec)
        for name, value in (('tables', job.table), ('seeds', job.seed)):
            if value not in config[name]:
                config[name].append(value)
        settings = {'rows': job.rows, 'threads': job.threads, 'metrics': list(job.metrics)}
        config.update(settings)
    write_json(config, out / CONFIG)


def read_config(out: Path) -> dict[str, Any]:
    """What a run directory was asked for so far; empty lists for a new one."""
    path = out / CONFIG
    if not path.is_file():
        return {'synthesizers': {}, 'tables': [], 'seeds': []}
    config: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return config
