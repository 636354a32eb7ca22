"""The sections of the page that draw: columns, pairs, distances, and what gives the data away."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.report import plots
from sdv_tabdar.evaluation.report.data import ReportData

REAL_COLOUR, SYNTHETIC_COLOUR = (61, 111, 182), (224, 99, 42)
OPEN_COLUMNS = 12
MAX_HEAT_COLUMNS = 60
LEGEND = (
    '<p class="legend"><span><i class="real"></i>real</span>'
    '<span><i class="line"></i>synthetic</span></p>'
)


def giveaways(report: ReportData) -> str:
    """Importance of columns, certainty over rows, and the most suspicious rows."""
    importance = report.tables.get('importance')
    if importance is None:
        return ''
    by_column = importance.groupby('column')['importance'].sum().sort_values(ascending=False)[:12]
    notes = []
    for name in by_column.index:
        parts = importance[importance['column'] == name].nlargest(3, 'importance')
        notes.append(
            '; '.join(
                f'{feature}: {plots.percent_text(value)}'
                for feature, value in zip(parts['feature'], parts['importance'], strict=True)
            )
        )
    suspicion = report.figures['suspicion']
    certainty = plots.histogram(
        suspicion['edges'],
        suspicion['real'],
        suspicion['synthetic'],
        label='probability of being synthetic',
    )
    return (
        '<section><h2>What gives it away</h2><p class="lead">What the boosted trees of XGB-C2ST '
        'look at, and the synthetic rows that they are surest about. If they can only guess, '
        'neither means anything.</p><div class="wide-grid">'
        '<div class="card"><div class="top"><h3>Columns that the trees use</h3>'
        '<span>share of the gain</span></div>'
        + plots.importance_bars(list(map(str, by_column.index)), by_column.to_list(), notes)
        + '</div><div class="card"><div class="top"><h3>Probability of being synthetic</h3>'
        '<span>all rows</span></div>'
        + LEGEND
        + certainty
        + '<p class="note">The further the two lie apart, the easier they are to tell apart.</p>'
        '</div></div>'
        + _suspects(report.figures['suspects'], list(by_column.index[:3]))
        + '</section>'
    )


def _suspects(rows: pd.DataFrame, telling: list[Any]) -> str:
    """A table of the most suspicious synthetic rows."""
    certainty, *names = list(rows.columns)
    head = '<th>synthetic, says the classifier</th>' + ''.join(
        f'<th>{escape(str(name))}</th>' for name in names
    )
    body = []
    for row in rows.to_dict('records'):
        cells = []
        for name in names:
            value = row[name]
            missing = value is None or (isinstance(value, float) and math.isnan(value))
            if missing:
                text = 'missing'
            elif isinstance(value, float):
                text = f'{value:.7g}'
            else:
                text = str(value)
            mark = ' class="telling"' if name in telling else ''
            cells.append(f'<td{mark}>{escape(text)}</td>')
        body.append(f'<tr><td class="sure">{100 * row[certainty]:.1f} %</td>{"".join(cells)}</tr>')
    return (
        '<div class="card" style="margin-top:14px"><div class="top"><h3>Most suspicious synthetic '
        'rows</h3></div><div class="scroll"><table><thead><tr>'
        + head
        + '</tr></thead><tbody>'
        + ''.join(body)
        + '</tbody></table></div></div>'
    )


def columns(report: ReportData) -> str:
    """Both distributions of each column, worst first."""
    cards = [_column_card(column) for column in report.figures['columns']]
    if not cards:
        return ''
    shown = '<div class="grid">' + ''.join(cards[:OPEN_COLUMNS]) + '</div>'
    if len(cards) > OPEN_COLUMNS:
        shown += (
            f'<details><summary>{len(cards) - OPEN_COLUMNS} more columns</summary>'
            '<div class="grid">' + ''.join(cards[OPEN_COLUMNS:]) + '</div></details>'
        )
    return (
        '<section><h2>Columns, worst first</h2><p class="lead">The distribution of each column '
        'and how far the two are apart.</p>' + LEGEND + shown + '</section>'
    )


def _column_card(column: dict[str, Any]) -> str:
    error = column['error']
    error_text = f'error {100 * error:.2f} %' if math.isfinite(error) else ''
    notes = []
    if column['kind'] == 'number':
        chart = plots.histogram(
            column['edges'],
            column['real'],
            column['synthetic'],
            sdtype=column['sdtype'],
            label=str(column['name']),
        )
        if column['spike'] is not None:
            value, mine, theirs = column['spike']
            notes.append(
                f'Exactly {plots.axis_text(value, column["sdtype"])} in {100 * mine:.1f} % of the '
                f'real and {100 * theirs:.1f} % of the synthetic rows; the chart shows the others.'
            )
    else:
        chart = plots.category_bars(column['labels'], column['real'], column['synthetic'])
    if max(column['missing']) > 0:
        notes.append(
            f'Missing: real {plots.percent_text(column["missing"][0])}, '
            f'synthetic {plots.percent_text(column["missing"][1])}.'
        )
    note = f'<p class="note">{escape(" ".join(notes))}</p>' if notes else ''
    return (
        f'<div class="card"><div class="top"><h3>{escape(str(column["name"]))}</h3>'
        f'<span>{error_text}</span></div>{chart}{note}</div>'
    )


def heat_map(report: ReportData) -> str:
    """The errors of all pairs, and a list of the largest."""
    pairs = report.tables.get('pairs')
    if pairs is None or pairs['score'].isna().all():
        return ''
    names = list(dict.fromkeys([*pairs['column_1'], *pairs['column_2']]))
    note = ''
    position = {name: index for index, name in enumerate(names)}
    errors = np.full((len(names), len(names)), np.nan)
    for row in pairs.to_dict('records'):
        first, second = position[row['column_1']], position[row['column_2']]
        errors[first, second] = errors[second, first] = 1 - row['score']
    if len(names) > MAX_HEAT_COLUMNS:
        means = np.nan_to_num(np.nanmean(np.nan_to_num(errors), axis=1))
        kept = np.sort(np.argsort(-means)[:MAX_HEAT_COLUMNS])
        names, errors = [names[index] for index in kept], errors[np.ix_(kept, kept)]
        note = f' Shown are the {MAX_HEAT_COLUMNS} columns with the largest errors.'
    worst = pairs.dropna(subset='score').nsmallest(10, 'score')
    rows = ''.join(
        f'<tr><td>{escape(str(row["column_1"]))} &times; {escape(str(row["column_2"]))}</td>'
        f'<td>{100 * (1 - row["score"]):.2f} %</td></tr>'
        for row in worst.to_dict('records')
    )
    top = float(np.nanmax(errors))
    chart = plots.error_heat_map([str(name) for name in names], errors)
    return (
        '<section><h2>Pairs of columns</h2><p class="lead">How far the relation of two columns is '
        'from the real one: the difference of the correlations of two numbers, of the contingency '
        f'tables otherwise. The paler, the better.{note}</p>'
        '<div class="heat-grid"><div class="card"><div class="scroll">'
        f'<div style="min-width:{150 + 22 * len(names)}px">{chart}</div></div>'
        f'<div class="scale">0 <i></i> {plots.percent_text(top)}</div></div>'
        '<div class="card"><div class="top"><h3>Largest errors</h3></div><div class="scroll">'
        f'<table class="wrap"><tbody>{rows}</tbody></table></div></div></div></section>'
    )


def densities(report: ReportData) -> str:
    """Two-dimensional densities of some pairs."""
    densities = report.figures['densities']
    if not densities:
        return ''
    cards = []
    for figure in densities:
        # Both on one scale, cut where a few cells of a spike would hide all others.
        busy = np.concatenate([figure[side][figure[side] > 0] for side in ('real', 'synthetic')])
        top = float(np.quantile(busy, 0.98)) if len(busy) else 1.0
        images = ''.join(
            f'<figure><figcaption>{side}</figcaption><div class="plot">'
            + plots.density_image(figure[side], top, colour)
            + f'</div>{_x_axis(figure)}</figure>'
            for side, colour in (('real', REAL_COLOUR), ('synthetic', SYNTHETIC_COLOUR))
        )
        cards.append(
            f'<div class="card"><div class="top"><h3>{escape(str(figure["y"]))} over '
            f'{escape(str(figure["x"]))}</h3></div><div class="pair">{images}</div>'
            f'{_axis_notes(figure)}</div>'
        )
    return (
        '<section><h2>Two columns at a time</h2><p class="lead">Densities, real beside synthetic: '
        'the strongest correlation and the pairs with the largest errors.</p>'
        '<div class="wide-grid">' + ''.join(cards) + '</div></section>'
    )


def _x_axis(figure: dict[str, Any]) -> str:
    name = escape(str(figure['x']))
    if not figure['x_is_number']:
        return f'<div class="axes"><span></span><b>{name}</b><span></span></div>'
    low, high = (plots.axis_text(end, figure['x_sdtype']) for end in figure['x_labels'])
    return f'<div class="axes"><span>{low}</span><b>{name}</b><span>{high}</span></div>'


def _axis_notes(figure: dict[str, Any]) -> str:
    """What the axes without tick labels show."""
    notes = []
    for axis, way in (('y', 'bottom to top'), ('x', 'left to right')):
        labels = figure[f'{axis}_labels']
        if figure[f'{axis}_is_number']:
            if axis == 'y':
                low, high = (plots.axis_text(end, figure['y_sdtype']) for end in labels)
                notes.append(f'{figure[axis]}: {low} to {high}, {way}.')
        else:
            notes.append(f'{figure[axis]}, {way}: {", ".join(map(str, labels))}.')
    return f'<p class="note">{escape(" ".join(notes))}</p>'


def distances(report: ReportData) -> str:
    """Distances to the closest record, of training and unseen rows."""
    charts = report.figures.get('dcr')
    if not charts:
        return ''
    captions = {
        'draw_to_real': (
            'From synthetic rows, to equally many …',
            'unseen real rows',
            'rows trained on',
            'draw_to_holdout',
            'If the line lies left of the area, synthetic rows are closer to the rows trained on.',
        ),
        'synthetic_to_real': (
            'To the rows trained on, from …',
            'unseen real rows',
            'synthetic rows',
            'holdout_to_real',
            'If the line lies left of the area, synthetic rows are closer to the training rows '
            'than other people are; right of it, they lie where nobody is.',
        ),
    }
    cards = []
    for chart in charts:
        key = 'draw_to_real' if 'draw_to_real' in chart else 'synthetic_to_real'
        title, filled, line, other, note = captions[key]
        if other in chart:
            legend = (
                f'<p class="legend"><span><i class="real"></i>{filled}</span>'
                f'<span><i class="line"></i>{line}</span></p>'
            )
            drawing = plots.histogram(
                chart['edges'], chart[other], chart[key], names=(filled, line), label=title
            )
        else:
            legend, note = '', 'Pass unseen real rows to see what is normal.'
            drawing = plots.histogram(
                chart['edges'],
                chart[key],
                None,
                names=(line, ''),
                label=title,
                classes=('synthetic', 'synthetic'),
            )
        cards.append(
            f'<div class="card"><div class="top"><h3>{title}</h3></div>{legend}{drawing}'
            f'<p class="note">{note}</p></div>'
        )
    return (
        '<section><h2>Distance to the closest record</h2><p class="lead">Differences of numbers '
        'as fractions of their range, and 2 for every category that differs.</p>'
        '<div class="wide-grid">' + ''.join(cards) + '</div></section>'
    )
