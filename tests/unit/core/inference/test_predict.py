"""Probabilities and quantiles of single cells are those that draws have."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.complete import complete
from sdv_tabdar.core.inference.predict import level_probabilities, quantiles_of
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

CONFIG = SamplingConfig(num_steps=10, sampling_batch_size=1000)
SMOOTH, COLOUR, SPIKED = 0, 1, 2
DRAWS = 3000


def _draws(
    network: TabDARNetwork, encoder: TableEncoder, row: EncodedTable, position: int
) -> np.ndarray:
    """Values of one cell of a row, drawn many times given its other cells."""
    table = row.rows(torch.zeros(DRAWS, dtype=torch.long))
    table.observed[:, position] = False
    generator = torch.Generator().manual_seed(0)
    drawn = complete(network, table, config=CONFIG, generator=generator, num_copies=DRAWS).table
    return encoder.decode(drawn, generator=generator).iloc[:, position].to_numpy()


def test_probabilities_of_levels_are_the_shares_of_draws(
    network: TabDARNetwork, encoder: TableEncoder, encoded: EncodedTable
) -> None:
    row = encoded.rows(slice(3, 4))
    found = level_probabilities(encoder, network, row, COLOUR, CONFIG)
    assert found.shape == (1, 3)
    assert found.sum() == pytest.approx(1, abs=1e-6)
    drawn = _draws(network, encoder, row, COLOUR)
    shares = [np.mean(drawn == level) for level in encoder.codecs[COLOUR].levels]
    assert np.allclose(found[0], shares, atol=2e-3)


@pytest.mark.parametrize('position', [SMOOTH, SPIKED])
def test_quantiles_are_those_of_draws(
    network: TabDARNetwork, encoder: TableEncoder, encoded: EncodedTable, position: int
) -> None:
    row, levels = encoded.rows(slice(3, 4)), np.array([0.1, 0.5, 0.9])
    found = quantiles_of(encoder, network, row, position, levels, CONFIG)
    assert found.shape == (1, 3)
    assert bool((np.diff(found) >= 0).all())
    drawn = _draws(network, encoder, row, position)
    for level, value in zip(levels, found[0], strict=True):
        slack = 1e-3 * np.ptp(drawn)
        assert np.mean(drawn <= value + slack) >= level - 0.02
        assert np.mean(drawn < value - slack) <= level + 0.02


def test_the_value_of_the_cell_itself_does_not_matter(
    network: TabDARNetwork, encoder: TableEncoder, encoded: EncodedTable
) -> None:
    changed = EncodedTable(encoded.codes.clone(), encoded.residuals, encoded.observed)
    changed.codes[:, COLOUR] = (changed.codes[:, COLOUR] + 1) % 3
    first, second = (
        level_probabilities(encoder, network, table, COLOUR, CONFIG) for table in (encoded, changed)
    )
    assert np.array_equal(first, second)


def test_no_rows(network: TabDARNetwork, encoder: TableEncoder, encoded: EncodedTable) -> None:
    nothing = encoded.rows(slice(0, 0))
    assert level_probabilities(encoder, network, nothing, COLOUR, CONFIG).shape == (0, 3)
    assert quantiles_of(encoder, network, nothing, 0, np.array([0.5]), CONFIG).shape == (0, 1)
