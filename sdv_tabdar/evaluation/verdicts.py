"""A few words about a score beside its floor, and whether they are good news.

The limits are rules of thumb for readers, not tests; the numbers stand next to them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sdv_tabdar.evaluation.registry import MEANINGS

Verdict = tuple[str, str]
"""The words, and a mood: 'good', 'fair' or 'poor'."""


def leading_verdict(score: float, floor: float) -> Verdict:
    """A sentence about XGB-C2ST."""
    ratio = score / max(floor, 1e-9)
    if ratio >= 0.97:
        return 'As hard to tell apart as real from real.', 'good'
    if ratio >= 0.8:
        return 'Hard to tell from real data.', 'good'
    if ratio >= 0.5:
        return 'Can be told from real data, with effort.', 'fair'
    if ratio >= 0.2:
        return 'Clearly different from real data.', 'poor'
    return 'Easily told from real data.', 'poor'


def verdict(
    key: str, scores: Mapping[str, float], floors: Mapping[str, float], goal: str
) -> Verdict | None:
    """Words about one score, None where there is nothing to compare it with.

    Args:
        key: The score.
        scores: All scores.
        floors: All floors.
        goal: 'higher', 'lower' or 'floor'.
    """
    score, floor = scores[key], floors.get(key, math.nan)
    if not math.isfinite(score):
        return None
    if key == 'dcr_share':
        return _closeness(scores)
    if key == 'mia_auc':
        if score <= 0.52:
            return 'no better than guessing', 'good'
        return ('a weak leak', 'fair') if score <= 0.55 else ('a leak', 'poor')
    if not math.isfinite(floor):
        return None
    if key == 'copies':
        if score <= 2 * floor + 0.001:
            return 'no more than by chance', 'good'
        return 'more than by chance', 'poor'
    if key == 'beta_recall':
        return _coverage(score, floor)
    if key == 'mle' and goal == 'lower':
        return _times(score, floor, 'that of real rows', (1.05, 1.2))
    if goal == 'lower' and MEANINGS[key].noisy:
        return _times(score, floor, 'the floor', (1.5, 3.0))
    if key in {'alpha_precision', 'mle'}:
        below = floor - score
        if below <= 0.002:
            return 'as good as real rows', 'good'
        mood = 'good' if below <= 0.01 else 'fair' if below <= 0.05 else 'poor'
        return f'{below:.3f} below real rows', mood
    return None


def _closeness(scores: Mapping[str, float]) -> Verdict:
    low = scores.get('dcr_share_low', scores['dcr_share'])
    if low <= 0.505:
        return 'no sign of copying', 'good'
    if low <= 0.55:
        return 'slightly closer to the rows trained on', 'fair'
    return 'clearly closer to the rows trained on', 'poor'


def _coverage(score: float, floor: float) -> Verdict:
    if score > floor + 0.1:
        return 'more than honest: copies', 'poor'
    if score > floor + 0.04:
        return 'a little above the floor', 'fair'
    share = score / max(floor, 1e-9)
    if share >= 0.9:
        return 'at the floor', 'good'
    return f'{100 * share:.0f} % of the floor', 'fair' if share >= 0.7 else 'poor'


def _times(score: float, floor: float, what: str, limits: tuple[float, float]) -> Verdict | None:
    if floor <= 0:
        return None
    ratio = score / floor
    if ratio < 0.9:
        return f'below {what}', 'good'
    if ratio <= 1.02:
        return f'at {what}', 'good'
    mood = 'good' if ratio <= limits[0] else 'fair' if ratio <= limits[1] else 'poor'
    return f'{ratio:.2g} times {what}', mood
