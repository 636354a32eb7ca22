"""TabularARGN, run by ``argn_script`` in a Python that has its engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.methods.exchange import write_rows
from sdv_tabdar.benchmark.methods.outside import OutsideSynthesizer
from sdv_tabdar.benchmark.methods.spec import Request


def build(request: Request) -> TabularARGN:
    """TabularARGN for the table of a request."""
    return TabularARGN(
        request.dataset.sdtypes,
        python=request.argn_python,
        seed=request.seed,
        options=request.spec.options,
    )


class TabularARGN(OutsideSynthesizer):
    """TabularARGN of the package mostlyai-engine, run by a script in a Python that has it.

    The engine pins its own versions of torch and others and is best installed in an environment
    of its own.

    Source:
        Tiwald et al. (2025), 'TabularARGN', arXiv:2501.12012.
    """

    name, package, option = 'tabularargn', 'mostlyai-engine', '--argn-python'
    script = Path(__file__).with_name('argn_script.py')

    def log_mass(self, rows: pd.DataFrame, steps: Mapping[str, float]) -> np.ndarray:
        """Log mass of each row where numbers lie on a grid, in nats.

        Args:
            rows: With the columns of the training table.
            steps: By column of numbers, the distance of neighbouring grid points.
        """
        write_rows(rows, self._folder / 'rows.csv')
        self._run('log_mass', steps=dict(steps))
        found: np.ndarray = pd.read_csv(self._folder / 'log_mass.csv')['log_mass'].to_numpy()
        return found
