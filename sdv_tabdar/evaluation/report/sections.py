"""The sections of the page that draw: columns, pairs, distances, and what gives the data away.

Each function says what its template shows, or None where there is nothing to show.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.report import charts
from sdv_tabdar.evaluation.report.data import ReportData

REAL_COLOUR, SYNTHETIC_COLOUR = (61, 111, 182), (224, 99, 42)
OPEN_COLUMNS = 12
MAX_HEAT_COLUMNS = 60


def giveaways(data: ReportData) -> dict[str, Any] | None:
    """Importance of columns, certainty over rows, and the most suspicious rows."""
    importance = data.tables.get('importance')
    if importance is None:
        return None
    by_column = importance.groupby('column')['importance'].sum().sort_values(ascending=False)[:12]
    tips = []
    for name in by_column.index:
        parts = importance[importance['column'] == name].nlargest(3, 'importance')
        tips.append(
            '; '.join(
                f'{feature}: {charts.percent_text(value)}'
                for feature, value in zip(parts['feature'], parts['importance'], strict=True)
            )
        )
    suspicion = data.figures['suspicion']
    rows: pd.DataFrame = data.figures['suspects']
    certainty, *names = list(rows.columns)
    telling = list(by_column.index[:3])
    return {
        'importance': charts.importance_bars(
            list(map(str, by_column.index)), by_column.to_list(), tips
        ),
        'certainty': charts.histogram(
            suspicion['edges'],
            suspicion['real'],
            suspicion['synthetic'],
            label='probability of being synthetic',
        ),
        'names': names,
        'suspects': [
            {
                'certainty': f'{100 * row[certainty]:.1f} %',
                'cells': [
                    {'text': _cell_text(row[name]), 'telling': name in telling} for name in names
                ],
            }
            for row in rows.to_dict('records')
        ],
    }


def _cell_text(value: object) -> str:
    """A cell of a row."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return 'missing'
    return f'{value:.7g}' if isinstance(value, float) else str(value)


def columns(data: ReportData) -> dict[str, Any] | None:
    """Both distributions of each column, worst first."""
    cards = [_column_card(column) for column in data.figures['columns']]
    if not cards:
        return None
    return {'open': cards[:OPEN_COLUMNS], 'folded': cards[OPEN_COLUMNS:]}


def _column_card(column: dict[str, Any]) -> dict[str, Any]:
    """The two distributions of a column, its error and notes."""
    notes = []
    is_number = column['kind'] == 'number'
    if is_number:
        chart = charts.histogram(
            column['edges'],
            column['real'],
            column['synthetic'],
            sdtype=column['sdtype'],
            label=str(column['name']),
        )
        if column['spike'] is not None:
            value, mine, theirs = column['spike']
            notes.append(
                f'Exactly {charts.axis_text(value, column["sdtype"])} in {100 * mine:.1f} % of the '
                f'real and {100 * theirs:.1f} % of the synthetic rows; the chart shows the others.'
            )
    else:
        chart = charts.category_bars(column['labels'], column['real'], column['synthetic'])
    if max(column['missing']) > 0:
        notes.append(
            f'Missing: real {charts.percent_text(column["missing"][0])}, '
            f'synthetic {charts.percent_text(column["missing"][1])}.'
        )
    error = column['error']
    return {
        'name': column['name'],
        'error': f'error {100 * error:.2f} %' if math.isfinite(error) else '',
        'is_number': is_number,
        'chart': chart,
        'notes': notes,
    }


def pairs(data: ReportData) -> dict[str, Any] | None:
    """The errors of all pairs, and a list of the largest."""
    table = data.tables.get('pairs')
    if table is None or table['score'].isna().all():
        return None
    names = list(dict.fromkeys([*table['column_1'], *table['column_2']]))
    position = {name: index for index, name in enumerate(names)}
    errors = np.full((len(names), len(names)), np.nan)
    for row in table.to_dict('records'):
        first, second = position[row['column_1']], position[row['column_2']]
        errors[first, second] = errors[second, first] = 1 - row['score']
    cut = None
    if len(names) > MAX_HEAT_COLUMNS:
        cut = MAX_HEAT_COLUMNS
        means = np.nan_to_num(np.nanmean(np.nan_to_num(errors), axis=1))
        kept = np.sort(np.argsort(-means)[:cut])
        names, errors = [names[index] for index in kept], errors[np.ix_(kept, kept)]
    worst = table.dropna(subset='score').nsmallest(10, 'score')
    return {
        'chart': charts.error_heat_map([str(name) for name in names], errors),
        'width': 150 + 22 * len(names),
        'top': charts.percent_text(float(np.nanmax(errors))),
        'cut': cut,
        'worst': [
            {
                'first': row['column_1'],
                'second': row['column_2'],
                'error': f'{100 * (1 - row["score"]):.2f} %',
            }
            for row in worst.to_dict('records')
        ],
    }


def densities(data: ReportData) -> dict[str, Any] | None:
    """Two-dimensional densities of some pairs."""
    found = [_density(figure) for figure in data.figures['densities']]
    return {'pairs': found} if found else None


def _density(figure: dict[str, Any]) -> dict[str, Any]:
    """Both densities of a pair on one scale, and what its axes show."""
    # Cut where a few cells of a spike would hide all others.
    busy = np.concatenate([figure[side][figure[side] > 0] for side in ('real', 'synthetic')])
    top = float(np.quantile(busy, 0.98)) if len(busy) else 1.0
    low = high = ''
    notes = []
    for axis, way in (('y', 'bottom to top'), ('x', 'left to right')):
        name, labels = figure[axis], figure[f'{axis}_labels']
        if not figure[f'{axis}_is_number']:
            notes.append(f'{name}, {way}: {", ".join(map(str, labels))}.')
            continue
        low, high = (charts.axis_text(end, figure[f'{axis}_sdtype']) for end in labels)
        if axis == 'y':
            notes.append(f'{name}: {low} to {high}, {way}.')
            low = high = ''
    return {
        'x': figure['x'],
        'y': figure['y'],
        'low': low,
        'high': high,
        'notes': notes,
        'images': [
            (side, charts.density_image(figure[side], top, colour))
            for side, colour in (('real', REAL_COLOUR), ('synthetic', SYNTHETIC_COLOUR))
        ],
    }


DISTANCES = {
    'draw_to_real': {
        'title': 'From synthetic rows, to equally many …',
        'filled': 'unseen real rows',
        'line': 'rows trained on',
        'other': 'draw_to_holdout',
        'note': 'If the line lies left of the area, synthetic rows are closer to the rows '
        'trained on.',
    },
    'synthetic_to_real': {
        'title': 'To the rows trained on, from …',
        'filled': 'unseen real rows',
        'line': 'synthetic rows',
        'other': 'holdout_to_real',
        'note': 'If the line lies left of the area, synthetic rows are closer to the training rows '
        'than other people are; right of it, they lie where nobody is.',
    },
}
"""What the charts of distances show: the distribution that is a line, and that beside it."""


def distances(data: ReportData) -> dict[str, Any] | None:
    """Distances to the closest record, of training and unseen rows."""
    figures = data.figures.get('dcr')
    if not figures:
        return None
    return {'cards': [_distance_card(figure) for figure in figures]}


def _distance_card(figure: dict[str, Any]) -> dict[str, Any]:
    """A chart of distances; without unseen rows there is one distribution only."""
    key = next(name for name in DISTANCES if name in figure)
    words = DISTANCES[key]
    title, other = words['title'], words['other']
    if other not in figure:
        chart = charts.histogram(
            figure['edges'],
            figure[key],
            None,
            names=(words['line'], ''),
            label=title,
            classes=('synthetic', 'synthetic'),
        )
        note = 'Pass unseen real rows to see what is normal.'
        return {'title': title, 'legend': None, 'chart': chart, 'note': note}
    legend = (words['filled'], words['line'])
    chart = charts.histogram(figure['edges'], figure[other], figure[key], names=legend, label=title)
    return {'title': title, 'legend': legend, 'chart': chart, 'note': words['note']}
