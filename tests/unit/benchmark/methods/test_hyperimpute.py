"""Imputers of another package run in another Python."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.methods import hyperimpute, hyperimpute_script
from sdv_tabdar.benchmark.methods.hyperimpute import OUTSIDE
from sdv_tabdar.benchmark.methods.imputers import Columns

from .test_outside import WITHOUT, fake_python

COLUMNS = Columns(['x'], ['kind'])
TRAIN = pd.DataFrame({'kind': ['a', 'a', 'b', 'a'] * 5, 'x': np.arange(20.0)})
GAPS = pd.DataFrame({'kind': ['a', None, 'b'], 'x': [1.0, 2.0, np.nan]})


class Means:
    """Plays one of the package's imputers."""

    asked: dict[str, Any]

    def __init__(self, name: str, **options: Any) -> None:
        Means.asked = {'name': name, **options}

    def fit_transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows.fillna(rows.max())


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = types.ModuleType('hyperimpute.plugins.imputers')
    module.Imputers = lambda: types.SimpleNamespace(get=Means)
    for name in ('hyperimpute', 'hyperimpute.plugins'):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(hyperimpute_script.importlib.metadata, 'version', lambda _: '0')


@pytest.mark.parametrize('name', OUTSIDE)
@pytest.mark.usefixtures('package')
def test_gaps_are_filled_from_training_rows_as_well(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        hyperimpute.HyperImpute,
        '_run',
        lambda self, step, **settings: run_here(self, step, settings),
    )
    imputer = hyperimpute.build(name, COLUMNS, share=0.3, seed=1)
    imputer.fit(TRAIN)
    filled = imputer.fill(GAPS)
    assert filled['kind'].tolist()[::2] == ['a', 'b']
    assert filled['kind'][1] in ('a', 'b')
    assert filled['x'].tolist()[:2] == [1.0, 2.0]
    # Three in ten training cells are hidden, so that the greatest may be.
    assert 10 <= filled['x'][2] <= 19
    assert Means.asked['name'] == OUTSIDE[name]['plugin']
    assert Means.asked['random_state'] == 1


def run_here(made: Any, step: str, settings: dict[str, Any]) -> None:
    """Do a step without another process."""
    (made._folder / 'settings.json').write_text(json.dumps({**made.settings, **settings}))
    hyperimpute_script.main(step, made._folder)


def test_without_the_package_it_is_said_where_to_put_it(tmp_path: Path) -> None:
    python = str(fake_python(tmp_path, WITHOUT))
    with pytest.raises(ImportError, match=r'(?s)needs the package hyperimpute.*--hyperimpute-py'):
        hyperimpute.build('mot', COLUMNS, share=0.3, seed=0, python=python)
