"""Restrictions that hold nothing are refused when they are made."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdv_tabdar.core.restrictions import (
    Interval,
    Members,
    NotMissing,
    Restriction,
    both,
    meets,
    met_by,
)


def test_empty_interval_is_refused() -> None:
    with pytest.raises(ValueError, match=r'Interval\(low=2, high=1\) is empty: low must be at'):
        Interval(2, 1)


@pytest.mark.parametrize('ends', [(math.nan, 1.0), (0.0, math.nan)])
def test_nan_is_no_end(ends: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match='An end of an Interval is NaN. Use None'):
        Interval(*ends)


def test_empty_set_is_refused() -> None:
    with pytest.raises(ValueError, match='Members needs at least one value'):
        Members(())


def test_equal_restrictions_are_equal_and_hashable() -> None:
    assert {Interval(1, 2), Interval(1, 2)} == {Interval(1, 2)}
    assert {Members((1, 'a')), Members((1, 'a'))} == {Members((1, 'a'))}
    assert NotMissing() == NotMissing()
    assert Interval(1, 1).low == Interval(1, 1).high
    assert Interval() == Interval(None, None)


def test_messages_show_what_was_asked() -> None:
    restriction = Interval(0.995, 2.005, asked='from 1 to 2')

    assert str(restriction) == "'from 1 to 2'"
    assert repr(restriction) == str(Interval(0.995, 2.005)) == 'Interval(low=0.995, high=2.005)'
    assert restriction == Interval(0.995, 2.005)
    assert {restriction} == {Interval(0.995, 2.005)}


@pytest.mark.parametrize(
    ('restriction', 'met', 'missed'),
    [
        (Interval(1, 2), [1, 1.5, 2], [0.9, 2.1, math.nan]),
        (Interval(None, 2), [-9.0, 2], [2.1, math.nan]),
        (Members((1, None)), [1.0, math.nan], [2.0]),
        (NotMissing(), [0.0], [math.nan]),
    ],
)
def test_what_numbers_meet(restriction: Restriction, met: list, missed: list) -> None:
    assert all(meets(restriction, number) for number in met)
    assert not any(meets(restriction, number) for number in missed)


@pytest.mark.parametrize(
    ('first', 'second', 'expected'),
    [
        (Interval(1, 3), None, Interval(1, 3)),
        (None, Members((1,)), Members((1,))),
        (Interval(1, 3), Interval(2, None), Interval(2, 3)),
        (Interval(1, 2), Interval(3, 4), None),
        (Interval(1, 2), NotMissing(), Interval(1, 2)),
        (NotMissing(), NotMissing(), NotMissing()),
        (Interval(1, 2), Members((0, 1, 2, None)), Members((1, 2))),
        (Members((1, 2)), Members((2, 3)), Members((2,))),
        (Members((1, 2)), Interval(5, 6), None),
    ],
)
def test_what_meets_two_restrictions(
    first: Restriction | None, second: Restriction | None, expected: Restriction | None
) -> None:
    assert both(first, second) == expected
    assert both(second, first) == expected


def test_each_cell_of_a_column_meets_what_is_asked_of_its_row() -> None:
    entries = [None, Interval(0, 1), Members((None, 5.0)), NotMissing()]
    rows = np.array([0, 1, 1, 2, 2, 3, 3])
    numbers = np.array([9, 0.5, 2, np.nan, 4, np.nan, 7])
    assert met_by(entries, rows, numbers).tolist() == [1, 1, 0, 1, 0, 0, 1]
    assert met_by(None, rows, numbers).all()
