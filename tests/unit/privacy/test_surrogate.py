"""The table that stands in for the rows, and the one that has their dependence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_tabdar.privacy.surrogate import Surrogate, surrogate_table

COLUMNS = {
    'key': {'sdtype': 'id'},
    'size': {'sdtype': 'numerical'},
    'price': {'sdtype': 'numerical'},
    'kind': {'sdtype': 'categorical'},
}
METADATA = Metadata.load_from_dict({'tables': {'things': {'columns': COLUMNS}}})


def table(rows: int = 5_000) -> pd.DataFrame:
    random = np.random.default_rng(0)
    size = random.integers(0, 6, rows)
    price = 10.0 * size + random.random(rows).round(2)
    kind = np.where(size > 2, 'large', 'small')
    return pd.DataFrame({'key': np.arange(rows), 'size': size, 'price': price, 'kind': kind})


def surrogate_of(frame: pd.DataFrame, *, with_pairs: bool = True) -> Surrogate:
    generator = np.random.default_rng(1)
    return surrogate_table(
        frame,
        METADATA.tables['things'].columns,
        ['key'],
        5.0,
        1e-6,
        generator,
        with_pairs=with_pairs,
    )


@pytest.fixture(scope='module')
def surrogate() -> Surrogate:
    return surrogate_of(table())


def wrong_kinds(frame: pd.DataFrame) -> float:
    return float(((frame['size'] > 2) != (frame['kind'] == 'large')).mean())


def test_one_table_has_the_dependence_of_the_rows_and_one_has_not(surrogate: Surrogate) -> None:
    assert wrong_kinds(surrogate.frame) > 0.4
    assert wrong_kinds(surrogate.dependent) < 0.06
    found = surrogate.dependent
    assert (found['price'] - 10 * found['size']).between(-3, 4).mean() > 0.7
    assert list(found.columns) == list(COLUMNS)
    assert found.dtypes.equals(surrogate.frame.dtypes)
    assert len(found) == len(surrogate.frame)


def test_both_have_the_same_columns_by_themselves(surrogate: Surrogate) -> None:
    for name in ('size', 'kind'):
        shares = [
            frame[name].value_counts(normalize=True)
            for frame in (surrogate.frame, surrogate.dependent)
        ]
        assert (shares[0] - shares[1]).abs().max() < 0.01


def test_pairs_are_paid_for_and_not_asked_if_nobody_wants_them(surrogate: Surrogate) -> None:
    asked = {entry.what for entry in surrogate.spent.counts}
    assert 'dependence of pairs' in asked
    assert {'columns 0 and 1', 'columns 0 and 2'} & asked
    without = surrogate_of(table(), with_pairs=False)
    assert not [entry for entry in without.spent.counts if 'dependence' in entry.what]
    assert without.spent.epsilon < surrogate.spent.epsilon < 5
    assert wrong_kinds(without.dependent) > 0.4
