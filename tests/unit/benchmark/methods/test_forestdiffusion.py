"""ForestDiffusion runs in another Python."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.methods import forestdiffusion_script as script
from sdv_tabdar.benchmark.methods.synthesizers import build

from .test_outside import asked, fake_python

ROWS = pd.DataFrame(
    {
        'count': [1.0, 2.0, np.nan, 4.0],
        'kind': ['a', '', 'b', 'a'],
        'size': [0.5, 1.25, 2.0, 3.0],
        'side': ['left', 'right', 'left', 'right'],
        'label': ['no', 'yes', 'no', 'yes'],
    }
)


class Echo:
    """Plays the package's model: draws the rows that it was fitted on."""

    def __init__(self, rows: np.ndarray, label_y: np.ndarray | None, **options: Any) -> None:
        self.rows = rows if label_y is None else np.column_stack([rows, label_y])
        self.options = options

    def generate(self, batch_size: int) -> np.ndarray:
        return self.rows[:batch_size]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = types.ModuleType('ForestDiffusion')
    module.ForestDiffusionModel = Echo
    monkeypatch.setitem(sys.modules, 'ForestDiffusion', module)


@pytest.mark.changes_random_state('the package draws from the global generator')
@pytest.mark.parametrize('label', ['label', None])
@pytest.mark.usefixtures('package')
def test_cells_become_numbers_and_cells_again(label: str | None) -> None:
    sdtypes = dict.fromkeys(ROWS, 'categorical') | {'count': 'numerical', 'size': 'numerical'}
    settings = {'sdtypes': sdtypes, 'label': label, 'seed': 3, 'options': {'n_t': 2}}
    fitted = script.fit(ROWS, settings)
    pd.testing.assert_frame_equal(script.sample(fitted, 4, 0), ROWS, check_dtype=False)
    options = fitted['model'].options
    binary = [3] if label else [3, 4]
    assert options == {
        'bin_indexes': binary,
        'cat_indexes': [1],
        'int_indexes': [0],
        'seed': 3,
        'n_jobs': 1,
        'n_t': 2,
    }


def test_a_missing_category_is_one_of_its_own(tmp_path: Path) -> None:
    (tmp_path / 'train.csv').write_text('a,b\n1,2\n,\n')
    rows = script.read(tmp_path / 'train.csv', {'a': 'categorical', 'b': 'numerical'})
    assert rows['a'].tolist() == ['1', '']
    assert rows['b'].isna().tolist() == [False, True]


def test_the_label_is_a_target_of_classes(prepared: Path, tmp_path: Path) -> None:
    request = asked(prepared, 'forestdiffusion:python=PYTHON,n_t=5', fake_python(tmp_path))
    made: Any = build(request)
    assert made.settings['options'] == {'n_t': 5}
    is_class = request.dataset.target in request.dataset.discrete
    assert made.settings['label'] == (request.dataset.target if is_class else None)
