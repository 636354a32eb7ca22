"""Bins of equal width, also where floats are too far apart for their edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation.bins import Bins


def test_edges_are_those_of_numpy_wherever_it_has_some():
    values = pd.Series([0.5, 2.0, np.nan, 3.5, -1.0])
    bins = Bins.over(values)
    np.testing.assert_array_equal(bins.edges, np.histogram_bin_edges(values.dropna()))
    np.testing.assert_array_equal(bins.codes(values), np.digitize(values, bins.edges))


@pytest.mark.parametrize(
    ('low', 'step'), [(1e17, 16.0), (2.0**60, 256.0), (1.7e18, 256.0), (0.0, 5e-324)]
)
def test_neighbouring_floats_fall_into_different_bins(low, step):
    values = pd.Series([low, low + step, low + 2 * step])
    bins = Bins.over(values)
    assert bins.codes(values).tolist() == [1, 6, 11]
    outside = pd.Series([low - step, low + 3 * step, np.nan])
    assert bins.codes(outside).tolist() == [0, 11, 11]


def test_a_large_constant_has_a_bin_of_its_own():
    bins = Bins.over(pd.Series([1e17, 1e17, np.nan]), 1)
    assert bins.codes(pd.Series([1e17 - 16, 1e17, 1e17 + 16])).tolist() == [0, 1, 2]


def test_a_column_without_numbers_has_the_bins_of_0_to_1():
    empty = pd.Series([np.nan, np.nan])
    assert Bins.over(empty, 1).edges.tolist() == [0, 1]
