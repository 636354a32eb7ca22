"""What is drawn, binned."""

from __future__ import annotations

import pytest

from sdv_tabdar.evaluation import evaluate


def test_densities_are_shares_on_one_grid(real, honest, types):
    found = evaluate(
        real, honest, types, metrics=['shape'], floors=False, density_pairs=[('height', 'city')]
    )
    (figure,) = found.figures['densities']
    assert figure['real'].shape == figure['synthetic'].shape
    assert figure['real'].sum() == pytest.approx(1)
