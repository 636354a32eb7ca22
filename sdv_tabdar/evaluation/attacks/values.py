"""Attacks by exact values: what an encoder of numbers keeps of single rows comes back.

Synthesizers that map numbers through empirical quantiles keep values of training rows: as numbers
that are drawn exactly, or as *knots* between which the density of what they draw is even. A knot
is where that density changes at once; in a value of somebody who was not trained on it does not.
"""

from __future__ import annotations

import numpy as np

from sdv_tabdar.evaluation.attacks.case import Case

_STEPS = (1, 4, 16, 64)  # synthetic values on either side of a value, to compare densities by
_EXACT = 3.0  # nearness of a value that is there, in powers of ten
_DISTINCT = 0.5  # share of different values from which a column of numbers has knots to find


def by_recurring_values(case: Case) -> np.ndarray:
    """Log ratio of the frequencies of a row's exact cells among synthetic and reference rows.

    Summed over the columns. Frequent values say nothing; an unusual one that recurs does.
    """
    total = np.zeros(len(case))
    for name in case.context.columns.names:
        asked, drawn, known = (frame[name] for frame in (case.rows, case.synthetic, case.known))
        # Half a row more of each value, so that one that is absent has a ratio as well.
        for values, sign in ((drawn, 1), (known, -1)):
            counts = asked.map(values.value_counts()).fillna(0).to_numpy(dtype=float)
            total += sign * np.log((counts + 0.5) / (len(values) + 1))
    return total


def has_numbers_to_invert(case: Case) -> bool:
    """Whether a column has mostly different numbers."""
    return bool(_continuous(case))


def inversion(case: Case) -> np.ndarray:
    """Features of a row's numbers, summed over the columns: rows x features.

    How unlike the density of synthetic values is on both sides of a value: the log-likelihood
    ratio of two Poisson rates, by the nearest 1, 4, 16 and 64 values on each side; and how near
    the nearest synthetic value is, in the spacing of the others.
    """
    features = np.zeros((len(case), len(_STEPS) + 1))
    for name in _continuous(case):
        values = np.sort(case.synthetic[name].dropna().to_numpy())
        asked = case.rows[name].to_numpy()
        known = np.flatnonzero(np.isfinite(asked))
        features[known] += _column(asked[known], values)
    return features


def _continuous(case: Case) -> list[str]:
    """The columns of numbers that are mostly different from each other."""
    found = []
    for name in case.context.columns.numbers:
        values = case.synthetic[name].dropna()
        if len(values) > 2 * max(_STEPS) and values.nunique() >= _DISTINCT * len(values):
            found.append(name)
    return found


def _column(asked: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The features of numbers ``(N,)`` among sorted synthetic ones, ``(N, steps + 1)``."""
    left = np.searchsorted(values, asked, side='left')
    right = np.searchsorted(values, asked, side='right')
    tiny = 1e-9 * max(float(values[-1] - values[0]), 1e-300)

    def gaps(steps: int) -> tuple[np.ndarray, np.ndarray]:
        """How far the values so many steps below and above are."""
        below = asked - values[(left - steps).clip(0)]
        above = values[(right + steps - 1).clip(max=len(values) - 1)] - asked
        return np.maximum(below, tiny), np.maximum(above, tiny)

    found = []
    for steps in _STEPS:
        below, above = gaps(steps)
        # Beyond the ends there is nothing to compare.
        inside = (left >= steps) & (right + steps <= len(values))
        ratio = steps * (2 * np.log((below + above) / 2) - np.log(below) - np.log(above))
        found.append(np.where(inside, ratio, 0.0))
    nearness = -np.log10(np.minimum(*gaps(1)) / np.add(*gaps(_STEPS[1])))
    found.append(np.where(right > left, _EXACT, nearness.clip(-1, _EXACT)))
    return np.stack(found, axis=1)
