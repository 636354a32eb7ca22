"""Patterns that RDT would need too much memory for are refused."""

from __future__ import annotations

import pytest

from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.adapter.patterns import check_pattern


@pytest.mark.parametrize(
    'pattern', ['ID_[0-9]{3}', r'\d{30}', '[A-Za-z]{1,9}', '.*', '(ab)?', 'x' * 900]
)
def test_patterns_of_ids_pass(pattern: str) -> None:
    check_pattern(pattern, 'pattern')


@pytest.mark.parametrize(
    ('pattern', 'words'),
    [
        ('a{100000}{10}', 'no regular expression|more than 200,000 parts'),
        ('(((a{100}){100}){100}){100}', 'more than 200,000 parts'),
        ('[a-z]{1,5000}', 'more than 200,000 parts'),
        ('(' * 300 + 'a' + ')' * 300, 'more than 200,000 parts|no regular expression'),
        ('(', 'no regular expression'),
        ('a' * 1_001, 'more than 1,000 characters'),
        (3, 'must be a text'),
    ],
)
def test_other_patterns_are_refused(pattern: str, words: str) -> None:
    with pytest.raises(Unfit, match=words):
        check_pattern(pattern, 'pattern')
