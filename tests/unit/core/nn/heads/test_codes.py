"""The code head: a softmax that starts at the marginals, and what it promises."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.heads.codes import CodeHead, draw_categorical
from sdv_tabdar.core.schema import TableSchema

SIZE = 50


@pytest.fixture(params=['relu', 'gated'])
def fresh(request: pytest.FixtureRequest, schema: TableSchema, config: ModelConfig) -> CodeHead:
    """As training begins."""
    config = dataclasses.replace(config, head_activation=request.param)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return CodeHead(schema, config)


@pytest.fixture
def head(fresh: CodeHead) -> CodeHead:
    """Random weights, but for the biases of padding."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in fresh.parameters():
            noise = 0.3 * torch.randn(parameter.shape, generator=generator)
            parameter.add_(noise * (parameter > -1e8))
    return fresh


@pytest.fixture
def codes(schema: TableSchema) -> torch.Tensor:
    """``(C, SIZE)``."""
    generator = torch.Generator().manual_seed(1)
    return torch.stack(
        [torch.randint(c.num_codes, (SIZE,), generator=generator) for c in schema.columns]
    )


@pytest.fixture
def context(schema: TableSchema) -> torch.Tensor:
    """``(C, SIZE, D)``."""
    generator = torch.Generator().manual_seed(2)
    return torch.randn(len(schema.columns), SIZE, 8, generator=generator)


def _sample(head: CodeHead, context: torch.Tensor, position: int, seed: int = 0) -> torch.Tensor:
    with torch.no_grad():
        return head.sample(context, position, generator=torch.Generator().manual_seed(seed))


def test_training_starts_at_the_marginals(fresh: CodeHead, schema: TableSchema) -> None:
    for position, column in enumerate(schema.columns):
        frequency = torch.tensor(column.counts, dtype=torch.float64)
        probabilities = fresh.log_probabilities(torch.zeros(1, 8), position)[0].exp().double()
        assert torch.allclose(probabilities, frequency / frequency.sum(), atol=1e-5)


def test_loss_is_the_negative_log_probability(
    head: CodeHead, codes: torch.Tensor, context: torch.Tensor, schema: TableSchema
) -> None:
    loss = head.loss(codes, context)
    assert loss.shape == codes.shape
    for position, column in enumerate(schema.columns):
        logs = head.log_probabilities(context[position], position)
        assert logs.shape == (SIZE, column.num_codes)
        assert torch.allclose(logs.exp().sum(dim=1), torch.ones(SIZE), atol=1e-5)
        log = logs.gather(1, codes[position][:, None]).squeeze(1)
        assert torch.allclose(loss[position], -log, atol=1e-5)


def test_loss_of_a_cell_does_not_depend_on_the_others(
    head: CodeHead, codes: torch.Tensor, context: torch.Tensor
) -> None:
    changed = context.clone()
    changed[1:] += 1.0
    changed[:, 1:] += 1.0
    first, second = head.loss(codes, context), head.loss(codes, changed)
    assert torch.allclose(first[0, 0], second[0, 0], atol=1e-6)
    assert not torch.allclose(first[1:], second[1:])


def test_loss_has_gradients_for_context_and_parameters(
    head: CodeHead, codes: torch.Tensor, context: torch.Tensor
) -> None:
    context.requires_grad_(True)
    gradients = torch.autograd.grad(head.loss(codes, context).sum(), [context, *head.parameters()])
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)
    assert bool((gradients[0] != 0).any())


def test_what_is_left_out_follows_from_the_generator(
    head: CodeHead, codes: torch.Tensor, context: torch.Tensor
) -> None:
    def loss(dropout: float, seed: int = 0) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)
        return head.loss(codes, context, dropout=dropout, generator=generator)

    assert torch.equal(loss(0.0), head.loss(codes, context))
    assert torch.equal(loss(0.5), loss(0.5))
    assert not torch.equal(loss(0.5), loss(0.5, seed=1))
    assert not torch.equal(loss(0.5), loss(0.0))


def test_what_is_left_makes_up_for_what_is_left_out(head: CodeHead, context: torch.Tensor) -> None:
    """Logits are linear in the hidden numbers, so that their mean stays."""
    size, position = 4000, 2
    same = context[:, :1].expand(-1, size, -1)
    generator = torch.Generator()
    losses = []
    for code in (0, 2):
        target = torch.zeros(len(context), size, dtype=torch.long)
        target[position] = code
        generator.manual_seed(0)  # the same numbers are left out
        with torch.no_grad():
            losses.append(head.loss(target, same, dropout=0.5, generator=generator)[position])
    found = losses[1] - losses[0]
    logits = head.logits(context[position, :1], position)[0].detach()
    error = float(found.std()) / size**0.5
    assert float(found.mean()) == pytest.approx(float(logits[0] - logits[2]), abs=5 * error)


def test_a_column_of_one_code_costs_nothing(
    head: CodeHead, codes: torch.Tensor, context: torch.Tensor
) -> None:
    assert torch.equal(head.loss(codes, context)[3], torch.zeros(SIZE))


def test_same_generator_state_same_sample(head: CodeHead, context: torch.Tensor) -> None:
    first, second, other = (_sample(head, context[0], 0, seed) for seed in (0, 0, 1))
    assert first.shape == (SIZE,)
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_a_sample_does_not_depend_on_the_other_rows(head: CodeHead, context: torch.Tensor) -> None:
    changed = context[2].clone()
    changed[1:] *= -1
    assert _sample(head, changed, 2)[0] == _sample(head, context[2], 2)[0]


def test_no_rows_no_samples(head: CodeHead) -> None:
    assert _sample(head, torch.zeros(0, 8), 0).shape == (0,)


def test_global_random_state_is_untouched(
    head: CodeHead, codes: torch.Tensor, context: torch.Tensor
) -> None:
    before = torch.get_rng_state()
    head.loss(codes, context)
    _sample(head, context[0], 0)
    assert torch.equal(torch.get_rng_state(), before)


def test_codes_are_drawn_with_their_probabilities(fresh: CodeHead) -> None:
    size = 20_000
    codes = _sample(fresh, torch.zeros(size, 8), 0)
    share = torch.bincount(codes, minlength=3) / size
    tolerance = 4 * 0.5 / size**0.5
    assert torch.allclose(share, torch.tensor([0.7, 0.2, 0.1]), atol=tolerance)


def test_what_has_no_probability_is_never_drawn(generator: torch.Generator) -> None:
    logits = torch.tensor([[-torch.inf, 0.0, -torch.inf, 0.0, -torch.inf]]).expand(5000, -1)
    assert set(draw_categorical(logits, generator=generator).tolist()) == {1, 3}
