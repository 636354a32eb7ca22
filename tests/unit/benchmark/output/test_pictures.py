"""Sheets of panels are whole SVG documents whose pixels say what the matrix says."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from xml.etree import ElementTree

import numpy as np

from sdv_tabdar.benchmark.output.pictures import SHADES, Panel, curves, density, pixels, sheet


def _decoded(image: str) -> np.ndarray:
    """The pixels of an ``<image>``, (height, width, 3)."""
    found = re.search(r'base64,([^"]+)', image)
    assert found is not None
    content = base64.b64decode(found[1])
    assert content.startswith(b'\x89PNG')
    width, height = struct.unpack('>II', content[16:24])
    start = content.index(b'IDAT')
    size = struct.unpack('>I', content[start - 4 : start])[0]
    lines = np.frombuffer(zlib.decompress(content[start + 4 : start + 4 + size]), dtype=np.uint8)
    return lines.reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)


def test_pixels_go_from_white_to_dark_and_are_grey_without_a_number() -> None:
    found = _decoded(pixels(np.array([[0.0, 0.5, 2.0], [np.nan, 1.0, 0.25]]), top=1.0))
    assert found.shape == (2, 3, 3)
    assert tuple(found[0, 0]) == SHADES[0]
    assert tuple(found[0, 2]) == tuple(found[1, 1]) == SHADES[-1]
    assert tuple(found[1, 0]) == (205, 205, 205)
    assert found[0, 1].sum() < found[1, 2].sum()


def test_a_density_counts_shares_with_the_highest_y_first() -> None:
    rows = np.array([[0.1, 0.9], [0.1, 0.8], [0.9, 0.1], [5.0, 5.0]])
    found = density(rows, ((0.0, 1.0), (0.0, 1.0)), (2, 2))
    assert found.tolist() == [[0.5, 0.0], [0.0, 0.25]]


def test_a_sheet_is_xml_with_all_panels_and_escapes_their_names() -> None:
    lines = [(np.array([0.0, 1.0, np.nan]), np.array([0.0, 1.0, 5.0]))]
    drawn = curves(lines, ((0.0, 1.0), (0.0, 1.0)))
    assert 'points="0.0,150.0 150.0,0.0"' in drawn
    panels = [Panel(f'a < {number}', drawn, ('0', 'x', '1'), ('0', 'y', '1')) for number in 'bcd']
    root = ElementTree.fromstring(sheet(panels, 2, ('first', 'second'), 'both & more'))
    texts = [element.text for element in root.iter() if element.text]
    assert {'a < b', 'a < c', 'a < d', 'first', 'second', 'both & more'} <= set(texts)
    assert float(root.attrib['height']) > float(root.attrib['width']) * 0.9
