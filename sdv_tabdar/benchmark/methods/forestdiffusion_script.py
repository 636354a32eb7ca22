"""Fits and samples ForestDiffusion; runs in any Python that has it and pandas.

``python forestdiffusion_script.py check|fit|sample FOLDER``. The folder has ``settings.json`` and
``train.csv``; ``fit`` leaves the model there, ``sample`` writes ``synthetic.csv``, each a JSON file
with the seconds it took. Needs nothing of the package it is kept in.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

NUMBERS = ('numerical',)  # a date is a level, as the package knows none


def read(path: Path, sdtypes: dict[str, str]) -> pd.DataFrame:
    """Rows; what is no number as text, a missing one of its own."""
    texts = {name: str for name, sdtype in sdtypes.items() if sdtype not in NUMBERS}
    rows = pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[''])
    return rows.fillna(dict.fromkeys(texts, ''))


def coded(rows: pd.DataFrame, levels: dict[str, list[str]]) -> np.ndarray:
    """Numbers, and codes of levels."""
    columns = {
        name: rows[name].map({level: code for code, level in enumerate(levels[name])})
        if name in levels
        else rows[name]
        for name in rows
    }
    return pd.DataFrame(columns).to_numpy(dtype=float)


def is_whole(column: pd.Series) -> bool:
    """Whether a column has whole numbers alone."""
    present = column.dropna()
    return bool((present == present.round()).all())


def fit(rows: pd.DataFrame, settings: dict[str, Any]) -> dict[str, Any]:
    """The model and what its columns mean; that of the label stands last."""
    label = settings['label']
    names = [name for name in rows if name != label]
    levels = {
        name: sorted(rows[name].unique())
        for name in rows
        if settings['sdtypes'][name] not in NUMBERS
    }
    kinds: dict[str, list[int]] = {'bin_indexes': [], 'cat_indexes': [], 'int_indexes': []}
    for place, name in enumerate(names):
        if name in levels:
            kinds['bin_indexes' if len(levels[name]) < 3 else 'cat_indexes'].append(place)
        elif is_whole(rows[name]):
            kinds['int_indexes'].append(place)
    package = importlib.import_module('ForestDiffusion')
    model = package.ForestDiffusionModel(
        coded(rows[names], levels),
        label_y=None if label is None else coded(rows[[label]], levels)[:, 0],
        seed=settings['seed'],
        **{'n_jobs': 1, **kinds, **settings['options']},
    )
    return {
        'model': model,
        'names': names if label is None else [*names, label],
        'levels': levels,
        'order': list(rows),
    }


def sample(fitted: dict[str, Any], num_rows: int, seed: int) -> pd.DataFrame:
    """Rows in the columns of the training table."""
    np.random.seed(seed)  # which is where the package draws from
    drawn = pd.DataFrame(fitted['model'].generate(batch_size=num_rows), columns=fitted['names'])
    for name, levels in fitted['levels'].items():
        codes = drawn[name].round().astype(int).clip(0, len(levels) - 1)
        drawn[name] = np.array(levels, dtype=object)[codes]
    return drawn[fitted['order']]


def main(step: str, folder: Path) -> None:
    """Do one step and write down what it took."""
    settings = json.loads((folder / 'settings.json').read_text())
    importlib.import_module('ForestDiffusion')
    start = time.perf_counter()
    if step == 'fit':
        rows = read(folder / 'train.csv', settings['sdtypes'])
        start = time.perf_counter()
        (folder / 'model.pkl').write_bytes(pickle.dumps(fit(rows, settings)))
    elif step == 'sample':
        fitted = pickle.loads((folder / 'model.pkl').read_bytes())
        rows = sample(fitted, settings['num_rows'], settings['seed'])
        rows.to_csv(folder / 'synthetic.csv', index=False)
    took = {
        'seconds': time.perf_counter() - start,
        'ForestDiffusion': importlib.metadata.version('ForestDiffusion'),
    }
    (folder / f'{step}.json').write_text(json.dumps(took))


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
