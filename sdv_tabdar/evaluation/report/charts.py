"""Charts as geometry: numbers and short texts that the templates turn into inline SVG.

Real data are filled, synthetic data are drawn as a line over them. Every mark has a tip, which
browsers show on hover. Lengths are in units of the chart's own coordinates, as text of one decimal.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

Chart = dict[str, Any]
"""What a template of the same name draws: its size, a label for screen readers, its marks."""


def number_text(value: float) -> str:
    """A number for an axis or a label, short."""
    if not math.isfinite(value):
        return '-'
    size = abs(value)
    if size >= 1e6 or 0 < size < 1e-3:
        return f'{value:.1e}'.replace('e+0', 'e').replace('e-0', 'e-')
    if size >= 1e4:
        return f'{value / 1000:.4g}k'
    return f'{value:.3g}' if size < 100 else f'{value:.0f}'


def axis_text(value: float, sdtype: str) -> str:
    """A number, or the day of a datetime in nanoseconds."""
    if sdtype == 'datetime':
        return pd.Timestamp(int(value)).strftime('%Y-%m-%d')
    return number_text(value)


def percent_text(share: float) -> str:
    """A share as a percentage of two or three digits."""
    if not math.isfinite(share):
        return '-'
    percent = 100 * share
    return f'{percent:.0f} %' if abs(percent) >= 99.95 else f'{percent:.2g} %'


def histogram(
    edges: Sequence[float],
    filled: Sequence[float],
    outlined: Sequence[float] | None,
    *,
    sdtype: str = 'numerical',
    names: tuple[str, str] = ('real', 'synthetic'),
    label: str = '',
    classes: tuple[str, str] = ('real', 'synthetic'),
) -> Chart:
    """Two distributions on common edges, the first filled, the second as a line.

    Args:
        edges: Bin edges, one more than bins.
        filled: Shares of the first distribution.
        outlined: Shares of the second, or None.
        sdtype: Type of the axis, for its labels.
        names: What the tips call the two.
        label: What the axis shows, for screen readers.
        classes: CSS classes of the two.
    """
    width, base = 320.0, 112.0
    shift = _whole_shift(edges)
    second = np.zeros(len(filled)) if outlined is None else np.asarray(outlined)
    top = max(float(np.max(filled)), float(np.max(second)), 1e-9)
    xs = np.linspace(4, width - 4, len(edges))

    def outline(shares: Sequence[float] | np.ndarray) -> str:
        stairs = (
            f'V{base - 100 * share / top:.1f}H{x:.1f}'
            for share, x in zip(shares, xs[1:], strict=True)
        )
        return f'M{xs[0]:.1f},{base}{"".join(stairs)}V{base}'

    tips = []
    for index, share in enumerate(filled):
        low = axis_text(float(edges[index]) + shift, sdtype)
        high = axis_text(float(edges[index + 1]) - shift, sdtype)
        place = low if low == high else f'{low} to {high}'
        tip = f'{place}: {names[0]} {percent_text(share)}'
        if outlined is not None:
            tip += f', {names[1]} {percent_text(float(second[index]))}'
        tips.append({'x': f'{xs[index]:.1f}', 'width': f'{xs[1] - xs[0]:.1f}', 'tip': tip})
    return {
        **_size(width, 132, label),
        'area': {'class': classes[0], 'path': outline(filled) + 'Z'},
        'line': None if outlined is None else {'class': classes[1], 'path': outline(second)},
        'tips': tips,
        'right': width - 4,
        'base': base,
        'ticks': [
            {'x': f'{x:.1f}', 'anchor': anchor, 'text': axis_text(float(edge), sdtype)}
            for x, edge, anchor in (
                (4, edges[0] + shift, 'start'),
                (width / 2, (edges[0] + edges[-1]) / 2, 'middle'),
                (width - 4, edges[-1] - shift, 'end'),
            )
        ],
    }


def category_bars(
    labels: Sequence[str], real: Sequence[float], synthetic: Sequence[float]
) -> Chart:
    """Two bars per category, real above synthetic."""
    row, left, width = 24.0, 112.0, 320.0
    top = max([*real, *synthetic, 1e-9])
    room = width - left - 44
    bars = []
    for index, (label, mine, theirs) in enumerate(zip(labels, real, synthetic, strict=True)):
        y = index * row + 4
        bars.append(
            {
                'tip': f'{label}: real {percent_text(mine)}, synthetic {percent_text(theirs)}',
                'label': _short(label, 15),
                'label_y': f'{y + 12:.1f}',
                'real': {'y': y + 1, 'width': f'{max(0.8, room * mine / top):.1f}'},
                'synthetic': {'y': y + 9.5, 'width': f'{max(0.8, room * theirs / top):.1f}'},
                'share': percent_text(mine),
                'share_x': f'{left + room * max(mine, theirs) / top + 5:.1f}',
                'share_y': f'{y + 13:.1f}',
            }
        )
    size = _size(width, row * len(labels) + 4, 'shares by category')
    return {**size, 'left': left, 'label_x': f'{left - 8:.1f}', 'bars': bars}


def importance_bars(labels: Sequence[str], shares: Sequence[float], tips: Sequence[str]) -> Chart:
    """One bar per column."""
    row, left, width = 26.0, 122.0, 390.0
    top = max([*shares, 1e-9])
    room = width - left - 52
    bars = []
    for index, (label, share, tip) in enumerate(zip(labels, shares, tips, strict=True)):
        y = index * row + 4
        bars.append(
            {
                'tip': tip,
                'label': _short(label, 18),
                'label_y': f'{y + 14:.1f}',
                'y': y + 3,
                'width': f'{max(1.0, room * share / top):.1f}',
                'share': percent_text(share),
                'share_x': f'{left + room * share / top + 7:.1f}',
                'share_y': f'{y + 15:.1f}',
            }
        )
    size = _size(width, row * len(labels) + 4, 'importance by column')
    return {**size, 'left': left, 'label_x': f'{left - 8:.1f}', 'bars': bars}


def interval_dots(
    labels: Sequence[str],
    values: Sequence[tuple[float, float, float]],
    usual: Sequence[float],
    tips: Sequence[str],
) -> Chart:
    """A dot on a line from the lower to the upper end of its interval, for each label.

    Args:
        labels: What each row shows.
        values: Its value, lower and upper end, from 0 to 1.
        usual: What is reached by chance; the area up to there is shaded. NaN for no area.
        tips: Its tip.
    """
    row, left, width = 26.0, 222.0, 440.0
    low = min(0.45, *(value[1] for value in values))
    high = max(0.6, *(value[2] for value in values))
    room = width - left - 14

    def place(value: float) -> float:
        return left + room * (min(max(value, low), high) - low) / (high - low)

    rows = []
    for index, (label, (value, lower, upper), chance, tip) in enumerate(
        zip(labels, values, usual, tips, strict=True)
    ):
        y = index * row + 4
        shaded = max(place(chance) - left, 0.0) if math.isfinite(chance) else 0.0
        rows.append(
            {
                'tip': tip,
                'label': _short(label, 37),
                'label_y': f'{y + 14:.1f}',
                'y': f'{y:.1f}',
                'middle': f'{y + 10:.1f}',
                'x': f'{place(value):.1f}',
                'low': f'{place(lower):.1f}',
                'high': f'{place(upper):.1f}',
                'usual': f'{shaded:.1f}',
            }
        )
    bottom = row * len(labels) + 6
    return {
        **_size(width, bottom + 20, 'AUC of each attack with its interval'),
        'left': left,
        'label_x': f'{left - 10:.1f}',
        'bar': 20,
        'guess': f'{place(0.5):.1f}',
        'bottom': f'{bottom:.1f}',
        'tick_y': f'{bottom + 15:.1f}',
        'ticks': [
            {'x': f'{place(value):.1f}', 'text': number_text(value)}
            for value in dict.fromkeys([0.5, round(high, 2)])
        ],
        'rows': rows,
    }


def error_heat_map(names: Sequence[str], errors: np.ndarray) -> Chart:
    """Errors of all pairs of columns; the deeper the colour, the larger the error.

    Args:
        names: The columns.
        errors: Columns x columns, symmetric, NaN where undefined.
    """
    cell, left, head = 26.0, 128.0, 106.0
    length = cell * len(names)
    top = max(float(np.nanmax(errors)), 1e-9) if np.isfinite(errors).any() else 1.0
    headings = []
    for index, name in enumerate(names):
        middle = index * cell + cell / 2
        headings.append(
            {
                'row': _short(name, 19),
                'row_y': f'{head + middle + 4:.1f}',
                'column': _short(name, 17),
                'column_x': f'{left + middle + 4:.1f}',
            }
        )
    cells = []
    for row, column in np.ndindex(errors.shape):
        value = float(errors[row, column])
        if row == column:
            continue
        known = math.isfinite(value)
        said = f'error {percent_text(value)}' if known else 'undefined'
        cells.append(
            {
                'x': f'{left + column * cell + 0.75:.1f}',
                'y': f'{head + row * cell + 0.75:.1f}',
                'opacity': f'{0.04 + 0.96 * value / top:.3f}' if known else None,
                'tip': f'{names[row]} x {names[column]}: {said}',
            }
        )
    return {
        **_size(left + length + 24, head + length + 6, 'errors of pairs of columns'),
        'row_x': f'{left - 8:.1f}',
        'column_y': f'{head - 7:.1f}',
        'side': cell - 1.5,
        'headings': headings,
        'cells': cells,
    }


def density_image(density: np.ndarray, top: float, colour: tuple[int, int, int]) -> str:
    """A density as a PNG file in base64: one colour, more opaque where it is denser.

    Args:
        density: Shares, rows x columns, row 0 at the bottom.
        top: The share that is fully opaque.
        colour: Red, green, blue of 0 to 255.
    """
    opacity = np.sqrt(np.clip(density / max(top, 1e-12), 0, 1))[::-1]
    pixels = np.empty((*density.shape, 4), dtype=np.uint8)
    pixels[..., :3] = colour
    pixels[..., 3] = np.round(255 * opacity)
    return base64.b64encode(_png(pixels)).decode('ascii')


def gauge(score: float, floor: float | None, low_text: str, high_text: str) -> Chart:
    """A score between 0 and 1 on a line, with a tick at its floor."""
    width = 380.0
    at = 10 + (width - 20) * min(1.0, max(0.0, score))
    tick = None
    if floor is not None and math.isfinite(floor):
        x = 10 + (width - 20) * min(1.0, max(0.0, floor))
        near_end = x > width - 90
        tick = {
            'x': f'{x:.1f}',
            'text_x': f'{x + (4 if near_end else 0):.1f}',
            'text': f'real data: {floor:.3f}',
            'anchor': 'end' if near_end else 'middle',
        }
    return {
        **_size(width, 64, 'score between 0 and 1'),
        'track': width - 20,
        'filled': f'{max(12.0, at - 10):.1f}',
        'tick': tick,
        'right': f'{width - 10:.1f}',
        'low': low_text,
        'high': high_text,
    }


def _size(width: float, height: float, label: str) -> Chart:
    """A chart that scales with its box, up to one and a half times its size."""
    return {
        'width': f'{width:g}',
        'height': f'{height:g}',
        'widest': f'{1.5 * width:g}',
        'label': label,
    }


def _whole_shift(edges: Sequence[float]) -> float:
    """What lies between the edge of a bin of whole numbers (at a half) and its first number."""
    return 0.5 if edges[0] % 1 == 0.5 and edges[-1] % 1 == 0.5 else 0.0


def _png(pixels: np.ndarray) -> bytes:
    """An RGBA picture, rows x columns x 4 bytes, as a PNG file."""
    height, width, _ = pixels.shape

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack('>I', len(content)) + body + struct.pack('>I', zlib.crc32(body))

    lines = b''.join(b'\0' + pixels[row].tobytes() for row in range(height))
    header = struct.pack('>IIBBBBB', width, height, 8, 6, 0, 0, 0)
    return (
        b'\x89PNG\r\n\x1a\n'
        + chunk(b'IHDR', header)
        + chunk(b'IDAT', zlib.compress(lines, 9))
        + chunk(b'IEND', b'')
    )


def _short(text: str, length: int) -> str:
    """The text, cut with an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + '…'
