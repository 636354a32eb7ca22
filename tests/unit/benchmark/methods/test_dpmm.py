"""AIM and MST run in another Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.methods.dpmm_script import read
from sdv_tabdar.benchmark.methods.spec import Request, parse_spec
from sdv_tabdar.benchmark.methods.synthesizers import build

from .test_tabularargn import FAKE_PYTHON


def test_the_script_runs_in_the_python_of_the_option(prepared: Path, tmp_path: Path) -> None:
    python = tmp_path / 'python'
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    dataset = load_dataset(prepared, 'one')
    spec = parse_spec(f'dpmm:python={python},method=aim,epsilon=1.0')
    made: Any = build(Request(spec, dataset, seed=0))
    made.fit(dataset.train)
    pd.testing.assert_frame_equal(made.sample(60), dataset.train)
    assert made.settings['options'] == {'method': 'aim', 'epsilon': 1.0}
    assert made.script.name == 'dpmm_script.py'


def test_without_the_package_it_is_said_where_to_put_it(prepared: Path, tmp_path: Path) -> None:
    python = tmp_path / 'python'
    python.write_text('#!/bin/sh\nexit 1\n')
    python.chmod(0o755)
    dataset = load_dataset(prepared, 'one')
    with pytest.raises(ImportError, match="'dpmm' needs the package dpmm.*--dpmm-python"):
        build(Request(parse_spec(f'dpmm:python={python}'), dataset, seed=0))


def test_what_is_no_number_is_a_category(tmp_path: Path) -> None:
    (tmp_path / 'train.csv').write_text('a,b\n1,2\n3,4\n')
    rows = read(tmp_path / 'train.csv', {'a': 'categorical', 'b': 'numerical'})
    assert list(rows['a']) == ['1', '3']
    assert json.loads(rows['b'].to_json(orient='values')) == [2, 4]
