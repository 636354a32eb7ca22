"""Which cells are known, and that they come back as they were given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.inference.frames import known_cells, without, write_back
from sdv_tabdar.core.restrictions import NotMissing

FRAME = pd.DataFrame({'a': [1.0, 2.0], 'b': ['x', 'y']}, index=[7, 7])


def test_all_cells_are_known_but_restricted_ones() -> None:
    known = known_cells(FRAME, None, {'a': [None, NotMissing()], 'other': [NotMissing()] * 2})
    assert known.tolist() == [[True, True], [False, True]]


def test_what_was_observed_is_copied() -> None:
    observed = np.array([[True, False], [True, False]])
    known = known_cells(FRAME, observed, {'a': [NotMissing()] * 2})
    assert known.tolist() == [[False, False]] * 2
    assert observed[:, 0].all()


def test_shapes_that_do_not_fit_are_errors() -> None:
    with pytest.raises(ValueError, match=r'shape of the frame, \(2, 2\), however: \(1, 2\)'):
        known_cells(FRAME, np.ones((1, 2), dtype=bool), {})
    with pytest.raises(ValueError, match=r"\['a'\] must have one entry a row \(2\), however: 1"):
        known_cells(FRAME, None, {'a': [None]})


def test_without_a_column() -> None:
    frame, known = without(FRAME, None, 'a')
    assert list(frame) == ['b']
    assert known.tolist() == [[True], [True]]


def test_known_cells_are_written_back_by_row() -> None:
    filled = pd.DataFrame({'b': np.array(['p', 'q'], dtype=object), 'a': [8.0, 9.0]})
    write_back(filled, FRAME, np.array([[True, False], [False, True]]))
    assert filled['a'].tolist() == [1.0, 9.0]
    assert filled['b'].tolist() == ['p', 'y']
