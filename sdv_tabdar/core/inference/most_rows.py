"""Drawn rows of which most, but not all, add up or multiply (``codecs/mostly.py``).

Which relations hold in a row is drawn first, as often as they did in training, by the level that
says it. The row is then made to keep these, as though they held in all rows; in the others its
numbers stay as they were drawn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.inference.arithmetic import Arithmetic

_EVEN = 0.5  # above which it is more likely that a relation holds


class MostRows:
    """What settles rows, each by the relations that hold in it.

    Args:
        encoder: The codes, and which relations hold in all rows, and in most.
        holds: ``(B, M)``, which of the latter hold in each row.
        arithmetic: What settles rows by the relations of an encoder.
    """

    def __init__(
        self, encoder: TableEncoder, holds: Marks, arithmetic: Callable[[TableEncoder], Arithmetic]
    ) -> None:
        kinds, kind = np.unique(holds, axis=0, return_inverse=True)
        self._kind = kind.reshape(-1)
        self._settled_by = [
            arithmetic(encoder.with_held(np.flatnonzero(held)) if held.any() else encoder)
            for held in kinds
        ]

    def settle(self, frame: pd.DataFrame) -> None:
        """Make rows keep what holds in them, as far as they can; ``frame`` is written into."""
        if len(self._settled_by) == 1:
            self._settled_by[0].settle(frame)
            return
        before = frame.copy()
        for number, arithmetic in enumerate(self._settled_by):
            settled, rows = before.copy(), self._kind == number
            arithmetic.settle(settled)
            for name in settled:
                if not settled[name].equals(before[name]):
                    frame[name] = frame[name].where(~rows, settled[name])


def drawn_to_hold(
    encoder: TableEncoder, frame: pd.DataFrame, uniforms: Callable[[int], Floats]
) -> Marks:
    """Which relations of most rows are to hold in each row ``(B, M)``.

    Args:
        encoder: The codes, and the M relations.
        frame: Decoded rows.
        uniforms: Draws so many numbers of [0, 1).
    """
    likely = _probabilities(encoder, frame)
    draws = [uniforms(len(frame)) for _ in encoder.mostly]
    return likely > np.array(draws).reshape(likely.T.shape).T


def likely_to_hold(encoder: TableEncoder, frame: pd.DataFrame) -> Marks:
    """Which relations of most rows hold in each row ``(B, M)`` rather than not."""
    return _probabilities(encoder, frame) > _EVEN


def _probabilities(encoder: TableEncoder, frame: pd.DataFrame) -> Floats:
    """How likely each relation of most rows holds in decoded rows ``(B, M)``."""
    found = np.zeros((len(frame), len(encoder.mostly)))
    for place, one in enumerate(encoder.mostly):
        codes = np.zeros(len(frame), dtype=np.int64)
        if one.level is not None:
            codec = encoder.codecs[one.level]
            codes = codec.encode(frame[codec.column.name])[0].astype(np.int64)
        found[:, place] = one.probabilities(codes)
    return found
