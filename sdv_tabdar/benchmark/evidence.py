"""What the commands that ask a fitted model something have in common: fit once, measure, print."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.arguments import add_data_options, plan_settings
from sdv_tabdar.benchmark.jobs import Job
from sdv_tabdar.benchmark.models import (
    is_of_this_code,
    measurement_file,
    model_folder,
    read_model,
    require_same,
)
from sdv_tabdar.benchmark.rendering import Grid, to_html, to_markdown
from sdv_tabdar.benchmark.results import footer
from sdv_tabdar.benchmark.runner import Launch, RunFailed, launch_process, plan
from sdv_tabdar.benchmark.synthesizers import parse_options

OUT = 'benchmark_runs/conditions'
LABEL = 'tabdar'


def add_model_options(parser: argparse.ArgumentParser, *, tables: Sequence[str]) -> None:
    """Which tables, and how our synthesizer is fitted on them."""
    add_data_options(parser, out=OUT, tables=tables)
    add_training_options(parser)


def add_training_options(parser: argparse.ArgumentParser) -> None:
    """How our synthesizer is fitted."""
    parser.add_argument(
        '--max-training-time',
        type=float,
        metavar='SECONDS',
        help='how long our synthesizer may train (default: its own)',
    )
    parser.add_argument(
        '--epochs', type=int, metavar='N', help='passes over the table (default: its own)'
    )
    parser.add_argument(
        '--settings',
        default='',
        metavar='NAME=VALUE,...',
        help='hyperparameters in place of the defaults',
    )


def plan_models(options: argparse.Namespace, **changes: Any) -> list[Job]:
    """The models that are needed, one for each table and seed.

    Args:
        options: Of ``add_model_options``.
        changes: Arguments of ``runner.plan`` in place of what the options say.
    """
    overrides = parse_options(options.settings, options.settings)
    if options.epochs is not None:
        overrides['epochs'] = options.epochs
    listed = ','.join(f'{name}={value!r}' for name, value in overrides.items())
    spec = f'{LABEL}=tabdar:{listed}' if listed else LABEL
    settings = changes or plan_settings(options)
    return plan(synthesizers=[spec], max_training_time=options.max_training_time, **settings)


def collect(
    name: str,
    jobs: Sequence[Job],
    out: Path,
    settings: Mapping[str, object],
    *,
    launch: Launch | None = None,
) -> list[dict[str, Any]]:
    """Fit what is not fitted, measure what is not measured, each in a fresh process.

    Args:
        name: The module of this package whose ``measure(fitted, **settings)`` is called.
        jobs: The models.
        out: The run directory.
        settings: JSON values; a measurement with other settings is another one.
        launch: Does one step of a job in a folder; by default in a process of its own.

    Returns:
        What was measured, in the order of ``jobs``; failed ones are reported and left out.

    Raises:
        ValueError: If the directory has one of the models with other settings.
    """
    folders = [out / model_folder(job) for job in jobs]
    for job, folder in zip(jobs, folders, strict=True):
        require_same(job, folder)
    start = launch or launch_process
    found = [
        _measured(name, job, folder, settings, start)
        for job, folder in zip(jobs, folders, strict=True)
    ]
    return [result for result in found if result is not None]


def _measured(
    name: str, job: Job, folder: Path, settings: Mapping[str, object], launch: Launch
) -> dict[str, Any] | None:
    path = folder / measurement_file(name, {'target': job.target, **settings})
    request = {'module': name, 'settings': dict(settings), 'file': path.name}
    if not path.is_file():
        try:
            if read_model(folder) is None:
                print(f'fit     {job}', flush=True)
                launch('fit', folder, job)
            elif not is_of_this_code(folder):
                print(f"note    the code has changed since the model in '{folder}' was fitted")
            print(f'measure {name}: {job}', flush=True)
            launch('measure', folder, job, extra=request)
        except RunFailed as error:
            print(f'FAILED  {job}: {error}')
            return None
    found: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return found


def publish(
    name: str, out: Path, tables: Sequence[Grid], results: Sequence[Mapping[str, Any]], note: str
) -> None:
    """Print tables and keep them as ``NAME.md`` and ``NAME.html``; nothing without results."""
    if not results:
        return
    line = f'{note} {footer(results)}'
    text = to_markdown(tables, line)
    out.mkdir(parents=True, exist_ok=True)
    (out / f'{name}.md').write_text(text, encoding='utf-8')
    (out / f'{name}.html').write_text(to_html(tables, line), encoding='utf-8')
    print('\n' + text)


def run_label(result: Mapping[str, Any]) -> str:
    """How a row of a table calls a measurement."""
    job = result['job']
    return f'{job["table"]}, seed {job["seed"]}'
