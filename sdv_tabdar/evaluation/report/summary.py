"""The top of the page: the leading score, and a card for each of the others."""

from __future__ import annotations

import math
from typing import Any

from sdv_tabdar.evaluation.metric import Beside
from sdv_tabdar.evaluation.registry import SCORES
from sdv_tabdar.evaluation.report import charts
from sdv_tabdar.evaluation.report.data import ReportData

LEADING, WEAK = 'xgb_c2st', 'lr_c2st'
GROUPS = {
    'fidelity': 'Fidelity: does it look like the real data?',
    'use': 'Use: can one learn from it?',
    'privacy': 'Privacy: does it give away who was trained on?',
}


def lead(data: ReportData) -> dict[str, Any] | None:
    """XGB-C2ST, large, and what LR-C2ST cannot see."""
    score = data.scores.get(LEADING, math.nan)
    said = data.verdict(LEADING) if math.isfinite(score) else None
    if said is None:
        return None
    floor = data.floors.get(LEADING, math.nan)
    weak = data.scores.get(WEAK, math.nan)
    verdicts = [data.verdict(key) for key in SCORES if key in data.scores]
    return {
        'score': f'{score:.3f}',
        'words': said.words,
        'mood': said.mood,
        'gauge': charts.gauge(score, floor, '0: always caught', '1: cannot be told apart'),
        'right': f'{100 * (1 - score / 2):.0f}\N{NO-BREAK SPACE}%',
        'floor': f'{floor:.3f}' if math.isfinite(floor) else '',
        'reason': data.reasons.get(LEADING, ''),
        'weak': f'{weak:.3f}' if math.isfinite(weak) else '',
        'copying': any(found is not None and found.copying for found in verdicts),
    }


def scores(data: ReportData) -> dict[str, Any]:
    """A card for each score, by the question that it answers, and what is not shown."""
    groups = []
    for group, heading in GROUPS.items():
        cards = [
            _card(data, key)
            for key, meaning in SCORES.items()
            if meaning.group == group and key in data.scores and key not in (LEADING, WEAK)
        ]
        if cards:
            groups.append({'heading': heading, 'cards': cards})
    return {'groups': groups, 'notes': data.notes}


def _card(data: ReportData, key: str) -> dict[str, Any]:
    """A score with its floor and a verdict."""
    meaning, floor = SCORES[key], data.floors.get(key, math.nan)
    if math.isfinite(floor):
        label = meaning.floor.label if isinstance(meaning.floor, Beside) else 'floor'
        beside = f'{label}: {_value(floor, meaning.percent)}'
    elif meaning.ideal is not None:
        beside = f'ideal: {_value(meaning.ideal, meaning.percent)}'
    else:
        beside = ''
    low, high = (data.scores.get(f'{key}_{end}', math.nan) for end in ('low', 'high'))
    if math.isfinite(low) and math.isfinite(high):
        ends = (_value(end, meaning.percent) for end in (low, high))
        beside += f' · 95 % interval {" to ".join(ends)}'
    return {
        'title': meaning.title,
        'value': _value(data.scores[key], meaning.percent),
        'beside': beside,
        'verdict': data.verdict(key),
        'reason': data.reasons.get(key, ''),
        'meaning': meaning.meaning,
    }


def _value(score: float, as_percent: bool) -> str:
    """A score for a reader."""
    if not math.isfinite(score):
        return '\N{EN DASH}'
    if as_percent:
        return f'{100 * score:.2f}\N{THIN SPACE}%'
    return f'{score:.3f}' if abs(score) < 100 else f'{score:,.1f}'
