"""The ways to make pieces."""

from __future__ import annotations

import numpy as np

from sdv_tabdar.core.codecs.pieces import Pieces


def test_pieces_of_several_cells_are_cut_apart() -> None:
    ends = np.array([-np.inf, 0.0, 1.0]), np.array([0.5, np.inf, 2.0])
    first, none, last = Pieces.parted(np.array([2, 0, 1]), np.array([3, 1, 4]), *ends)
    assert first.codes.tolist() == [3, 1]
    assert first.low.tolist() == [-np.inf, 0.0]
    assert first.high.tolist() == [0.5, np.inf]
    assert first.share.tolist() == [1.0, 1.0]
    assert not len(none.codes)
    assert last.codes.tolist() == [4]


def test_pieces_are_joined_in_order() -> None:
    joined = Pieces.joined([Pieces.of_codes({4: 0.5}), Pieces.of_codes({2: 1.0})])
    assert joined.codes.tolist() == [4, 2]
    assert joined.share.tolist() == [0.5, 1.0]


def test_pieces_of_codes_have_no_limits() -> None:
    pieces = Pieces.of_codes({4: 0.5, 2: 1.0})
    assert pieces.codes.tolist() == [2, 4]
    assert pieces.share.tolist() == [1.0, 0.5]
    assert np.isinf([pieces.low, pieces.high]).all()
