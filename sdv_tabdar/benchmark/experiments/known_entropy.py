"""How much less likely than the truth rows are under our model, where the truth is known exactly.

The mean negative log-likelihood of rows under their own distribution is its entropy. Under any
model it is greater, by the divergence of the model from the truth: the excess, which is what there
is left to learn. Training and test rows lie evenly on the distribution; the truth is scored on the
same test rows as the model, and must come to the entropy.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from sdv_tabdar.benchmark.data.named_tables import known_table
from sdv_tabdar.benchmark.experiments.conditional_truth import ask_of_known_tables
from sdv_tabdar.benchmark.experiments.experiment import Rows
from sdv_tabdar.benchmark.jobs.steps import Fitted
from sdv_tabdar.benchmark.output.tables import Number

TEST_SEED = 1
NUMBERS = (
    Number('entropy', 'entropy, nats', digits=4),
    Number('truth', 'truth on test rows', digits=4),
    Number('ours', 'ours on test rows', digits=4),
    Number('excess', 'excess', digits=4),
    Number('unlikely', 'rows without likelihood', digits=0),
)


def collect(options: argparse.Namespace) -> Rows:
    """Make the tables, fit, score."""
    return ask_of_known_tables(measure, options, {'rows': options.scored_rows})


def measure(fitted: Fitted, *, rows: int) -> dict[str, Any]:
    """Score rows of the known distribution by itself and by the model."""
    known = known_table(fitted.job.table)
    test = known.mixture.table(rows, seed=TEST_SEED)
    truth = known.mixture.log_density(test)
    ours = fitted.synthesizer.log_likelihood(test, unseen='rare', seed=0).to_numpy()
    finite = np.isfinite(ours)
    return {
        'rows': [
            {
                'entropy': known.entropy,
                'truth': -float(truth.mean()),
                'ours': -float(ours[finite].mean()),
                'excess': float((truth - ours)[finite].mean()),
                'unlikely': int((~finite).sum()),
            }
        ]
    }
