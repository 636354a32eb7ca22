"""Quantiles of atoms are atoms, those of bins follow the distribution within them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.quantiles import Mixture
from sdv_tabdar.core.config import ModelConfig


def _normal_cdf(rows: np.ndarray, codes: np.ndarray, residuals: np.ndarray) -> np.ndarray:
    return np.asarray(ndtr(residuals / 0.5))


def _column(values: np.ndarray, **settings: int) -> NumericalCodec:
    return NumericalCodec.fit('x', pd.Series(values, name='x'), ModelConfig(**settings))


def test_quantiles_of_atoms_are_atoms() -> None:
    masses, shares = np.array([[0.2, 0.5, 0.3]]), np.array([0.1, 0.2, 0.5, 0.75, 1.0])
    mixture = Mixture(np.array([1.0, 5.0, 7.0]), (), masses, lambda *_: np.zeros(0))
    assert mixture.quantiles(shares, (1.0, 7.0)).tolist() == [[1.0, 1.0, 5.0, 7.0, 7.0]]


@pytest.mark.parametrize('spike', [0.0, 0.3])
def test_quantiles_of_bins_follow_the_distribution_of_the_residual(spike: float) -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random(20_000) < spike, 0.25, rng.normal(size=20_000))
    codec = _column(values)
    masses, shares = np.array(codec.column.counts)[None] / 20_000, np.linspace(0.001, 0.999, 15)
    found = codec.quantiles(masses, shares, _normal_cdf)
    assert found[0] == pytest.approx(np.quantile(values, shares), abs=0.06)


def test_the_distribution_function_rises_from_0_to_1() -> None:
    codec = _column(np.random.default_rng(1).normal(size=5_000), num_bins=8)
    masses = np.tile(np.array(codec.column.counts) / 5_000, (101, 1))
    mixture = Mixture(codec.atoms, codec.bins, masses, _normal_cdf)
    low, high = codec.limits
    found = mixture.cdf(np.linspace(low, high, 101))
    assert (np.diff(found) >= 0).all()
    assert found[[0, -1]] == pytest.approx([0, 1], abs=0.001)
