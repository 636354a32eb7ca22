"""Arguments of methods; those of the constructor are tested in test_constructor.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sdv.errors import SynthesizerInputError

from sdv_tabdar.adapter.parameters import (
    check_column,
    check_constraints,
    check_count,
    check_drawing,
    check_metadata,
    check_quantiles,
    check_seed,
    settings_text,
)


@pytest.mark.parametrize('value', [0, 1.5, True, 'two', None])
def test_what_is_no_count_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=f"'rows' must be a whole number of at least 1.*{value}"):
        check_count('rows', value, 1)


def test_counts_pass() -> None:
    check_count('rows', 1, 1)
    check_count('rows', None, 1, optional=True)


@pytest.mark.parametrize('value', [-1, 2**63, 1.5, True, 'one'])
def test_what_is_no_seed_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=f"'seed' must be a whole number from 0.*{value}"):
        check_seed(value)


def test_seeds_pass() -> None:
    for value in (None, 0, 2**63 - 1, np.int64(3)):
        check_seed(value)


def test_a_folder_is_a_path(tmp_path: Path) -> None:
    for folder in (None, 'here', tmp_path):
        check_drawing(1, None, folder)
    with pytest.raises(TypeError, match="'output_folder_path' must be the path of a folder.*5"):
        check_drawing(1, None, 5)


def test_quantiles_are_a_list_of_numbers() -> None:
    check_quantiles([0, 0.5, np.float32(1)])
    check_quantiles(np.array([0.1]))
    for value in (0.5, '0.5', None):
        with pytest.raises(TypeError, match=f"'quantiles' must be a list of numbers.*{value}"):
            check_quantiles(value)
    with pytest.raises(TypeError, match="'quantiles' must be numbers.*'half'"):
        check_quantiles([0.5, 'half'])


def test_a_column_is_one_name() -> None:
    check_column('a')
    check_column(('a', 1))
    with pytest.raises(TypeError, match=r"'column' must be the name of one column.*\['a'\]"):
        check_column(['a'])


def test_metadata_and_constraints_are_those_of_sdv() -> None:
    with pytest.raises(SynthesizerInputError, match="'metadata' must be.*'a.json'.*load_from_json"):
        check_metadata('a.json')
    with pytest.raises(SynthesizerInputError, match='however: dict. .*load_from_dict'):
        check_metadata({'tables': {'people': dict.fromkeys(map(str, range(99)))}})
    with pytest.raises(TypeError, match="'constraints' must be a list.*'Inequality'"):
        check_constraints('Inequality')
    check_constraints([])


def test_settings_that_are_as_by_default_are_not_named() -> None:
    def make(a: int = 1, b: str = 'y', c: int = 3) -> None: ...

    assert settings_text({'a': 1, 'b': 'x', 'c': 2}, make) == "b='x', c=2"
