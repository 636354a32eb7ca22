"""Rows drawn under a condition against the real rows that meet it, beside unconditional rows.

XGB-C2ST of the conditional rows, of as many unconditional rows of the same model, and of rows
that the model drew without the condition and that meet it: the last two say how much of the
first is due to the model, and how much to conditioning it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sdv.sampling import Condition

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.experiments.experiment import split_pair
from sdv_tabdar.benchmark.jobs.steps import Fitted
from sdv_tabdar.benchmark.output.tables import Number

METRIC = 'xgb_c2st'
MOST_DRAWN = 200_000
NUMBERS = (
    Number('condition', 'condition'),
    Number('rows', 'rows of each', digits=0),
    Number('conditional', 'conditional', digits=4),
    Number('unconditional', 'unconditional', digits=4),
    Number('difference', 'difference', digits=4, sign='+'),
    Number('kept', 'drawn without it, kept', digits=4),
    Number('kept_rows', 'rows kept', digits=0),
)


def condition_of(dataset: Dataset, texts: Sequence[str]) -> dict[str, Any]:
    """``COLUMN=VALUE`` by column, with values as the training table holds them.

    Raises:
        ValueError: If one is no such text, a column is unknown, or never has that value.
    """
    values = {}
    for column, text in (split_pair(text, 'condition', 'COLUMN=VALUE') for text in texts):
        if column not in dataset.train.columns:
            raise ValueError(
                f"Table '{dataset.name}' has no column '{column}'. Its columns are "
                f'{list(dataset.train.columns)}.'
            )
        known = {str(value): value for value in dataset.train[column].dropna().unique().tolist()}
        if text not in known:
            raise ValueError(
                f"Column '{column}' of table '{dataset.name}' never is '{text}'. Some of its "
                f'values: {list(known)[:10]}.'
            )
        values[column] = known[text]
    return values


def measure(fitted: Fitted, *, condition: list[str], repeats: int) -> dict[str, Any]:
    """Draw and score ``repeats`` times."""
    dataset, synthesizer = fitted.dataset, fitted.synthesizer
    train = dataset.train
    wanted = condition_of(dataset, condition)
    count = int((train[list(wanted)] == pd.Series(wanted)).all(axis=1).sum())
    rows = []
    for repeat in range(repeats):
        seed = fitted.job.seed + repeat

        def score(synthetic: Any, given: Mapping[str, Any] = wanted, seed: int = seed) -> Any:
            return evaluation.conditional_scores(
                train, synthetic, dataset.metadata, given, metrics=[METRIC], seed=seed
            )

        drawn = synthesizer.sample_from_conditions([Condition(wanted, num_rows=count)])
        plain = synthesizer.sample(min(MOST_DRAWN, len(train)))
        order = np.random.default_rng(seed).permutation(len(train))[:count]
        unconditional = evaluation.score(
            train.iloc[order], plain.head(count), dataset.metadata, metrics=[METRIC], seed=seed
        )[METRIC]
        try:
            kept = score(plain)
        except ValueError:  # so few rows meet the condition that there is nothing to compare
            kept = {METRIC: math.nan, 'rows_synthetic': 0.0}
        conditional = score(drawn)[METRIC]
        rows.append(
            {
                'condition': ', '.join(condition),
                'rows': count,
                'conditional': conditional,
                'unconditional': unconditional,
                'difference': conditional - unconditional,
                'kept': None if math.isnan(kept[METRIC]) else kept[METRIC],
                'kept_rows': kept['rows_synthetic'],
            }
        )
    return {'rows': rows}
