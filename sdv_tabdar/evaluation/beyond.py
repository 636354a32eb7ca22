"""Scores that are better than their floor: because rows were copied, or draws spread evenly?

A sample of the real population cannot be expected to pass the floor. Two things do: copies of
training rows, which the privacy scores see, and draws that are spread more evenly over the learned
distribution than independent draws are. A second table, drawn independently by the same
synthesizer, tells the second: its scores are at the floor or above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from sdv_tabdar.evaluation.compute import Computed, compute_metrics
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import Metric
from sdv_tabdar.evaluation.registry import SCORES, verdict_of

COPIED = 'Better than real rows score: training rows were copied.'
SPREAD = 'Better than real rows score because draws are spread evenly: independent draws score {}.'
FITTED = (
    'Better than real rows score, with independent draws too ({}), and no copies: by chance, or '
    'because the synthesizer follows the training rows closely here.'
)
UNTRIED = (
    'Better than real rows score, and no copies: by chance, or because draws are spread evenly. '
    'Pass independent draws to be sure.'
)
UNKNOWN = (
    'Better than real rows score: spread draws, or copies. The privacy scores tell them apart.'
)


def reasons_beyond(
    chosen: Sequence[Metric],
    context: Context,
    found: Computed,
    floors: Mapping[str, float],
    independent: pd.DataFrame | None,
) -> dict[str, str]:
    """Why scores are better than their floors, by key.

    Args:
        chosen: The metrics.
        context: The inputs.
        found: The scores.
        floors: Their floors.
        independent: Canonical rows that the synthesizer drew independently of each other.
    """
    verdicts = {
        key: verdict_of(key, found.scores, floors, found.goals)
        for key in SCORES
        if key in found.scores
    }
    beyond = [key for key, said in verdicts.items() if said is not None and said.beyond]
    if not beyond:
        return {}
    if any(said is not None and said.copying for said in verdicts.values()):
        return dict.fromkeys(beyond, COPIED)
    if independent is None:
        looked = any(key in found.scores for key in ('dcr_share', 'copies', 'mia_auc'))
        return dict.fromkeys(beyond, UNTRIED if looked else UNKNOWN)
    metrics = [metric for metric in chosen if any(score.key in beyond for score in metric.scores)]
    again = compute_metrics(metrics, replace(context, synthetic=independent))
    reasons = {}
    for key in beyond:
        said = verdict_of(key, {**found.scores, **again.scores}, floors, again.goals)
        value = again.scores[key]
        shown = f'{100 * value:.2f} %' if SCORES[key].percent else f'{value:.3f}'
        reasons[key] = (FITTED if said is not None and said.beyond else SPREAD).format(shown)
    return reasons
