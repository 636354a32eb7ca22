"""Attacks by distances: members are nearer to synthetic rows than other people are."""

from __future__ import annotations

import numpy as np

from sdv_tabdar.evaluation.attacks.case import Case

_TINY = 1e-6  # distance that stands for none, in ranges of a number


def by_nearest(case: Case) -> np.ndarray:
    """Nearness of the closest synthetic row (Chen et al. 2020, doi:10.1145/3372297.3417238)."""
    return -case.to_drawn[:, 0]


def by_nearest_and_reference(case: Case) -> np.ndarray:
    """The same in multiples of the distance to the closest reference row."""
    return _logs(case.to_known)[:, 0] - _logs(case.to_drawn)[:, 0]


def by_density(case: Case) -> np.ndarray:
    """Log ratio of the densities of synthetic and of reference rows, by a Laplace kernel.

    Source: DOMIAS, van Breugel et al. 2023, doi:10.48550/arXiv.2302.12580, with a kernel over the
    nearest rows, as wide as people usually are apart.
    """
    width = max(float(np.median(case.to_known[:, 0])), _TINY)
    return _log_density(case.to_drawn, width) - _log_density(case.to_known, width)


def neighbourhood(case: Case) -> np.ndarray:
    """Features of a row for an attacker who learns from people of whom she knows: rows x features.

    Logs of the distances to the 1st, 2nd, 4th and 8th nearest row of each kind.
    """
    ranks = [0, 1, 3, 7]
    both = np.concatenate([_logs(case.to_drawn)[:, ranks], _logs(case.to_known)[:, ranks]], axis=1)
    # With few rows some have no 8th neighbour.
    return np.where(np.isfinite(both), both, 0.0)


def by_outliers(case: Case) -> np.ndarray:
    """Near copies of outliers: `by_nearest_and_reference`, NaN for rows that are none."""
    return np.where(case.is_outlier, by_nearest_and_reference(case), np.nan)


def _logs(distances: np.ndarray) -> np.ndarray:
    logs: np.ndarray = np.log(distances + _TINY)
    return logs


def _log_density(distances: np.ndarray, width: float) -> np.ndarray:
    """Log of the sum of ``exp(-distance / width)``, stable; rows x neighbours to rows."""
    scaled = -distances / width
    logs: np.ndarray = np.logaddexp.reduce(scaled, axis=1)
    return logs
