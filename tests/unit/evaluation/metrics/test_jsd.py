"""Jensen-Shannon distance: its ends, and the published number."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import score


def test_zero_for_equal_and_maximal_for_disjoint_categories():
    first, second = pd.DataFrame({'k': ['a', 'b']}), pd.DataFrame({'k': ['c', 'd']})
    types = {'k': 'categorical'}
    assert score(first, first, types, metrics=['jsd'])['jsd'] == 0
    apart = score(first, second, types, metrics=['jsd'])['jsd']
    assert apart == pytest.approx(np.sqrt(np.log(2)))


@pytest.mark.parametrize('distance', [0, 256])
def test_large_constants_are_equal_or_apart(distance):
    first, second = (pd.DataFrame({'x': [2**60 + shift] * 9}) for shift in (0, distance))
    found = score(first, second, {'x': 'numerical'}, metrics=['jsd'])['jsd']
    assert found == pytest.approx(np.sqrt(np.log(2)) if distance else 0)


def test_order_of_rows_does_not_matter(real, honest, types):
    mixed = [frame.sample(frac=1, random_state=seed) for seed, frame in enumerate((real, honest))]
    expected = score(real, honest, types, metrics=['jsd'])
    assert score(*mixed, types, metrics=['jsd']) == pytest.approx(expected, abs=1e-12)


def test_published_number_is_many_times_smaller(real, honest, types):
    ours = score(real, honest, types, metrics=['jsd'], paper_compatible=True)
    assert 0 < ours['jsd_paper'] < ours['jsd'] / 2
