"""Imputation by optimal transport, run by ``hyperimpute_script`` in a Python that has hyperimpute.

``mot``: what is filled in makes any two batches of rows alike (Muzellec et al. 2020,
doi:10.48550/arXiv.2002.03860), with its authors' settings; categories as indicators. It learns
while it fills: from training rows, in which as large a share of the cells is hidden, and from what
is known of the rows to fill.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sdv_tabdar.benchmark.methods.imputers import Columns, Floats, TableImputer
from sdv_tabdar.benchmark.methods.outside import Outside

OUTSIDE: Mapping[str, Mapping[str, object]] = {
    'mot': {'plugin': 'sinkhorn', 'options': {'lr': 0.01, 'n_epochs': 3000, 'batch_size': 128}}
}
"""By name what the package calls an imputer, and its arguments."""


def build(
    name: str, columns: Columns, *, share: float, seed: int, python: str | None = None
) -> TableImputer:
    """One of ``OUTSIDE`` for a table.

    Args:
        name: Which.
        columns: The columns of the table.
        share: Of the training cells, to hide from it.
        seed: Decides which, and about the method.
        python: The Python that has the package; None is this one.

    Raises:
        ImportError: If it has not.
    """
    imputer = HyperImpute({**OUTSIDE[name], 'seed': seed}, python=python)
    return TableImputer(columns, imputer, hides=share, seed=seed, redundant=True)


class HyperImpute(Outside):
    """An imputer as scikit-learn has them, whose work is done by the package hyperimpute."""

    name, package, option = 'hyperimpute', 'hyperimpute', '--hyperimpute-python'
    script = Path(__file__).with_name('hyperimpute_script.py')

    def fit(self, rows: Floats) -> HyperImpute:
        """Keep training rows ``(N, C)``, of which NaN is a gap."""
        self._train = rows
        return self

    def transform(self, rows: Floats) -> Floats:
        """Rows ``(B, C)`` without gaps."""
        both = np.vstack([self._train, rows])
        np.save(self._folder / 'rows.npy', both)
        self._run('fill')
        filled: Floats = np.load(self._folder / 'filled.npy')[len(self._train) :]
        return filled
