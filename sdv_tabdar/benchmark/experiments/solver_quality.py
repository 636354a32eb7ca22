"""What the steps of the diffusion's solver do to tables drawn from a fitted model.

The core's model, fitted to numbers and categories, draws with few and with many steps. Beside the
scores against the real rows stands the greatest distance between the distribution functions of a
numerical column drawn so and drawn with the most steps (KS, the mean over columns); the draws
differ by chance as well, and a second draw with the most steps shows how much.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any

import pandas as pd

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.experiments.core_table import core_table, settings_of, timed_fit
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.output.tables import Number
from sdv_tabdar.core.model import TabDAR

MOST_ROWS = 20_000
NUMBERS = (
    Number('rows_per_cpu_second', 'rows per processor second', digits=0),
    Number('shape_error', 'Shape error, %', factor=100, digits=2),
    Number('trend_error', 'Trend error, %', factor=100, digits=2),
    Number('xgb_c2st', 'XGB-C2ST'),
    Number('ks', 'KS to another draw of the most steps', digits=4),
)


def measure(job: dict[str, Any], steps: Sequence[int], repeats: int) -> dict[str, Any]:
    """Draw and score for each number of steps; the others are compared with the most."""
    planned = Job.from_dict(job)
    steps = sorted(steps, reverse=True)
    dataset = planned.load()
    frame, kinds = core_table(dataset)
    model, _ = timed_fit(settings_of(planned), planned.seed, frame, kinds)
    count = min(len(frame), MOST_ROWS)
    sdtypes = {name: dataset.sdtypes[name] for name in kinds}
    numbers = {name: sdtype for name, sdtype in sdtypes.items() if sdtype == 'numerical'}
    reference = _drawn(model, steps[0], count, repeats)
    rows = []
    for number in steps:
        for seed in range(repeats):
            start = time.process_time()
            drawn = _drawn(model, number, count, seed)
            seconds = time.process_time() - start
            scores = evaluation.score(
                frame.head(count),
                drawn,
                sdtypes,
                metrics=['shape', 'trend', 'xgb_c2st'],
                seed=seed,
            )
            # The shape error of a number is the distance of Kolmogorov and Smirnov.
            if numbers:
                columns = list(numbers)
                found = evaluation.score(
                    reference[columns], drawn[columns], numbers, metrics=['shape']
                )
                scores['ks'] = found['shape_error']
            speed = {'rows_per_cpu_second': count / seconds}
            kept = {key.key: scores[key.key] for key in NUMBERS if key.key in scores}
            rows.append({'steps': f'{number} steps', **speed, **kept})
    return {'rows': rows}


def _drawn(model: TabDAR, steps: int, rows: int, seed: int) -> pd.DataFrame:
    model.sampling = dataclasses.replace(model.sampling, num_steps=steps)
    model.set_random_state(seed)
    return model.sample(rows)
