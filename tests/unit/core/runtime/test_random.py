"""Generators come from seeds, from generators and from CTGAN's pairs; nothing global moves."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from sdv_tabdar.core.runtime import random as random_module
from sdv_tabdar.core.runtime.random import (
    default_generator_at,
    make_generator,
    stratified_normals,
    stratified_uniforms,
)

CPU = torch.device('cpu')


def _numpy_key() -> np.ndarray:
    """State of NumPy's global generator."""
    key: np.ndarray = np.random.get_state(legacy=False)['state']['key'].copy()
    return key


def _draw(generator: torch.Generator) -> list[float]:
    return torch.rand(4, generator=generator).tolist()


@pytest.mark.parametrize('seed', [0, 5, np.int64(5), 2**62])
def test_same_seed_same_numbers(seed: int) -> None:
    assert _draw(make_generator(seed, CPU)) == _draw(make_generator(int(seed), CPU))


def test_normal_numbers_without_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for there in (True, False):
        monkeypatch.setattr(random_module, 'has_float64', lambda device, there=there: there)
        generator = torch.Generator().manual_seed(0)
        found.append(stratified_normals(20_000, generator=generator).sort().values)
    assert bool(found[1].isfinite().all())
    assert torch.allclose(found[0][5:-5], found[1][5:-5], atol=0.1)


def test_other_seed_other_numbers() -> None:
    assert _draw(make_generator(1, CPU)) != _draw(make_generator(2, CPU))


def test_none_is_a_fresh_seed() -> None:
    assert _draw(make_generator(None, CPU)) != _draw(make_generator(None, CPU))


def test_a_generator_of_the_same_device_is_used_as_it_is() -> None:
    generator = torch.Generator().manual_seed(4)
    assert make_generator(generator, CPU) is generator


def test_of_a_pair_the_torch_half_is_used() -> None:
    generator = torch.Generator().manual_seed(4)
    assert make_generator((np.random.RandomState(1), generator), CPU) is generator


@pytest.mark.parametrize('state', ['1', 1.5, True, np.random.RandomState(1)])
def test_anything_else_is_an_error(state: object) -> None:
    with pytest.raises(TypeError, match='must be an integer seed, None or a torch.Generator'):
        make_generator(state, CPU)  # type: ignore[arg-type]


def test_global_states_stay_as_they_were() -> None:
    before_torch, before_numpy = torch.get_rng_state(), _numpy_key()
    make_generator(3, CPU)
    make_generator(None, CPU)
    assert torch.equal(torch.get_rng_state(), before_torch)
    assert np.array_equal(_numpy_key(), before_numpy)


def test_stratified_uniforms_are_one_in_each_part(generator: torch.Generator) -> None:
    numbers = stratified_uniforms(1000, generator=generator)
    assert torch.equal((numbers * 1000).long().sort().values, torch.arange(1000))
    assert float(numbers.diff().abs().mean()) == pytest.approx(1 / 3, abs=0.03)  # order is random


@pytest.mark.parametrize('size', [40, 37])
def test_groups_are_stratified_each_by_itself(size: int, generator: torch.Generator) -> None:
    numbers = stratified_uniforms(size, generator=generator, group=10)
    assert numbers.shape == (size,)
    for group in numbers.split(10):
        parts = (group * 10).long()
        assert len(parts.unique()) == len(parts)
    assert not torch.equal(numbers[:10].argsort(), numbers[10:20].argsort())


def test_a_stratified_uniform_is_uniform_by_itself(generator: torch.Generator) -> None:
    first = torch.stack([stratified_uniforms(3, generator=generator)[0] for _ in range(3000)])
    for place in (0.1, 0.5, 0.8):
        share = float((first < place).float().mean())
        assert share == pytest.approx(place, abs=4 * (place * (1 - place) / 3000) ** 0.5)


@pytest.mark.parametrize('size', [0, 1, 7])
def test_stratified_numbers_of_any_size_are_finite(size: int, generator: torch.Generator) -> None:
    assert stratified_uniforms(size, generator=generator).shape == (size,)
    assert bool(stratified_normals(size, generator=generator).isfinite().all())


def test_torchs_default_generator_is_lent_to_one_thread_at_a_time() -> None:
    """Four threads at once draw what one alone does, and the generator is as it was."""
    before = torch.get_rng_state()
    start = threading.Barrier(4)

    def drawn() -> list[float]:
        start.wait()
        found = []
        with default_generator_at(3):
            for _ in range(50):
                found += torch.rand(1).tolist()
                time.sleep(0)
        return found

    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(drawn) for _ in range(4)]
        numbers = [task.result() for task in tasks]
    assert all(found == numbers[0] for found in numbers)
    assert torch.equal(torch.get_rng_state(), before)
