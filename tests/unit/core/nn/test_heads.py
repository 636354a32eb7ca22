"""One contract suite, run on every head; then what is special about each."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.heads import CodeHead, ColumnHead, ResidualHead, draw_categorical
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema

COLUMNS = (
    Column('few', ColumnKind.CATEGORICAL, (70, 20, 10)),
    Column('bins', ColumnKind.NUMERICAL, (50, 30, 20), bins=range(1, 3), missing=None),
    Column('many', ColumnKind.CATEGORICAL, tuple(range(40, 0, -1))),
    Column('one', ColumnKind.CATEGORICAL, (100,)),
    Column('bin', ColumnKind.NUMERICAL, (90, 10), bins=range(1), missing=1),
)
SCHEMA = TableSchema(COLUMNS)
Head = TypeVar('Head', bound=ColumnHead)
FLOW = {'num_steps': 6, 'sigma_max': 10.0}


def _config() -> ModelConfig:
    return ModelConfig(width=8, num_heads=2, head_width=8, denoiser_width=8, denoiser_blocks=1)


@dataclasses.dataclass
class Case:
    """A head with arguments that its contract methods take."""

    head: ColumnHead
    target: torch.Tensor
    context: torch.Tensor
    extra: dict[str, Any]
    position: int
    sample_extra: dict[str, Any]
    seeded: bool

    def loss(self, context: torch.Tensor | None = None, seed: int = 0) -> torch.Tensor:
        """The head's loss of all cells."""
        extra = dict(self.extra)
        if self.seeded:
            extra['generator'] = torch.Generator().manual_seed(seed)
        return self.head.loss(self.target, self.context if context is None else context, **extra)

    def sample(self, context: torch.Tensor, seed: int = 0) -> torch.Tensor:
        """One draw for each context."""
        generator = torch.Generator().manual_seed(seed)
        extra = {
            key: value[: len(context)] if key == 'codes' else value
            for key, value in self.sample_extra.items()
        }
        return self.head.sample(context, self.position, generator=generator, **extra)


def _seeded(kind: type[Head]) -> Head:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return kind(SCHEMA, _config())


def _randomised(head: Head) -> Head:
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in head.parameters():
            noise = 0.3 * torch.randn(parameter.shape, generator=generator)
            parameter.add_(noise * (parameter > -1e8))
    return head


def _code_case() -> Case:
    generator = torch.Generator().manual_seed(1)
    codes = [torch.randint(c.num_codes, (50,), generator=generator) for c in COLUMNS]
    context = torch.randn(len(COLUMNS), 50, 8, generator=generator)
    head = _randomised(_seeded(CodeHead))
    return Case(head, torch.stack(codes), context, {}, 0, {}, seeded=False)


def _residual_case() -> Case:
    generator = torch.Generator().manual_seed(2)
    target = 0.5 * torch.randn(50, generator=generator)
    context = torch.randn(50, 8, generator=generator)
    bins = torch.randint(3, (50,), generator=generator)
    extra = {'bins': bins, 'noise_draws': 3}
    sample_extra = {'codes': 1 + torch.arange(50) % 2, **FLOW}
    head = _randomised(_seeded(ResidualHead))
    return Case(head, target, context, extra, 1, sample_extra, seeded=True)


CASES = {'CodeHead': _code_case, 'ResidualHead': _residual_case}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


def test_every_head_is_in_the_suite() -> None:
    assert {head.__name__ for head in ColumnHead.__subclasses__()} == set(CASES)


def test_loss_is_finite_and_one_number_a_cell(case: Case) -> None:
    loss = case.loss()
    assert loss.shape == case.target.shape
    assert bool(loss.isfinite().all())
    assert bool((loss >= 0).all())


def test_loss_of_a_cell_does_not_depend_on_the_others(case: Case) -> None:
    context = case.context.clone()
    context[1:] += 1.0
    assert torch.allclose(case.loss(context)[0], case.loss()[0], atol=1e-6)
    assert not torch.allclose(case.loss(context)[1:], case.loss()[1:])


def test_loss_has_gradients_for_context_and_parameters(case: Case) -> None:
    context = case.context.clone().requires_grad_(True)
    gradients = torch.autograd.grad(
        case.loss(context).sum(), [context, *case.head.parameters()], allow_unused=True
    )
    assert all(gradient is not None and gradient.isfinite().all() for gradient in gradients)
    assert bool((gradients[0] != 0).any())


def test_same_generator_state_same_loss(case: Case) -> None:
    assert torch.equal(case.loss(seed=3), case.loss(seed=3))


def test_same_generator_state_same_sample(case: Case) -> None:
    context = case.context.reshape(-1, 8)[:50]
    with torch.no_grad():
        first, second = case.sample(context), case.sample(context)
        other = case.sample(context, seed=1)
    assert first.shape == (50,)
    assert torch.equal(first, second)
    assert not torch.equal(first, other)


def test_a_sample_does_not_depend_on_the_other_rows(case: Case) -> None:
    context = case.context.reshape(-1, 8)[:50].clone()
    with torch.no_grad():
        drawn = case.sample(context)
        context[1:] *= -1
        assert torch.allclose(case.sample(context)[0], drawn[0], atol=1e-6)


def test_no_rows_no_samples(case: Case) -> None:
    with torch.no_grad():
        assert case.sample(torch.zeros(0, 8)).shape == (0,)


def test_global_random_state_is_untouched(case: Case) -> None:
    before = torch.get_rng_state()
    case.loss()
    with torch.no_grad():
        case.sample(case.context.reshape(-1, 8)[:5])
    assert torch.equal(torch.get_rng_state(), before)


# CodeHead


@pytest.fixture
def fresh() -> CodeHead:
    return _seeded(CodeHead)


def test_training_starts_at_the_marginals(fresh: CodeHead) -> None:
    context = torch.zeros(1, 8)
    for position, column in enumerate(COLUMNS):
        frequency = torch.tensor(column.counts, dtype=torch.float64)
        probabilities = fresh.logits(context, position).softmax(dim=1)[0].double()
        assert torch.allclose(probabilities, frequency / frequency.sum(), atol=1e-5)


def test_code_loss_is_the_negative_log_probability() -> None:
    case = _code_case()
    loss = case.loss()
    for position, column in enumerate(COLUMNS):
        logits = case.head.logits(case.context[position], position)  # type: ignore[operator]
        assert logits.shape == (50, column.num_codes)
        logs = logits.log_softmax(dim=1).gather(1, case.target[position][:, None]).squeeze(1)
        assert torch.allclose(loss[position], -logs, atol=1e-5)


def test_a_column_of_one_code_costs_nothing() -> None:
    assert torch.equal(_code_case().loss()[3], torch.zeros(50))


def test_codes_are_drawn_with_their_probabilities(fresh: CodeHead) -> None:
    size = 20_000
    codes = fresh.sample(torch.zeros(size, 8), 0, generator=torch.Generator().manual_seed(0))
    share = torch.bincount(codes, minlength=3) / size
    tolerance = 4 * 0.5 / size**0.5
    assert torch.allclose(share, torch.tensor([0.7, 0.2, 0.1]), atol=tolerance)


def test_what_has_no_probability_is_never_drawn(generator: torch.Generator) -> None:
    logits = torch.tensor([[-torch.inf, 0.0, -torch.inf, 0.0, -torch.inf]]).expand(5000, -1)
    assert set(draw_categorical(logits, generator=generator).tolist()) == {1, 3}


# ResidualHead


def test_an_untrained_denoiser_has_a_loss_of_about_one_per_cell() -> None:
    head = _seeded(ResidualHead)
    generator = torch.Generator().manual_seed(0)
    target = 0.5 * torch.randn(2000, generator=generator)
    loss = head.loss(
        target,
        torch.zeros(2000, 8),
        bins=torch.zeros(2000, dtype=torch.long),
        noise_draws=20,
        generator=generator,
    )
    # each term is the square of a standard normal number (variance 2), correlated over draws
    assert float(loss.detach().mean()) == pytest.approx(1, abs=4 * (2 / 2000) ** 0.5)


def test_bins_are_numbered_over_all_columns() -> None:
    head = _residual_case().head
    assert isinstance(head, ResidualHead)
    numbers = [
        head.first_bin[position] + code
        for position, column in enumerate(COLUMNS)
        for code in column.bins
    ]
    assert numbers == [0, 1, 2]


def test_flow_maps_back_and_is_monotone() -> None:
    case = _residual_case()
    assert isinstance(case.head, ResidualHead)
    with torch.no_grad():
        flow = case.head.flow(
            case.context[:1].expand(50, -1),
            1,
            codes=torch.ones(50, dtype=torch.long),
            num_steps=80,
            sigma_max=10.0,
        )
        noise = torch.linspace(-2.5, 2.5, 50)
        data = flow.to_data(noise)
        assert bool((data.diff() > 0).all())
        assert torch.allclose(flow.to_noise(data), noise, atol=0.05)
