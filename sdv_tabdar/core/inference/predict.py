"""Questions about given rows, answered in the table's own units.

Between the tensors of :mod:`~sdv_tabdar.core.inference.probabilities` and the frames of
:class:`~sdv_tabdar.core.model.TabDAR`: probabilities of levels, quantiles of numbers and
log-likelihoods of rows, computed in chunks of rows.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference import probabilities
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.signedinteger[Any]]


@torch.inference_mode()
def level_probabilities(
    encoder: TableEncoder,
    network: TabDARNetwork,
    table: EncodedTable,
    position: int,
    config: SamplingConfig,
) -> Floats:
    """Probability ``(B, levels)`` of each level of a categorical column, given the other cells.

    Levels that share a code share its probability in proportion to their training counts.
    """
    codec = encoder.codecs[position]
    parts = [np.zeros((0, codec.column.num_codes))] + [
        probabilities.log_probabilities(network, chunk, position).exp().cpu().numpy()
        for chunk in _chunks(table, network, config)
    ]
    return codec.level_probabilities(np.concatenate(parts).astype(np.float64))


@torch.inference_mode()
def quantiles(
    encoder: TableEncoder,
    network: TabDARNetwork,
    table: EncodedTable,
    position: int,
    levels: Floats,
    config: SamplingConfig,
) -> Floats:
    """Quantiles ``(B, len(levels))`` of a numerical column, given the others and not missing."""
    codec = encoder.codecs[position]
    parts = [np.zeros((0, len(levels)))]
    for chunk in _chunks(table, network, config):
        z = probabilities.context(network, chunk, position)
        logits = network.code_head.logits(z, position)
        present = codec.column.num_codes - (codec.column.missing is not None)
        masses = logits[:, :present].softmax(dim=1).double().cpu().numpy()
        cdf = functools.partial(_residual_cdf, network, z, position, config)
        parts.append(codec.quantiles(masses, levels, cdf))
    return np.concatenate(parts)


def _residual_cdf(
    network: TabDARNetwork,
    z: torch.Tensor,
    position: int,
    config: SamplingConfig,
    rows: Integers,
    codes: Integers,
    residuals: Floats,
) -> Floats:
    """Distribution function ``(N,)`` within the bins ``codes`` of the rows ``rows`` of ``z``."""
    index, codes_ = (torch.from_numpy(numbers).to(z.device) for numbers in (rows, codes))
    at = torch.from_numpy(residuals).float().to(z.device)
    cdf = probabilities.residual_cdf(network, z[index], position, codes_, at, config)
    within: Floats = cdf.double().cpu().numpy()
    return within


def log_likelihood(
    encoder: TableEncoder,
    network: TabDARNetwork,
    table: EncodedTable,
    frame: pd.DataFrame,
    num_orders: int,
    config: SamplingConfig,
    generator: torch.Generator,
) -> Floats:
    """Log-likelihood ``(B,)`` of the observed cells of rows, in nats, see ``TabDAR``."""
    parts = [
        probabilities.log_likelihood(
            network, chunk, num_orders=num_orders, config=config, generator=generator
        )
        .double()
        .cpu()
        .numpy()
        for chunk in _chunks(table, network, config)
    ]
    total: Floats = np.concatenate(parts) if parts else np.zeros(0)
    return total + encoder.log_volume(frame, table.observed.cpu().numpy())


def _chunks(
    table: EncodedTable, network: TabDARNetwork, config: SamplingConfig
) -> Iterator[EncodedTable]:
    size = config.rows_at_once(table.codes.shape[1])
    for start in range(0, len(table), size):
        rows = slice(start, start + size)
        yield table.rows(rows).to(network.pad.device)
