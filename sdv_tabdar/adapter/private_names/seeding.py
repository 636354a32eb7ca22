"""The random numbers of sampling: those of the model and those of generated columns."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from rdt.transformers import BaseTransformer
from sdv.single_table.base import FIXED_RNG_SEED


def seed_sampling(synth: Any, seed: int = FIXED_RNG_SEED) -> None:
    """Start the model's random numbers as SDV does, once after ``fit`` and ``reset_sampling``."""
    if synth._model is not None and not synth._random_state_set:
        synth._set_random_state(seed)


def forget_sampling_state(synth: Any) -> None:
    """Make the next sampling call start anew, as ``fit`` does; ``fit_processed_data`` does not."""
    synth._random_state_set = False


@contextlib.contextmanager
def seeded_sampling(synth: Any, seed: int) -> Iterator[None]:
    """Within it all that is drawn starts at a seed; afterwards the synthesizer goes on as before.

    Generated columns are part of it, by copies of their transformers. RDT's generators of running
    numbers and of patterns start from the first value.
    """
    processor, was_set = synth._data_processor, synth._random_state_set
    synth._data_processor = copy.copy(processor)
    synth._data_processor._hyper_transformer = copy.deepcopy(processor._hyper_transformer)
    for transformer in synth._data_processor._hyper_transformer.field_transformers.values():
        if transformer is not None:
            _start_at(transformer, seed)
    synth._random_state_set = True
    model = synth._model
    try:
        with contextlib.nullcontext() if model is None else model.seeded(seed):
            yield
    finally:
        synth._data_processor, synth._random_state_set = processor, was_set


def _start_at(transformer: BaseTransformer, seed: int) -> None:
    """Start a transformer's random numbers at a seed of the user's and the column's own."""
    for name in ('random_seed', '_faker_random_seed'):
        own = getattr(transformer, name, None)
        if own is not None:
            mixed = np.random.SeedSequence([seed, own]).generate_state(1)
            setattr(transformer, name, int(mixed[0]))
    for name in ('_unique_categories', '_unique_regex_values'):
        if hasattr(transformer, name):
            setattr(transformer, name, None)  # drawn by the first call otherwise, for all others
    transformer.reset_randomization()
