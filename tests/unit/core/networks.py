"""Networks with random weights everywhere, also where training would start from zero."""

from __future__ import annotations

import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.schema import TableSchema


def random_network(
    schema: TableSchema, config: ModelConfig, seed: int, size: float = 0.3
) -> TabDARNetwork:
    """A network that only answers; ``size`` is the deviation of what its first weights get."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = TabDARNetwork(schema, config).eval().requires_grad_(False)
    for parameter in network.parameters():
        parameter.add_(size * torch.randn(parameter.shape, generator=generator))
    return network
