"""Time and peak memory of one epoch of fitting and of sampling against the size of the table.

Tables are generated: with more and more rows, with more and more columns, and with one categorical
column of more and more levels; and more and more rows are written to disk as they are drawn. Each
is measured in a fresh process. The exponent beside a number is the slope of its logarithm between
that size and the one before: 1 is a straight line, 2 is quadratic, 0 does not depend on the size.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark import generated
from sdv_tabdar.benchmark.environment import describe_environment, summary
from sdv_tabdar.benchmark.fresh import Ask, ask
from sdv_tabdar.benchmark.jobs import write_json
from sdv_tabdar.benchmark.rendering import Cell, Grid, to_html, to_markdown
from sdv_tabdar.benchmark.results import NOTHING
from sdv_tabdar.benchmark.runner import RunFailed
from sdv_tabdar.benchmark.synthesizers import parse_options

HELP = 'time and memory of fitting and sampling against the size of the table'
NAME = 'scaling'
SIZES = {
    'rows': (10_000, 100_000, 1_000_000, 10_000_000),
    'columns': (5, 10, 20, 50, 100, 200),
    'levels': (10, 100, 1_000, 10_000, 100_000, 1_000_000),
    'streamed': (10_000, 100_000, 1_000_000),
}
COLUMNS_OF_ROWS = 10
ROWS_OF_COLUMNS = 10_000
COLUMNS_OF_LEVELS = 2
MIN_ROWS_OF_LEVELS = 100_000
SAMPLE_ROWS = 1_000_000

Measured = Mapping[str, Any]
# What is printed: a title, the number and its digits.
NUMBERS: tuple[tuple[str, Callable[[Measured], float], int], ...] = (
    ('fit, s', lambda found: found['fit']['seconds'], 2),
    ('of it the epoch, s', lambda found: found['epoch_seconds'], 2),
    ('memory added by fit, MiB', lambda found: _added(found['fit']), 0),
    ('sample, s', lambda found: found['sample']['seconds'], 2),
    ('memory added by sampling, MiB', lambda found: _added(found['sample']), 0),
)


def _added(cost: Mapping[str, float]) -> float:
    """What the peak of memory rose above its level at the start."""
    return max(cost['peak_memory_mib'] - cost['memory_before_mib'], 0.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        '--sweeps',
        nargs='+',
        choices=list(SIZES),
        default=list(SIZES),
        metavar='SWEEP',
        help=f'what to vary: {", ".join(SIZES)} (default: all)',
    )
    for sweep, sizes in SIZES.items():
        parser.add_argument(
            f'--{sweep}',
            nargs='+',
            type=_size,
            default=list(sizes),
            metavar='N',
            help=f'sizes of that sweep (default: {" ".join(map(str, sizes))})',
        )
    parser.add_argument(
        '--up-to',
        nargs='+',
        default=[],
        metavar='SWEEP=N',
        help='leave out larger sizes, as in rows=1e6 levels=1e5',
    )
    parser.add_argument(
        '--sample-rows',
        type=_size,
        default=SAMPLE_ROWS,
        metavar='N',
        help='sample at most so many rows; else as many as the table has (default: %(default)s)',
    )
    parser.add_argument(
        '--settings',
        default='',
        metavar='NAME=VALUE,...',
        help='hyperparameters in place of the defaults',
    )
    parser.add_argument('--seed', type=int, default=0, metavar='N', help='(default: 0)')
    parser.add_argument(
        '--threads',
        type=int,
        metavar='N',
        help='threads of torch and of the numerical libraries (default: as they choose)',
    )
    parser.add_argument(
        '--out',
        type=Path,
        default=Path('benchmark_runs/scaling'),
        metavar='FOLDER',
        help='run directory; what it has is not done again (default: %(default)s)',
    )


def _size(text: str) -> int:
    """A whole number, written as ``1000000`` or as ``1e6``."""
    value = float(text)
    if value != int(value) or value < 1:
        raise argparse.ArgumentTypeError(
            f"a size must be a whole number from 1, but it is '{text}'"
        )
    return int(value)


def main(options: argparse.Namespace, *, ask_for: Ask = ask) -> dict[str, dict[int, Any]]:
    """Measure what is missing; keep the tables as Markdown and HTML; print them.

    Raises:
        ValueError: If a limit is of no sweep, or the directory has a size measured otherwise.
    """
    limits = read_limits(options.up_to)
    found: dict[str, dict[int, Any]] = {}
    for sweep in options.sweeps:
        sizes = sorted({n for n in getattr(options, sweep) if n <= limits.get(sweep, math.inf)})
        found[sweep] = {}
        for size in sizes:
            question = ask_about(sweep, size, sizes, options)
            place = options.out / sweep / f'{size}.json'
            answer = _measured(question, place, options.threads, ask_for)
            if answer is not None:
                found[sweep][size] = answer
    grids = [sweep_grid(sweep, sizes) for sweep, sizes in found.items() if sizes]
    note = (
        'One epoch at the settings of '
        f'{"the package" if not options.settings else options.settings}; fitting includes the '
        'encoding of the table, and memory added is the highest resident memory less that before. '
        f'Made with {summary(describe_environment())}, threads: '
        f'{options.threads or "as the libraries choose"}.'
    )
    text = to_markdown(grids, note)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f'{NAME}.md').write_text(text, encoding='utf-8')
    (options.out / f'{NAME}.html').write_text(to_html(grids, note), encoding='utf-8')
    print('\n' + text)
    return found


def read_limits(texts: Sequence[str]) -> dict[str, int]:
    """``{'rows': 1000000}`` from ``['rows=1e6']``.

    Raises:
        ValueError: If a text is no ``SWEEP=N``.
    """
    limits = {}
    for text in texts:
        sweep, _, size = text.partition('=')
        try:
            limits[sweep] = _size(size)
        except (ValueError, argparse.ArgumentTypeError):
            limits[sweep] = 0
        if sweep not in SIZES or not limits[sweep]:
            raise ValueError(
                f'--up-to must look like SWEEP=N, with SWEEP one of {list(SIZES)} and a whole '
                f"number N from 1, but it is '{text}'."
            )
    return limits


def ask_about(
    sweep: str, size: int, sizes: Sequence[int], options: argparse.Namespace
) -> dict[str, Any]:
    """The question that ``generated.measure`` answers about one size of a sweep."""
    if sweep == 'rows':
        rows, columns = size, COLUMNS_OF_ROWS
    elif sweep == 'streamed':
        rows, columns = ROWS_OF_COLUMNS, COLUMNS_OF_ROWS
    elif sweep == 'columns':
        rows, columns = ROWS_OF_COLUMNS, size
    else:
        # All sizes have the same rows, and each of the most levels at least one.
        rows, columns = max(MIN_ROWS_OF_LEVELS, *sizes), COLUMNS_OF_LEVELS
    return {
        'rows': rows,
        'columns': columns,
        'levels': size if sweep == 'levels' else None,
        'streamed': size if sweep == 'streamed' else None,
        'sample_rows': size if sweep == 'streamed' else min(rows, options.sample_rows),
        'settings': parse_options(options.settings, options.settings),
        'seed': options.seed,
    }


def _measured(
    question: dict[str, Any], place: Path, threads: int | None, ask_for: Ask
) -> dict[str, Any] | None:
    """What is kept of a size, else a new measurement; None if that failed."""
    asked = json.loads(json.dumps({**question, 'threads': threads}))
    if place.is_file():
        kept: dict[str, Any] = json.loads(place.read_text(encoding='utf-8'))
        if kept['question'] != asked:
            raise ValueError(
                f"'{place}' was measured with {kept['question']}, and now {asked} is asked for. "
                'Choose another --out, or remove that file.'
            )
        answer: dict[str, Any] = kept['answer']
        return answer
    shown = ', '.join(f'{name} {question[name]:,}' for name in SIZES if question.get(name))
    print(f'measure {shown}')
    try:
        answer = ask_for(generated.__name__, question, threads=threads)
    except RunFailed as error:
        print(f'FAILED  {shown}: {error}')
        return None
    write_json({'question': asked, 'answer': answer}, place)
    print(f'        {answer["fit"]["seconds"]:.1f} s, {answer["sample"]["seconds"]:.1f} s')
    return answer


def sweep_grid(sweep: str, found: Mapping[int, Measured]) -> Grid:
    """A row a size, each number with its exponent."""
    sizes = sorted(found)
    header = [sweep]
    for title, _, _ in NUMBERS:
        header += [title, 'exponent']
    rows = []
    for place, size in enumerate(sizes):
        cells = []
        for _, number, digits in NUMBERS:
            value = number(found[size])
            cells.append(Cell(f'{value:,.{digits}f}'))
            before = sizes[place - 1] if place else None
            slope = None if before is None else exponent(before, size, number(found[before]), value)
            cells.append(Cell(NOTHING if slope is None else f'{slope:.2f}'))
        rows.append((f'{size:,}', cells))
    largest = found[sizes[-1]]
    others = [f'{largest[name]:,} {name}' for name in ('rows', 'columns') if name != sweep]
    table = f'{largest["table_mib"]:,.0f} MiB'
    note = f'Tables of {" and ".join(others)}; the largest takes {table} as a DataFrame.'
    return Grid(f'Scaling with {sweep}', header, rows, note)


def exponent(small: float, large: float, before: float, after: float) -> float | None:
    """The slope of the logarithm between two sizes; None where a number is 0."""
    if before <= 0 or after <= 0:
        return None
    return math.log(after / before) / math.log(large / small)
