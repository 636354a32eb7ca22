"""The sections of the page on attackers: what they can gain at most, and what some do gain."""

from __future__ import annotations

import math
from typing import Any

from sdv_tabdar.evaluation.report import charts
from sdv_tabdar.evaluation.report.data import ReportData

_SURE = 0.995  # what is told as 'nearly always'
ACCESS = {'rows': 'the rows', 'model': 'the model'}


def guarantee(data: ReportData) -> dict[str, Any] | None:
    """What a privacy budget promises, in a sentence; nothing where none was spent."""
    epsilon, delta = (data.facts.get(f'spent_{name}') for name in ('epsilon', 'delta'))
    if epsilon is None or delta is None:
        return None
    return {'epsilon': f'{epsilon:.3g}', 'delta': f'{delta:.2g}', 'sentence': _most(epsilon, delta)}


def _most(epsilon: float, delta: float) -> str:
    """How sure an attacker can get who held it for as likely as not.

    Of two tables that differ in one row a model is at most exp(epsilon) times as likely with it.
    """
    share = 1 / (1 + math.exp(-epsilon))
    words = f'in {100 * share:.0f} of 100 cases at most' if share < _SURE else 'nearly always'
    return (
        'Whoever takes it for as likely as not that a given row was trained on, and then sees the '
        f'model and all rows drawn from it, is right {words}, whatever else is known. With '
        f'probability {delta:.2g} the promise fails.'
    )


def attacks(data: ReportData) -> dict[str, Any] | None:
    """Every attack with its interval and with what it reaches by chance."""
    table = data.tables.get('attacks')
    if table is None:
        return None
    rows = table.to_dict('records')
    return {
        'sentence': sentence(data),
        'chart': charts.interval_dots(
            [row['title'] for row in rows],
            [(row['auc'], row['auc_low'], row['auc_high']) for row in rows],
            [row['auc_chance'] for row in rows],
            [
                f'{row["title"]}: {row["auc"]:.3f}, from {row["auc_low"]:.3f} to '
                f'{row["auc_high"]:.3f}; by chance up to {row["auc_chance"]:.3f}'
                for row in rows
            ],
        ),
        'rows': [
            {
                'title': row['title'],
                'access': ACCESS[row['access']],
                **{key: _people(row, key) for key in ('tpr_1', 'tpr_10')},
            }
            for row in rows
        ],
        'guessed': _guessed(data),
    }


def sentence(data: ReportData) -> str:
    """What the best attacker learns of who was trained on, for somebody who knows no statistics."""
    table = data.tables['attacks']
    worst, by_rows = table.iloc[0], table[table['access'] == 'rows'].iloc[0]
    auc, chance = data.scores['attack_auc'], data.scores['attack_auc_chance']
    tried = f'{len(table)} attacks'
    if auc <= chance:
        return (
            f'Next to nothing is learnt of who was trained on: of {tried} the best one tells a '
            f'person who was from one who was not in {100 * auc:.0f} % of cases, and on people who '
            f'both played no part it gets up to {100 * chance:.0f} % by chance.'
        )
    without = ''
    if worst['access'] == 'model':
        without = f' By the rows alone the best one gets {100 * by_rows["auc"]:.0f} %.'
    return (
        f'Something is learnt of who was trained on: the best of {tried} '
        f'({str(worst["title"]).lower()}) tells a person who was from one who was not in '
        f'{100 * auc:.0f} % of cases, where 50 % is guessing and up to {100 * chance:.0f} % come '
        f'by chance; while it wrongly accuses 1 of 100 others, it finds '
        f'{100 * worst["tpr_1"]:.1f} of 100 people trained on.{without}'
    )


def _people(row: dict[Any, Any], key: str) -> str:
    """How many of a hundred, with the interval."""
    value, low, high = (100 * row[f'{key}{end}'] for end in ('', '_low', '_high'))
    return f'{value:.1f} ({low:.1f} to {high:.1f})'


def _guessed(data: ReportData) -> str:
    """What is guessed of unusual people; empty if nobody was unusual."""
    gain = data.scores.get('attribute_gain', math.nan)
    if not math.isfinite(gain):
        return ''
    members, others = data.scores['attribute_members'], data.scores['attribute_others']
    return (
        f'Of an unusual person trained on, {100 * members:.1f} % of the cells are guessed from the '
        f'others by way of the nearest synthetic row; of an unusual stranger {100 * others:.1f} %.'
    )
