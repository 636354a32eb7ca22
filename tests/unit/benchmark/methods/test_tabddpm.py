"""TabDDPM runs in another Python."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.methods import tabddpm_script as script
from sdv_tabdar.benchmark.methods.synthesizers import build

from .test_outside import asked, fake_python

ROWS = pd.DataFrame({'kind': ['a', 'b', 'a'], 'size': [0.5, 1.25, 2.0], 'label': ['x', 'z', 'x']})
SDTYPES = {'kind': 'categorical', 'size': 'numerical', 'label': 'categorical'}


class Echo:
    """Plays the package's plugin: draws the rows that it was fitted on, in another order."""

    def __init__(self, name: str, **options: Any) -> None:
        self.options = {'name': name, **options}

    def fit(self, loader: Any) -> None:
        self.loader = loader

    def generate(self, count: int, random_state: int) -> Any:
        rows = self.loader.rows.head(count)[['label', 'size', 'kind']]
        return types.SimpleNamespace(dataframe=rows.copy)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins: Any = types.ModuleType('synthcity.plugins')
    plugins.Plugins = lambda: types.SimpleNamespace(get=Echo)
    loaders: Any = types.ModuleType('synthcity.plugins.core.dataloader')
    loaders.GenericDataLoader = lambda rows, target_column: types.SimpleNamespace(
        rows=rows, target=target_column
    )
    for module in (
        types.ModuleType('synthcity'),
        plugins,
        types.ModuleType('synthcity.plugins.core'),
        loaders,
    ):
        monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.parametrize('label', ['label', None])
@pytest.mark.usefixtures('package')
def test_classes_become_numbers_and_classes_again(label: str | None, tmp_path: Path) -> None:
    settings = {'sdtypes': SDTYPES, 'label': label, 'seed': 3, 'options': {'n_iter': 2}}
    fitted = script.fit(ROWS, settings, tmp_path)
    model = fitted['model']
    assert model.loader.target == label
    assert model.loader.rows['label'].tolist() == ([0, 1, 0] if label else ['x', 'z', 'x'])
    assert model.options['is_classification'] is (label is not None)
    assert (model.options['n_iter'], model.options['random_state']) == (2, 3)
    pd.testing.assert_frame_equal(script.sample(fitted, 3, settings), ROWS)


def test_the_label_is_a_target_of_classes(prepared: Path, tmp_path: Path) -> None:
    request = asked(prepared, 'tabddpm:python=PYTHON,n_iter=5', fake_python(tmp_path))
    made: Any = build(request)
    assert made.settings['options'] == {'n_iter': 5}
    is_class = request.dataset.target in request.dataset.discrete
    assert made.settings['label'] == (request.dataset.target if is_class else None)
