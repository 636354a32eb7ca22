"""Restrictions that hold nothing are refused when they are made."""

from __future__ import annotations

import math

import pytest

from sdv_tabdar.core.restrictions import Interval, Members, NotMissing


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
