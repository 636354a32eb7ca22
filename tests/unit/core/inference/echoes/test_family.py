"""Which known numbers follow from which number of their source."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.lines import Line
from sdv_tabdar.core.inference.echoes.family import Family

NAN = np.nan


@pytest.fixture
def family() -> Family:
    """A column that may hold its source's number, and one that may hold 10 less twice that."""
    lines = Line(), Line(slope=-2, shift=10)
    echoes = [Echo(place, 0, line, (1, 1)) for place, line in enumerate(lines, start=1)]
    return Family(0, echoes, np.array([[3.0, 4.0], [3.0, 8.0], [NAN, 8.0]]))


def test_columns_tell_the_number_of_their_source(family: Family) -> None:
    told = family.told()
    np.testing.assert_array_equal(told, [[3, 3], [3, 1], [NAN, 1]])
    np.testing.assert_array_equal(family.distinct(told), [[3, NAN], [3, 1], [NAN, 1]])


def test_all_that_fits_a_number_follows_from_it(family: Family) -> None:
    assert family.follows(np.array([3.0, 3.0, 1.0])).tolist() == [
        [True, True],
        [True, False],
        [False, True],
    ]
    assert not family.follows(np.full(3, NAN)).any()


def test_the_first_column_that_follows_sets_the_unit(family: Family) -> None:
    found = family.log_stretches(np.array([3.0, NAN, 1.0]))
    np.testing.assert_allclose(found, [0, 0, np.log(2)])


def test_a_number_that_no_number_leads_to_tells_nothing(family: Family) -> None:
    rounded = Line(slope=3, digits=0, source_digits=0)
    thirds = Family(0, [Echo(1, 0, rounded, (1, 1))], np.array([[9.0], [10.0]]))
    np.testing.assert_array_equal(thirds.distinct(thirds.told()), [[3], [NAN]])
