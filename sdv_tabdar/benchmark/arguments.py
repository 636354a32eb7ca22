"""The options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.jobs import DEFAULT_METRICS
from sdv_tabdar.evaluation.registry import METRICS

# So many that the time is what ends the training.
ENDLESS = 100_000
ALL = 'all'


def add_data_options(
    parser: argparse.ArgumentParser, *, out: str, tables: Sequence[str] | None = None
) -> None:
    """Where tables come from, where results go, and on what they are made.

    Args:
        parser: Of the command.
        out: The default run directory.
        tables: The default tables; None means all of the source.
    """
    parser.add_argument(
        '--data',
        required=True,
        metavar='FOLDER',
        help='folder with tables (TABLE/info.json, or your own TABLE.csv with SDV metadata), or '
        "'demo' for the tables that SDV downloads",
    )
    parser.add_argument(
        '--tables',
        nargs='+',
        metavar='TABLE',
        default=tables,
        help='which tables (default: %(default)s)' if tables else 'which tables (default: all)',
    )
    parser.add_argument(
        '--out',
        type=Path,
        default=Path(out),
        metavar='FOLDER',
        help='run directory; what it has is not done again (default: %(default)s)',
    )
    parser.add_argument(
        '--seeds', nargs='+', type=int, default=[0], metavar='N', help='seeds (default: 0)'
    )
    parser.add_argument(
        '--rows', type=int, metavar='N', help='use at most N training rows of each table'
    )
    parser.add_argument(
        '--threads',
        type=int,
        metavar='N',
        help='threads of torch and of the numerical libraries (default: as they choose)',
    )


def add_fitted_options(parser: argparse.ArgumentParser, *, fit_seconds: float) -> None:
    """Which synthesizers, or for how long ours is fitted if none are named."""
    parser.add_argument(
        '--synthesizers',
        nargs='+',
        metavar='SYNTHESIZER',
        help='which ones (default: ours, fitted for --fit-seconds)',
    )
    parser.add_argument(
        '--fit-seconds',
        type=float,
        default=fit_seconds,
        metavar='SECONDS',
        help='how long our own is fitted (default: %(default)s)',
    )


def add_metric_options(parser: argparse.ArgumentParser) -> None:
    """What to score."""
    parser.add_argument(
        '--metrics',
        nargs='+',
        metavar='METRIC',
        default=list(DEFAULT_METRICS),
        help=f"metrics of sdv_tabdar.evaluation: {', '.join(METRICS)}; or '{ALL}' "
        f'(default: {" ".join(DEFAULT_METRICS)})',
    )
    parser.add_argument(
        '--floors',
        action='store_true',
        help='also score one half of the real rows against the other',
    )
    parser.add_argument(
        '--target',
        nargs='+',
        metavar='TABLE=COLUMN',
        default=[],
        help='the column to predict, for tables that do not say it themselves',
    )


def plan_settings(options: argparse.Namespace) -> dict[str, Any]:
    """The options above as arguments of ``runner.plan``.

    Raises:
        ValueError: If a target is no ``TABLE=COLUMN``.
    """
    metrics = getattr(options, 'metrics', DEFAULT_METRICS)
    targets = {}
    for text in getattr(options, 'target', []):
        table, equals, column = text.partition('=')
        if not equals:
            raise ValueError(f"A target must look like TABLE=COLUMN, but it is '{text}'.")
        targets[table] = column
    return {
        'data': options.data,
        'tables': options.tables,
        'seeds': options.seeds,
        'rows': options.rows,
        'threads': options.threads,
        'metrics': list(METRICS) if ALL in metrics else metrics,
        'targets': targets,
    }


def timed_spec(label: str, seconds: float, overrides: Mapping[str, object] | None = None) -> str:
    """Our synthesizer trained until a time is up, as a text for ``synthesizers.parse_spec``."""
    options = {'epochs': ENDLESS, 'max_training_time': float(seconds), **(overrides or {})}
    listed = ','.join(f'{name}={value!r}' for name, value in options.items())
    return f'{label}=tabdar:{listed}'
