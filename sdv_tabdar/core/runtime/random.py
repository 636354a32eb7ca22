"""Random generators: always passed, never global."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch

from sdv_tabdar.core.runtime.device import has_float64

_LEAST = 1e-7  # of a uniform number in float32, whose quantile is finite

_global_generator = threading.Lock()

RandomState = int | None | tuple[np.random.RandomState, torch.Generator] | torch.Generator


def make_generator(state: RandomState, device: torch.device) -> torch.Generator:
    """A generator on ``device``.

    Args:
        state: A seed; None for a seed from the operating system; a generator; or the pair that
            CTGAN's models take, of which the torch half is used.
        device: Where random numbers are to be drawn.

    Raises:
        TypeError: If ``state`` is none of these.
    """
    if isinstance(state, tuple):
        state = state[1]
    if isinstance(state, torch.Generator):
        if state.device.type == device.type:
            return state
        state = state.initial_seed()
    generator = torch.Generator(device=device)
    if state is None:
        generator.seed()
    elif isinstance(state, (int, np.integer)) and not isinstance(state, bool):
        generator.manual_seed(int(state))
    else:
        raise TypeError(
            f'A random state must be an integer seed, None or a torch.Generator, however: '
            f'{state!r}.'
        )
    return generator


def split_generator(generator: torch.Generator, number: int) -> list[torch.Generator]:
    """``number`` generators on its device, with seeds drawn from ``generator``."""
    seeds = drawn_seeds(generator, number)
    return [torch.Generator(generator.device).manual_seed(seed) for seed in seeds]


def drawn_seeds(generator: torch.Generator, number: int) -> list[int]:
    """So many seeds, drawn from a generator."""
    device = generator.device
    if device.type == 'mps':  # whole numbers of 32 bits are the longest that it draws
        halves = torch.randint(2**31 - 1, (number, 2), generator=generator, device=device)
        return [high * 2**31 + low for high, low in halves.tolist()]
    drawn: list[int] = torch.randint(2**62, (number,), generator=generator, device=device).tolist()
    return drawn


def uniform_numbers(count: int, *, generator: torch.Generator) -> npt.NDArray[np.float64]:
    """Uniform numbers ``(count,)`` in [0, 1)."""
    drawn = torch.rand(count, generator=generator, device=generator.device, dtype=torch.float64)
    numbers: npt.NDArray[np.float64] = drawn.cpu().numpy()
    return numbers


@contextlib.contextmanager
def default_generator_at(seed: int) -> Iterator[None]:
    """Within it torch's default generator on the CPU starts at ``seed``; afterwards it goes on.

    For what draws from no other generator, such as the initial weights of torch's modules. One
    thread at a time, because the default generator is one for all.
    """
    with _global_generator, torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would seed GPUs as well
        yield


def stratified_uniforms(
    size: int,
    *,
    generator: torch.Generator,
    group: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """Uniform numbers ``(size,)``, one in each of ``size`` equal parts of [0, 1), in random order.

    Each number is uniform by itself, so that a row that uses one has exactly the distribution
    that it should have. Together they are more even than independent numbers, and the shares and
    quantiles of a drawn column vary less about those of the model (stratified sampling; Owen 2013,
    'Monte Carlo theory, methods and examples', section 8.4).

    Args:
        size: How many numbers.
        generator: Source of randomness; its device is the result's.
        group: Stratify every so many consecutive numbers by themselves instead of all together.
        dtype: Floating point type of the result.
    """
    device = generator.device
    parts = group or max(size, 1)
    if group is None:
        places = torch.randperm(size, generator=generator, device=device)
    else:
        scores = torch.rand(-(-size // group), group, generator=generator, device=device)
        places = scores.argsort(dim=1).flatten()[:size]
    inside = torch.rand(size, generator=generator, device=device, dtype=dtype)
    # Rounding may take the last part up to 1 itself.
    return ((places.to(dtype) + inside) / parts).clamp_max(1 - torch.finfo(dtype).eps)


def stratified_normals(
    size: int, *, generator: torch.Generator, group: int | None = None
) -> torch.Tensor:
    """Standard normal numbers ``(size,)``, stratified like :func:`stratified_uniforms`.

    Where there is no float64 they end at about five standard deviations.
    """
    if not has_float64(generator.device):
        uniforms = stratified_uniforms(size, generator=generator, group=group)
        return math.sqrt(2) * torch.erfinv(2 * uniforms.clamp_min(_LEAST) - 1)
    uniforms = stratified_uniforms(size, generator=generator, group=group, dtype=torch.float64)
    return torch.special.ndtri(uniforms.clamp_min(1e-12)).float()
