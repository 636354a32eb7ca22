"""A committee: each member as it is alone, and what they say together is the mean."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_contexts, pair_losses
from sdv_tabdar.core.table import EncodedTable

from ..networks import random_network

CONFIG = SamplingConfig()


@pytest.fixture(params=['bidirectional', 'causal'])
def committee(
    request: pytest.FixtureRequest, network: TabDARNetwork, tiny: ModelConfig
) -> TabDARNetwork:
    """Three members with weights that are far from zero."""
    config = dataclasses.replace(tiny, num_members=3, attention=request.param)
    return random_network(network.schema, config, seed=5, size=0.2)


def test_contexts_are_those_of_the_members_end_to_end(
    committee: TabDARNetwork, hidden: EncodedTable
) -> None:
    contexts = committee.contexts(hidden)
    parts = committee.split(contexts)
    assert len(parts) == len(committee.members) == 3
    for member, own in zip(committee.members[1:], parts[1:], strict=True):
        assert torch.equal(member.contexts(hidden), own)
    assert not torch.allclose(parts[0], parts[1], atol=0.1)
    found = lowered(committee).contexts(hidden)
    assert torch.allclose(found, contexts, atol=0.2)


def test_probabilities_of_codes_are_the_mean_of_the_members(
    committee: TabDARNetwork, hidden: EncodedTable
) -> None:
    contexts = committee.contexts(hidden)
    for position in range(contexts.shape[1]):
        own = [
            member.code_head.log_probabilities(part, position).exp()
            for member, part in zip(
                committee.members, committee.split(contexts[:, position]), strict=True
            )
        ]
        found = committee.codes.log_probabilities(contexts[:, position], position)
        assert torch.allclose(found.exp(), torch.stack(own).mean(dim=0), atol=1e-5)
        codes = hidden.codes.t().long()
        loss = committee.codes.loss(codes, contexts.transpose(0, 1))[position]
        expected = -found.gather(1, codes[position][:, None]).squeeze(1)
        assert torch.allclose(loss, expected, atol=1e-4)


def test_numbers_of_a_committee_have_one_distribution(
    committee: TabDARNetwork, hidden: EncodedTable, generator: torch.Generator
) -> None:
    position = committee.schema.numerical[0]
    context = committee.contexts(hidden)[:, position]
    head = committee.residuals
    bins = head.bins(position, hidden.codes[:, position])
    drawn = head.sample(context, bins, config=CONFIG, generator=generator)
    places = head.cdf(context, bins, drawn, config=CONFIG)
    assert 0.3 < float(places[bins >= 0].mean()) < 0.7
    density = head.log_density(context, bins, drawn, config=CONFIG)
    step = 1e-2
    above = head.cdf(context, bins, drawn + step, config=CONFIG)
    below = head.cdf(context, bins, drawn - step, config=CONFIG)
    slopes = ((above - below) / (2 * step))[bins >= 0]
    assert torch.allclose(density[bins >= 0].exp().double(), slopes, rtol=0.05, atol=0.02)


def test_equal_members_are_as_one(
    network: TabDARNetwork, hidden: EncodedTable, tiny: ModelConfig, generator: torch.Generator
) -> None:
    with torch.random.fork_rng(devices=[]):
        twins = TabDARNetwork(network.schema, dataclasses.replace(tiny, num_members=2)).eval()
    for member in twins.requires_grad_(False).members:
        own = dict(member.named_parameters())
        for name, value in network.named_parameters():
            own[name].copy_(value)
    contexts, alone = twins.contexts(hidden), network.contexts(hidden)
    state = generator.get_state()
    for position in range(alone.shape[1]):
        found = twins.codes.log_probabilities(contexts[:, position], position)
        expected = network.codes.log_probabilities(alone[:, position], position)
        assert torch.allclose(found, expected, atol=1e-5)
        bins = network.residuals.bins(position, hidden.codes[:, position])
        numbers = []
        for one, context in ((twins, contexts), (network, alone)):
            generator.set_state(state)
            numbers.append(
                one.residuals.sample(context[:, position], bins, config=CONFIG, generator=generator)
            )
        assert torch.allclose(*numbers, atol=1e-5)


def test_each_member_learns_by_its_own_loss(
    committee: TabDARNetwork, hidden: EncodedTable, generator: torch.Generator
) -> None:
    num_pairs, num_columns = len(hidden) // 2, hidden.codes.shape[1]
    ranks = torch.rand(num_pairs, num_columns, generator=generator).argsort(dim=1)
    observed = hidden.observed[:num_pairs]
    codes = torch.where(observed, *hidden.codes.split(num_pairs))
    numerical = list(committee.schema.numerical)
    residuals = torch.where(observed[:, numerical], *hidden.residuals.split(num_pairs))
    together = committee.split(pair_contexts(committee, codes, residuals, observed, ranks))
    for member, own in zip(committee.members[1:], together[1:], strict=True):
        assert torch.equal(pair_contexts(member, codes, residuals, observed, ranks), own)

    committee.requires_grad_(True)
    loss = pair_losses(committee, hidden, noise_draws=1, generator=generator, ranks=ranks).sum()
    gradients = torch.autograd.grad(loss, list(committee.parameters()))
    committee.requires_grad_(False)
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)
    matrices = committee.hidden_matrices()
    assert len({id(matrix) for matrix in matrices}) == len(matrices)
    assert len(matrices) == 3 * len(committee.members[1].hidden_matrices())
