"""Fits and samples TabularARGN; runs in any Python that has mostlyai-engine and pandas.

``python argn_script.py check|fit|sample FOLDER``. The folder has ``settings.json`` and
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

ENCODINGS = {
    'numerical': 'TABULAR_NUMERIC_AUTO',
    'datetime': 'TABULAR_DATETIME',
}


def build(folder: Path, settings: dict[str, Any]) -> Any:
    """The engine's model object, with its files in ``folder``."""
    engine = importlib.import_module('mostlyai.engine')
    types = {
        name: ENCODINGS.get(sdtype, 'TABULAR_CATEGORICAL')
        for name, sdtype in settings['sdtypes'].items()
    }
    return engine.TabularARGN(
        tgt_encoding_types=types,
        workspace_dir=folder / 'workspace',
        random_state=settings['seed'],
        **settings['options'],
    )


def read_training(folder: Path, settings: dict[str, Any]) -> pd.DataFrame:
    """The training rows; categories as text, since codes are not numbers."""
    texts = {name: str for name, sdtype in settings['sdtypes'].items() if sdtype not in ENCODINGS}
    return pd.read_csv(folder / 'train.csv', dtype=texts, keep_default_na=False, na_values=[''])


def main(step: str, folder: Path) -> None:
    """Do one step and write down what it took.

    A step is a process of its own, so the sampling one finds the fitted model by its files: the
    functions behind the model object, not the object, are what reads them.
    """
    settings = json.loads((folder / 'settings.json').read_text())
    engine = importlib.import_module('mostlyai.engine')
    start = time.perf_counter()
    if step == 'fit':
        rows = read_training(folder, settings)
        model = build(folder, settings)
        start = time.perf_counter()
        model.fit(rows)
    elif step == 'sample':
        workspace = folder / 'workspace'
        engine.set_random_state(settings['seed'])
        # The default writes '_RARE_' for rare categories, which no table holds; this draws one of
        # the frequent ones instead and scores better.
        engine.generate(
            workspace_dir=workspace,
            sample_size=settings['num_rows'],
            rare_category_replacement_method='SAMPLE',
        )
        rows = pd.read_parquet(workspace / 'SyntheticData')
        rows.to_csv(folder / 'synthetic.csv', index=False)
    took = {
        'seconds': time.perf_counter() - start,
        'mostlyai-engine': importlib.metadata.version('mostlyai-engine'),
    }
    (folder / f'{step}.json').write_text(json.dumps(took))


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
