"""Charts as inline SVG, coloured by the page's CSS classes, so that they follow its theme.

Real data are blue and filled, synthetic data are orange and drawn as a line over them. Every mark
has a <title>, which browsers show on hover.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd


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
) -> str:
    """Two distributions on common edges, the first filled, the second as a line.

    Args:
        edges: Bin edges, one more than bins.
        filled: Shares of the first distribution.
        outlined: Shares of the second, or None.
        sdtype: Type of the axis, for its labels.
        names: What the tooltips call the two.
        label: What the axis shows, for screen readers.
        classes: CSS classes of the two.
    """
    width, height, base = 320.0, 132.0, 112.0
    shift = _whole_shift(edges)
    second = np.zeros(len(filled)) if outlined is None else np.asarray(outlined)
    top = max(float(np.max(filled)), float(np.max(second)), 1e-9)
    xs = np.linspace(4, width - 4, len(edges))

    def heights(shares: Sequence[float] | np.ndarray) -> list[float]:
        return [base - 100 * share / top for share in shares]

    parts = [_svg(width, height, label), _area(xs, heights(filled), base, classes[0])]
    if outlined is not None:
        parts.append(_steps(xs, heights(second), base, classes[1]))
    for index, share in enumerate(filled):
        low = axis_text(float(edges[index]) + shift, sdtype)
        high = axis_text(float(edges[index + 1]) - shift, sdtype)
        place = low if low == high else f'{low} to {high}'
        tip = f'{place}: {names[0]} {percent_text(share)}'
        if outlined is not None:
            tip += f', {names[1]} {percent_text(float(second[index]))}'
        parts.append(
            f'<rect class="hover" x="{xs[index]:.1f}" y="8" width="{xs[1] - xs[0]:.1f}" '
            f'height="104"><title>{escape(tip)}</title></rect>'
        )
    parts.append(f'<line class="axis" x1="4" x2="{width - 4}" y1="{base}" y2="{base}"/>')
    for x, edge, anchor in (
        (4, edges[0] + shift, 'start'),
        (width / 2, (edges[0] + edges[-1]) / 2, 'middle'),
        (width - 4, edges[-1] - shift, 'end'),
    ):
        parts.append(_text(x, 127, axis_text(float(edge), sdtype), anchor=anchor))
    return ''.join(parts) + '</svg>'


def category_bars(labels: Sequence[str], real: Sequence[float], synthetic: Sequence[float]) -> str:
    """Two bars per category, real above synthetic."""
    row, left, width = 24.0, 112.0, 320.0
    top = max([*real, *synthetic, 1e-9])
    room = width - left - 44
    parts = [_svg(width, row * len(labels) + 4, 'shares by category')]
    for index, (label, mine, theirs) in enumerate(zip(labels, real, synthetic, strict=True)):
        y = index * row + 4
        tip = f'{label}: real {percent_text(mine)}, synthetic {percent_text(theirs)}'
        parts.append(
            f'<g><title>{escape(tip)}</title>'
            + _text(left - 8, y + 12, _short(label, 15), anchor='end')
            + f'<rect class="real bar" x="{left}" y="{y + 1}" height="8" rx="1.5" '
            f'width="{max(0.8, room * mine / top):.1f}"/>'
            f'<rect class="synthetic bar" x="{left}" y="{y + 9.5}" height="8" rx="1.5" '
            f'width="{max(0.8, room * theirs / top):.1f}"/>'
            + _text(
                left + room * max(mine, theirs) / top + 5, y + 13, percent_text(mine), extra='faint'
            )
            + '</g>'
        )
    return ''.join(parts) + '</svg>'


def importance_bars(labels: Sequence[str], shares: Sequence[float], notes: Sequence[str]) -> str:
    """One bar per column."""
    row, left, width = 26.0, 122.0, 390.0
    top = max([*shares, 1e-9])
    room = width - left - 52
    parts = [_svg(width, row * len(labels) + 4, 'importance by column')]
    for index, (label, share, note) in enumerate(zip(labels, shares, notes, strict=True)):
        y = index * row + 4
        parts.append(
            f'<g><title>{escape(note)}</title>'
            + _text(left - 8, y + 14, _short(label, 18), anchor='end')
            + f'<rect class="synthetic bar" x="{left}" y="{y + 3}" height="15" rx="2" '
            f'width="{max(1.0, room * share / top):.1f}"/>'
            + _text(left + room * share / top + 7, y + 15, percent_text(share), extra='faint')
            + '</g>'
        )
    return ''.join(parts) + '</svg>'


def error_heat_map(names: Sequence[str], errors: np.ndarray) -> str:
    """Errors of all pairs of columns; the deeper the colour, the larger the error.

    Args:
        names: The columns.
        errors: Columns x columns, symmetric, NaN where undefined.
    """
    cell, left, head = 26.0, 128.0, 106.0
    size = cell * len(names)
    top = max(float(np.nanmax(errors)), 1e-9) if np.isfinite(errors).any() else 1.0
    parts = [_svg(left + size + 24, head + size + 6, 'errors of pairs of columns')]
    for index, name in enumerate(names):
        middle = index * cell + cell / 2
        parts.append(_text(left - 8, head + middle + 4, _short(name, 19), anchor='end'))
        x, y = left + middle + 4, head - 7
        parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" transform="rotate(-48 {x:.1f} {y:.1f})">'
            f'{escape(_short(name, 17))}</text>'
        )
    for row, column in np.ndindex(errors.shape):
        x, y = left + column * cell, head + row * cell
        value = float(errors[row, column])
        if row == column:
            continue
        tip = f'{names[row]} x {names[column]}: '
        if math.isfinite(value):
            shade = f'class="heat" fill-opacity="{0.04 + 0.96 * value / top:.3f}"'
            tip += f'error {percent_text(value)}'
        else:
            shade, tip = 'class="undefined"', tip + 'undefined'
        parts.append(
            f'<rect {shade} x="{x + 0.75:.1f}" y="{y + 0.75:.1f}" width="{cell - 1.5}" '
            f'height="{cell - 1.5}" rx="3"><title>{escape(tip)}</title></rect>'
        )
    return ''.join(parts) + '</svg>'


def density_image(density: np.ndarray, top: float, colour: tuple[int, int, int]) -> str:
    """A density as an <img>: one colour, more opaque where it is denser.

    Args:
        density: Shares, rows x columns, row 0 at the bottom.
        top: The share that is fully opaque.
        colour: Red, green, blue of 0 to 255.
    """
    opacity = np.sqrt(np.clip(density / max(top, 1e-12), 0, 1))[::-1]
    pixels = np.empty((*density.shape, 4), dtype=np.uint8)
    pixels[..., :3] = colour
    pixels[..., 3] = np.round(255 * opacity)
    data = base64.b64encode(_png(pixels)).decode('ascii')
    return f'<img class="density" alt="" src="data:image/png;base64,{data}">'


def gauge(score: float, floor: float | None, low_text: str, high_text: str) -> str:
    """A score between 0 and 1 on a line, with a tick at its floor."""
    width = 380.0
    at = 10 + (width - 20) * min(1.0, max(0.0, score))
    parts = [
        _svg(width, 64, 'score between 0 and 1'),
        f'<rect class="track" x="10" y="22" width="{width - 20}" height="12" rx="6"/>',
        f'<rect class="synthetic" x="10" y="22" width="{max(12.0, at - 10):.1f}" height="12" '
        'rx="6"/>',
    ]
    if floor is not None and math.isfinite(floor):
        x = 10 + (width - 20) * min(1.0, max(0.0, floor))
        near_end = x > width - 90
        parts.append(f'<line class="floor" x1="{x:.1f}" x2="{x:.1f}" y1="14" y2="42"/>')
        parts.append(
            _text(
                x + (4 if near_end else 0),
                10,
                f'real data: {floor:.3f}',
                anchor='end' if near_end else 'middle',
            )
        )
    parts.append(_text(10, 56, low_text, extra='faint'))
    parts.append(_text(width - 10, 56, high_text, anchor='end', extra='faint'))
    return ''.join(parts) + '</svg>'


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


def _svg(width: float, height: float, label: str) -> str:
    """The opening tag of a chart that scales with its box."""
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}" '
        f'style="max-width:{1.5 * width:g}px">'
    )


def _area(xs: np.ndarray, ys: list[float], base: float, name: str) -> str:
    """A filled staircase."""
    return f'<path class="{name} area" d="M{xs[0]:.1f},{base}{_stairs(xs, ys)}V{base}Z"/>'


def _steps(xs: np.ndarray, ys: list[float], base: float, name: str) -> str:
    """A staircase as a line."""
    return f'<path class="{name} line" d="M{xs[0]:.1f},{base}{_stairs(xs, ys)}V{base}"/>'


def _stairs(xs: np.ndarray, ys: list[float]) -> str:
    return ''.join(f'V{y:.1f}H{x:.1f}' for y, x in zip(ys, xs[1:], strict=True))


def _text(x: float, y: float, text: Any, *, anchor: str = 'start', extra: str = '') -> str:
    kind = f' class="{extra}"' if extra else ''
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(str(text))}</text>'


def _short(text: str, length: int) -> str:
    """The text, cut with an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + '…'
