"""Training rows per second beside a plain implementation of the same network.

The plain one is float32, eager, with the fused attention call, torch's own softmax and the
default allocator. Both, and the speed of the machine's own matrix products, are measured in turns,
each time in a fresh process; the medians count, and the ratio is that of the ratios of the turns.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from sdv_tabdar.benchmark import training_steps
from sdv_tabdar.benchmark.arguments import add_data_options, plan_settings
from sdv_tabdar.benchmark.environment import describe_environment, summary
from sdv_tabdar.benchmark.fresh import Ask, ask
from sdv_tabdar.benchmark.jobs import Job, write_json
from sdv_tabdar.benchmark.rendering import Cell, Grid, to_html, to_markdown
from sdv_tabdar.benchmark.runner import plan
from sdv_tabdar.benchmark.synthesizers import parse_options
from sdv_tabdar.benchmark.training_steps import FAST, MATRIX_TYPES, PEAK, PLAIN

HELP = 'training rows per second beside a plain implementation of the same network'
NAME = 'training_speed'
GIGA = 1e9
Turn = Mapping[str, Mapping[str, Any]]
"""What one turn has measured: fast, plain and peak."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data_options(parser, out='benchmark_runs/training_speed', tables=['adult'])
    parser.add_argument(
        '--settings',
        default='',
        metavar='NAME=VALUE,...',
        help='hyperparameters in place of the defaults, for both implementations',
    )
    parser.add_argument(
        '--seconds',
        type=float,
        default=15.0,
        help='how long each is trained at a time (default: %(default)s)',
    )
    parser.add_argument(
        '--warm-up',
        type=float,
        default=3.0,
        metavar='SECONDS',
        help='before the count begins (default: %(default)s)',
    )
    parser.add_argument(
        '--repeats', type=int, default=5, metavar='N', help='turns (default: %(default)s)'
    )


def main(options: argparse.Namespace, *, ask_for: Ask = ask) -> list[dict[str, Any]]:
    """Measure; keep the turns as JSON and the tables as Markdown and HTML; print them.

    Raises:
        ValueError: If a number of seconds or turns makes no sense.
    """
    if options.repeats < 1:
        raise ValueError(f'--repeats must be at least 1, but it is {options.repeats}.')
    if options.seconds <= 0 or options.warm_up < 0:
        raise ValueError(
            f'--seconds must be above 0 and --warm-up at least 0, but they are '
            f'{options.seconds:g} and {options.warm_up:g}.'
        )
    measured: list[dict[str, Any]] = []
    for job in plan(synthesizers=['tabdar'], **plan_settings(options)):
        turns = []
        for number in range(options.repeats):
            print(f'turn    {number + 1} of {options.repeats}: {job.table}, seed {job.seed}')
            turns.append(_turn(job, options, ask_for))
        measured.append({'job': job.to_dict(), 'turns': turns})
    write_json(
        {'environment': describe_environment(), 'measured': measured}, options.out / f'{NAME}.json'
    )
    grids = [speed_grid(found['job'], found['turns']) for found in measured]
    note = (
        f'Medians of {options.repeats} turns, lowest to highest in brackets. Operations are those '
        'of the matrix products, forwards and backwards, multiplications and additions counted '
        f'one each. Made with {summary(describe_environment())}, threads: '
        f'{options.threads or "as the libraries choose"}.'
    )
    text = to_markdown(grids, note)
    (options.out / f'{NAME}.md').write_text(text, encoding='utf-8')
    (options.out / f'{NAME}.html').write_text(to_html(grids, note), encoding='utf-8')
    print('\n' + text)
    return measured


def _turn(job: Job, options: argparse.Namespace, ask_for: Ask) -> dict[str, dict[str, Any]]:
    module = training_steps.__name__
    question = {
        'job': job.to_dict(),
        'settings': parse_options(options.settings, options.settings),
        'seconds': options.seconds,
        'warm_up': options.warm_up,
    }
    turn = {
        what: ask_for(module, {**question, 'what': what}, threads=job.threads)
        for what in (PLAIN, FAST)
    }
    peak = {'what': PEAK, 'seconds': min(options.seconds, 5.0)}
    return {**turn, PEAK: ask_for(module, peak, threads=job.threads)}


def speed_grid(job: Mapping[str, Any], turns: Sequence[Turn]) -> Grid:
    """Both implementations, their ratio and the machine's peak."""
    peaks = {dtype: [turn[PEAK][dtype] / GIGA for turn in turns] for dtype in MATRIX_TYPES}
    rows = [
        ('plain implementation', _cells(PLAIN, turns, peaks)),
        ('this package', _cells(FAST, turns, peaks)),
        (
            'ratio',
            [
                *(
                    Cell(_spread([turn[FAST][key] / turn[PLAIN][key] for turn in turns], 2))
                    for key in ('rows_per_second', 'rows_per_cpu_second')
                ),
                *[Cell('')] * 3,
            ],
        ),
        *(
            (
                f'matrix products, {dtype}',
                [Cell(''), Cell(''), Cell(_spread(found, 1)), Cell(''), Cell('')],
            )
            for dtype, found in peaks.items()
        ),
    ]
    header = [
        'implementation',
        'rows/s',
        'rows per processor second',
        'GFLOP/s',
        *(f'share of the {dtype} peak, %' for dtype in MATRIX_TYPES),
    ]
    operations = {what: turns[0][what]['flops_per_row'] / 1e6 for what in (PLAIN, FAST)}
    note = (
        f'Steps of {turns[0][FAST]["batch_size"]} rows; {operations[PLAIN]:.1f} million operations '
        f'a row in the plain implementation, {operations[FAST]:.1f} in this package, which leaves '
        'out those that no loss depends on.'
    )
    return Grid(f'Training speed, {job["table"]}, seed {job["seed"]}', header, rows, note)


def _cells(what: str, turns: Sequence[Turn], peaks: Mapping[str, Sequence[float]]) -> list[Cell]:
    speeds = [turn[what]['rows_per_second'] for turn in turns]
    rates = [turn[what]['rows_per_second'] * turn[what]['flops_per_row'] / GIGA for turn in turns]
    shares = [
        statistics.median(100 * rate / peak for rate, peak in zip(rates, found, strict=True))
        for found in peaks.values()
    ]
    return [
        Cell(_spread(speeds, 0)),
        Cell(_spread([turn[what]['rows_per_cpu_second'] for turn in turns], 0)),
        Cell(_spread(rates, 1)),
        *(Cell(f'{share:.1f}') for share in shares),
    ]


def _spread(values: Sequence[float], digits: int) -> str:
    """Median, with the lowest and the highest of several."""
    middle = f'{statistics.median(values):,.{digits}f}'
    if len(values) == 1:
        return middle
    return f'{middle} [{min(values):,.{digits}f}, {max(values):,.{digits}f}]'
