"""The two entry points: `score` for numbers alone, `evaluate` for a report with floors."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes, resolve_columns
from sdv_tabdar.evaluation.context import Context, MetricResult, NotComputableError
from sdv_tabdar.evaluation.figures import figures_of
from sdv_tabdar.evaluation.registry import MEANINGS, REAL_BESIDE, Metric, chosen_metrics
from sdv_tabdar.evaluation.report import Report
from sdv_tabdar.evaluation.tables import prepare_frames

DEFAULT_SCORES = ('shape', 'trend', 'xgb_c2st', 'lr_c2st', 'alpha_precision', 'beta_recall', 'dcr')


def score(
    real_train: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: object,
    real_test: pd.DataFrame | None = None,
    *,
    target: str | None = None,
    metrics: Sequence[str] | None = DEFAULT_SCORES,
    seed: int = 0,
    paper_compatible: bool = False,
) -> dict[str, float]:
    """Score a synthetic table.

    Args:
        real_train: The real rows that the synthesizer was trained on.
        synthetic: The synthetic rows.
        metadata: SDV metadata of the table, its dict, or a mapping from column to sdtype. Ids,
            keys and personal data are left out.
        real_test: Real rows that the synthesizer did not see, for `dcr_share`, `mle` and the
            membership attack.
        target: The column that `mle` predicts.
        metrics: Which metrics; None for all that the inputs allow.
        seed: Decides folds and subsamples.
        paper_compatible: Whether to add the scores of published protocols with their faults
            (`mle_paper`, `jsd_paper`, `dcr_share_paper`).

    Returns:
        Numbers by key, NaN for a metric that has no value on this data. Errors are fractions.

    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If a frame is empty or does not fit the metadata, or if a metric is unknown or
            lacks an input.
    """
    context = _context(real_train, synthetic, metadata, real_test, target, seed, paper_compatible)
    chosen, _ = chosen_metrics(metrics, holdout=real_test is not None, target=target is not None)
    results, notes, _ = _compute(chosen, context)
    return _flat(results, notes)


def evaluate(
    real_train: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: object,
    real_test: pd.DataFrame | None = None,
    *,
    target: str | None = None,
    metrics: Sequence[str] | None = None,
    seed: int = 0,
    floors: bool = True,
    paper_compatible: bool = False,
    density_pairs: Sequence[tuple[str, str]] | None = None,
    title: str = 'Synthetic data report',
) -> Report:
    """Score a synthetic table and put the scores beside what perfect data would score.

    The floor of a score is that of two disjoint halves of the real training rows, one in the place
    of the synthetic rows (below 60 rows: the rows and a bootstrap sample of them). Errors that
    shrink with the number of rows are scaled from the size of the halves to that of the tables.

    Args:
        real_train: The real rows that the synthesizer was trained on.
        synthetic: The synthetic rows.
        metadata: SDV metadata of the table, its dict, or a mapping from column to sdtype.
        real_test: Real rows that the synthesizer did not see.
        target: The column that `mle` predicts.
        metrics: Which metrics; None for all that the inputs allow.
        seed: Decides folds, subsamples and halves.
        floors: Whether to compute the floors, which takes about half as long again.
        paper_compatible: Whether to add the scores of published protocols with their faults.
        density_pairs: Pairs of columns for the report's two-dimensional densities; None for the
            pairs with the largest error and the most strongly related ones.
        title: The heading of the report.

    Returns:
        The report.

    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If a frame is empty or does not fit the metadata, or if a metric is unknown or
            lacks an input.
    """
    context = _context(real_train, synthetic, metadata, real_test, target, seed, paper_compatible)
    _check_pairs(density_pairs, context.columns)
    chosen, skipped = chosen_metrics(
        metrics, holdout=real_test is not None, target=target is not None
    )
    results, notes, seconds = _compute(chosen, context)
    scores = _flat(results, notes)
    floor = _floors(chosen, context, scores) if floors else {}
    tables = {name: table for result in results.values() for name, table in result.tables.items()}
    arrays = {name: rows for result in results.values() for name, rows in result.arrays.items()}
    return Report(
        title=title,
        scores=scores,
        floors=floor,
        notes={**{name: f'left out: it {why}.' for name, why in skipped.items()}, **notes},
        tables=tables,
        figures=figures_of(context, tables, arrays, density_pairs),
        lower_is_better=_lower_is_better(context),
        seconds=seconds,
        facts={
            'real_rows': len(context.real),
            'synthetic_rows': len(context.synthetic),
            'holdout_rows': 0 if context.holdout is None else len(context.holdout),
            'columns': len(context.columns.names),
            'target': target,
            'seed': seed,
        },
    )


def _context(
    real_train: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: object,
    real_test: pd.DataFrame | None,
    target: str | None,
    seed: int,
    paper_compatible: bool,
) -> Context:
    """Check the inputs and bring the frames to canonical form."""
    columns = resolve_columns(metadata)
    frames = {'real_train': real_train, 'synthetic': synthetic}
    if real_test is not None:
        frames['real_test'] = real_test
    ready = prepare_frames(frames, columns)
    if target is not None and target not in columns.names:
        raise ValueError(
            f'The target {target!r} is not a measured column. The columns are '
            f'{", ".join(repr(name) for name in columns.names)}.'
        )
    return Context(
        ready['real_train'],
        ready['synthetic'],
        columns,
        ready.get('real_test'),
        target,
        seed,
        paper_compatible,
    )


def _check_pairs(pairs: Sequence[tuple[str, str]] | None, columns: ColumnTypes) -> None:
    """Refuse pairs of columns that are not measured."""
    for pair in pairs or ():
        for name in pair:
            if name not in columns.names:
                raise ValueError(
                    f'density_pairs names {name!r}, which is not a measured column. The columns '
                    f'are {", ".join(repr(column) for column in columns.names)}.'
                )


def _compute(
    chosen: list[Metric], context: Context
) -> tuple[dict[str, MetricResult], dict[str, str], dict[str, float]]:
    """Results, reasons for those without a value, and seconds, by metric."""
    results, notes, seconds = {}, {}, {}
    for metric in chosen:
        start = time.perf_counter()
        try:
            results[metric.name] = metric.compute(context)
        except NotComputableError as error:
            notes[metric.name] = f'not computable: {error}'
        seconds[metric.name] = round(time.perf_counter() - start, 3)
    return results, notes, seconds


_MAIN_KEY = {
    'shape': 'shape_error',
    'trend': 'trend_error',
    'dcr': 'dcr_share',
    'membership': 'mia_auc',
}


def _flat(results: dict[str, MetricResult], notes: dict[str, str]) -> dict[str, float]:
    """All scores in one dict, NaN under the main key of what has no value."""
    scores = {key: value for result in results.values() for key, value in result.scores.items()}
    for name in notes:
        scores[_MAIN_KEY.get(name, name)] = math.nan
    return scores


def _floors(chosen: list[Metric], context: Context, scores: dict[str, float]) -> dict[str, float]:
    """The floor of each score that has one."""
    halves = context.halves()
    measured = [metric for metric in chosen if metric.name not in {'mle', 'nndr'}]
    results, notes, _ = _compute(measured, halves)
    found = {k: v for k, v in _flat(results, notes).items() if k in MEANINGS and k in scores}
    sizes = 1 / len(context.real) + 1 / len(context.synthetic)
    half_sizes = 1 / len(halves.real) + 1 / len(halves.synthetic)
    for key in found:
        if MEANINGS[key].noisy:
            found[key] *= float(np.sqrt(sizes / half_sizes))
    for key, beside in REAL_BESIDE.items():
        if beside in scores and key in scores:
            found[key] = scores[beside]
        elif key != 'copies':
            found.pop(key, None)
    return found


def _lower_is_better(context: Context) -> frozenset[str]:
    """Keys whose direction depends on the data: the RMSE of a number, not an AUC."""
    if context.target is not None and context.columns.is_number(context.target):
        return frozenset({'mle', 'mle_paper'})
    return frozenset()
