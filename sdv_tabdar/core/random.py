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
