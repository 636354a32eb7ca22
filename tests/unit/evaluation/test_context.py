"""What the metrics of one evaluation share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.context import Context, NotComputableError


@pytest.fixture
def context() -> Context:
    tables = [pd.DataFrame({'x': values}) for values in ([0.0, 1.0, 4.0], [1.0, 3.0])]
    return Context(tables[0], tables[1], resolve_columns({'x': 'numerical'}))


def test_distances_are_fractions_of_the_range_of_the_real_rows(context):
    assert context.synthetic_to_real.tolist() == [[0, 0.25], [0.25, 0.5]]
    assert set(context.points) == {'real', 'synthetic'}


def test_shuffled_rows_have_the_columns_and_not_the_rows():
    numbers = np.arange(100.0)
    table = pd.DataFrame({'x': numbers, 'y': numbers})
    kinds = resolve_columns({'x': 'numerical', 'y': 'numerical'})
    context = Context(table, table, kinds, holdout=table)
    found = context.shuffled
    assert len(found) == 5_000
    assert set(found['x'].value_counts()) == set(found['y'].value_counts()) == {50}
    assert (found['x'] == found['y']).mean() < 0.05
    assert set(context.points) == {'real', 'synthetic', 'holdout', 'shuffled'}


def test_a_metric_that_needs_unseen_rows_says_so(context):
    with pytest.raises(NotComputableError, match='The attack compares .* pass them as real_test'):
        context.needed_holdout('The attack')
