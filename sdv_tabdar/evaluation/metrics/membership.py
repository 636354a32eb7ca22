"""A membership-inference attack: who was in the training table?

The attacker has the synthetic table and a person's row, and guesses that the person was trained on
if a synthetic row is close (distances as in `dcr`). `mia_auc` is the probability that a training
row looks more like a member than a holdout row does: .5 is no leak. `mia_advantage` is the largest
difference between true and false positive rate over all thresholds; as a maximum it is above 0 by
chance, which its floor shows.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Reading, Score, Verdict
from sdv_tabdar.evaluation.neighbours import nearest


def attack(members: np.ndarray, others: np.ndarray) -> tuple[float, float]:
    """AUC and advantage of the attack.

    Args:
        members: Distance of each training row to the nearest synthetic row.
        others: The same of rows that were not trained on.
    """
    label = np.repeat([1, 0], [len(members), len(others)])
    score = -np.concatenate([members, others])
    false_rate, true_rate, _ = roc_curve(label, score)
    return float(roc_auc_score(label, score)), float((true_rate - false_rate).max())


def membership(context: Context) -> MetricResult:
    """`mia_auc` and `mia_advantage`."""
    context.needed_holdout('The membership attack')
    points = context.points
    members = nearest(points['real'], points['synthetic'])[0][:, 0]
    others = nearest(points['holdout'], points['synthetic'])[0][:, 0]
    auc, advantage = attack(members, others)
    return MetricResult({'mia_auc': auc, 'mia_advantage': advantage})


def leak(reading: Reading) -> Verdict:
    """How far the attack is above guessing."""
    if reading.value <= 0.52:
        return Verdict('no better than guessing', 'good')
    if reading.value <= 0.55:
        return Verdict('a weak leak', 'fair')
    return Verdict('a leak', 'poor')


METRIC = Metric(
    'membership',
    membership,
    (
        Score(
            'mia_auc',
            'Membership attack',
            'How well the distance to the closest synthetic row tells who was in the training '
            'data: .5 is guessing, 1 is certainty.',
            'privacy',
            'floor',
            ideal=0.5,
            floor=Halves(),
            verdict=leak,
        ),
        Score(
            'mia_advantage',
            'Attack advantage',
            'The largest gap between true and false alarms of that attack.',
            'privacy',
            'lower',
            ideal=0.0,
            floor=Halves(),
        ),
    ),
    needs_holdout=True,
)
