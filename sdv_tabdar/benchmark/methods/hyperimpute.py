"""Imputers of the package hyperimpute, run by ``hyperimpute_script`` in a Python that has it.

* ``hyperimpute``: column by column the best of several learners, chosen anew in every round
  (Jarrett et al. 2022, doi:10.48550/arXiv.2206.07769), categories as codes.
* ``mot``: what is filled in makes any two batches of rows alike by optimal transport (Muzellec et
  al. 2020, doi:10.48550/arXiv.2002.03860), with its authors' settings.
* ``gain``: adversarial networks (Yoon et al. 2018, doi:10.48550/arXiv.1806.02920).
* ``miwae``: a variational autoencoder (Mattei and Frellsen 2019, doi:10.48550/arXiv.1812.02633).

The last three see indicators of categories. They learn while they fill: from training rows, in
which as large a share of the cells is hidden, and from what is known of the rows to fill.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sdv_tabdar.benchmark.methods.imputers import FIRST_CODE, Columns, Floats, TableImputer
from sdv_tabdar.benchmark.methods.outside import Outside

# Without XGBoost, which it asks to learn once more without the rarest class, and which then fails.
CLASSIFIERS = ('random_forest', 'logistic_regression', 'catboost')


@dataclasses.dataclass(frozen=True)
class Plugin:
    """One of the package's imputers.

    Attributes:
        name: What the package calls it.
        options: Its arguments.
        redundant: As in ``TableImputer``.
    """

    name: str
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)
    redundant: bool | None = True


OUTSIDE: Mapping[str, Plugin] = {
    'hyperimpute': Plugin('hyperimpute', {'classifier_seed': CLASSIFIERS}, redundant=None),
    'mot': Plugin('sinkhorn', {'lr': 0.01, 'n_epochs': 3000, 'batch_size': 128}),
    'gain': Plugin('gain'),
    'miwae': Plugin('miwae'),
}


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
    plugin = OUTSIDE[name]
    imputer = HyperImpute({**dataclasses.asdict(plugin), 'seed': seed}, python=python)
    return TableImputer(columns, imputer, hides=share, seed=seed, redundant=plugin.redundant)


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
        is_coded = both[:, np.nanmin(both, axis=0) >= FIRST_CODE]
        most = max((len(np.unique(column[~np.isnan(column)])) for column in is_coded.T), default=0)
        self._run('fill', most_levels=most)
        filled: Floats = np.load(self._folder / 'filled.npy')[len(self._train) :]
        return filled
