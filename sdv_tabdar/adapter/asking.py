"""The model asked to complete a request, with errors that name what was asked."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

import pandas as pd
from sdv.errors import SamplingError

from sdv_tabdar.adapter.global_generators import others_turn
from sdv_tabdar.adapter.made_columns import in_users_words, made_columns
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import NothingAllowedError

_FEW_PARTICLES = 2.0  # an effective sample size below this is worth a warning


def ask(
    model: TabDAR,
    request: Request,
    num_particles: int | None = None,
    num_copies: int = 1,
) -> pd.DataFrame:
    """The model's completion of a request, with errors that name what was asked.

    Args:
        model: The model.
        request: What is known.
        num_particles: In place of the model's setting.
        num_copies: How many rows in a row are the same, to be averaged.

    Raises:
        ValueError: If the model cannot meet a restriction.
        SamplingError: If torch lacks an operation on this device.
    """
    try:
        with others_turn(), in_words(request):
            completed = model.complete(
                request.frame,
                request.observed,
                restrictions=request.restrictions,
                num_particles=num_particles,
                num_copies=num_copies,
            )
    except NotImplementedError as error:
        raise missing_operation(error) from error
    depleted = int((completed.effective_sample_size < _FEW_PARTICLES).sum())
    if depleted and num_particles != 1:
        warnings.warn(
            f'In {depleted} rows the conditions are so unlikely together that their '
            f'{model.sampling.num_particles} trial draws are worth fewer than {_FEW_PARTICLES:g} '
            "independent ones. Their conditions are met; fit with a larger 'num_particles' for a "
            'law of the other columns that is closer to the exact one.',
            stacklevel=2,
        )
    return completed.rows


@contextlib.contextmanager
def in_words(request: Request) -> Iterator[None]:
    """Within it, what the model refuses is refused for the task, by the user's columns.

    Raises:
        ValueError: In place of the model's own.
    """
    try:
        yield
    except NothingAllowedError as error:
        raise ValueError(f'{request.task.value}: {request.refusal(error)}') from error
    except ValueError as error:
        message = in_users_words(error, made_columns(request.table))
        raise ValueError(f'{request.task.value}: {message}') from error


def missing_operation(error: NotImplementedError) -> SamplingError:
    """What to raise in place of torch's NotImplementedError.

    SDV takes that class for 'this synthesizer cannot condition' and would go on to draw rows
    without the conditions until some happen to meet them.
    """
    return SamplingError(
        f'torch cannot run the model on this device: {error}. Load or fit the synthesizer with '
        'enable_gpu=False.'
    )
