"""Fills gaps by an imputer of hyperimpute; runs in any Python that has it.

``python hyperimpute_script.py check|fill FOLDER``. The folder has ``settings.json`` and
``rows.npy``, numbers of which NaN is a gap; ``fill`` writes ``filled.npy``, each a JSON file with
the seconds it took. Needs nothing of the package it is kept in.
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


def options_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Arguments of the imputer; columns of as few values as categories have are categories."""
    options = {'random_state': settings['seed'], **settings['options']}
    if settings['name'] == 'hyperimpute':
        options.setdefault('class_threshold', max(5, settings['most_levels'] + 1))
    return options


def main(step: str, folder: Path) -> None:
    """Do one step and write down what it took."""
    settings = json.loads((folder / 'settings.json').read_text())
    plugins = importlib.import_module('hyperimpute.plugins.imputers')
    start = time.perf_counter()
    if step == 'fill':
        rows = pd.DataFrame(np.load(folder / 'rows.npy'))
        start = time.perf_counter()
        imputer = plugins.Imputers().get(settings['name'], **options_of(settings))
        np.save(folder / 'filled.npy', np.asarray(imputer.fit_transform(rows), dtype=float))
    took = {
        'seconds': time.perf_counter() - start,
        'hyperimpute': importlib.metadata.version('hyperimpute'),
    }
    (folder / f'{step}.json').write_text(json.dumps(took))


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
