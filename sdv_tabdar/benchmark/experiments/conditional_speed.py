"""How fast rows are completed when the known cells differ in every row, beside plain sampling.

Plain sampling and completing take turns in one process, and medians are printed. SDV's
GaussianCopula completes some of the same rows; it makes a call of its model for each of them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.jobs.steps import Fitted
from sdv_tabdar.benchmark.output.tables import median

WARM_UP_ROWS = 1_000


NUMBERS = (
    median('known', 'rows', 0),
    median('returned', 'completed', 0),
    median('plain', 'plain, rows/s', 0),
    median('completing', 'completing, rows/s', 0),
    median('ratio', 'completing / plain', 2),
    median('copula_known', "GaussianCopula's rows", 0),
    median('copula_returned', 'completed by it', 0),
    median('copula', 'its rows/s', 1),
    median('times_copula', 'ours / its, per row', 1),
)


def measure(
    fitted: Fitted, *, columns: list[str], known_rows: int, copula_rows: int, repeats: int
) -> dict[str, Any]:
    """Time GaussianCopula, then plain sampling and completing in turns."""
    known = distinct_rows(fitted.dataset, columns, known_rows, fitted.job.seed)
    copula = _copula(fitted.dataset, known.head(copula_rows)) if copula_rows else {}
    synthesizer = fitted.synthesizer
    # What is prepared on first use is not counted.
    synthesizer.sample(min(WARM_UP_ROWS, len(known)))
    synthesizer.sample_remaining_columns(known.head(WARM_UP_ROWS))
    rows = []
    for _ in range(repeats):
        start = time.perf_counter()
        synthesizer.sample(len(known))
        middle = time.perf_counter()
        completed = synthesizer.sample_remaining_columns(known)
        plain, completing = middle - start, time.perf_counter() - middle
        # A row counts if it came back with its known cells.
        wanted = known.loc[completed.index]
        speed = len(known) / completing
        row: dict[str, Any] = {
            'known': len(known),
            'returned': int((completed[list(known.columns)] == wanted).all(axis=1).sum()),
            'plain': len(known) / plain,
            'completing': speed,
            'ratio': plain / completing,
            **copula,
        }
        rows.append({**row, 'times_copula': speed / copula['copula']} if copula else row)
    return {'rows': rows}


def distinct_rows(dataset: Dataset, columns: Sequence[str], count: int, seed: int) -> pd.DataFrame:
    """Distinct known cells, taken from training rows at random.

    Raises:
        ValueError: If a column is unknown, or there are not so many distinct rows.
    """
    unknown = [name for name in columns if name not in dataset.train.columns]
    if unknown:
        raise ValueError(
            f"Table '{dataset.name}' has no columns {unknown}. Its columns are "
            f'{list(dataset.train.columns)}.'
        )
    distinct = dataset.train[list(columns)].dropna().drop_duplicates()
    if len(distinct) < count:
        raise ValueError(
            f"Table '{dataset.name}' has {len(distinct):,} distinct rows of {list(columns)}, but "
            f'{count:,} are to be completed. Ask for fewer with --known-rows.'
        )
    order = np.random.default_rng(seed).permutation(len(distinct))[:count]
    return distinct.iloc[order].reset_index(drop=True)


def _copula(dataset: Dataset, known: pd.DataFrame) -> dict[str, float]:
    copula = GaussianCopulaSynthesizer(dataset.metadata)
    copula.fit({dataset.name: dataset.train.copy()})
    start = time.perf_counter()
    rows = copula.sample_remaining_columns(known)[dataset.name]
    speed = len(known) / (time.perf_counter() - start)
    return {'copula_known': len(known), 'copula_returned': len(rows), 'copula': speed}
