"""Questions about frames, in the values of their columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference import scoring
from sdv_tabdar.core.inference.scoring import Scoring
from sdv_tabdar.core.nn.network import TabDARNetwork


def test_log_likelihoods_are_in_the_units_of_the_columns(
    network: TabDARNetwork,
    encoder: TableEncoder,
    mixed: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = mixed.head(8)
    monkeypatch.setattr(scoring, 'log_likelihood', lambda _, table, **__: torch.zeros(len(table)))
    asked = Scoring(encoder, network, SamplingConfig(), torch.Generator())
    found = asked.log_likelihood(
        frame, None, num_orders=1, by_column=False, steps={}, progress=None
    )
    volumes = encoder.log_volume(frame, np.ones(frame.shape, dtype=bool))
    np.testing.assert_allclose(found, volumes.sum(axis=1))
