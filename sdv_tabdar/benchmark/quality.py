"""Quality against fitting time: our synthesizer on a table, once for each time it may train."""

from __future__ import annotations

import argparse
from typing import Any

from sdv_tabdar.benchmark.arguments import (
    add_data_options,
    add_metric_options,
    plan_settings,
    timed_spec,
)
from sdv_tabdar.benchmark.results import print_tables
from sdv_tabdar.benchmark.runner import Launch, plan, run_all, run_floor
from sdv_tabdar.benchmark.synthesizers import parse_options

HELP = 'our synthesizer after given times of fitting'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data_options(parser, out='benchmark_runs/quality', tables=['adult'])
    add_metric_options(parser)
    parser.add_argument(
        '--budgets',
        nargs='+',
        type=float,
        default=[300.0, 900.0],
        metavar='SECONDS',
        help='how long to train (default: 300 900)',
    )
    parser.add_argument(
        '--settings',
        default='',
        metavar='NAME=VALUE,...',
        help='hyperparameters in place of the defaults',
    )
    parser.add_argument(
        '--others',
        nargs='+',
        default=[],
        metavar='SYNTHESIZER',
        help='synthesizers to put beside it, at their own settings',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Run, print the table, keep it as ``quality.md`` and ``quality.html``."""
    overrides = parse_options(options.settings, options.settings)
    ours = [timed_spec(f'tabdar {seconds:g} s', seconds, overrides) for seconds in options.budgets]
    jobs = plan(synthesizers=[*options.others, *ours], **plan_settings(options))
    results = run_all(jobs, options.out, launch=launch)
    if options.floors:
        for job in {job.table: job for job in jobs}.values():
            run_floor(job, options.out, launch=launch)
    if results:
        print('\n' + print_tables(options.out, results, name='quality'))
    return results
