"""What log-likelihoods take beside drawing as many rows, by the number of orders.

Every order of the columns costs what drawing costs. What more orders are for is the spread: how far
two answers for the same row are apart, and whether they put rows in the same order.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import stats

from sdv_tabdar.benchmark.jobs.steps import Fitted
from sdv_tabdar.benchmark.output.tables import Number

MOST_ORDERS = 20
"""Of the answer that others are compared with."""

NUMBERS = (
    Number('columns', 'columns', digits=0),
    Number('seconds', 'processor s', digits=2),
    Number('ratio', 'in times of drawing', digits=2),
    Number('mean', 'mean, nats', digits=3),
    Number('spread', 'two answers apart, nats', digits=3),
    Number('rank', f'rank correlation with {MOST_ORDERS} orders', digits=4),
    Number('tail', 'of the lowest hundredth found again', digits=3),
)


def measure(fitted: Fitted, *, known_rows: int, orders: list[int]) -> dict[str, Any]:
    """Time and spread of the likelihoods of rows drawn, for each number of orders."""
    start = time.process_time()
    rows = fitted.synthesizer.sample(known_rows)
    drawing = time.process_time() - start
    few = rows.head(min(known_rows, 2_000))
    best = fitted.synthesizer.log_likelihood(few, MOST_ORDERS, seed=99)
    found = []
    for count in orders:
        start = time.process_time()
        fitted.synthesizer.log_likelihood(rows, count, seed=0)
        seconds = time.process_time() - start
        first, second = (
            fitted.synthesizer.log_likelihood(few, count, seed=seed).to_numpy() for seed in (1, 2)
        )
        lowest = max(len(few) // 100, 1)
        again = np.intersect1d(np.argsort(first)[:lowest], np.argsort(best.to_numpy())[:lowest])
        found.append(
            {
                'orders': count,
                'columns': rows.shape[1],
                'draw_seconds': drawing,
                'seconds': seconds,
                'ratio': seconds / drawing,
                'mean': float(first.mean()),
                'spread': float(np.abs(first - second).mean()),
                'rank': float(stats.spearmanr(first, best).statistic),
                'tail': len(again) / lowest,
            }
        )
    return {'rows': found}
