"""Every option that an experiment may have, once; experiments name theirs and give defaults."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.methods.hyperimpute import OUTSIDE
from sdv_tabdar.benchmark.methods.imputers import IMPUTERS
from sdv_tabdar.evaluation.registry import METRICS

ALL = 'all'
_IMPUTERS = ', '.join([*IMPUTERS, *OUTSIDE])


def whole(text: str) -> int:
    """A whole number, written as ``1000000`` or as ``1e6``.

    Raises:
        argparse.ArgumentTypeError: If it is something else.
    """
    try:
        value = float(text)
        number = int(value)
    except (ValueError, OverflowError):
        number, value = 0, -1.0
    if number != value:
        raise argparse.ArgumentTypeError(f"it must be a whole number, but it is '{text}'")
    return number


def bounded(
    kind: Callable[[str], float], *, least: float = -math.inf, above: float = -math.inf
) -> Callable[[str], float]:
    """A reader of numbers that are at least one bound, and above another."""

    def read(text: str) -> float:
        value = kind(text)
        if value < least or value <= above:
            bound = f'at least {least:g}' if value < least else f'above {above:g}'
            raise argparse.ArgumentTypeError(f'must be {bound}, but it is {value:g}')
        return value

    return read


def share(text: str) -> float:
    """A number between 0 and 1, neither of them."""
    value = bounded(float, above=0)(text)
    if value >= 1:
        raise argparse.ArgumentTypeError(f'must be below 1, but it is {value:g}')
    return value


def imputer(text: str) -> str:
    """The name of an imputer, or ``NAME=csv:PATH``."""
    is_file = parse_imputer(text) is not None
    if text not in (*IMPUTERS, *OUTSIDE) and not is_file:
        raise argparse.ArgumentTypeError(
            f"it must be one of {_IMPUTERS} or look like NAME=csv:PATH, but it is '{text}'"
        )
    return text


def parse_imputer(text: str) -> tuple[str, str] | None:
    """Name and path of ``NAME=csv:PATH``; None of another text."""
    name, _, path = text.partition('=csv:')
    return (name, path) if name and path else None


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a command.

    Attributes:
        help: What it says.
        kind: Makes a value of a text; None is a switch.
        many: Whether it takes several values.
        empty: Whether several may be none.
        metavar: How the help calls a value.
        choices: The only values there are.
        flag: Its name on the command line, where that is not its own.
    """

    help: str
    kind: Callable[[str], Any] | None = str
    many: bool = False
    empty: bool = False
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    flag: str = ''


_SECONDS: dict[str, Any] = {'kind': bounded(float, above=0), 'metavar': 'SECONDS'}
_COUNT: dict[str, Any] = {'kind': bounded(whole, least=1), 'metavar': 'N'}
_SETTINGS = 'NAME=VALUE,...'

OPTIONS: Mapping[str, Option] = {
    # Where tables come from, where results go, and on what they are made.
    'data': Option(
        'folder with tables (TABLE/info.json, or your own TABLE.csv with SDV metadata)',
        metavar='FOLDER',
    ),
    'tables': Option('which tables', many=True, metavar='TABLE'),
    'out': Option('run directory; what it has is not done again', kind=Path, metavar='FOLDER'),
    'seeds': Option('seeds', kind=int, many=True, metavar='N'),
    'rows': Option('at most so many training rows of each table', **_COUNT),
    'parts': Option(
        'so many training rows of each table, which the seed chooses; 0 for all',
        kind=bounded(whole, least=0),
        many=True,
        metavar='N',
        flag='--rows',
    ),
    'threads': Option('threads of torch and of the numerical libraries', **_COUNT),
    'target': Option(
        'the column to predict, for tables that do not say it themselves',
        many=True,
        metavar='TABLE=COLUMN',
    ),
    # Which synthesizers.
    'synthesizers': Option('which ones, see the main --help', many=True, metavar='SYNTHESIZER'),
    'others': Option(
        'synthesizers beside ours, at their own settings',
        many=True,
        empty=True,
        metavar='SYNTHESIZER',
    ),
    'argn_python': Option(
        'the Python that has mostlyai-engine, for the synthesizer tabularargn', metavar='PYTHON'
    ),
    'dpmm_python': Option('the Python that has dpmm, for AIM and MST', metavar='PYTHON'),
    'dpmm_methods': Option('which of its methods', many=True, choices=('aim', 'mst')),
    'epsilons': Option(
        'privacy budgets, once each', kind=bounded(float, above=0), many=True, metavar='EPSILON'
    ),
    'base': Option(
        "what ablation, depth and dimension vary; 'tabdar-paper' for the paper's settings, which "
        'want a GPU',
        metavar='SYNTHESIZER',
    ),
    # How ours is trained.
    'max_training_time': Option(
        'how long our synthesizer may train (the others have no such setting)', **_SECONDS
    ),
    'epochs': Option('passes over the table', **_COUNT),
    'cells': Option('about so many cells of training rows, in whole passes', **_COUNT),
    'settings': Option('hyperparameters in place of the defaults', metavar=_SETTINGS),
    'named_settings': Option(
        "'NAME:key=value,...' ('NAME' alone: the defaults)",
        many=True,
        metavar='SETTING',
        flag='--settings',
    ),
    'budget': Option('how long each may train', **_SECONDS),
    'budgets': Option('how long to train, once each', many=True, **_SECONDS),
    'fit_seconds': Option('how long our own is fitted if no synthesizers are named', **_SECONDS),
    'share_of_ctgan': Option(
        "our share of CTGAN's seconds", bounded(float, above=0), flag='--share'
    ),
    'reserve': Option(
        'kept back from that share, for what fitting does besides training; at most half of it',
        kind=bounded(float, least=0),
        metavar='SECONDS',
    ),
    # What is measured.
    'metrics': Option(
        f"metrics of sdv_tabdar.evaluation: {', '.join(METRICS)}; or '{ALL}'",
        many=True,
        metavar='METRIC',
    ),
    'floors': Option('also score one half of the real rows against the other', kind=None),
    'repeats': Option('how often to measure', **_COUNT),
    'steps': Option("steps of the diffusion's solver", many=True, **_COUNT),
    'sigma_max': Option('where the solver starts', bounded(float, above=0), many=True, metavar='S'),
    'sample_rows': Option('rows to draw', **_COUNT),
    'engines': Option(
        "what draws: 'process', one of two threads; 'dask', 'spark', two of one thread each",
        many=True,
        metavar='ENGINE',
    ),
    'arrangements': Option(
        "numbers of ranks, perhaps with the rows of a step as in '2:256', or '2:256:apart'",
        many=True,
        metavar='RANKS[:ROWS[:apart]]',
    ),
    'evaluation_threads': Option('threads of the evaluation', **_COUNT),
    'only': Option("which of the paper's tables", many=True, metavar='TABLE'),
    'seconds': Option('how long each is trained at a time', **_SECONDS),
    'warm_up': Option('before the count begins', kind=bounded(float, least=0), metavar='SECONDS'),
    'sweeps': Option('what to vary', many=True, metavar='SWEEP'),
    'sizes': Option("sizes in place of each sweep's own", many=True, **_COUNT),
    'up_to': Option(
        'leave out larger sizes, as in rows=1e6 levels=1e5', many=True, metavar='SWEEP=N'
    ),
    # Known cells.
    'columns': Option('the known columns', many=True, metavar='COLUMN'),
    'known_rows': Option('how many distinct rows to complete', **_COUNT),
    'copula_rows': Option(
        'how many of them GaussianCopula completes; 0 for none',
        kind=bounded(whole, least=0),
        metavar='N',
    ),
    'condition': Option('what the rows must have', many=True, metavar='COLUMN=VALUE'),
    'draws': Option('rows drawn for each condition', kind=bounded(whole, least=100), metavar='N'),
    'table_rows': Option(
        'rows of each training table', kind=bounded(whole, least=100), metavar='N', flag='--rows'
    ),
    'stored_rows': Option('rows of each stored table', many=True, **_COUNT, flag='--rows'),
    'frame_rows': Option('rows that are fitted as a frame beside them', **_COUNT),
    'known_tables': Option(
        'which distributions',
        many=True,
        choices=(
            *('gaussian', 'discrete', 'spiked'),
            *('ring', 'chequerboard', 'parity', 'days'),
            *('wide-50', 'wide-100', 'wide-200'),
        ),
        flag='--tables',
    ),
    'share': Option('share of the cells of the test rows to hide', share),
    'methods': Option(
        f'what to put beside ours, of {_IMPUTERS}, or NAME=csv:PATH for test rows that were filled '
        'elsewhere; {table} and {seed} in PATH are filled in',
        kind=imputer,
        many=True,
        empty=True,
        metavar='METHOD',
    ),
    'hyperimpute_python': Option(
        f'the Python that has hyperimpute, for {", ".join(OUTSIDE)}', metavar='PYTHON'
    ),
    'gaps': Option(
        'write the test rows with gaps there, as TABLE_SEED.csv, for methods that run elsewhere',
        metavar='FOLDER',
    ),
    'baseline_rows': Option('training rows that the others than mean/mode learn from', **_COUNT),
    'scored_rows': Option('rows to score', **_COUNT),
    'orders': Option('orders of the columns to average over', many=True, **_COUNT),
    'likelihoods': Option('also bits a row of held-out rows, where a model has them', kind=None),
    'judged_rows': Option('at most so many rows to draw and to compare with', **_COUNT),
    'detected_rows': Option('at most so many of either for detectors', **_COUNT),
    'test_rows': Option('at most so many test rows', **_COUNT),
    'num_samples': Option('draws that a cell of ours is the mean or the vote of', **_COUNT),
}

REQUIRED = object()
"""The default of an option that must be given."""


def add_options(parser: argparse.ArgumentParser, defaults: Mapping[str, Any]) -> None:
    """Give a command its options.

    Args:
        parser: Of the command.
        defaults: The default of each option by its name in ``OPTIONS``.
    """
    for name, default in defaults.items():
        option = OPTIONS[name]
        flag = option.flag or f'--{name.replace("_", "-")}'
        if option.kind is None:
            parser.add_argument(flag, dest=name, action='store_true', help=option.help)
            continue
        shown = ' '.join(map(str, default)) if isinstance(default, list) else default
        told = '' if default in (None, REQUIRED, '') else f' (default: {shown})'
        choices = f', of {", ".join(option.choices)}' if option.choices else ''
        parser.add_argument(
            flag,
            dest=name,
            type=option.kind,
            nargs=('*' if option.empty else '+') if option.many else None,
            metavar=option.metavar,
            choices=option.choices,
            required=default is REQUIRED,
            default=None if default is REQUIRED else default,
            help=(option.help + choices + told).replace('%', '%%'),
        )
