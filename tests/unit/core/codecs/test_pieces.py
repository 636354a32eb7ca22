"""The two ways to make pieces."""

from __future__ import annotations

import numpy as np

from sdv_tabdar.core.codecs.pieces import Pieces


def test_pieces_of_numbers_allow_their_codes_as_a_whole() -> None:
    pieces = Pieces.of([(3, -np.inf, 0.5), (1, 0.0, np.inf)])
    assert pieces.codes.tolist() == [3, 1]
    assert pieces.low.tolist() == [-np.inf, 0.0]
    assert pieces.high.tolist() == [0.5, np.inf]
    assert pieces.share.tolist() == [1.0, 1.0]


def test_pieces_of_codes_have_no_limits() -> None:
    pieces = Pieces.of_codes({4: 0.5, 2: 1.0})
    assert pieces.codes.tolist() == [2, 4]
    assert pieces.share.tolist() == [1.0, 0.5]
    assert np.isinf([pieces.low, pieces.high]).all()
