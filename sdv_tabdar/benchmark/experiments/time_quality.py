"""Quality against fitting time as a picture.

The plot shows runs on a logarithmic axis of measured fitting time, ours as a line, with the floor
of real rows and the best published number where one is known.
"""

from __future__ import annotations

import pandas as pd

from sdv_tabdar.benchmark.experiments.comparison import OURS
from sdv_tabdar.benchmark.output.charts import Line, Panel, Point, Series, chart
from sdv_tabdar.benchmark.output.published import best_published, best_source
from sdv_tabdar.benchmark.output.tables import FLOOR_LABEL

# Keys of the scores, titles of the columns of panels, factors.
SCORES = {
    'shape_error': ('Shape error, %', 100.0),
    'trend_error': ('Trend error, %', 100.0),
    'xgb_c2st': ('XGB-C2ST', 1.0),
}
EXPLANATION = (
    'Fitting time is measured, encoding of the data included. The dashed line of the plot is '
    'the floor, real rows against real rows; the dotted one the best published number '
    f'({best_source()}).'
)


def plot(rows: pd.DataFrame) -> str:
    """The picture: a row of panels a table, a column of panels a score."""
    panels = [
        [_panel(part, str(table), key) for key in SCORES]
        for table, part in rows.groupby('table', sort=False)
    ]
    return chart(panels, x_title='fitting time')


def _panel(rows: pd.DataFrame, table: str, key: str) -> Panel:
    title, factor = SCORES[key]
    known = rows.reindex(columns=['synthesizer', 'fit_seconds', key]).dropna(subset=key)
    floor = known[known['synthesizer'] == FLOOR_LABEL][key]
    # Means over seeds, in the order of time.
    runs = known.dropna(subset='fit_seconds').groupby('synthesizer', sort=False)
    points: dict[str, list[Point]] = {}
    for label, mean in runs[['fit_seconds', key]].mean().sort_values('fit_seconds').iterrows():
        name = OURS if str(label).startswith(f'{OURS} ') else str(label)
        point = Point(mean['fit_seconds'], factor * mean[key], str(label))
        points.setdefault(name, []).append(point)
    order = dict.fromkeys(
        OURS if str(label).startswith(f'{OURS} ') else str(label) for label, _ in runs
    )
    series = [Series(name, points[name], is_ours=name == OURS) for name in order]
    lines = [Line('floor', factor * floor.mean(), 'dashed')] if len(floor) else []
    best = best_published(table, key)
    if best is not None:
        lines.append(Line(f'{best[0]}, published', factor * best[1], 'dotted'))
    return Panel(f'{table}: {title}', series, lines, is_error=key != 'xgb_c2st')
