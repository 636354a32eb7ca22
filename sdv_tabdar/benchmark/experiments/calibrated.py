"""What the correction of drawn shares at the end of training changes, in one and the same network.

A network is trained without it, asked and drawn from, then corrected, and asked and drawn from once
more, with the same random numbers. The rows to compare with were not trained on.
"""

from __future__ import annotations

import time
from typing import Any

import pandas as pd

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.experiments.core_table import part_facts, settings_of, timed_fit
from sdv_tabdar.benchmark.experiments.held_out import (
    any_order_loss,
    known_rows,
    shuffled_test,
    training_part,
)
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.output.tables import Number
from sdv_tabdar.core.calibration import calibrate

_DRAWN = 10_000
_METRICS = ('shape', 'trend', 'marginals', 'xgb_c2st')

NUMBERS = (
    Number('any_order', 'any order, nats', digits=3),
    Number('shape_error', 'Shape, %', 'low', 100, 2),
    Number('trend_real_edges_error', 'Trend, %', 'low', 100, 2),
    Number('marginals_3', '3 columns, %', 'low', 100, 2),
    Number('xgb_c2st', 'XGB-C2ST', 'high'),
    Number('seconds', 'processor s', digits=1),
)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Fit rows that the seed chooses, without the correction; compare with and without it."""
    planned = Job.from_dict(job)
    dataset, train, kinds = training_part(planned)
    settings = {**settings_of(planned), 'calibration': False}
    model, fitted = timed_fit(settings, planned.seed, train, kinds)
    test = shuffled_test(dataset, kinds)
    known = known_rows(test, train, kinds)
    sdtypes = {name: dataset.sdtypes[name] for name in kinds}

    def row(setting: str, seconds: float) -> dict[str, Any]:
        model.set_random_state(planned.seed)
        drawn = model.sample(min(_DRAWN, len(test)))
        return {
            **part_facts(planned, train),
            'setting': setting,
            'any_order': -any_order_loss(model, known),
            'seconds': seconds,
            **_scores(test.head(len(drawn)), drawn, sdtypes, planned.seed),
        }

    rows = [row('as trained', fitted)]
    start = time.process_time()
    calibrate(model.trained.network, len(model.loss_values) * len(train))
    rows.append(row('calibrated', time.process_time() - start))
    return {'rows': rows}


def _scores(
    test: pd.DataFrame, drawn: pd.DataFrame, sdtypes: dict[str, str], seed: int
) -> dict[str, float]:
    """How near drawn rows come to test rows."""
    return evaluation.score(test, drawn, sdtypes, metrics=_METRICS, seed=seed)
