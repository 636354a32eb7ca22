"""A network in a shorter type is the exact one but for rounding, and shares what it can."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.nn import lowered as lowered_module
from sdv_tabdar.core.nn.lowered import lowered, lowered_block
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.transformer import Block
from sdv_tabdar.core.table import EncodedTable


@pytest.fixture
def block() -> Block:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Block(width=8, num_heads=2, feedforward_factor=2).eval().requires_grad_(False)


@pytest.fixture
def tokens(generator: torch.Generator) -> torch.Tensor:
    """4 tokens of 5 rows."""
    return torch.randn(4, 5, 8, generator=generator)


@pytest.fixture
def short(network: TabDARNetwork, monkeypatch: pytest.MonkeyPatch) -> TabDARNetwork:
    """The network with blocks in bfloat16, whatever the processor prefers."""
    monkeypatch.setattr(lowered_module, 'matrix_type', lambda *_: torch.bfloat16)
    return lowered(network)


def test_a_lowered_block_shares_its_norms_and_is_as_good_as_its_type(
    block: Block, tokens: torch.Tensor
) -> None:
    short = lowered_block(block, torch.bfloat16)
    assert short.norm_attention is block.norm_attention
    assert short.query.weight.dtype == torch.bfloat16
    assert block.query.weight.dtype == torch.float32
    found = short(tokens)
    assert found.dtype == torch.float32
    assert torch.allclose(found, block(tokens), atol=0.05)


def test_contexts_in_a_shorter_type_are_the_contexts_but_for_rounding(
    network: TabDARNetwork, short: TabDARNetwork, hidden: EncodedTable
) -> None:
    found, exact = short.contexts(hidden), network.contexts(hidden)
    assert not torch.equal(found, exact)
    # eight bits of precision, layer after layer
    assert float((found - exact).abs().mean()) < 0.1


def test_hidden_values_change_no_context_exactly_in_a_shorter_type(
    network: TabDARNetwork, short: TabDARNetwork, hidden: EncodedTable
) -> None:
    numerical = list(network.schema.numerical)
    changed = EncodedTable(
        torch.where(hidden.observed, hidden.codes, 0),
        torch.where(hidden.observed[:, numerical], hidden.residuals, 9.0),
        hidden.observed,
    )
    assert torch.equal(short.contexts(changed), short.contexts(hidden))


def test_all_but_the_blocks_is_shared(network: TabDARNetwork, short: TabDARNetwork) -> None:
    assert short.code_head is network.code_head
    assert short.pad is network.pad
    assert all(block.query.weight.dtype == torch.bfloat16 for block in short.layers)
    assert all(block.query.weight.dtype == torch.float32 for block in network.layers)


def test_a_network_in_its_own_type_is_itself(network: TabDARNetwork) -> None:
    assert lowered(network) is network
