"""Rows sampled per second from a model that was fitted for a short time.

How fast a model samples depends on its size and not on how well it is trained. After one draw
that is not counted (it pays for what is prepared on first use) the median of several is taken.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from sdv_tabdar.benchmark.experiments.experiment import plan_settings
from sdv_tabdar.benchmark.jobs.cost import measured
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.jobs.steps import prepare
from sdv_tabdar.benchmark.methods.spec import timed_spec
from sdv_tabdar.benchmark.output.tables import Number

WARM_UP_ROWS = 1_000
NUMBERS = (
    Number('rows', 'rows', digits=0),
    Number('speed', 'rows/s', digits=0, center='median'),
    Number('peak_memory', 'peak memory, MiB', digits=0, center='median'),
)


def planned(options: argparse.Namespace) -> list[Job]:
    """The named synthesizers, or ours fitted for a short time."""
    specs = options.synthesizers or [timed_spec('tabdar', options.fit_seconds)]
    return plan(synthesizers=specs, **plan_settings(options))


def measure(job: dict[str, Any], sample_rows: int | None, repeats: int) -> dict[str, Any]:
    """Fit once, draw ``repeats`` times as many rows as asked for, or as the table has."""
    dataset, synthesizer = prepare(Job.from_dict(job))
    synthesizer.fit(dataset.train.copy())
    count = sample_rows or len(dataset.train)
    synthesizer.sample(min(WARM_UP_ROWS, count))
    return {'rows': [_draw(synthesizer, count) for _ in range(repeats)]}


def _draw(synthesizer: Any, count: int) -> dict[str, float]:
    with measured() as cost:
        rows: Sequence[Any] = synthesizer.sample(count)
    return {
        'rows': len(rows),
        'speed': len(rows) / max(cost.seconds, 1e-9),
        'peak_memory': cost.peak_memory_mib,
    }
