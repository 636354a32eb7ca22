"""Muon: updates are orthogonal, of AdamW's size, and stacks are handled matrix by matrix."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.training.muon import Muon, orthogonalised


@pytest.mark.parametrize('shape', [(3, 8, 8), (2, 5, 12), (2, 12, 5), (1, 1, 7)])
def test_singular_values_become_about_one(
    shape: tuple[int, ...], generator: torch.Generator
) -> None:
    matrices = torch.randn(shape, generator=generator)
    found = orthogonalised(matrices, 5)
    assert found.shape == matrices.shape
    values = torch.linalg.svdvals(found)
    assert float(values.min()) > 0.4
    assert float(values.max()) < 1.3


def test_a_shorter_type_rounds_and_no_more(generator: torch.Generator) -> None:
    matrices = torch.randn(2, 16, 24, generator=generator)
    found = orthogonalised(matrices, 5, torch.bfloat16)
    assert found.dtype == torch.bfloat16
    assert torch.allclose(found.float(), orthogonalised(matrices, 5), atol=0.1)


def test_singular_vectors_stay(generator: torch.Generator) -> None:
    matrix = torch.randn(1, 6, 6, generator=generator)
    left, _, right = torch.linalg.svd(matrix)
    inside = left.transpose(1, 2) @ orthogonalised(matrix, 5) @ right.transpose(1, 2)
    assert torch.allclose(inside, torch.diag_embed(inside.diagonal(dim1=1, dim2=2)), atol=1e-4)


def test_no_gradient_no_update_and_a_zero_gradient_is_harmless() -> None:
    untouched = torch.nn.Parameter(torch.ones(3, 4))
    zero = torch.nn.Parameter(torch.ones(3, 3))
    zero.grad = torch.zeros(3, 3)
    Muon([untouched, zero], lr=0.1).step()
    assert torch.equal(untouched, torch.ones(3, 4))
    assert torch.equal(zero, torch.ones(3, 3))


def test_a_stack_is_so_many_matrices(generator: torch.Generator) -> None:
    gradients = torch.randn(4, 6, 3, generator=generator)
    stack = torch.nn.Parameter(torch.zeros(4, 6, 3))
    alone = [torch.nn.Parameter(torch.zeros(6, 3)) for _ in range(4)]
    stack.grad = gradients.clone()
    for parameter, gradient in zip(alone, gradients, strict=True):
        parameter.grad = gradient.clone()
    Muon([stack], lr=0.1).step()
    Muon(alone, lr=0.1).step()
    assert torch.allclose(stack, torch.stack(list(alone)), atol=1e-6)


@pytest.mark.parametrize('ranks', [2, 3, 20])
def test_ranks_share_the_matrices_out(ranks: int, generator: torch.Generator) -> None:
    shapes = [(4, 6, 3), (5, 8, 8), (3, 6), (1, 2, 2), (6, 3)]
    gradients = [torch.randn(shape, generator=generator) for shape in shapes]

    def muon() -> tuple[Muon, list[torch.nn.Parameter]]:
        parameters = [torch.nn.Parameter(torch.zeros_like(gradient)) for gradient in gradients]
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient.clone()
        return Muon(parameters, lr=0.1), parameters

    (whole, expected), (first, found) = muon(), muon()
    parts = [first, *(muon()[0] for _ in range(ranks - 1))]
    whole.step()
    for rank, part in enumerate(parts):
        part.find_updates(ranks, rank)
    for stacks in zip(*(part.updates for part in parts), strict=True):
        has_it = torch.stack([stack.flatten(1).any(dim=1) for stack in stacks])
        assert bool((has_it.sum(dim=0) == 1).all())  # each matrix is one rank's
        stacks[0].copy_(torch.stack(stacks).sum(dim=0))
    first.apply_updates()
    for own, other in zip(found, expected, strict=True):
        assert torch.allclose(own, other, atol=1e-6)


def test_updates_are_of_the_size_of_adams(generator: torch.Generator) -> None:
    parameter = torch.nn.Parameter(torch.zeros(32, 64))
    parameter.grad = torch.randn(32, 64, generator=generator)
    Muon([parameter], lr=0.1).step()
    assert float(parameter.detach().square().mean().sqrt()) == pytest.approx(0.02, rel=0.3)


def test_it_finds_a_least_squares_solution(generator: torch.Generator) -> None:
    target = torch.randn(8, 4, generator=generator)
    inputs = torch.randn(256, 8, generator=generator)
    weight = torch.nn.Parameter(torch.zeros(8, 4))
    optimizer = Muon([weight], lr=0.1)
    for step in range(400):
        optimizer.param_groups[0]['lr'] = 0.1 * (1 - step / 400)
        optimizer.zero_grad()
        (inputs @ (weight - target)).square().mean().backward()
        optimizer.step()
    assert torch.allclose(weight, target, atol=0.02)
