"""Rows in random order, kept and computed."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.runtime import row_order
from sdv_tabdar.core.runtime.row_order import all_rows, beyond, shuffled, some_rows

CPU = torch.device('cpu')


@pytest.fixture(params=['kept', 'computed'])
def _many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == 'computed':
        monkeypatch.setattr(row_order, 'MANY', 50)


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


@pytest.mark.usefixtures('_many')
def test_each_row_comes_once_in_another_order() -> None:
    rows = shuffled(all_rows(100, CPU), _generator())
    found = torch.cat([rows[start : start + 30] for start in range(0, 120, 30)])
    assert len(rows) == 100
    assert sorted(found.tolist()) == list(range(100))
    assert found.tolist() != list(range(100))
    assert found.tolist() == shuffled(all_rows(100, CPU), _generator())[:100].tolist()


@pytest.mark.usefixtures('_many')
def test_rows_that_are_held_out_are_in_no_later_order() -> None:
    generator = _generator()
    order = shuffled(all_rows(100, CPU), generator)
    rest = beyond(order, 20)
    first, second = shuffled(rest, generator), shuffled(rest, generator)
    assert len(rest) == len(first) == 80
    assert set(first[:80].tolist()) == set(range(100)) - set(order[:20].tolist())
    assert first[:80].tolist() != second[:80].tolist()
    assert rest[:5].tolist() == order[20:25].tolist()


@pytest.mark.usefixtures('_many')
def test_some_rows_are_of_the_table_and_no_more_than_it_has() -> None:
    assert len(set(some_rows(100, 10, _generator()).tolist())) == 10
    assert len(some_rows(100, 1000, _generator())) == 100


def test_few_rows_are_in_the_order_that_torch_draws() -> None:
    expected = torch.randperm(100, generator=_generator())
    assert shuffled(all_rows(100, CPU), _generator())[:100].equal(expected)
