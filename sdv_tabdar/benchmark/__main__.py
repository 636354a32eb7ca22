"""``python -m sdv_tabdar.benchmark``: run synthesizers on tables and print how they did."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from sdv_tabdar.benchmark import (
    conditional_quality,
    conditional_speed,
    conditional_truth,
    full_report,
    imputation,
    paper,
    prediction,
    quality,
    sampling_speed,
    scaling,
    settings,
    solver,
    solver_quality,
    tenth,
    time_quality,
    training_speed,
)
from sdv_tabdar.benchmark.arguments import add_data_options, add_metric_options, plan_settings
from sdv_tabdar.benchmark.results import load_results, print_tables
from sdv_tabdar.benchmark.runner import RunFailed, plan, run_all, run_floor
from sdv_tabdar.benchmark.synthesizers import KINDS

EVIDENCE = {
    'quality': quality,
    'tenth': tenth,
    'settings': settings,
    'solver': solver,
    'solver-quality': solver_quality,
    'sampling-speed': sampling_speed,
    'paper': paper,
    'time-quality': time_quality,
    'full-report': full_report,
    'training-speed': training_speed,
    'scaling': scaling,
    'conditional-speed': conditional_speed,
    'conditional-truth': conditional_truth,
    'conditional-quality': conditional_quality,
    'imputation': imputation,
    'prediction': prediction,
}
EXAMPLES = """
examples:
  # ours and two of SDV's on two tables with three seeds
  python -m sdv_tabdar.benchmark run --data tables --tables adult magic --seeds 0 1 2 \\
      --synthesizers tabdar gaussian_copula ctgan --threads 2 --floors --out runs/first
  # the same command again does only what is missing; the tables once more:
  python -m sdv_tabdar.benchmark table runs/first
  # a quick look: small tables, short training
  python -m sdv_tabdar.benchmark run --data tables --rows 2000 --max-training-time 30
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser with all commands."""
    kinds = '\n'.join(
        textwrap.fill(f'{name:<18}{text}', 96, initial_indent='  ', subsequent_indent=' ' * 20)
        for name, text in KINDS.items()
    )
    parser = argparse.ArgumentParser(
        prog='python -m sdv_tabdar.benchmark',
        description='Synthesizers x tables x seeds, each run in a fresh process and kept in a '
        'directory: quality, time and memory.',
        epilog=f'synthesizers ([LABEL=]KIND[:name=value,...]):\n{kinds}\n{EXAMPLES}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    run = commands.add_parser('run', help='run synthesizers on tables and print the results')
    _add_run_arguments(run)
    run.set_defaults(call=run_command)
    table = commands.add_parser('table', help='print the results of a run directory again')
    table.add_argument('out', type=Path, metavar='FOLDER', help='the run directory')
    table.set_defaults(call=table_command)
    for name, module in EVIDENCE.items():
        summary = (module.__doc__ or '').splitlines()[0]
        command = commands.add_parser(name, help=module.HELP, description=summary)
        module.add_arguments(command)
        command.set_defaults(call=module.main)
    return parser


def _add_run_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_options(parser, out='benchmark_runs/run')
    add_metric_options(parser)
    parser.add_argument(
        '--synthesizers',
        nargs='+',
        metavar='SYNTHESIZER',
        default=['tabdar', 'gaussian_copula', 'ctgan', 'tvae'],
        help='which ones, see the main --help (default: tabdar gaussian_copula ctgan tvae)',
    )
    parser.add_argument(
        '--max-training-time',
        type=float,
        metavar='SECONDS',
        help='how long our own synthesizer may train (the others have no such setting)',
    )
    parser.add_argument(
        '--argn-python',
        metavar='PYTHON',
        help='the Python that has mostlyai-engine, for the synthesizer tabularargn',
    )


def run_command(options: argparse.Namespace) -> int:
    """Run, then print the tables of these runs; 1 if one of them failed."""
    jobs = plan(
        synthesizers=options.synthesizers,
        max_training_time=options.max_training_time,
        argn_python=options.argn_python,
        **plan_settings(options),
    )
    results = run_all(jobs, options.out)
    if options.floors:
        for job in {job.table: job for job in jobs}.values():
            run_floor(job, options.out)
    if results:
        print('\n' + print_tables(options.out, results, name='table'))
    return int(len(results) < len(jobs))


def table_command(options: argparse.Namespace) -> int:
    """Print the tables of a run directory."""
    print(print_tables(options.out, load_results(options.out), name='table'))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The console program; wrong input ends with one line and code 2."""
    options = build_parser().parse_args(arguments)
    try:
        outcome = options.call(options)
    except (ValueError, FileNotFoundError, ConnectionError, ImportError, RunFailed) as error:
        print(f'error: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('\nStopped. The same command goes on where this one ended.', file=sys.stderr)
        return 130
    return outcome if isinstance(outcome, int) else 0


if __name__ == '__main__':
    sys.exit(main())
