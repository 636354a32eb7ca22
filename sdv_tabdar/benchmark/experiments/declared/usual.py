"""Options that many experiments have, with their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.experiments.options import REQUIRED
from sdv_tabdar.benchmark.jobs.job import DEFAULT_METRICS

SCORED: Mapping[str, Any] = {'metrics': list(DEFAULT_METRICS), 'floors': False, 'target': []}
TRAINED: Mapping[str, Any] = {'max_training_time': None, 'epochs': None, 'settings': ''}
ASKED = 'conditions'
"""The run directory of the experiments that ask a fitted model, which is fitted once for all."""


def on_tables(out: str, *names: str) -> dict[str, Any]:
    """Options of an experiment on tables; without names it takes all of the source."""
    return {
        'data': REQUIRED,
        'tables': list(names) or None,
        'out': Path('benchmark_runs', out),
        'seeds': [0],
        'rows': None,
        'threads': None,
    }


def on_parts(out: str, *names: str) -> dict[str, Any]:
    """Options of an experiment on tables that takes several numbers of rows, in place of one."""
    options = {**on_tables(out, *names), 'max_training_time': None}
    del options['rows']
    return options
