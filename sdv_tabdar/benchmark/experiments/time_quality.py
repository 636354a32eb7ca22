"""Quality against fitting time as a picture."""

from __future__ import annotations

import itertools

import pandas as pd
import plotly.express as px
import plotly.graph_objects as go

from sdv_tabdar.benchmark.experiments.comparison import OURS
from sdv_tabdar.benchmark.output.published import best_published, best_source
from sdv_tabdar.benchmark.output.tables import FLOOR_LABEL

# Titles of the scores, and whether lower is better: their axis is logarithmic then.
SCORES = {
    'shape_error': ('Shape error, %', True),
    'trend_error': ('Trend error, %', True),
    'xgb_c2st': ('XGB-C2ST', False),
}
EXPLANATION = (
    'Fitting time is measured, encoding of the data included. The dashed line of the plot is '
    'the floor, real rows against real rows; the dotted one the best published number '
    f'({best_source()}).'
)


def plot(rows: pd.DataFrame) -> go.Figure:
    """The picture: a row of panels a table, a column of panels a score.

    Means over seeds on a logarithmic axis of measured fitting time, ours joined by a line, with the
    floor of real rows and the best published number where one is known.
    """
    keys = list(SCORES)
    means = rows.groupby(['table', 'synthesizer'], sort=False)[['fit_seconds', *keys]].mean()
    means[keys] *= [100 if is_error else 1 for _, is_error in SCORES.values()]
    points = means.reset_index().melt(['table', 'synthesizer', 'fit_seconds'], keys, 'score')
    floors = points[points['synthesizer'] == FLOOR_LABEL].set_index(['table', 'score'])['value']
    points = points.dropna(subset=['fit_seconds', 'value']).sort_values('fit_seconds')
    is_ours = points['synthesizer'].str.startswith(f'{OURS} ')
    tables = list(dict.fromkeys(rows['table']))
    ends = [points['fit_seconds'].min(), points['fit_seconds'].max()]
    figure = px.line(
        points.assign(method=points['synthesizer'].where(~is_ours, OURS)),
        x='fit_seconds',
        y='value',
        color='method',
        symbol='method',
        markers=True,
        facet_row='table',
        facet_col='score',
        category_orders={'table': tables, 'score': keys},
        hover_name='synthesizer',
        labels={'fit_seconds': 'fitting time, s', 'value': ''},
        log_x=True,
        height=120 + 260 * len(tables),
        template='plotly_white',
    )
    # Plotly counts rows of panels from below.
    for (row, table), (column, key) in itertools.product(
        enumerate(reversed(tables), 1), enumerate(keys, 1)
    ):
        title, is_error = SCORES[key]
        place = {'row': row, 'col': column}
        axis = {'type': 'log'} if is_error else {'type': 'linear', 'rangemode': 'tozero'}
        figure.update_yaxes(title=title, matches=None, showticklabels=True, **axis, **place)
        levels = {'floor': (floors.get((table, key)), 'dash')}
        best = best_published(table, key)
        if best is not None:
            levels[f'{best[0]}, published'] = (best[1] * (100 if is_error else 1), 'dot')
        for name, (level, dash) in levels.items():
            if level is not None:
                line = {'dash': dash, 'color': 'grey', 'width': 1.5}
                is_first = not any(trace.name == name for trace in figure.data)
                across = {'x': ends, 'y': [level] * 2, 'mode': 'lines', 'line': line, 'name': name}
                figure.add_scatter(**across, legendgroup=name, showlegend=is_first, **place)
    return figure
