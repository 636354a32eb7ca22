"""The residual heads by the names that ``ModelConfig.numerical_head`` has for them."""

from __future__ import annotations

from collections.abc import Sequence

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.heads.bins import BinHead
from sdv_tabdar.core.nn.heads.diffusion import DiffusionHead, MixedDiffusion
from sdv_tabdar.core.nn.heads.residual import ResidualHead
from sdv_tabdar.core.schema import TableSchema

RESIDUAL_HEADS: dict[str, type[ResidualHead]] = {'diffusion': DiffusionHead, 'bins': BinHead}


def make_residual_head(schema: TableSchema, config: ModelConfig) -> ResidualHead:
    """The head that ``config.numerical_head`` names."""
    return RESIDUAL_HEADS[config.numerical_head](schema, config)


def mixed_residuals(heads: Sequence[ResidualHead]) -> ResidualHead:
    """The head that several of one kind are together, of contexts that lie end to end."""
    diffusions = [head for head in heads if isinstance(head, DiffusionHead)]
    return MixedDiffusion(diffusions) if len(diffusions) > 1 else heads[0]
