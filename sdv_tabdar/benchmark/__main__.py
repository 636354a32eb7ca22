"""``python -m sdv_tabdar.benchmark``: experiments, and their tables once more."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from sdv_tabdar.benchmark.experiments.declared import EXPERIMENTS
from sdv_tabdar.benchmark.experiments.experiment import carry_out, print_again
from sdv_tabdar.benchmark.experiments.options import add_options
from sdv_tabdar.benchmark.experiments.paper_page import renew
from sdv_tabdar.benchmark.methods.spec import KINDS
from sdv_tabdar.benchmark.output import raw

PROGRAM = 'python -m sdv_tabdar.benchmark'
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


def build_parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """The parser with all commands, as the program of a name."""
    kinds = '\n'.join(
        textwrap.fill(f'{name:<18}{kind.text}', 96, initial_indent='  ', subsequent_indent=' ' * 20)
        for name, kind in KINDS.items()
    )
    parser = argparse.ArgumentParser(
        prog=program,
        description='Experiments with synthesizers and tables, each measurement in a fresh process '
        'and kept in a directory.',
        epilog=f'synthesizers ([LABEL=]KIND[:name=value,...]):\n{kinds}\n{EXAMPLES}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for name, experiment in EXPERIMENTS.items():
        command = commands.add_parser(name, help=experiment.help, description=experiment.help)
        add_options(command, experiment.options)
    table = commands.add_parser('table', help='print the tables of a run directory again')
    table.add_argument('out', type=Path, metavar='FOLDER', help='the run directory')
    told = 'write what runs have kept into the page about the paper: tables, CSV files, pictures'
    page = commands.add_parser('paper-page', help=told, description=told)
    runs = (
        "run directories of 'paper', 'nested-diffusion', 'imputation' and 'yardsticks', whose rows "
    )
    runs += 'are added to those kept beside the page'
    page.add_argument('runs', type=Path, nargs='*', metavar='FOLDER', help=runs)
    for flag, place, what in (
        ('--page', Path('docs', 'explanation', 'paper.md'), 'the page'),
        ('--pictures', Path('docs', 'images'), 'where pictures go'),
    ):
        page.add_argument(flag, type=Path, default=place, help=f'{what} (default: {place})')
    return parser


def print_tables(out: Path) -> int:
    """Print the tables of all experiments that a run directory has raw rows of.

    Raises:
        FileNotFoundError: If it has none.
    """
    found = {name.replace('-', '_'): experiment for name, experiment in EXPERIMENTS.items()}
    stems = [stem for stem in raw.names(out) if stem in found]
    if not stems:
        raise FileNotFoundError(
            f"There is nothing to print in '{out}': no command has come to its end there. The same "
            'command again goes on where it ended.'
        )
    for stem in stems:
        print(print_again(stem, found[stem], out))
    return 0


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """The console program; wrong input ends with one line and code 2."""
    options = build_parser(program).parse_args(arguments)
    try:
        if options.command == 'table':
            return print_tables(options.out)
        if options.command == 'paper-page':
            print('\n'.join(renew(options.page, options.runs, options.pictures)))
            return 0
        return carry_out(options.command, EXPERIMENTS[options.command], options)
    except (ValueError, FileNotFoundError, ImportError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('\nStopped. The same command goes on where this one ended.', file=sys.stderr)
        return 130


if __name__ == '__main__':
    sys.exit(main())
