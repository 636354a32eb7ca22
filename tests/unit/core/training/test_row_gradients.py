"""Sums of clipped gradients of rows: their size, their noise, who has a part in them."""

from __future__ import annotations

import math

import pytest
import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn import transformer
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.secret import secret_normals, secret_uniforms
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import row_gradients
from sdv_tabdar.core.training.row_gradients import RowGradients, RowLoss, clipping_factors
from sdv_tabdar.core.training.trainer import initial_network

SETTINGS = ModelConfig(
    attention='bidirectional',
    width=8,
    num_blocks=1,
    num_heads=2,
    head_width=8,
    numerical_head='bins',
    precision='float32',
)
SCHEMA = TableSchema(
    (
        Column('a', ColumnKind.CATEGORICAL, (5, 3, 2)),
        Column(
            'b',
            ColumnKind.NUMERICAL,
            (4, 6),
            bins=range(1, 2),
            uniform=((0.0, 0.4), (0.4, 1.0)),
        ),
        Column('c', ColumnKind.CATEGORICAL, (7, 3)),
    )
)


def made(seed: int = 0) -> tuple[TabDARNetwork, EncodedTable]:
    generator = torch.Generator().manual_seed(seed)
    network = initial_network(SCHEMA, SETTINGS, generator)
    codes = torch.stack(
        [torch.randint(n, (12,), generator=generator) for n in (3, 2, 2)], dim=1
    ).to(torch.uint8)
    residuals = torch.randn(12, 1, generator=generator) * 0.5
    return network, EncodedTable(codes, residuals, torch.ones(12, 3, dtype=torch.bool))


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(5)


def test_gradients_are_those_of_single_rows() -> None:
    network, table = made()
    sides = torch.rand(4, 2, 3, generator=seeded()) < 0.5
    parameters = dict(RowLoss(network).named_parameters())
    of_rows = RowGradients(network, table, pairs=2)._of_rows(
        {name: value.detach() for name, value in parameters.items()},
        table.codes[:4].long(),
        table.residuals[:4],
        sides,
    )
    for row in range(4):
        loss = RowLoss(network)(table.codes[row].long(), table.residuals[row], sides[row])
        alone = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
        for (name, value), single in zip(parameters.items(), alone, strict=True):
            expected = torch.zeros_like(value) if single is None else single
            torch.testing.assert_close(of_rows[name][row], expected, rtol=1e-4, atol=1e-6)


def test_many_columns_are_learnt_without_a_word_of_torch(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    network, table = made()
    sums = []
    for many in (100, 1):  # keys from which attention is one fused call
        monkeypatch.setattr(transformer, '_MANY', many)
        gradients = RowGradients(network, table, pairs=2)
        sums.append(gradients.clipped_sum(torch.arange(12), generator=seeded()))
    for name, part in sums[0].items():
        torch.testing.assert_close(sums[1][name], part, rtol=1e-4, atol=1e-6)
    assert not recwarn


def test_a_row_has_a_part_of_norm_below_one_and_no_influence_on_that_of_others() -> None:
    network, table = made()
    gradients = RowGradients(network, table, pairs=2)
    one = gradients.clipped_sum(torch.tensor([3]), generator=seeded())
    norm = math.sqrt(sum(float(part.square().sum()) for part in one.values()))
    assert 0.5 < norm < 1

    other = EncodedTable(table.codes.clone(), table.residuals.clone(), table.observed)
    other.codes[4:] = 0
    same = RowGradients(network, other, pairs=2)
    for name, part in same.clipped_sum(torch.tensor([3]), generator=seeded()).items():
        assert torch.equal(part, one[name])


def test_the_sum_is_that_of_its_rows_however_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    network, table = made()
    rows = torch.arange(12)
    monkeypatch.setattr(row_gradients, 'own_sides', _all_seen_but_one)
    whole = RowGradients(network, table, pairs=1).clipped_sum(rows, generator=seeded())
    monkeypatch.setattr(row_gradients, '_CHUNK', 1)
    for name, part in (
        RowGradients(network, table, pairs=1).clipped_sum(rows, generator=seeded()).items()
    ):
        torch.testing.assert_close(part, whole[name], rtol=1e-4, atol=1e-6)


def _all_seen_but_one(shape: tuple[int, int, int], *, generator: torch.Generator) -> torch.Tensor:
    sides = torch.ones(shape, dtype=torch.bool)
    sides[..., 0] = False
    return sides


def test_hidden_sets_are_stratified_in_a_row_and_independent_between_rows() -> None:
    sides = row_gradients.own_sides((2_000, 4, 3), generator=seeded())
    seen = sides.sum(dim=2)
    assert torch.bincount(seen.flatten()).tolist() == [2_000] * 4  # each number once in each row
    first = row_gradients.own_sides((2_000, 1, 3), generator=seeded()).sum(dim=2)
    counts = torch.bincount(first.flatten())
    assert counts.tolist() != [500] * 4  # what stratified rows would have
    assert float(counts.float().std()) < 60
    assert sides.float().mean(dim=(0, 1)).tolist() == pytest.approx([0.5] * 3, abs=0.03)


def test_a_step_without_rows_is_noise_alone() -> None:
    network, table = made()
    total = RowGradients(network, table, 1).clipped_sum(torch.arange(0), generator=seeded())
    assert all(not part.any() for part in total.values())


def test_a_gradient_that_is_not_finite_has_no_part() -> None:
    found = clipping_factors({'a': torch.tensor([[1.0, 0.0], [math.inf, 0.0], [math.nan, 1.0]])})
    assert found.tolist() == pytest.approx([1 / 1.01, 0, 0])


def test_noise_has_its_size_and_sums_with_it_lie_on_a_grid() -> None:
    total = torch.full((40_000,), 0.3)
    noisy = row_gradients.noisy_sum(total, 2.0)
    assert float(noisy.std()) == pytest.approx(2.0, rel=0.02)
    assert float(noisy.mean()) == pytest.approx(0.3, abs=0.05)
    steps = noisy.double() / (2.0 * 2.0**-24)
    assert torch.equal(steps, steps.round())


def test_rows_are_in_a_step_by_poisson_sampling() -> None:
    number, rate = 2_000, 0.05
    steps = [row_gradients.rows_of_step(number, rate) for _ in range(400)]
    sizes = torch.tensor([len(rows) for rows in steps], dtype=torch.double)
    deviation = math.sqrt(number * rate * (1 - rate))
    # batches of a shuffled table would have one size, and no row twice in an epoch
    assert float(sizes.mean()) == pytest.approx(number * rate, abs=4 * deviation / 20)
    assert float(sizes.std()) == pytest.approx(deviation, rel=0.2)
    epoch = torch.cat(steps[:20])
    assert len(epoch.unique()) < len(epoch)


def test_secret_numbers_follow_their_laws_and_no_seed() -> None:
    uniforms, normals = secret_uniforms(50_001), secret_normals(50_001)
    assert len(uniforms) == len(normals) == 50_001
    assert float(uniforms.min()) > 0
    assert float(uniforms.max()) < 1
    assert float(uniforms.mean()) == pytest.approx(0.5, abs=0.01)
    assert float(normals.mean()) == pytest.approx(0, abs=0.03)
    assert float(normals.std()) == pytest.approx(1, abs=0.02)
    assert not torch.equal(secret_normals(5), secret_normals(5))
