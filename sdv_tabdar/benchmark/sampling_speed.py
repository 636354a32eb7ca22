"""Rows sampled per second from a model that was fitted for a short time.

How fast a model samples depends on its size and not on how well it is trained. After one draw
that is not counted (it pays for what is prepared on first use) the median of several is taken.
"""

from __future__ import annotations

import argparse
import json
import statistics
from typing import Any

from sdv_tabdar.benchmark import worker
from sdv_tabdar.benchmark.arguments import (
    add_data_options,
    add_fitted_options,
    plan_settings,
    timed_spec,
)
from sdv_tabdar.benchmark.environment import describe_environment, summary
from sdv_tabdar.benchmark.rendering import Cell, Grid, to_markdown
from sdv_tabdar.benchmark.runner import Launch, launch_process, plan

HELP = 'rows sampled per second'
WARM_UP_ROWS = 1_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data_options(parser, out='benchmark_runs/sampling_speed', tables=['adult'])
    add_fitted_options(parser, fit_seconds=20.0)
    parser.add_argument(
        '--sample-rows',
        type=int,
        metavar='N',
        help='rows to draw at a time (default: as many as there are training rows)',
    )
    parser.add_argument(
        '--repeats', type=int, default=5, metavar='N', help='counted draws (default: %(default)s)'
    )


def main(options: argparse.Namespace, *, launch: Launch = launch_process) -> list[dict[str, Any]]:
    """Measure, print the table, keep it as ``sampling_speed.md``.

    Raises:
        ValueError: If the number of repeats is smaller than 1.
    """
    if options.repeats < 1:
        raise ValueError(f'--repeats must be at least 1, but it is {options.repeats}.')
    specs = options.synthesizers or [timed_spec('tabdar', options.fit_seconds)]
    measured = []
    for job in plan(synthesizers=specs, **plan_settings(options)):
        print(f'measure {job}')
        folder = options.out / job.folder
        rows = options.sample_rows or len(job.load().train)
        sizes = [min(WARM_UP_ROWS, rows), *[rows] * options.repeats]
        launch('speed', folder, job, extra={'sizes': sizes})
        measured.append(json.loads((folder / worker.SPEED).read_text(encoding='utf-8')))
    note = f'Median of {options.repeats}. Made with {summary(describe_environment())}.'
    text = to_markdown([speed_grid(measured)], note)
    (options.out / 'sampling_speed.md').write_text(text, encoding='utf-8')
    print('\n' + text)
    return measured


def speed_grid(measured: list[dict[str, Any]]) -> Grid:
    """Median, slowest and fastest draw of each synthesizer."""
    rows = []
    for found in measured:
        counted = found['samplings'][1:]
        speeds = [draw['rows'] / max(draw['seconds'], 1e-9) for draw in counted]
        cells = [
            f'{counted[0]["rows"]:,.0f}',
            f'{statistics.median(speeds):,.0f}',
            f'{min(speeds):,.0f}',
            f'{max(speeds):,.0f}',
            f'{max(draw["peak_memory_mib"] for draw in counted):,.0f}',
            f'{found["job"]["threads"] or "as chosen"}',
        ]
        label = f'{found["job"]["table"]}, {found["job"]["label"]}, seed {found["job"]["seed"]}'
        rows.append((label, [Cell(text) for text in cells]))
    header = ['run', 'rows', 'rows/s', 'slowest', 'fastest', 'peak memory, MiB', 'threads']
    return Grid('Sampling speed', header, rows)
