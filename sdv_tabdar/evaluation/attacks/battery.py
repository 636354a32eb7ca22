"""All attacks on one case: what each achieves, and what it would with rows that played no part.

A floor is the same attack with others in the place of members: the others are cut in two halves at
random, again and again, one of which plays the members. What the attack achieves there is chance.
The worst attack is the one on all rows whose AUC is most standard errors above that of guessing.
Its floor is so many standard errors above as the worst attack of a halving is, since the largest of
several numbers is above one half by chance alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sdv_tabdar.evaluation.attacks import distances, models, values
from sdv_tabdar.evaluation.attacks.case import FEWEST, Case
from sdv_tabdar.evaluation.attacks.rates import FALSE_ALARMS, Rates, rates

HALVINGS = 40
KEYS = ('auc', *(f'tpr_{100 * share:.0f}' for share in FALSE_ALARMS))
"""What the rates are called in tables and scores."""


@dataclass(frozen=True)
class Attack:
    """An attack.

    Attributes:
        title: What a page calls it.
        run: Gives the rows under attack a score each, more for what looks like a member, NaN for
            rows that it does not judge; or features, rows x features, of which the attacker
            learns by logistic regression from people of whom she knows: half of all rows at a
            time, to judge the other half.
        applies: Whether it can be carried out.
        has_model: Whether the attacker has the model, and not only the rows that it drew.
        is_partial: Whether it judges some rows only, and so is not compared with the others.
    """

    title: str
    run: Callable[[Case], np.ndarray]
    applies: Callable[[Case], bool] = lambda _: True
    has_model: bool = False
    is_partial: bool = False


def _has_model(case: Case) -> bool:
    return case.context.white_box is not None


def _has_reference_model(case: Case) -> bool:
    white_box = case.context.white_box
    return white_box is not None and white_box.reference is not None


ATTACKS = {
    'nearest': Attack('Nearest synthetic row', distances.by_nearest),
    'nearest_reference': Attack(
        'Nearest, beside reference rows', distances.by_nearest_and_reference
    ),
    'density': Attack('Density ratio, by a kernel', distances.by_density),
    'trees': Attack('Density ratio, by trees', models.by_trees),
    'neighbourhood': Attack('Learnt from neighbourhoods', distances.neighbourhood),
    'outliers': Attack('Near copies of outliers', distances.by_outliers, is_partial=True),
    'values': Attack('Unusual values that recur', values.by_recurring_values),
    'inversion': Attack(
        'Quantile map inverted', values.inversion, applies=values.has_numbers_to_invert
    ),
    'likelihood': Attack('Likelihood', models.by_likelihood, applies=_has_model, has_model=True),
    'likelihood_ratio': Attack(
        'Likelihood, beside a reference model',
        models.by_likelihood_ratio,
        applies=_has_reference_model,
        has_model=True,
    ),
}
"""By name, in the order in which they are shown."""


@dataclass(frozen=True)
class Battery:
    """What all attacks achieve.

    Attributes:
        found: The rates of each attack, with intervals, the worst first, partial ones last.
        chance: AUC and hits of each attack in the halvings, halvings x (1 + hits). AUCs vary as
            they do in as many rows as the attack has.
        worst_chance: The AUC, at the precision of the worst attack, of what is the worst attack
            in each of the halvings.
    """

    found: dict[str, Rates]
    chance: dict[str, np.ndarray]
    worst_chance: np.ndarray


def run_battery(case: Case) -> Battery:
    """Carry out all attacks that apply."""
    scores = {name: attack.run(case) for name, attack in ATTACKS.items() if attack.applies(case)}
    count = len(case.members)
    generator = np.random.default_rng(case.context.seed)
    found = {}
    for name, given in scores.items():
        mine, theirs = _judged(given, np.arange(count), np.arange(count, len(case)), generator)
        if min(len(mine), len(theirs)) >= FEWEST:
            found[name] = rates(mine, theirs, generator)
    found = {name: found[name] for name in sorted(found, key=lambda name: _place(name, found))}
    chance: dict[str, list[list[float]]] = {name: [] for name in found}
    highest = []
    for _ in range(HALVINGS):
        first, second = np.array_split(count + generator.permutation(len(case.others)), 2)
        errors = []
        for name, rate in found.items():
            mine, theirs = _judged(scores[name], first, second, generator)
            if min(len(mine), len(theirs)) >= FEWEST // 2:
                half = rates(mine, theirs)
                if not ATTACKS[name].is_partial:
                    errors.append(half.errors_above)
                # Halves are fewer rows, whose AUC varies by more.
                chance[name].append([0.5 + half.errors_above * rate.error, *half.hits])
        highest.append(max(errors))
    worst = next(iter(found.values()))
    return Battery(
        found,
        {name: np.array(rows) for name, rows in chance.items() if rows},
        0.5 + np.array(highest) * worst.error,
    )


def _place(name: str, found: dict[str, Rates]) -> tuple[bool, float]:
    """What attacks are sorted by."""
    return ATTACKS[name].is_partial, -found[name].errors_above


def battery_table(battery: Battery) -> pd.DataFrame:
    """A row for each attack, the worst first.

    Columns: attack, title, access ('rows' or 'model'), auc, auc_low, auc_high, auc_chance (what
    the attack exceeds in one case of 40 on rows that played no part), and the same for the hits,
    tpr_1 and tpr_10.
    """
    rows = []
    for name, rate in battery.found.items():
        row: dict[str, object] = {
            'attack': name,
            'title': ATTACKS[name].title,
            'access': 'model' if ATTACKS[name].has_model else 'rows',
        }
        assert rate.low is not None
        assert rate.high is not None
        high = np.quantile(battery.chance[name], 0.975, axis=0) if name in battery.chance else None
        for place, (key, value) in enumerate(zip(KEYS, (rate.auc, *rate.hits), strict=True)):
            row |= {key: value, f'{key}_low': rate.low[place], f'{key}_high': rate.high[place]}
            row[f'{key}_chance'] = np.nan if high is None else float(high[place])
        rows.append(row)
    return pd.DataFrame(rows)


def _judged(
    scores: np.ndarray, members: np.ndarray, others: np.ndarray, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The scores of members and others that an attack judges; learnt from features if need be."""
    if scores.ndim == 2:
        found = learnt(scores, members, others, generator)
        return found[: len(members)], found[len(members) :]
    mine, theirs = scores[members], scores[others]
    return mine[~np.isnan(mine)], theirs[~np.isnan(theirs)]


def learnt(
    features: np.ndarray, members: np.ndarray, others: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Scores of members and others, each half by what is learnt from the other half.

    Args:
        features: Of all rows, rows x features.
        members: Places of the members.
        others: Places of the others.
        generator: Chooses the halves.

    Returns:
        A score for each of the members, then for each of the others.
    """
    rows = features[np.concatenate([members, others])]
    label = np.repeat([1, 0], [len(members), len(others)])
    scores = np.empty(len(rows))
    # Both halves have half of the members, so that their ranks can be compared.
    fold = np.concatenate(
        [generator.permutation(np.arange(len(part)) % 2) for part in (members, others)]
    )
    for side in (0, 1):
        judged = fold == side
        model = make_pipeline(
            StandardScaler(), LogisticRegression(class_weight='balanced', max_iter=1_000)
        )
        model.fit(rows[~judged], label[~judged])
        logits = model.decision_function(rows[judged])
        scores[judged] = rankdata(logits) / len(logits)
    return scores
