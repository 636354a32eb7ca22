"""Drawn numbers in the ranges that given levels say (``core/codecs/bands.py``).

Of a number that was drawn the level follows. Where the level was given, or asked for, the number
moves into the nearest of its ranges.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import as_floats
from sdv_tabdar.core.inference.told_levels import ToldLevels
from sdv_tabdar.core.restrictions import meets


def lead_into_ranges(levels: ToldLevels, frame: pd.DataFrame) -> Marks:
    """Move numbers into the nearest range of the level asked for.

    Args:
        levels: What is known of the rows.
        frame: Decoded rows, which are written into.

    Returns:
        ``(B, C)``, numbers that were, or would have been, moved.
    """
    led = np.zeros(levels.known.shape, dtype=bool)
    for one in levels.encoder.bands:
        name = levels.encoder.schema.names[one.source]
        numbers, codes = as_floats(frame[name]), levels.codes(frame, one)
        found = one.moved(numbers, codes, levels.encoder.codecs[one.source].limits)
        rows = levels.is_asked(one.position) & ~levels.known[:, one.source] & ~np.isnan(found)
        entries = levels.entries(one.source)
        for row in np.flatnonzero(rows).tolist():
            entry = entries[row]
            rows[row] = entry is None or meets(entry, float(found[row]))
        frame[name] = np.where(rows & (one.wanted(numbers) != codes), found, numbers)
        led[:, one.source] |= rows
    return led
