"""Generators come from seeds, from generators and from CTGAN's pairs; nothing global moves."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sdv_tabdar.core.random import make_generator

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
