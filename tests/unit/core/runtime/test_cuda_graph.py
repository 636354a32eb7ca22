"""Recorded training steps: what a GPU asks of a step, and when a recording is not used.

Where there is no GPU, the device 'meta' stands for it: a step on it has no numbers, so that it
fails wherever a shape or a branch depends on one.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn import network as network_module
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_losses
from sdv_tabdar.core.runtime import cuda_graph as recording
from sdv_tabdar.core.runtime import random as random_module
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import likelihood
from sdv_tabdar.core.training.losses import batch_loss
from sdv_tabdar.core.training.muon import Muon

META = torch.device('meta')


class MetaGenerator(torch.Generator):
    """A generator that says it is on the device 'meta'."""

    device = META


class OneDevice(TorchDispatchMode):
    """Refuses operations on tensors of another device than 'meta', but for single numbers.

    And those in float64, which Apple's GPUs have not.
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        tensors = [t for t in tree_leaves((args, kwargs, result)) if isinstance(t, torch.Tensor)]
        assert {t.device for t in tensors if t.dim()} <= {META}, f'{func} leaves the device'
        assert torch.float64 not in {t.dtype for t in tensors}, f'{func} needs float64'
        return result


class NothingOfPython(TorchFunctionMode):
    """Refuses numbers of Python's that become a tensor: a copy to the GPU, which no graph takes."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, '__name__', '')
        made = name in ('tensor', 'as_tensor', 'asarray', 'from_numpy', 'new_tensor')
        picked = name in ('__getitem__', '__setitem__') and _has_list(args[1])
        assert not made, f'{name} copies to the GPU'
        assert not picked, f'an index {args[1]} copies to the GPU'
        return func(*args, **(kwargs or {}))


def _has_list(index: Any) -> bool:
    """Whether an index has places that are no tensor."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(part, (list, range, np.ndarray)) for part in parts)


def _network(schema: TableSchema, config: ModelConfig) -> TabDARNetwork:
    with torch.random.fork_rng(devices=[]):
        return TabDARNetwork(schema, config)


@pytest.mark.parametrize('weighting', ['order', 'sum'])
@pytest.mark.parametrize('attention', ['bidirectional', 'causal'])
@pytest.mark.parametrize('order', ['random', 'fixed'])
def test_a_step_of_fixed_shapes_neither_waits_nor_leaves_the_device_nor_copies_to_it(
    encoded: EncodedTable,
    encoder: TableEncoder,
    tiny: ModelConfig,
    attention: str,
    order: str,
    weighting: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(random_module, 'has_float64', lambda device: device.type == 'cpu')
    config = dataclasses.replace(tiny, column_order=order, attention=attention)
    network = _network(encoder.schema, config).to(META)
    table = encoded.to(META)
    optimizer = Muon(network.hidden_matrices(), lr=1e-3)
    parameters = list(network.parameters())
    weights = torch.zeros(table.codes.shape[1], device=META)
    with OneDevice(), NothingOfPython():
        rows = table.rows(torch.arange(32, device=META))
        settings = TrainingConfig(loss_weighting=weighting)
        loss = batch_loss(network, rows, settings, generator=MetaGenerator(), log_weights=weights)
        gradients = torch.autograd.grad(loss, parameters, materialize_grads=True)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        optimizer.step()

    assert loss.shape == ()


class NoFloat64(TorchDispatchMode):
    """Refuses numbers of 64 bits, which Apple's GPUs have not."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        found = [t for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
        assert torch.float64 not in {t.dtype for t in found}, f'{func} needs float64'
        return result


def test_an_evaluation_of_held_out_rows_needs_no_float64(
    encoded: EncodedTable, network: TabDARNetwork
) -> None:
    """It waits for numbers, so that the device 'meta' cannot show it."""
    rows = encoded.rows(slice(32))
    with torch.no_grad(), NoFloat64():
        codes, _ = likelihood._cell_losses(network, rows, torch.zeros(rows.codes.shape).long())
    assert codes.shape == (encoded.codes.shape[1], 32)


@pytest.fixture
def fixed_shapes(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Decides whether losses on the CPU have fixed shapes."""
    return lambda fixed: monkeypatch.setattr(
        network_module, 'shapes_are_fixed', lambda device: fixed
    )


def test_fixed_shapes_give_the_same_losses(
    tiny: ModelConfig, fixed_shapes: Callable[[bool], None]
) -> None:
    """Where all numbers lie in bins nothing is left out, and the noise is the same."""
    span = ((0.0, 0.5), (0.5, 1.0))
    number = Column('x', ColumnKind.NUMERICAL, (32, 32), bins=range(2), uniform=span)
    level = Column('y', ColumnKind.CATEGORICAL, (32, 32))
    random = torch.Generator().manual_seed(0)
    codes = torch.randint(2, (64, 2), generator=random)
    known = torch.zeros(32, 2, dtype=torch.bool)
    known[:16, 0], known[8:24, 1] = True, True
    table = EncodedTable(codes, torch.randn(64, 1, generator=random), torch.cat([known, ~known]))
    network = _network(TableSchema((number, level)), tiny)
    found = []
    for fixed in (True, False):
        fixed_shapes(fixed)
        generator = torch.Generator().manual_seed(1)
        found.append(pair_losses(network, table, noise_draws=4, generator=generator))

    assert torch.allclose(*found)


def test_fixed_shapes_leave_out_what_has_no_residual(
    encoded: EncodedTable,
    encoder: TableEncoder,
    tiny: ModelConfig,
    fixed_shapes: Callable[[bool], None],
) -> None:
    network = _network(encoder.schema, tiny)
    nothing = dataclasses.replace(encoded, observed=torch.zeros_like(encoded.observed))
    found = []
    for fixed in (True, False):
        fixed_shapes(fixed)
        generator = torch.Generator().manual_seed(1)
        found.append(network.losses(nothing, noise_draws=64, generator=generator))

    columns = encoder.schema.columns
    in_bin = torch.stack(
        [torch.isin(encoded.codes[:, i], torch.tensor(list(c.bins))) for i, c in enumerate(columns)]
    ).t()
    assert torch.equal(found[0][~in_bin], found[1][~in_bin])
    assert torch.isclose(found[0][in_bin].mean(), found[1][in_bin].mean(), rtol=0.05)


Step = Callable[[torch.Tensor], recording.Results]


def _drawn(argument: Any, generator: torch.Generator) -> recording.Results:
    return 1 + torch.rand((), generator=generator), ()


class Right:
    """A recording as it should be."""

    def __init__(self, step: recording.Step, argument: Any, generator: torch.Generator) -> None:
        self.generator = torch.Generator()
        self._step = step

    def __call__(self, argument: Any) -> recording.Results:
        return self._step(argument, self.generator)


class Stuck(Right):
    """One that draws the same numbers each time."""

    def __call__(self, argument: Any) -> recording.Results:
        return self._step(argument, torch.Generator().manual_seed(0))


class Other(Right):
    """One that computes something else."""

    def __call__(self, argument: Any) -> recording.Results:
        loss, gradients = super().__call__(argument)
        return loss + 1, gradients


def _refusing(*_: object) -> None:
    raise RuntimeError('operation not permitted when stream is capturing')


@pytest.fixture
def on_gpu() -> Iterator[Any]:
    """An argument that says it is on a GPU."""
    return SimpleNamespace(device=torch.device('cuda'))


@pytest.mark.parametrize('kind', [Stuck, Other, _refusing])
def test_what_cannot_be_recorded_runs_as_it_is(
    on_gpu: Any, kind: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(recording, 'Recording', kind)
    caplog.set_level(logging.INFO, logger='sdv_tabdar')
    step = recording.recorded(_drawn, on_gpu, torch.Generator().manual_seed(0))

    assert not isinstance(step, Right)
    assert 'run without a CUDA graph' in caplog.text
    assert 1 <= float(step(on_gpu)[0]) < 2


def test_a_right_recording_is_used(on_gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, 'Recording', Right)
    step = recording.recorded(_drawn, on_gpu, torch.Generator().manual_seed(0))

    assert isinstance(step, Right)


def test_a_step_on_the_cpu_is_not_recorded() -> None:
    step = recording.recorded(_drawn, torch.zeros(1), torch.Generator().manual_seed(0))
    expected = _drawn(None, torch.Generator().manual_seed(0))

    assert torch.equal(step(torch.zeros(1))[0], expected[0])


@pytest.mark.skipif(not torch.cuda.is_available(), reason='needs a GPU')
def test_a_recording_on_a_gpu() -> None:
    device = torch.device('cuda')

    def step(argument: torch.Tensor, generator: torch.Generator) -> recording.Results:
        noise = torch.rand(4, device=device, generator=generator)
        return (argument + noise).sum(), (argument * 2,)

    generator = torch.Generator(device).manual_seed(0)
    found = recording.recorded(step, torch.ones(4, device=device), generator)

    assert isinstance(found, recording.Recording)
    loss, (gradient,) = found(torch.full((4,), 3.0, device=device))
    assert 12 <= float(loss) <= 16
    assert gradient.tolist() == [6.0] * 4


@pytest.mark.skipif(not torch.cuda.is_available(), reason='needs a GPU')
@pytest.mark.parametrize('attention', ['bidirectional', 'causal'])
def test_a_step_of_the_network_is_recorded_on_a_gpu(
    encoded: EncodedTable, encoder: TableEncoder, tiny: ModelConfig, attention: str
) -> None:
    device = torch.device('cuda')
    config = dataclasses.replace(tiny, attention=attention)
    network, table = _network(encoder.schema, config).to(device), encoded.to(device)
    parameters = list(network.parameters())

    def step(rows: torch.Tensor, generator: torch.Generator) -> recording.Results:
        loss = batch_loss(network, table.rows(rows), TrainingConfig(), generator=generator)
        return loss.detach(), torch.autograd.grad(loss, parameters, materialize_grads=True)

    generator = torch.Generator(device).manual_seed(0)
    found = recording.recorded(step, torch.arange(32, device=device), generator)
    assert isinstance(found, recording.Recording)
