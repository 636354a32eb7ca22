"""The metrics, in the order in which they are computed and shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module

from sdv_tabdar.evaluation.metric import Beside, Goal, Metric, Reading, Verdict

FILES = (
    'xgb_c2st',
    'lr_c2st',
    'shape',
    'trend',
    'equal',
    'order',
    'zeros',
    'marginals',
    'jsd',
    'alpha_precision',
    'mle',
    'utility',
    'dcr',
    'nndr',
    'membership',
    'attacks',
    'sdmetrics_dcr',
    'detectors',
)
"""The files of `metrics/`; a new metric is a new file and a line here."""


def _declared(file: str) -> Metric:
    """The metric of a file."""
    metric: Metric = import_module(f'sdv_tabdar.evaluation.metrics.{file}').METRIC
    return metric


METRICS = {metric.name: metric for metric in map(_declared, FILES)}
"""By name."""
SCORES = {score.key: score for metric in METRICS.values() for score in metric.scores}
"""What every score means, by key."""
ALIASES = {
    score.key: metric.name
    for metric in METRICS.values()
    for score in metric.scores
    if score.key not in METRICS
}
"""The metric of a score that is called otherwise than its metric."""
REAL_BESIDE = {
    key: score.floor.key for key, score in SCORES.items() if isinstance(score.floor, Beside)
}
"""Scores whose floor is another score of the same run."""


def verdict_of(
    key: str,
    scores: Mapping[str, float],
    floors: Mapping[str, float],
    goals: Mapping[str, Goal],
) -> Verdict | None:
    """Words about a score, None where there is nothing to say.

    Args:
        key: The score.
        scores: All scores of a run.
        floors: Their floors.
        goals: Goals that the data decided.
    """
    meaning, value = SCORES[key], scores[key]
    if meaning.verdict is None or not math.isfinite(value):
        return None
    floor = floors.get(key, math.nan)
    return meaning.verdict(Reading(value, floor, goals.get(key, meaning.goal), scores))


def chosen_metrics(
    names: Sequence[str] | str | None, *, holdout: bool, target: bool
) -> tuple[list[Metric], dict[str, str]]:
    """The metrics to compute, each once, and those left out with the reason.

    Args:
        names: The user's choice, 'all' for all that the inputs allow, or None for those of them
            that are not costly.
        holdout: Whether there are rows that were not trained on.
        target: Whether there is a column to predict.

    Raises:
        ValueError: If a name is unknown, or if an input lacks that a chosen metric needs.
    """
    everything = names == 'all'
    if everything:
        names = None
    elif isinstance(names, str):
        names = [names]
    unknown = [name for name in names or () if name not in METRICS and name not in ALIASES]
    if unknown:
        raise ValueError(
            f'Unknown metric {unknown[0]!r}. The metrics are '
            f"{', '.join(repr(name) for name in (*METRICS, *ALIASES))}, or 'all'."
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
        if names is None and lacking:
            skipped[name] = f'needs {" and ".join(lacking)}'
        elif names is None and metric.costly and not everything:
            skipped[name] = "takes long; ask for it by its name, or for 'all' metrics"
        elif not lacking:
            chosen[metric.name] = metric
        else:
            raise ValueError(f'The metric {name!r} needs {" and ".join(lacking)}; pass it.')
    return list(chosen.values()), skipped
