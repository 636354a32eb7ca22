"""Contexts and losses of complementary pairs of rows are those of the rows by themselves."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_bias, pair_contexts, pair_losses
from sdv_tabdar.core.table import EncodedTable


def test_contexts_of_pairs_are_those_of_their_rows(
    network: TabDARNetwork, hidden: EncodedTable
) -> None:
    num_pairs, numerical = len(hidden) // 2, list(network.schema.numerical)
    side = hidden.observed[:num_pairs]
    first, second = network.contexts(hidden).split(num_pairs)
    expected = torch.where(side.unsqueeze(-1), second, first)
    codes = torch.where(side, *hidden.codes.split(num_pairs))
    residuals = torch.where(side[:, numerical], *hidden.residuals.split(num_pairs))
    found = pair_contexts(network, codes, residuals, side).transpose(0, 1)
    assert torch.allclose(found, expected, atol=1e-4)


def test_losses_of_pairs_are_those_of_their_rows(
    network: TabDARNetwork, hidden: EncodedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noiseless(target: torch.Tensor, *_: object, **condition: torch.Tensor) -> torch.Tensor:
        return target + condition['bins']

    monkeypatch.setattr(network.residual_head, 'loss', noiseless)
    generator = torch.Generator()
    losses = network.losses(hidden, noise_draws=1, generator=generator)
    pairs = pair_losses(network, hidden, noise_draws=1, generator=generator)
    assert torch.allclose(pairs, sum(losses.split(len(pairs))), atol=1e-4)


def test_every_parameter_gets_a_gradient(
    network: TabDARNetwork, hidden: EncodedTable, generator: torch.Generator
) -> None:
    network.requires_grad_(True)
    try:
        loss = pair_losses(network, hidden, noise_draws=1, generator=generator).sum()
        gradients = torch.autograd.grad(loss, list(network.parameters()))
    finally:
        network.requires_grad_(False)
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)


def test_a_token_of_a_pair_sees_what_its_row_sees() -> None:
    none = torch.zeros(1, 0, dtype=torch.bool)
    bias = pair_bias(torch.tensor([[True, False]]), none, none, num_heads=2)
    # keys: [pad] of the first row, of the second, a cell of the first, a cell of the second
    first, second = [True, False, True, False], [False, True, False, True]
    # queries: the same, then the cells asked for, of the other row each
    expected = [first, second, first, second, second, first]
    assert bias[0].isfinite().tolist() == expected


def test_a_cross_of_a_pair_is_seen_by_the_row_that_sees_its_members() -> None:
    by_first = torch.tensor([[True, False, False]])
    by_second = torch.tensor([[False, True, False]])
    bias = pair_bias(torch.tensor([[True]]), by_first, by_second, num_heads=1)[0]
    # keys: two [pad]s, a cell of the first row, crosses of the first, the second and of neither
    first = [True, False, True, True, False, False]
    second = [False, True, False, False, True, False]
    neither = [False, False, False, False, False, True]
    expected = [first, second, first, first, second, neither, second]
    assert bias.isfinite().tolist() == expected
