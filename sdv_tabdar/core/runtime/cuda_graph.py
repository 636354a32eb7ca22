"""CUDA graphs: the many small kernels of a training step, launched together.

A GPU finishes a kernel of this network sooner than Python launches the next. A recorded step is
launched as a whole. It has fixed shapes, always reads its argument from the same memory and writes
its results to the same memory; its random numbers continue from call to call.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import torch

Results = tuple[torch.Tensor, tuple[torch.Tensor, ...]]
Step = Callable[[torch.Tensor, torch.Generator], Results]

_logger = logging.getLogger(__name__)

_WARM_UPS = 3  # libraries choose and set up their kernels in the first calls
_TOLERANCE = 0.02  # of the loss: sums are not taken in the same order each time


class Recording:
    """A step, recorded once and replayed in each call.

    Args:
        step: From an argument to a loss and its gradients; all randomness is the generator's.
        argument: An example, of the shape that all arguments have.
        generator: A CUDA generator, of which a copy is used.

    Raises:
        RuntimeError: If something in the step cannot be recorded.
    """

    def __init__(self, step: Step, argument: torch.Tensor, generator: torch.Generator) -> None:
        """Run the step a few times, then record it."""
        self._argument = argument.clone()
        self._device = argument.device
        self.generator = torch.Generator(self._device)
        self.generator.set_state(generator.get_state())
        with torch.cuda.device(self._device):
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(_WARM_UPS):
                    step(self._argument, self.generator)
            torch.cuda.current_stream().wait_stream(side)
            self._graph = torch.cuda.CUDAGraph()
            self._graph.register_generator_state(self.generator)
            with torch.cuda.graph(self._graph):
                self._results = step(self._argument, self.generator)

    def __call__(self, argument: torch.Tensor) -> Results:
        """Loss and gradients for ``argument``; the next call overwrites them."""
        self._argument.copy_(argument)
        with torch.cuda.device(self._device):
            self._graph.replay()
        return self._results


def recorded(
    step: Step, argument: torch.Tensor, generator: torch.Generator
) -> Callable[[torch.Tensor], Results]:
    """The step with its generator: recorded on a GPU, where that works, else the step itself.

    A recording is used only if it gives the loss that the step itself gives from the same random
    state, and another loss in the next call.
    """

    def unrecorded(argument: torch.Tensor) -> Results:
        return step(argument, generator)

    if argument.device.type != 'cuda':
        return unrecorded
    try:
        recording = Recording(step, argument, generator)
    except RuntimeError as error:
        _logger.info('Training steps run without a CUDA graph: %s', error)
        return unrecorded
    recording.generator.set_state(generator.get_state())
    expected = float(unrecorded(argument)[0])
    first, second = (float(recording(argument)[0]) for _ in range(2))
    is_right = abs(first - expected) <= _TOLERANCE * abs(expected) and second != first
    if not is_right:
        _logger.info('Training steps run without a CUDA graph: it gives other losses.')
    return recording if is_right else unrecorded
