"""Copies of RDT's transformers within a call."""

from __future__ import annotations

import copy
import warnings
from typing import TypeVar

Value = TypeVar('Value')


def copied(value: Value) -> Value:
    """A deep copy; RDT warns at each copy of pseudonyms that they are saved, which is not so."""
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'You are saving the mapping information')
        return copy.deepcopy(value)
