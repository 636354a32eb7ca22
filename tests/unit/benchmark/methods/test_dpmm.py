"""AIM and MST run in another Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.methods.dpmm_script import read
from sdv_tabdar.benchmark.methods.synthesizers import build

from .test_outside import asked, fake_python


def test_the_method_is_an_option(prepared: Path, tmp_path: Path) -> None:
    text = 'dpmm:python=PYTHON,method=aim,epsilon=1.0'
    made: Any = build(asked(prepared, text, fake_python(tmp_path)))
    assert made.settings['options'] == {'method': 'aim', 'epsilon': 1.0}
    assert made.script.name == 'dpmm_script.py'


def test_what_is_no_number_is_a_category(tmp_path: Path) -> None:
    (tmp_path / 'train.csv').write_text('a,b\n1,2\n3,4\n')
    rows = read(tmp_path / 'train.csv', {'a': 'categorical', 'b': 'numerical'})
    assert list(rows['a']) == ['1', '3']
    assert json.loads(rows['b'].to_json(orient='values')) == [2, 4]
