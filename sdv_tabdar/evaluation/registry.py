"""The metrics by name: what each needs, what it returns and what its numbers mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdv_tabdar.evaluation.alpha_precision import alpha_precision
from sdv_tabdar.evaluation.c2st import lr_c2st, xgb_c2st
from sdv_tabdar.evaluation.context import Context, MetricResult
from sdv_tabdar.evaluation.dcr import dcr
from sdv_tabdar.evaluation.jsd import jsd
from sdv_tabdar.evaluation.membership import membership
from sdv_tabdar.evaluation.mle import mle
from sdv_tabdar.evaluation.nndr import nndr
from sdv_tabdar.evaluation.sdmetrics_dcr import sdmetrics_dcr
from sdv_tabdar.evaluation.shape import shape
from sdv_tabdar.evaluation.trend import trend


@dataclass(frozen=True)
class Metric:
    """A metric.

    Attributes:
        name: What users call it.
        compute: The function.
        needs_holdout: Whether it needs rows that were not trained on.
        needs_target: Whether it needs a column to predict.
    """

    name: str
    compute: Callable[[Context], MetricResult]
    needs_holdout: bool = False
    needs_target: bool = False


METRICS = {
    metric.name: metric
    for metric in (
        Metric('xgb_c2st', xgb_c2st),
        Metric('lr_c2st', lr_c2st),
        Metric('shape', shape),
        Metric('trend', trend),
        Metric('jsd', jsd),
        Metric('alpha_precision', alpha_precision),
        Metric('mle', mle, needs_holdout=True, needs_target=True),
        Metric('dcr', dcr),
        Metric('nndr', nndr),
        Metric('membership', membership, needs_holdout=True),
        Metric('sdmetrics_dcr', sdmetrics_dcr, needs_holdout=True),
    )
}
ALIASES = {'beta_recall': 'alpha_precision'}


@dataclass(frozen=True)
class Meaning:
    """What a score says.

    Attributes:
        title: Its name in a heading.
        goal: 'higher', 'lower', or 'floor' where neither is better and the floor is ideal.
        ideal: What a perfect sample of infinite size scores, if that is known beforehand.
        sentence: What it means, in one sentence.
        group: 'fidelity', 'use' or 'privacy'.
        percent: Whether it is shown as a percentage.
        noisy: Whether it shrinks with the root of the number of rows, so that the floor of two
            halves must be scaled to the sizes of the tables.
    """

    title: str
    goal: str
    ideal: float | None
    sentence: str
    group: str
    percent: bool = False
    noisy: bool = False


MEANINGS = {
    'xgb_c2st': Meaning(
        'XGB-C2ST',
        'higher',
        1.0,
        'Boosted trees try to tell synthetic rows from real ones: 1 means they can only guess, '
        '0 that they are always right.',
        'fidelity',
    ),
    'lr_c2st': Meaning(
        'LR-C2ST',
        'higher',
        1.0,
        'The same test with logistic regression, the number in most papers; it cannot see how '
        'columns depend on each other.',
        'fidelity',
    ),
    'shape_error': Meaning(
        'Marginal error',
        'lower',
        0.0,
        'How far the distribution of a single column is from the real one, mean over the columns.',
        'fidelity',
        percent=True,
        noisy=True,
    ),
    'missing_error': Meaning(
        'Missing-cell error',
        'lower',
        0.0,
        'The difference in the share of missing cells, mean over the columns that have any.',
        'fidelity',
        percent=True,
        noisy=True,
    ),
    'trend_error': Meaning(
        'Joint error',
        'lower',
        0.0,
        'How far the relation of two columns is from the real one, mean over all pairs.',
        'fidelity',
        percent=True,
        noisy=True,
    ),
    'trend_strong_error': Meaning(
        'Joint error, related pairs',
        'lower',
        0.0,
        'The same over the pairs that are clearly related in the real data; what the quality '
        'report of recent SDMetrics averages.',
        'fidelity',
        percent=True,
        noisy=True,
    ),
    'jsd': Meaning(
        'Jensen-Shannon distance',
        'lower',
        0.0,
        'Another distance of single-column distributions, mean over the columns.',
        'fidelity',
        noisy=True,
    ),
    'jsd_paper': Meaning(
        'JSD as published',
        'lower',
        0.0,
        'The number of the papers, computed with their smoothing, which shrinks it.',
        'fidelity',
        noisy=True,
    ),
    'alpha_precision': Meaning(
        'alpha-precision',
        'higher',
        1.0,
        'Whether synthetic rows lie where real rows are typical.',
        'fidelity',
    ),
    'beta_recall': Meaning(
        'beta-recall',
        'floor',
        0.5,
        'Whether synthetic rows cover the real ones; an honest sample scores .5 (the floor), and '
        'clearly more means copying.',
        'fidelity',
    ),
    'mle': Meaning(
        'Trained on synthetic',
        'higher',
        None,
        'AUC (or RMSE) on real test rows of a model trained on synthetic rows; the floor is the '
        'same model trained on real rows.',
        'use',
    ),
    'mle_paper': Meaning(
        'MLE as published',
        'higher',
        None,
        'The same by the published protocol with its grid of 36 models.',
        'use',
    ),
    'dcr_share': Meaning(
        'Closer to train',
        'floor',
        0.5,
        'Share of synthetic rows that are closer to the rows trained on than to unseen real rows; '
        '.5 is no copying.',
        'privacy',
    ),
    'copies': Meaning(
        'Exact copies',
        'lower',
        None,
        'Share of synthetic rows that equal a training row in every cell, beside the share of '
        'unseen real rows that do.',
        'privacy',
        percent=True,
    ),
    'dcr_median': Meaning(
        'Median distance',
        'floor',
        None,
        'The median distance of a synthetic row to the closest training row, beside that of '
        'unseen real rows.',
        'privacy',
    ),
    'nndr': Meaning(
        'Distance ratio',
        'floor',
        None,
        'Distance to the nearest by distance to the second nearest training row, median; lower '
        'than for unseen real rows means that rows are singled out.',
        'privacy',
    ),
    'nndr_low': Meaning(
        'Distance ratio, lowest 5 %',
        'floor',
        None,
        'The same for the most suspicious rows.',
        'privacy',
    ),
    'mia_auc': Meaning(
        'Membership attack',
        'floor',
        0.5,
        'How well the distance to the closest synthetic row tells who was in the training data: '
        '.5 is guessing, 1 is certainty.',
        'privacy',
    ),
    'mia_advantage': Meaning(
        'Attack advantage',
        'lower',
        0.0,
        'The largest gap between true and false alarms of that attack.',
        'privacy',
    ),
    'sdmetrics_dcr': Meaning(
        'DCR, SDMetrics',
        'higher',
        1.0,
        'The overfitting score of SDMetrics, on a thousand rows: below 1 where more than half of '
        'the synthetic rows are closer to the training rows.',
        'privacy',
    ),
}

REAL_BESIDE = {
    'mle': 'mle_real',
    'copies': 'copies_holdout',
    'dcr_median': 'dcr_median_holdout',
    'nndr': 'nndr_holdout',
    'nndr_low': 'nndr_low_holdout',
}
"""Scores whose floor is another score of the same run: what real rows score in their place."""


def chosen_metrics(
    names: Sequence[str] | None, *, holdout: bool, target: bool
) -> tuple[list[Metric], dict[str, str]]:
    """The metrics to compute, each once, and those left out with the reason.

    Args:
        names: The user's choice, or None for all that the inputs allow.
        holdout: Whether there are rows that were not trained on.
        target: Whether there is a column to predict.

    Raises:
        ValueError: If a name is unknown, or if an input lacks that a chosen metric needs.
    """
    if isinstance(names, str):
        names = [names]
    unknown = [name for name in names or () if name not in METRICS and name not in ALIASES]
    if unknown:
        raise ValueError(
            f'Unknown metric {unknown[0]!r}. The metrics are '
            f'{", ".join(repr(name) for name in (*METRICS, *ALIASES))}.'
        )
    wanted = list(METRICS) if names is None else list(names)
    chosen: dict[str, Metric] = {}
    skipped: dict[str, str] = {}
    for name in wanted:
        metric = METRICS[ALIASES.get(name, name)]
        lacking = []
        if metric.needs_holdout and not holdout:
            lacking.append('real_test (rows that the synthesizer did not see)')
        if metric.needs_target and not target:
            lacking.append('target (the column to predict)')
        if not lacking:
            chosen[metric.name] = metric
        elif names is None:
            skipped[name] = f'needs {" and ".join(lacking)}'
        else:
            raise ValueError(f'The metric {name!r} needs {" and ".join(lacking)}; pass it.')
    return list(chosen.values()), skipped
