"""Fits and samples AIM or MST; runs in any Python that has dpmm and pandas.

``python dpmm_script.py check|fit|sample FOLDER``. The folder has ``settings.json`` and
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

NUMBERS = ('numerical', 'datetime')
PIPELINES = {'aim': 'AIMPipeline', 'mst': 'MSTPipeline'}
BINS_SHARE = 0.1  # of epsilon, for the bins of numbers; levels and limits are taken as known


def build(settings: dict[str, Any]) -> Any:
    """The pipeline, before fitting."""
    options = dict(settings['options'])
    epsilon = options.pop('epsilon')
    pipelines = importlib.import_module('dpmm.pipelines')
    return getattr(pipelines, PIPELINES[options.pop('method')])(
        epsilon=(1 - BINS_SHARE) * epsilon,
        proc_epsilon=BINS_SHARE * epsilon,
        n_jobs=1,
        **options,
    )


def read(path: Path, sdtypes: dict[str, str]) -> pd.DataFrame:
    """Rows; what is no number as categories."""
    texts = {name: str for name, sdtype in sdtypes.items() if sdtype not in NUMBERS}
    rows = pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[''])
    return rows.astype(dict.fromkeys(texts, 'category'))


def limits(rows: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Least and greatest number of each column.

    They are read off the rows, which the budget does not pay for: what dpmm would ask for itself
    fails where the budget of a column is small.
    """
    numbers = rows.select_dtypes('number')
    return {
        name: {'lower': column.min().item(), 'upper': column.max().item()}
        for name, column in numbers.items()
    }


def main(step: str, folder: Path) -> None:
    """Do one step and write down what it took."""
    settings = json.loads((folder / 'settings.json').read_text())
    importlib.import_module('dpmm')
    start = time.perf_counter()
    if step == 'fit':
        rows = read(folder / 'train.csv', settings['sdtypes'])
        model = build(settings)
        start = time.perf_counter()
        model.fit(rows, domain=limits(rows), random_state=settings['seed'])
        (folder / 'model').mkdir(exist_ok=True)
        model.store(folder / 'model')
    elif step == 'sample':
        pipelines = importlib.import_module('dpmm.pipelines')
        kind = getattr(pipelines, PIPELINES[settings['options']['method']])
        rows = kind.load(folder / 'model').generate(
            n_records=settings['num_rows'], random_state=settings['seed']
        )
        rows.to_csv(folder / 'synthetic.csv', index=False)
    took = {'seconds': time.perf_counter() - start, 'dpmm': importlib.metadata.version('dpmm')}
    (folder / f'{step}.json').write_text(json.dumps(took))


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
