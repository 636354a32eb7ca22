"""Random generators: always passed, never global."""

from __future__ import annotations

import numpy as np
import torch

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
    seeds = torch.randint(2**62, (number,), generator=generator, device=generator.device)
    return [torch.Generator(generator.device).manual_seed(seed) for seed in seeds.tolist()]


def spread_uniforms(
    size: int,
    *,
    generator: torch.Generator,
    group: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """Uniform numbers ``(size,)``, one in each of ``size`` equal parts of [0, 1), in random order.

    With ``group``, so many numbers in a row are spread over as many parts, each group by itself.

    Each of them is uniform by itself, so that every row that uses one follows its law exactly;
    together they are spread more evenly than independent ones, and the shares and quantiles of a
    drawn column vary less about those of the model (stratified sampling; Owen 2013, 'Monte Carlo
    theory, methods and examples', section 8.4).
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


def spread_normals(
    size: int, *, generator: torch.Generator, group: int | None = None
) -> torch.Tensor:
    """Standard normal numbers ``(size,)``, spread like :func:`spread_uniforms`."""
    uniforms = spread_uniforms(size, generator=generator, group=group, dtype=torch.float64)
    return torch.special.ndtri(uniforms.clamp_min(1e-12)).float()
