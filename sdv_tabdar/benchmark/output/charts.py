"""Scatter plots against time, on a logarithmic axis, as one SVG file.

It is light or dark as the reader's system is, and written by hand, so that it needs no drawing
library and no network. Series are told apart by colour and by the shape of their marks, and named
in a legend; every mark has a tooltip.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path

WIDTH, HEIGHT = 340.0, 250.0  # of a panel, in pixels
LEFT, RIGHT, TOP, BOTTOM = 50.0, 14.0, 34.0, 42.0  # around its frame
LEGEND = 34.0
LEGEND_STEP = 152.0
MARK = 5.0
# Times that people know, in seconds.
TIMES = {
    1: '1 s',
    10: '10 s',
    60: '1 min',
    300: '5 min',
    900: '15 min',
    3600: '1 h',
    14400: '4 h',
    57600: '16 h',
}
CLOSEST = 42.0  # pixels between two labels of the axis of time
ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
LOG_ROUND = (1.0, 2.0, 5.0)
Y_TICKS = 5
MARGIN = 1.5  # between the outermost values and the ends of a logarithmic axis, a factor
COLOURS = 6


@dataclasses.dataclass(frozen=True)
class Point:
    """A mark: seconds, value, and what its tooltip calls it."""

    x: float
    y: float
    label: str


@dataclasses.dataclass(frozen=True)
class Series:
    """Marks of one synthesizer; ours are joined by a line."""

    name: str
    points: Sequence[Point]
    is_ours: bool = False


@dataclasses.dataclass(frozen=True)
class Line:
    """A value to compare with, drawn across; ``style`` is 'dashed' or 'dotted'."""

    name: str
    y: float
    style: str


@dataclasses.dataclass(frozen=True)
class Panel:
    """One plot.

    Attributes:
        title: Above it.
        series: The marks.
        lines: Values to compare with.
        is_error: Whether lower is better; the axis is logarithmic then, else it begins at 0.
    """

    title: str
    series: Sequence[Series]
    lines: Sequence[Line] = ()
    is_error: bool = True


@dataclasses.dataclass(frozen=True)
class _Axes:
    """From values to pixels within a panel."""

    x_ends: tuple[float, float]
    y_ends: tuple[float, float]
    y_ticks: Sequence[float]
    is_log: bool

    def x(self, value: float) -> float:
        low, high = self.x_ends
        return LEFT + math.log(value / low) / math.log(high / low) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        low, high = self.y_ends
        if self.is_log:
            share = math.log(max(value, low) / low) / math.log(high / low)
        else:
            share = (value - low) / (high - low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def chart(panels: Sequence[Sequence[Panel]], *, x_title: str) -> str:
    """Draw rows of panels under one legend.

    Args:
        panels: Row by row; x values are seconds. All share one axis of time.
        x_title: What the axis of time is called.

    Returns:
        An SVG element with its style.
    """
    flat = [panel for row in panels for panel in row]
    names = list(dict.fromkeys(series.name for panel in flat for series in panel.series))
    ours = {series.name for panel in flat for series in panel.series if series.is_ours}
    rank = {name: place for place, name in enumerate(n for n in names if n not in ours)}
    classes = {name: 'ours' if name in ours else f'other{rank[name] % COLOURS}' for name in names}
    seconds = [point.x for panel in flat for series in panel.series for point in series.points]
    columns = max((len(row) for row in panels), default=1)
    width = max(columns * WIDTH, LEFT + 2 * LEGEND_STEP)
    legend, legend_height = _legend(names, classes, width)
    height = legend_height + len(panels) * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="quality against {escape(x_title)}"><style>{_STYLE}</style>',
        f'<rect class="page" width="{width:g}" height="{height:g}"/>',
        legend,
    ]
    for row, line in enumerate(panels):
        for column, panel in enumerate(line):
            place = f'{column * WIDTH:g} {legend_height + row * HEIGHT:g}'
            parts.append(f'<g transform="translate({place})">')
            parts.append(_panel(panel, _axes(panel, seconds), classes, x_title))
            parts.append('</g>')
    return ''.join(parts) + '</svg>\n'


def _axes(panel: Panel, seconds: Sequence[float]) -> _Axes:
    values = [point.y for series in panel.series for point in series.points]
    values += [line.y for line in panel.lines]
    low, high = (min(seconds), max(seconds)) if seconds else (1.0, 10.0)
    x_ends = (max(low, 1e-3) / MARGIN, max(high, 2e-3) * MARGIN)
    # A logarithm has no place for an error of 0; its mark stands at the lower end.
    positive = [value for value in values if value > 0]
    if panel.is_error and positive:
        ends = (min(positive) / MARGIN, max(positive) * MARGIN)
        return _Axes(x_ends, ends, log_ticks(*ends), is_log=True)
    step = tick_step(max(values, default=1.0))
    number = max(math.ceil(max(values, default=1.0) / step - 1e-9), 1)
    ticks = [step * place for place in range(number + 1)]
    return _Axes(x_ends, (0.0, ticks[-1]), ticks, is_log=False)


def log_ticks(low: float, high: float) -> list[float]:
    """The numbers 1, 2 and 5 times a power of ten between two ends."""
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    ticks = [factor * 10.0**power for power in powers for factor in LOG_ROUND]
    return [tick for tick in ticks if low <= tick <= high]


def tick_step(highest: float) -> float:
    """A round distance between ticks from 0 up to ``highest``."""
    if highest <= 0:
        return 0.2
    rough = highest / Y_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in ROUND if factor * power >= rough * (1 - 1e-9))


def _panel(panel: Panel, axes: _Axes, classes: dict[str, str], x_title: str) -> str:
    right, base = WIDTH - RIGHT, HEIGHT - BOTTOM
    arrow = '↓' if panel.is_error else '↑'
    parts = [
        f'<text class="title" x="{LEFT}" y="{TOP - 14}">{escape(panel.title)} '
        f'<tspan class="faint">{arrow} better</tspan></text>'
    ]
    for tick in axes.y_ticks:
        y = axes.y(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="faint" x="{LEFT - 7}" y="{y + 4:.1f}" {_END}>{tick:.3g}</text>')
    for seconds, name in _time_ticks(axes):
        x = axes.x(seconds)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{base}"/>')
        parts.append(f'<text class="faint" x="{x:.1f}" y="{base + 16}" {_MIDDLE}>{name}</text>')
    middle = (LEFT + right) / 2
    parts.append(f'<text class="faint" x="{middle}" y="{base + 33}" {_MIDDLE}>{x_title}</text>')
    # Names stand apart: below the lines, but above the upper one of two errors.
    upwards = sorted(panel.lines, key=lambda line: line.y)
    parts += [_level(line, axes, panel.is_error and line is upwards[-1]) for line in upwards]
    # Ours come last, over the others.
    ordered = sorted(panel.series, key=lambda found: found.is_ours)
    return ''.join([*parts, *(_series(found, axes, classes[found.name]) for found in ordered)])


def _time_ticks(axes: _Axes) -> list[tuple[float, str]]:
    """Known times inside the axis, none too close to the one before."""
    chosen: list[tuple[float, str]] = []
    for seconds, name in TIMES.items():
        if not axes.x_ends[0] <= seconds <= axes.x_ends[1]:
            continue
        if not chosen or axes.x(seconds) - axes.x(chosen[-1][0]) >= CLOSEST:
            chosen.append((seconds, name))
    return chosen


def _level(line: Line, axes: _Axes, is_above: bool) -> str:
    y = axes.y(line.y)
    text_y = y - 4 if is_above else y + 12
    return (
        f'<g><title>{escape(line.name)}: {line.y:.3g}</title>'
        f'<line class="level {line.style}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" '
        f'y2="{y:.1f}"/><text class="level-name" x="{LEFT + 4}" y="{text_y:.1f}">'
        f'{escape(line.name)} {line.y:.3g}</text></g>'
    )


def _series(series: Series, axes: _Axes, name: str) -> str:
    places = [(axes.x(point.x), axes.y(point.y)) for point in series.points]
    parts = []
    if series.is_ours and len(places) > 1:
        path = 'L'.join(f'{x:.1f},{y:.1f}' for x, y in places)
        parts.append(f'<path class="line {name}" d="M{path}"/>')
    for point, (x, y) in zip(series.points, places, strict=True):
        tip = f'{point.label}: {point.y:.4g} after {point.x:,.0f} s'
        parts.append(f'<g><title>{escape(tip)}</title>{_mark(x, y, name)}</g>')
    return ''.join(parts)


def _mark(x: float, y: float, name: str) -> str:
    """A circle for ours; squares, diamonds and triangles for others."""
    if name == 'ours':
        return f'<circle class="mark ours" cx="{x:.1f}" cy="{y:.1f}" r="{MARK}"/>'
    size = MARK * 1.15
    shapes = (
        ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
        ((0, -1.25), (1.2, 0.95), (-1.2, 0.95)),
        ((0, 1.25), (1.2, -0.95), (-1.2, -0.95)),
    )
    corners = shapes[int(name.removeprefix('other')) % len(shapes)]
    points = ' '.join(f'{x + size * dx:.1f},{y + size * dy:.1f}' for dx, dy in corners)
    return f'<polygon class="mark {name}" points="{points}"/>'


def _legend(names: Sequence[str], classes: dict[str, str], width: float) -> tuple[str, float]:
    """The names with their marks, and how high they stand."""
    per_line = max(1, int((width - LEFT) // LEGEND_STEP))
    parts = []
    for place, name in enumerate(names):
        x = LEFT + 6 + place % per_line * LEGEND_STEP
        y = 20 + place // per_line * 20
        parts.append(_mark(x, y, classes[name]))
        parts.append(f'<text x="{x + 12:.1f}" y="{y + 4}">{escape(name)}</text>')
    return ''.join(parts), LEGEND + (max(len(names), 1) - 1) // per_line * 20


_END, _MIDDLE = 'text-anchor="end"', 'text-anchor="middle"'
_STYLE = Path(__file__).with_name('chart.css').read_text(encoding='utf-8')
