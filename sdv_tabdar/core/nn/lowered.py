"""The network with linear layers of its blocks in a shorter floating point type.

What is computed equals the exact network's but for the rounding of that type.
"""

from __future__ import annotations

import copy

import torch
from torch import nn

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.transformer import Block
from sdv_tabdar.core.runtime.device import matrix_type


def lowered(network: TabDARNetwork) -> TabDARNetwork:
    """The network whose blocks multiply in the type that :func:`matrix_type` finds fastest.

    It is the network itself if that is the type of its weights; else a copy whose other parameters
    are shared with it.
    """
    dtype = matrix_type(network.pad.device, network.precision)
    if dtype == network.pad.dtype:
        return network
    found = copy.copy(network)
    blocks = nn.ModuleList(lowered_block(block, dtype) for block in network.layers)
    others = nn.ModuleList(lowered(other) for other in network.members[1:])
    found._modules = {**network._modules, 'blocks': blocks, 'others': others}
    return found


def lowered_block(block: Block, dtype: torch.dtype) -> Block:
    """A copy of a block whose linear layers multiply in ``dtype``; the rest is shared."""
    found = copy.copy(block)
    found._modules = {
        name: copy.deepcopy(module).to(dtype) if isinstance(module, nn.Linear) else module
        for name, module in block._modules.items()
    }
    return found
