"""Which columns depend on each other, from noisy counts, and rows that are drawn so."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.privacy.arranged import arranged
from sdv_tabdar.privacy.groups import groups_of_levels, groups_of_numbers
from sdv_tabdar.privacy.marginals import LevelMarginal, Marginal, NumberMarginal
from sdv_tabdar.privacy.pairs import Ints, Pair, asked_forest
from sdv_tabdar.privacy.questions import Questions

ROWS = 20_000


def forest(columns: Sequence[Ints], epsilon: float = 5.0) -> tuple[list[Marginal], list[Pair]]:
    """Columns of whole numbers from 0, and what is asked of their pairs."""
    laws: list[Marginal] = [
        LevelMarginal(list(range(column.max() + 1)), np.bincount(column[column >= 0]) / ROWS)
        for column in columns
    ]
    questions = Questions(epsilon, 1e-6, weight=1.0, num_open=1)
    pairs = asked_forest(questions, laws, columns, ROWS, 1.0)
    assert questions.spent.epsilon <= epsilon
    return laws, pairs


def chain(number: int = 4, levels: int = 5) -> list[Ints]:
    """Columns of which each is that before it in most rows."""
    random = np.random.default_rng(0)
    found = [random.integers(0, levels, ROWS)]
    for _ in range(number - 1):
        anew = random.random(ROWS) < 0.4
        found.append(np.where(anew, random.integers(0, levels, ROWS), found[-1]))
    return found


def table_of(first: Ints, second: Ints) -> Floats:
    counts = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(counts, (first, second), 1)
    return counts / len(first)


def test_a_chain_is_found_and_rows_have_its_pairs() -> None:
    columns = chain()
    laws, pairs = forest(columns)
    assert {frozenset((pair.parent, pair.child)) for pair in pairs} == {
        frozenset((place, place + 1)) for place in range(3)
    }
    cells = [law.cells(ROWS) for law in laws]
    orders = arranged(pairs, cells, np.random.default_rng(1))
    drawn = [own[order] for own, order in zip(cells, orders, strict=True)]
    for first, second in itertools.combinations(range(4), 2):
        real, made = (table_of(rows[first], rows[second]) for rows in (columns, drawn))
        assert np.abs(real - made).sum() / 2 < 0.03, (first, second)
    for law, own in zip(laws, drawn, strict=True):
        np.testing.assert_allclose(np.bincount(own) / ROWS, law.shares, atol=2e-3)


def test_independent_columns_are_no_pairs_and_a_single_one_is_asked_nothing() -> None:
    random = np.random.default_rng(0)
    assert forest([random.integers(0, 30, ROWS) for _ in range(6)])[1] == []
    assert forest([random.integers(0, 30, ROWS)])[1] == []


def test_a_small_budget_is_kept_and_noise_is_not_taken_for_dependence() -> None:
    random = np.random.default_rng(0)
    _, pairs = forest([random.integers(0, 3, ROWS) for _ in range(6)], epsilon=0.1)
    assert len(pairs) <= 1


def test_one_row_changes_a_count_and_each_distance_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Ints]] = []

    def noted(self: Questions, what: str, answers: Ints, weight: float) -> Floats:
        asked.append((what, answers.copy()))
        # what is asked next must not depend on the rows
        return np.arange(len(answers)) % 7 * 1e5 if 'dependence' in what else answers * 0.0 + 9

    monkeypatch.setattr(Questions, 'counts', noted)
    monkeypatch.setattr(Questions, 'distances', noted)
    columns = [column[:500] for column in chain()]
    columns[1][:9] = -1
    laws, _ = forest(chain())
    asked.clear()
    for rows in (slice(None), slice(None, -1)):
        questions = Questions(5.0, 1e-6, weight=1.0, num_open=1)
        asked_forest(questions, laws, [column[rows] for column in columns], 500, 1.0)
    half = len(asked) // 2
    assert half == 4
    for (what, with_it), (same, without) in zip(asked[:half], asked[half:], strict=True):
        assert what == same
        changed = np.abs(with_it - without)
        assert changed.max() <= 1
        assert 'dependence' in what or changed.sum() <= 1


def test_levels_share_the_last_group_if_they_are_rare() -> None:
    shares = np.array([0.05, 0.5, 0.05, 0.3, 0.1])
    assert groups_of_levels(shares, 5).tolist() == [0, 1, 2, 3, 4]
    assert groups_of_levels(shares, 3).tolist() == [2, 0, 2, 1, 2]


def test_numbers_are_grouped_with_neighbours_and_missing_is_alone() -> None:
    values = np.array([10.0, 1, 2, 3, 4, 5, np.nan])
    shares = np.array([0.1, 0.05, 0.5, 0.1, 0.1, 0.1, 0.05])
    groups = groups_of_numbers(values, shares, 4)
    low, most, *_, missing = groups[[1, 2, 3, 6]].tolist()
    assert low < most < missing
    assert (groups == most).sum() == 1, 'half of all rows are a group'
    assert (groups == missing).sum() == 1
    inner = groups[[3, 4, 5, 0]]
    assert (np.diff(inner) >= 0).all()
    assert len(set(inner.tolist())) <= 3


def test_numbers_are_in_their_atoms_and_intervals() -> None:
    law = NumberMarginal(
        np.array([0.0, 8.0]), np.array([1.0, 4.0]), np.array([2.0, 10.0]), np.full(5, 0.2), 0.0
    )
    numbers = np.array([0.0, 8.0, 1.5, 9.0, 2.0, -1.0, 10.0, np.nan])
    assert law.places(numbers).tolist() == [0, 1, 2, 3, -1, -1, -1, 4]
    assert len(law.grouped(8)) == 5
    assert np.bincount(law.cells(100)).tolist() == [20] * 5
