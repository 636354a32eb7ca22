"""Rows of a Gaussian copula of all columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs.copula_rows import copula_rows
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable

N = 400


def kinds_of(frame: pd.DataFrame) -> dict[str, ColumnKind]:
    return {
        name: ColumnKind.CATEGORICAL if frame[name].dtype == object else ColumnKind.NUMERICAL
        for name in frame
    }


def drawn(frame: pd.DataFrame, num_rows: int = 4_000) -> pd.DataFrame | None:
    """Rows of the copula of a table, as the table has them."""
    encoder = TableEncoder.fit(frame, kinds_of(frame), ModelConfig())
    table = encoder.encode_all(frame)
    rows = copula_rows(table, encoder.schema, num_rows, generator=torch.Generator().manual_seed(0))
    if rows is None:
        return None
    assert isinstance(rows, EncodedTable)
    return encoder.decode(rows, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def people() -> pd.DataFrame:
    """Numbers that go together, a class that follows from them, and a column of its own."""
    random = np.random.default_rng(0)
    size = random.normal(size=N)
    weight = np.exp(size + 0.3 * random.normal(size=N))
    return pd.DataFrame(
        {
            'size': size,
            'weight': np.where(random.random(N) < 0.1, np.nan, weight),
            'alone': random.integers(0, 5, N).astype(float),
            'kind': pd.cut(size, [-9, -0.5, 0.5, 9], labels=['m', 'a', 'z']).astype(object),
        }
    )


def test_cells_are_those_of_the_table_and_as_often_there(people: pd.DataFrame) -> None:
    rows = drawn(people)
    assert rows is not None
    assert list(rows) == list(people)
    for name in people:
        shares = people[name].value_counts(normalize=True, dropna=False)
        own = rows[name].value_counts(normalize=True, dropna=False)
        if len(shares) < 10:
            assert (own - shares).abs().max() < 0.03
        np.testing.assert_allclose(rows[name].isna().mean(), people[name].isna().mean(), atol=0.03)


def test_they_go_together_as_in_the_table(people: pd.DataFrame) -> None:
    rows = drawn(people)
    assert rows is not None
    own = people['size'].corr(people['weight'], method='spearman')
    assert rows['size'].corr(rows['weight'], method='spearman') > own - 0.15
    assert abs(rows['size'].corr(rows['alone'])) < 0.15
    means = rows.groupby('kind')['size'].mean()
    assert means['m'] + 0.5 < means['a'] < means['z'] - 0.5


def test_few_rows_of_many_columns_do_not_follow_from_each_other() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 30))).add_prefix('x')
    rows = drawn(frame)
    assert rows is not None
    beside = ~np.eye(30, dtype=bool)
    by_chance, found = (np.abs(part.corr().to_numpy()[beside]).max() for part in (frame, rows))
    assert found < by_chance / 2


def test_none_without_two_columns_in_an_order_or_of_a_few_rows(people: pd.DataFrame) -> None:
    assert drawn(people[['kind', 'size']]) is None
    assert drawn(people[:29]) is None
    assert drawn(people[:1]) is None


def test_constant_columns_are_no_error(people: pd.DataFrame) -> None:
    rows = drawn(people.assign(same=1.0, gone=np.nan)[:30], 10)
    assert rows is not None
    assert len(rows) == 10
    assert (rows['same'] == 1).all()
    assert rows['gone'].isna().all()


def test_a_generator_says_which(people: pd.DataFrame) -> None:
    first, second = drawn(people, 50), drawn(people, 50)
    assert first is not None
    assert second is not None
    pd.testing.assert_frame_equal(first, second)
