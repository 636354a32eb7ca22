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

import numpy as np
import pandas as pd


def main(step: str, folder: Path) -> None:
    """Do one step and write down what it took."""
    settings = json.loads((folder / 'settings.json').read_text())
    plugins = importlib.import_module('hyperimpute.plugins.imputers')
    start = time.perf_counter()
    if step == 'fill':
        rows = pd.DataFrame(np.load(folder / 'rows.npy'))
        start = time.perf_counter()
        options = {'random_state': settings['seed'], **settings['options']}
        imputer = plugins.Imputers().get(settings['plugin'], **options)
        np.save(folder / 'filled.npy', np.asarray(imputer.fit_transform(rows), dtype=float))
    took = {
        'seconds': time.perf_counter() - start,
        'hyperimpute': importlib.metadata.version('hyperimpute'),
    }
    (folder / f'{step}.json').write_text(json.dumps(took))


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
