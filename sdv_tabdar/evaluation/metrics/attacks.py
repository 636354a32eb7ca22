"""The privacy attacks: what somebody learns of the people who were trained on.

That synthetic rows are not nearer to training rows proves little: attacks that compare densities,
or know the model, see what distances do not (Yao et al. 2025, doi:10.48550/arXiv.2505.01524). So
there are several, each with and without what attackers may have besides the synthetic rows (see
`sdv_tabdar.evaluation.attacks`), and what counts is the worst one beside what the worst one
reaches by chance.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.attacks.attribute import guess_cells
from sdv_tabdar.evaluation.attacks.battery import KEYS, battery_table, run_battery
from sdv_tabdar.evaluation.attacks.case import Case
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import Beside, Metric, MetricResult, Reading, Score, Verdict

OUTLIERS = 'outliers'
WEAK = 0.55
"""AUC of the worst attack up to which a leak is weak."""


def attacks(context: Context) -> MetricResult:
    """`attack_auc`, `attack_tpr_1`, `attack_tpr_10`, `outlier_auc` and `attribute_gain`."""
    case = Case.of(context)
    battery = run_battery(case)
    table = battery_table(battery)
    worst = table.iloc[0]
    by_worst = battery.chance[str(worst['attack'])]
    scores = {}
    for place, key in enumerate(KEYS):
        for end in ('', '_low', '_high'):
            scores[f'attack_{key}{end}'] = float(worst[f'{key}{end}'])
        by_chance = by_worst[:, place] if place else battery.worst_chance
        scores[f'attack_{key}_floor'] = float(by_chance.mean())
        scores[f'attack_{key}_chance'] = float(np.quantile(by_chance, 0.975))
    scores |= _of_outliers(table.set_index('attack'))
    guesses = guess_cells(case)
    if guesses is not None:
        scores |= {
            'attribute_gain': guesses.gain,
            'attribute_gain_low': guesses.low,
            'attribute_gain_high': guesses.high,
            'attribute_members': guesses.members,
            'attribute_others': guesses.others,
        }
    return MetricResult(scores, tables={'attacks': table})


def _of_outliers(table: pd.DataFrame) -> dict[str, float]:
    """The AUC of the attack on outliers, where there are enough of them."""
    if OUTLIERS not in table.index:
        return {}
    return {
        f'outlier_auc{end}': float(table.loc[OUTLIERS, f'auc{end}'])
        for end in ('', '_low', '_high', '_chance')
    }


def leak(reading: Reading) -> Verdict:
    """How far the worst attack is above what the worst one reaches by chance."""
    if reading.value <= reading.scores.get('attack_auc_chance', 0.5):
        return Verdict('no better than chance', 'good')
    return Verdict('a weak leak', 'fair') if reading.value <= WEAK else Verdict('a leak', 'poor')


def outliers_leak(reading: Reading) -> Verdict:
    """The same of outliers."""
    if reading.value <= reading.scores.get('outlier_auc_chance', 0.5):
        return Verdict('no better than chance', 'good')
    return Verdict('outliers are copied', 'poor')


def guessed(reading: Reading) -> Verdict:
    """Whether more cells of members are guessed."""
    if reading.scores.get('attribute_gain_low', -1.0) <= 0:
        return Verdict('no more than of strangers', 'good')
    return Verdict('more than of strangers', 'fair' if reading.value <= 0.05 else 'poor')


METRIC = Metric(
    'attacks',
    attacks,
    (
        Score(
            'attack_auc',
            'Worst attack',
            'How well the best of several attacks tells who was in the training data, beside what '
            'it achieves on rows that played no part: .5 is guessing, 1 is certainty.',
            'privacy',
            'floor',
            ideal=0.5,
            floor=Beside('attack_auc_floor', label='by chance'),
            verdict=leak,
        ),
        Score(
            'attack_tpr_1',
            'Found at 1 % false alarms',
            'The share of the people trained on whom that attack finds while it wrongly accuses '
            'one in a hundred others.',
            'privacy',
            'lower',
            ideal=0.01,
            floor=Beside('attack_tpr_1_floor', label='by chance'),
            percent=True,
        ),
        Score(
            'attack_tpr_10',
            'Found at 10 % false alarms',
            'The same while it wrongly accuses one in ten others.',
            'privacy',
            'lower',
            ideal=0.1,
            floor=Beside('attack_tpr_10_floor', label='by chance'),
            percent=True,
        ),
        Score(
            'outlier_auc',
            'Outliers',
            'How well a near copy tells which unusual people were in the training data: .5 is '
            'guessing.',
            'privacy',
            'floor',
            ideal=0.5,
            verdict=outliers_leak,
        ),
        Score(
            'attribute_gain',
            'Cells guessed of outliers',
            'How many more cells of an unusual person trained on are guessed from her other cells '
            'than of an unusual stranger.',
            'privacy',
            'lower',
            ideal=0.0,
            verdict=guessed,
            percent=True,
        ),
    ),
    needs_holdout=True,
)
