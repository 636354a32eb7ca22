"""Fits and samples TabularARGN; runs in any Python that has mostlyai-engine and pandas.

``python argn_script.py check|fit|sample|log_mass FOLDER``. The folder has ``settings.json`` and
``train.csv``; ``fit`` leaves the model there, ``sample`` writes ``synthetic.csv``, ``log_mass``
reads ``rows.csv`` and writes ``log_mass.csv``, each a JSON file with the seconds it took. Needs
nothing of the package it is kept in.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
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
    options = dict(settings['options'])
    if 'differential_privacy' in options:
        domain = importlib.import_module('mostlyai.engine.domain')
        budget = domain.DifferentialPrivacyConfig(**options['differential_privacy'])
        options['differential_privacy'] = budget
    return engine.TabularARGN(
        tgt_encoding_types=types,
        workspace_dir=folder / 'workspace',
        random_state=settings['seed'],
        **options,
    )


def read(path: Path, settings: dict[str, Any]) -> pd.DataFrame:
    """Rows; categories as text, since codes are not numbers."""
    texts = {name: str for name, sdtype in settings['sdtypes'].items() if sdtype not in ENCODINGS}
    return pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[''])


def log_mass(folder: Path, settings: dict[str, Any]) -> np.ndarray:
    """Log mass of the rows of ``rows.csv`` on the grid of ``settings['steps']``, in nats.

    The engine's own log probability is that of its codes. All grid points of a bin, and all rare
    levels of a category, are equally likely within theirs, as in its draws.
    """
    rows = read(folder / 'rows.csv', settings)
    probability = importlib.import_module('mostlyai.engine._tabular.probability')
    workspace = importlib.import_module('mostlyai.engine._workspace').Workspace(
        folder / 'workspace'
    )
    found = np.asarray(probability.log_prob(workspace=workspace, data=rows), dtype=float)
    stats = json.loads((folder / 'workspace/ModelStore/tgt-stats/stats.json').read_text())
    for name, known in stats['columns'].items():
        if 'bins' in known:
            found -= np.log(points_of_bins(rows[name], known, settings['steps'][name]))
        elif known['encoding_type'] == 'TABULAR_CATEGORICAL':
            rare = ~rows[name].isin(list(known['codes']))
            found -= np.log(np.where(rare, max(known['no_of_rare_categories'], 1), 1))
    return found


def points_of_bins(column: pd.Series, known: dict[str, Any], step: float) -> np.ndarray:
    """How many grid points share the code of each number."""
    edges = np.array(known['bins'], dtype=float)
    numbers = column.to_numpy(dtype=float).clip(edges[0], edges[-1])
    widths = np.maximum(np.round(np.diff(edges) / step), 1)
    points = widths[(np.searchsorted(edges, numbers, side='right') - 1).clip(0, len(widths) - 1)]
    # The ends have codes of their own, as have missing cells.
    for token, own in (('<<MIN>>', numbers == edges[0]), ('<<MAX>>', numbers == edges[-1])):
        points[own & (token in known['codes'])] = 1
    points[np.isnan(numbers)] = 1
    return points


def main(step: str, folder: Path) -> None:
    """Do one step and write down what it took.

    A step is a process of its own, so the sampling one finds the fitted model by its files: the
    functions behind the model object, not the object, are what reads them.
    """
    settings = json.loads((folder / 'settings.json').read_text())
    engine = importlib.import_module('mostlyai.engine')
    start = time.perf_counter()
    if step == 'fit':
        rows = read(folder / 'train.csv', settings)
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
    elif step == 'log_mass':
        pd.DataFrame({'log_mass': log_mass(folder, settings)}).to_csv(folder / 'log_mass.csv')
    took = {
        'seconds': time.perf_counter() - start,
        'mostlyai-engine': importlib.metadata.version('mostlyai-engine'),
    }
    (folder / f'{step}.json').write_text(json.dumps(took))


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
