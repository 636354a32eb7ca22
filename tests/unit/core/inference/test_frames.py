"""Given cells in frames: left out, written back exactly, moved onto their restriction."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.inference.frames import enforce, overwritten, without
from sdv_tabdar.core.restrictions import Interval

FRAME = pd.DataFrame({'a': [1.0, 2.0], 'b': ['x', 'y'], 'c': [3.0, np.nan]})


def test_a_column_is_left_out_with_what_is_known_of_it() -> None:
    observed = np.array([[True, False, True], [False, True, True]])
    rest, known = without(FRAME, observed, 'b')
    assert list(rest) == ['a', 'c']
    assert np.array_equal(known, observed[:, [0, 2]])
    assert without(FRAME, None, 'a')[1].all()
    assert list(without(FRAME, None, 'absent')[0]) == ['a', 'b', 'c']


def test_given_numbers_come_back_exactly() -> None:
    filled, given = pd.Series([0.5, 0.6, 0.7]), pd.Series(['0.1', 7, None], dtype=object)
    found = overwritten(filled, given, np.array([True, False, True]))
    assert found.dtype == np.float64
    assert found[:2].tolist() == [0.1, 0.6]
    assert np.isnan(found[2])
    assert filled.tolist() == [0.5, 0.6, 0.7]


def test_given_levels_come_back_as_the_objects_they_were() -> None:
    filled = pd.Series(['x', 'y'], dtype=object)
    given = pd.Series(['z', None], index=[4, 9], dtype='string')
    found = overwritten(filled, given, np.array([True, False]))
    assert found.tolist() == ['z', 'y']


def test_numbers_beside_their_interval_are_moved_onto_it(encoder: TableEncoder) -> None:
    filled = pd.DataFrame({'smooth': [39.9999, 45.0, 39.9999]})
    entries = [Interval(40.0, 50.0), Interval(40.0, 50.0), None]
    enforce(filled, encoder.codecs[0], entries, torch.Generator().manual_seed(0))
    assert filled['smooth'].tolist() == [40.0, 45.0, 39.9999]
