"""Rows drawn under a condition against the real rows that meet it, beside unconditional rows.

XGB-C2ST of the conditional rows, of as many unconditional rows of the same model, and of rows
that the model drew without the condition and that meet it: the last two say how much of the
first is due to the model, and how much to conditioning it.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sdv.sampling import Condition

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.datasets import Dataset
from sdv_tabdar.benchmark.evidence import (
    add_model_options,
    collect,
    plan_models,
    publish,
    run_label,
)
from sdv_tabdar.benchmark.models import Fitted
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.runner import Launch

HELP = 'rows drawn under a condition against the real rows that meet it'
NAME = 'conditional_quality'
METRIC = 'xgb_c2st'
CONDITION = 'income=>50K'
# Rows to find by drawing without the condition: a little more than needed on average.
MARGIN = 1.1
MOST_DRAWN = 200_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_model_options(parser, tables=['adult'])
    parser.add_argument(
        '--condition',
        nargs='+',
        default=[CONDITION],
        metavar='COLUMN=VALUE',
        help=f'what the rows must have (default: {CONDITION})',
    )
    parser.add_argument(
        '--repeats',
        type=int,
        default=3,
        metavar='N',
        help='how often to draw and to score (default: %(default)s)',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Draw, score, print the table, keep it as ``conditional_quality.md``.

    Raises:
        ValueError: If a condition is no ``COLUMN=VALUE``, or nothing is to be repeated.
    """
    if options.repeats < 1:
        raise ValueError(f'--repeats must be at least 1, but it is {options.repeats}.')
    settings = {'condition': read_condition(options.condition), 'repeats': options.repeats}
    results = collect(NAME, plan_models(options), options.out, settings, launch=launch)
    note = f'XGB-C2ST, 1 = indistinguishable; means of {options.repeats} draws.'
    publish(NAME, options.out, [quality_grid(results)], results, note)
    return results


def read_condition(texts: Sequence[str]) -> dict[str, str]:
    """Texts ``COLUMN=VALUE`` by column.

    Raises:
        ValueError: If one is no such text.
    """
    condition = {}
    for text in texts:
        column, equals, value = text.partition('=')
        if not equals or not column:
            raise ValueError(f"A condition must look like COLUMN=VALUE, but it is '{text}'.")
        condition[column] = value
    return condition


def condition_of(dataset: Dataset, condition: Mapping[str, str]) -> dict[str, Any]:
    """The condition with values as the training table holds them.

    Raises:
        ValueError: If a column is unknown, or never has that value.
    """
    values = {}
    for column, text in condition.items():
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


def measure(fitted: Fitted, *, condition: dict[str, str], repeats: int) -> dict[str, Any]:
    """Draw and score ``repeats`` times."""
    dataset, synthesizer = fitted.dataset, fitted.synthesizer
    wanted = condition_of(dataset, condition)
    real = meeting(dataset.train, wanted)
    if len(real) < 3:
        raise ValueError(f"Only {len(real)} rows of '{dataset.name}' meet {wanted}.")
    count = len(real)
    draws = min(MOST_DRAWN, math.ceil(MARGIN * len(dataset.train)))
    scores: dict[str, list[float]] = {'conditional': [], 'unconditional': [], 'kept': []}
    kept_rows = []
    for repeat in range(repeats):
        seed = fitted.job.seed + repeat
        drawn = synthesizer.sample_from_conditions([Condition(wanted, num_rows=count)])
        scores['conditional'].append(_score(real, drawn, dataset, wanted, seed))
        plain = synthesizer.sample(draws)
        order = np.random.default_rng(seed).permutation(len(dataset.train))[:count]
        some = dataset.train.iloc[order].reset_index(drop=True)
        scores['unconditional'].append(_score(some, plain.head(count), dataset, {}, seed))
        kept = meeting(plain, wanted).head(count)
        kept_rows.append(len(kept))
        if len(kept) >= 3:
            scores['kept'].append(_score(real, kept, dataset, wanted, seed))
    return {'rows': count, 'kept_rows': min(kept_rows), 'scores': scores}


def meeting(rows: pd.DataFrame, condition: Mapping[str, object]) -> pd.DataFrame:
    """The rows that have the given values."""
    kept = np.ones(len(rows), dtype=bool)
    for column, value in condition.items():
        kept &= (rows[column] == value).to_numpy(dtype=bool)
    return rows[kept].reset_index(drop=True)


def _score(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    dataset: Dataset,
    fixed: Mapping[str, object],
    seed: int,
) -> float:
    """XGB-C2ST without the columns that are the same by construction."""
    left = {name: sdtype for name, sdtype in dataset.sdtypes.items() if name not in fixed}
    columns = list(left)
    found = evaluation.score(real[columns], synthetic[columns], left, metrics=[METRIC], seed=seed)
    return float(found[METRIC])


def quality_grid(results: Sequence[Mapping[str, Any]]) -> Grid:
    """Scores of conditional and of unconditional rows, and their difference."""
    rows = []
    for result in results:
        means = {name: _mean(values) for name, values in result['scores'].items()}
        condition = ', '.join(f'{k}={v}' for k, v in result['settings']['condition'].items())
        cells = [
            f'{result["rows"]:,}',
            _text(result['scores']['conditional']),
            _text(result['scores']['unconditional']),
            f'{means["conditional"] - means["unconditional"]:+.4f}',
            _text(result['scores']['kept']),
            f'{result["kept_rows"]:,}',
        ]
        rows.append((f'{run_label(result)}: {condition}', [Cell(text) for text in cells]))
    header = ['table', 'rows of each', 'conditional', 'unconditional', 'difference']
    header += ['drawn without it, kept', 'rows kept']
    return Grid('XGB-C2ST of rows drawn under a condition', header, rows)


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else math.nan


def _text(values: Sequence[float]) -> str:
    if len(values) < 2:
        return f'{_mean(values):.4f}'
    return f'{_mean(values):.4f} ± {statistics.stdev(values):.4f}'
