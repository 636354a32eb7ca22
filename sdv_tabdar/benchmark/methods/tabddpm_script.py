"""Fits and samples TabDDPM; runs in any Python that has synthcity.

``python tabddpm_script.py check|fit|sample FOLDER``. The folder has ``settings.json`` and
``train.csv``; ``fit`` leaves the model there, ``sample`` writes ``synthetic.csv``, each a JSON file
with the seconds it took. Needs nothing of the package it is kept in.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd

NUMBERS = ('numerical',)  # a date is a level, as the package knows none


def read(path: Path, sdtypes: dict[str, str]) -> pd.DataFrame:
    """Rows; what is no number as text."""
    texts = {name: str for name, sdtype in sdtypes.items() if sdtype not in NUMBERS}
    return pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[''])


def fit(rows: pd.DataFrame, settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The model, and the classes of the label, which the package wants as numbers."""
    label, classes = settings['label'], None
    if label is not None:
        classes = sorted(rows[label].unique())
        rows = rows.assign(
            **{label: rows[label].map({name: at for at, name in enumerate(classes)})}
        )
    plugins, loaders = (
        importlib.import_module(f'synthcity.plugins{name}') for name in ('', '.core.dataloader')
    )
    model = plugins.Plugins().get(
        'ddpm',
        is_classification=label is not None,
        random_state=settings['seed'],
        workspace=folder / 'workspace',
        strict=False,
        **settings['options'],
    )
    model.fit(loaders.GenericDataLoader(rows, target_column=label))
    return {'model': model, 'classes': classes}


def sample(fitted: dict[str, Any], num_rows: int, settings: dict[str, Any]) -> pd.DataFrame:
    """Rows in the columns of the training table."""
    drawn = fitted['model'].generate(count=num_rows, random_state=settings['seed']).dataframe()
    if fitted['classes'] is not None:
        label = settings['label']
        drawn[label] = [fitted['classes'][int(code)] for code in drawn[label]]
    found: pd.DataFrame = drawn[list(settings['sdtypes'])]
    return found


def main(step: str, folder: Path) -> None:
    """Do one step and write down what it took."""
    settings = json.loads((folder / 'settings.json').read_text())
    importlib.import_module('synthcity.plugins')
    pickler = importlib.import_module('cloudpickle')
    start = time.perf_counter()
    if step == 'fit':
        rows = read(folder / 'train.csv', settings['sdtypes'])
        start = time.perf_counter()
        (folder / 'model.pkl').write_bytes(pickler.dumps(fit(rows, settings, folder)))
    elif step == 'sample':
        fitted = pickler.loads((folder / 'model.pkl').read_bytes())
        rows = sample(fitted, settings['num_rows'], settings)
        rows.to_csv(folder / 'synthetic.csv', index=False)
    took = {
        'seconds': time.perf_counter() - start,
        'synthcity': importlib.metadata.version('synthcity'),
    }
    (folder / f'{step}.json').write_text(json.dumps(took))


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
