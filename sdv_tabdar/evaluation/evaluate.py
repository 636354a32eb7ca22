"""The entry points: `score` for numbers, `floor_scores` for floors, `evaluate` for a report."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.beyond import reasons_beyond
from sdv_tabdar.evaluation.columns import ColumnTypes, resolve_columns
from sdv_tabdar.evaluation.compute import compute_metrics
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.floors import compute_floors
from sdv_tabdar.evaluation.likelihoods import LogLikelihood, WhiteBox
from sdv_tabdar.evaluation.metric import Metric
from sdv_tabdar.evaluation.metrics.detectors import FOLDS, MAX_ROWS, panel, sample
from sdv_tabdar.evaluation.registry import chosen_metrics
from sdv_tabdar.evaluation.report import Report, figures_of
from sdv_tabdar.evaluation.seeds import seed_of
from sdv_tabdar.evaluation.tables import prepare_frames, the_frame
from sdv_tabdar.evaluation.units import in_units

DEFAULT_SCORES = ('shape', 'trend', 'xgb_c2st', 'lr_c2st', 'alpha_precision', 'beta_recall', 'dcr')


def score(
    real_train: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: object,
    real_test: pd.DataFrame | None = None,
    *,
    target: Hashable | None = None,
    metrics: Sequence[str] | str | None = DEFAULT_SCORES,
    seed: int | None = 0,
    paper_compatible: bool = False,
    log_likelihood: LogLikelihood | None = None,
    reference_log_likelihood: LogLikelihood | None = None,
) -> dict[str, float]:
    """Score a synthetic table.

    Args:
        real_train: The real rows that the synthesizer was trained on; like all rows here a frame,
            or, as SDV has them, a dictionary of one.
        synthetic: The synthetic rows.
        metadata: SDV metadata of the table, its dict, or a mapping from column to sdtype. Ids,
            keys and personal data are left out.
        real_test: Real rows that the synthesizer did not see, for `dcr_share`, `mle` and the
            membership attack.
        target: The column that `mle` predicts, by its name in the frames or in the metadata.
        metrics: Which metrics; 'all' for all that the inputs allow, None for those of them that
            do not take long.
        seed: Decides folds and subsamples; None for another one each time.
        paper_compatible: Whether to add the scores of published protocols with their faults
            (`mle_paper`, `jsd_paper`, `dcr_share_paper`).
        log_likelihood: Takes a frame like `real_train` and gives the log-likelihood of each row
            under the model in nats, for attackers who have the model.
        reference_log_likelihood: The same of a model that was trained on other rows of the same
            law, beside which members stand out more.

    Returns:
        Numbers by key, NaN for a metric that has no value on this data. Errors are fractions.

    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If a frame is empty or does not fit the metadata, or if a metric is unknown or
            lacks an input.
    """
    context = _context(real_train, synthetic, metadata, real_test, target, seed, paper_compatible)
    context = _with_models(context, log_likelihood, reference_log_likelihood, real_train, real_test)
    chosen, _ = _chosen(metrics, context)
    return compute_metrics(chosen, context).scores


def floor_scores(
    real_train: pd.DataFrame,
    metadata: object,
    real_test: pd.DataFrame | None = None,
    *,
    target: Hashable | None = None,
    metrics: Sequence[str] | str | None = DEFAULT_SCORES,
    seed: int | None = 0,
    paper_compatible: bool = False,
) -> dict[str, float]:
    """What two disjoint halves of the real rows score, scaled to the size of the whole table.

    No sample of as many rows as the training table can be expected to score better without
    copying. Scores whose floor is another score of the same run (`mle` beside `mle_real`) are left
    out.

    Args:
        real_train: The real rows that a synthesizer is trained on.
        metadata: As in `score`, as are the others.
        real_test: Real rows that it does not see.
        target: The column that `mle` predicts.
        metrics: Which metrics.
        seed: Decides halves, folds and subsamples; None as in `score`.
        paper_compatible: Whether to add the scores of published protocols.

    Returns:
        Floors by the key of their score, NaN for a metric that has no value on this data.

    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If a frame is empty or does not fit the metadata, or if a metric is unknown or
            lacks an input.
    """
    context = _context(real_train, real_train, metadata, real_test, target, seed, paper_compatible)
    chosen, _ = _chosen(metrics, context)
    return compute_floors(chosen, context)


def detection_scores(
    unseen: pd.DataFrame,
    rows: pd.DataFrame,
    metadata: object,
    *,
    max_rows: int = MAX_ROWS,
    seed: int | None = 0,
) -> dict[str, float]:
    """The AUCs of the detector panel for two tables, without those of training rows.

    Args:
        unseen: Real rows that nothing was trained on.
        rows: Rows to be told from them: synthetic ones, or other real ones for what these reach.
        metadata: As in `score`.
        max_rows: Rows of either that are used at most.
        seed: Decides which, the folds and the classifiers; None as in `score`.

    Returns:
        `detect_xgb` and the others by key, and `detect_worst`, the largest of them.

    Raises:
        ValueError: If a frame is empty or does not fit the metadata or has too few rows, or if
            `max_rows` or `seed` is not allowed.
    """
    decided = seed_of(seed)
    if not isinstance(max_rows, (int, np.integer)) or max_rows < FOLDS:
        raise ValueError(
            f'max_rows must be a whole number of at least {FOLDS}, as many as there are folds, '
            f'however: {max_rows!r}.'
        )
    columns = resolve_columns(metadata)
    ready, _ = in_units(prepare_frames({'unseen': unseen, 'rows': rows}, columns), columns)
    generator = np.random.default_rng(decided)
    size = min(max_rows, *map(len, ready.values()))
    first, second = (sample(frame, size, generator) for frame in ready.values())
    return panel(first, second, columns, generator, decided)


def evaluate(
    real_train: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: object,
    real_test: pd.DataFrame | None = None,
    *,
    target: Hashable | None = None,
    metrics: Sequence[str] | str | None = None,
    seed: int | None = 0,
    floors: bool = True,
    paper_compatible: bool = False,
    density_pairs: Sequence[tuple[Hashable, Hashable]] | None = None,
    independent_draws: pd.DataFrame | None = None,
    log_likelihood: LogLikelihood | None = None,
    reference_log_likelihood: LogLikelihood | None = None,
    privacy_budget: tuple[float, float] | None = None,
    title: str = 'Synthetic data report',
    verbose: bool = True,
) -> Report:
    """Score a synthetic table and put the scores beside what perfect data would score.

    The floor of a score is that of two disjoint halves of the real training rows, one in the place
    of the synthetic rows (below 60 rows: the rows and a bootstrap sample of them). Errors that
    shrink with the number of rows are scaled from the size of the halves to that of the tables.

    Args:
        real_train: As in `score`.
        synthetic: As in `score`.
        metadata: As in `score`.
        real_test: As in `score`.
        target: As in `score`.
        metrics: As in `score`, by default all that do not take long.
        seed: Decides folds, subsamples and halves; None for another one each time, which the
            report names.
        floors: Whether to compute the floors, which takes about half as long again.
        paper_compatible: As in `score`.
        density_pairs: Pairs of columns for the report's two-dimensional densities; None for the
            pairs with the largest error and the most strongly related ones.
        independent_draws: Rows that the same synthesizer drew independently of each other, if
            `synthetic` was drawn otherwise: they tell why a score is better than its floor.
        log_likelihood: As in `score`.
        reference_log_likelihood: As in `score`.
        privacy_budget: What the model has spent of differential privacy, as `(epsilon, delta)`, for
            the page: nothing here can measure it.
        title: The heading of the report.
        verbose: Whether to show the progress.

    Returns:
        The report.

    Raises:
        TypeError: As in `score`.
        ValueError: As in `score`, if `density_pairs` names a column that is not measured, or if
            `privacy_budget` is none.
    """
    _check_budget(privacy_budget)
    context = _context(real_train, synthetic, metadata, real_test, target, seed, paper_compatible)
    context = _with_models(context, log_likelihood, reference_log_likelihood, real_train, real_test)
    pairs = _named_pairs(density_pairs, context.columns)
    independent = _prepared(independent_draws, real_train, context.columns)
    chosen, skipped = _chosen(metrics, context)
    found = compute_metrics(chosen, context, progress='Scores' if verbose else None)
    floor = {}
    if floors:
        bar = 'Floors' if verbose else None
        floor = compute_floors(chosen, context, found.scores, progress=bar)
    return Report(
        title=title,
        scores=found.scores,
        floors=floor,
        reasons=reasons_beyond(chosen, context, found, floor, independent),
        notes={**{name: f'left out: it {why}.' for name, why in skipped.items()}, **found.notes},
        tables=found.tables,
        figures=figures_of(context, found.tables, found.arrays, pairs),
        goals=found.goals,
        seconds=found.seconds,
        facts={**_facts(context), **_spent(privacy_budget)},
    )


def _facts(context: Context) -> dict[str, object]:
    """What the report says of the tables."""
    return {
        'real_rows': len(context.real),
        'synthetic_rows': len(context.synthetic),
        'holdout_rows': 0 if context.holdout is None else len(context.holdout),
        'columns': len(context.columns.names),
        'target': context.target,
        'seed': context.seed,
    }


def _spent(budget: tuple[float, float] | None) -> dict[str, float]:
    """What the report says of a privacy budget."""
    if budget is None:
        return {}
    return dict(zip(('spent_epsilon', 'spent_delta'), map(float, budget), strict=True))


def _check_budget(budget: tuple[float, float] | None) -> None:
    """Refuse a privacy budget that is none.

    Raises:
        ValueError: If it is so.
    """
    if budget is None:
        return
    fits = isinstance(budget, tuple) and len(budget) == 2
    fits = fits and all(isinstance(part, (int, float)) for part in budget)
    if not (fits and budget[0] > 0 and 0 <= budget[1] < 1):
        raise ValueError(
            f'privacy_budget must be the epsilon above 0 and the delta in [0, 1) that the model '
            f'has spent, such as (3.0, 1e-6), however: {budget!r}. A synthesizer with a budget has '
            'them as spent_epsilon and spent_delta; for others leave it out.'
        )


def _chosen(
    metrics: Sequence[str] | str | None, context: Context
) -> tuple[list[Metric], dict[str, str]]:
    """The metrics to compute, and why the others are left out."""
    return chosen_metrics(
        metrics, holdout=context.holdout is not None, target=context.target is not None
    )


def _prepared(
    draws: pd.DataFrame | None, real_train: pd.DataFrame, columns: ColumnTypes
) -> pd.DataFrame | None:
    """The independent draws in canonical form and the units of real rows, if there are any."""
    if draws is None:
        return None
    frames = {'real_train': real_train, 'independent_draws': draws}
    return in_units(prepare_frames(frames, columns), columns)[0]['independent_draws']


def _context(
    real_train: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: object,
    real_test: pd.DataFrame | None,
    target: Hashable | None,
    seed: int | None,
    paper_compatible: bool,
) -> Context:
    """Check the inputs and bring the frames to canonical form."""
    decided = seed_of(seed)
    columns = resolve_columns(metadata)
    frames = {'real_train': real_train, 'synthetic': synthetic}
    if real_test is not None:
        frames['real_test'] = real_test
    ready, units = in_units(prepare_frames(frames, columns), columns)
    return Context(
        ready['real_train'],
        ready['synthetic'],
        columns,
        ready.get('real_test'),
        None if target is None else columns.measured(target, 'The target is'),
        decided,
        paper_compatible,
        units=units,
    )


def _with_models(
    context: Context,
    log_likelihood: LogLikelihood | None,
    reference: LogLikelihood | None,
    real_train: pd.DataFrame,
    real_test: pd.DataFrame | None,
) -> Context:
    """The context with what models say of rows, if anything.

    Raises:
        ValueError: If there is nobody to compare the training rows with, or only a reference.
    """
    if log_likelihood is None:
        if reference is not None:
            raise ValueError(
                'reference_log_likelihood stands beside log_likelihood, which is not given; pass '
                'that of the model as well.'
            )
        return context
    if real_test is None:
        raise ValueError(
            'log_likelihood is for the attacks, which compare with real rows that the synthesizer '
            'did not see; pass them as real_test.'
        )
    given = {'real': real_train, 'holdout': real_test}
    frames = {name: the_frame(name, rows) for name, rows in given.items()}
    return replace(context, white_box=WhiteBox(log_likelihood, reference, frames))


def _named_pairs(
    pairs: Sequence[tuple[Hashable, Hashable]] | None, columns: ColumnTypes
) -> list[tuple[str, str]] | None:
    """Pairs of measured columns by their names in the metadata.

    Raises:
        ValueError: If they name others.
    """
    if pairs is None:
        return None
    what = 'density_pairs names'
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ValueError(
                "density_pairs must be pairs of columns, such as [('age', 'income')], however: "
                f'{pair!r} among them.'
            )
    return [(columns.measured(one, what), columns.measured(other, what)) for one, other in pairs]
