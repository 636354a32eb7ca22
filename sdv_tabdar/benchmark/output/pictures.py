"""Sheets of small panels as SVG: densities and matrices as pixels, curves as lines.

Pixels are a PNG inside the SVG, so that a panel of some thousand cells takes a few hundred bytes.
"""

from __future__ import annotations

import base64
import dataclasses
import html
import struct
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Range = tuple[float, float]

# From nothing to most, as red, green and blue.
SHADES = ((255, 255, 255), (190, 215, 235), (70, 130, 190), (10, 40, 100))
COLORS = ('#1f5fa8', '#d1661d', '#3a8f4d', '#8a4fa3')
SIZE, GAP, TEXT = 150, 46, 11  # of a panel, between two, and of letters, in pixels


@dataclasses.dataclass(frozen=True)
class Panel:
    """One of the panels of a sheet.

    Attributes:
        title: Above it.
        content: SVG elements in a square of ``SIZE`` pixels.
        x: What is written below: the ends of its axis, and its name between them.
        y: To its left, likewise.
    """

    title: str
    content: str
    x: tuple[str, str, str] = ('', '', '')
    y: tuple[str, str, str] = ('', '', '')


def density(rows: Floats, ranges: tuple[Range, Range], cells: tuple[int, int]) -> Floats:
    """Shares of the rows in the cells of a grid, ``(cells[1], cells[0])``, the highest y first.

    Args:
        rows: ``(rows, 2)``, x and y; those outside are left out.
        ranges: Of x and y.
        cells: How many there are along x and along y.
    """
    counts, _, _ = np.histogram2d(rows[:, 0], rows[:, 1], bins=cells, range=ranges)
    found: Floats = counts.T[::-1] / max(len(rows), 1)
    return found


def pixels(values: Floats, top: float) -> str:
    """A matrix as an image: white at 0, dark at ``top`` and above; NaN is grey."""
    level = np.clip(np.nan_to_num(values) / top, 0, 1) * (len(SHADES) - 1)
    shades = np.array(SHADES, dtype=float)
    channels = [np.interp(level, np.arange(len(SHADES)), shades[:, c]) for c in range(3)]
    image = np.stack(channels, axis=-1).round().astype(np.uint8)
    image[np.isnan(values)] = 205
    content = base64.b64encode(_png(image)).decode()
    return (
        f'<image width="{SIZE}" height="{SIZE}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{content}"/>'
    )


def curves(lines: Sequence[tuple[Floats, Floats]], ranges: tuple[Range, Range]) -> str:
    """Lines ``(x, y)`` in the order of ``COLORS``; places without a number are left out."""
    parts = []
    for color, (x, y) in zip(COLORS, lines, strict=False):
        known = np.isfinite(x) & np.isfinite(y)
        across, up = (
            (values[known] - low) / ((high - low) or 1) * SIZE
            for values, (low, high) in zip((x, y), ranges, strict=True)
        )
        points = ' '.join(f'{a:.1f},{SIZE - b:.1f}' for a, b in zip(across, up, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
    return ''.join(parts)


def sheet(
    panels: Sequence[Panel], columns: int, legend: Sequence[str] = (), title: str = ''
) -> str:
    """All panels in rows of ``columns``, as an SVG document.

    Args:
        panels: In the order of reading.
        columns: How many stand side by side.
        legend: What the lines are, in the order of ``COLORS``.
        title: For readers who do not see it.
    """
    top = 24 if legend else 0
    columns = min(columns, len(panels))
    height = top + -(-len(panels) // columns) * (SIZE + GAP)
    width = columns * (SIZE + GAP) + GAP // 2
    parts = [_legend(legend)] if legend else []
    for place, panel in enumerate(panels):
        x = GAP + (place % columns) * (SIZE + GAP)
        y = top + 22 + (place // columns) * (SIZE + GAP)
        parts.append(f'<g transform="translate({x},{y})">{_framed(panel)}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="{TEXT}" fill="#333">'
        f'<title>{html.escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>'
        + '\n'.join(parts)
        + '</svg>\n'
    )


def _framed(panel: Panel) -> str:
    frame = f'<rect width="{SIZE}" height="{SIZE}" fill="none" stroke="#aaa"/>'
    texts = [_text(0, -6, panel.title, weight='bold')]
    for share, anchor, text in zip((0, 1, 2), ('start', 'middle', 'end'), panel.x, strict=True):
        texts.append(_text(share * SIZE / 2, SIZE + 13, text, anchor=anchor))
    low, name, high = panel.y
    texts.append(_text(-4, SIZE, low, anchor='end'))
    texts.append(_text(-4, TEXT, high, anchor='end'))
    turned = f' transform="translate(-6,{SIZE / 2:g}) rotate(-90)"'
    texts.append(f'<g{turned}>{_text(0, 0, name, anchor="middle")}</g>' if name else '')
    return panel.content + frame + ''.join(texts)


def _text(x: float, y: float, text: str, *, anchor: str = 'start', weight: str = '') -> str:
    if not text:
        return ''
    bold = f' font-weight="{weight}"' if weight else ''
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{bold}>{html.escape(text)}</text>'


def _legend(names: Sequence[str]) -> str:
    parts, x = [], GAP
    for color, name in zip(COLORS, names, strict=False):
        parts.append(f'<rect x="{x}" y="8" width="14" height="4" fill="{color}"/>')
        parts.append(_text(x + 19, 14, name))
        x += 40 + 7 * len(name)
    return ''.join(parts)


def _png(image: npt.NDArray[np.uint8]) -> bytes:
    """A PNG file of pixels ``(height, width, 3)``."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        length, check = struct.pack('>I', len(content)), zlib.crc32(kind + content)
        return length + kind + content + struct.pack('>I', check)

    height, width, _ = image.shape
    # Each line begins with its filter, of which there is none.
    lines = b''.join(b'\0' + line.tobytes() for line in image)
    header = struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)
    return (
        b'\x89PNG\r\n\x1a\n'
        + chunk(b'IHDR', header)
        + chunk(b'IDAT', zlib.compress(lines, 9))
        + chunk(b'IEND', b'')
    )
