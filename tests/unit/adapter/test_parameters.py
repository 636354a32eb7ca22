"""Counts are whole numbers; arguments of the constructor are tested in test_constructor.py."""

from __future__ import annotations

from typing import Any

import pytest

from sdv_tabdar.adapter.parameters import check_count


@pytest.mark.parametrize('value', [0, 1.5, True, 'two', None])
def test_what_is_no_count_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=f"'rows' must be a whole number of at least 1.*{value}"):
        check_count('rows', value, 1)


def test_counts_pass() -> None:
    check_count('rows', 1, 1)
    check_count('rows', None, 1, optional=True)
