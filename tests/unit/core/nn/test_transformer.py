"""Blocks: hidden keys are not attended to, and leaving tokens out changes nothing else."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.nn import transformer
from sdv_tabdar.core.nn.transformer import Block, attention_bias, feedforward_widths


@pytest.fixture(params=[False, True], ids=['relu', 'gated'])
def block(request: pytest.FixtureRequest) -> Block:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        block = Block(width=8, num_heads=2, feedforward_factor=2, gated=request.param)
        return block.eval().requires_grad_(False)


@pytest.fixture
def tokens(generator: torch.Generator) -> torch.Tensor:
    """4 tokens of 5 rows."""
    return torch.randn(4, 5, 8, generator=generator)


def test_shape_is_kept(block: Block, tokens: torch.Tensor) -> None:
    assert block(tokens).shape == tokens.shape


def test_a_hidden_key_changes_no_other_token_exactly(block: Block, tokens: torch.Tensor) -> None:
    bias = torch.zeros(10, 1, 4)
    bias[..., 2] = -torch.inf
    changed = tokens.clone()
    changed[2] += 100.0
    rest = [0, 1, 3]
    assert torch.equal(block(tokens, bias=bias)[rest], block(changed, bias=bias)[rest])


def test_a_visible_key_changes_the_others(block: Block, tokens: torch.Tensor) -> None:
    changed = tokens.clone()
    changed[2] += torch.randn(8, generator=torch.Generator().manual_seed(1))
    assert not torch.allclose(block(tokens)[0], block(changed)[0], atol=1e-4)


def test_leading_keys_only_is_the_same_as_hiding_the_rest(
    block: Block, tokens: torch.Tensor
) -> None:
    bias = torch.zeros(10, 1, 4)
    bias[..., 3] = -torch.inf
    expected = block(tokens, bias=bias)
    assert torch.allclose(block(tokens, num_keys=3), expected, atol=1e-6)


def test_leaving_the_first_queries_out_changes_no_other(block: Block, tokens: torch.Tensor) -> None:
    bias = torch.zeros(10, 4, 3)
    bias[:, 2, 1] = -torch.inf
    expected = block(tokens, num_keys=3, bias=bias)[2:]
    assert torch.allclose(
        block(tokens, num_keys=3, first_query=2, bias=bias[:, 2:]), expected, atol=1e-6
    )


@pytest.mark.parametrize('hides', [False, True])
def test_asking_alone_is_the_same_as_asking_among_others(
    block: Block, tokens: torch.Tensor, hides: bool
) -> None:
    bias = torch.zeros(10, 1, 3)
    if hides:
        bias[:4, :, 1] = -torch.inf
    expected = block(tokens, num_keys=3, bias=bias)[-1]
    alone = block.single_query(tokens[-1], tokens[:3], bias if hides else None)
    assert torch.allclose(alone, expected, atol=1e-6)


def test_projections_of_a_token_do_not_depend_on_the_others(
    block: Block, tokens: torch.Tensor
) -> None:
    whole = block.project(tokens)
    for part, alone in zip(whole, block.project(tokens[2:3]), strict=True):
        assert torch.allclose(part[2:3], alone, atol=1e-6)
    assert torch.equal(block.project_query(tokens), whole[0])


def test_order_of_the_keys_does_not_matter(block: Block, tokens: torch.Tensor) -> None:
    order = [2, 0, 3, 1]
    assert torch.allclose(block(tokens[order]), block(tokens)[order], atol=1e-6)


def test_rows_do_not_mix(block: Block, tokens: torch.Tensor) -> None:
    changed = tokens.clone()
    changed[:, 1:] = 0.0
    assert torch.equal(block(changed)[:, 0], block(tokens)[:, 0])


def test_bias_of_attention_is_the_same_for_all_heads() -> None:
    bias = attention_bias(torch.tensor([[[True, False]], [[True, True]]]), num_heads=3)
    assert bias.tolist() == 3 * [[[0.0, -torch.inf]]] + 3 * [[[0.0, 0.0]]]


def test_tiles_change_nothing_but_rounding(
    block: Block, tokens: torch.Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = block(tokens)
    monkeypatch.setattr(transformer, '_TILE', 3)
    with torch.no_grad():
        assert torch.allclose(block(tokens), whole, atol=1e-6)


@pytest.mark.parametrize(('width', 'factor'), [(96, 2), (96, 4), (48, 1)])
def test_a_gated_layer_has_as_many_weights(width: int, factor: int) -> None:
    expanded, inner = feedforward_widths(width, factor, gated=True)
    assert expanded == 2 * inner
    assert expanded + inner == sum(feedforward_widths(width, factor, gated=False))


def test_a_gated_layer_has_a_width_however_narrow_the_block() -> None:
    assert feedforward_widths(2, 1, gated=True) == (16, 8)
