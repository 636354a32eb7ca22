"""How far a synthesizer has come, and putting it back as it was."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from sdv_tabdar.adapter.private_names.copies import copied

# What SDV's `fit` changes without replacing it.
_FITTED_IN_PLACE = ('_data_processor', '_chained_constraints', '_reject_sampling_constraints')


def is_fitted(synth: Any) -> bool:
    """Whether SDV regards the synthesizer as fitted."""
    return bool(synth._fitted)


def model(synth: Any) -> Any:
    """The trained model; None if there is nothing to learn."""
    return synth._model


def is_preprocessed(synth: Any) -> bool:
    """Whether ``preprocess`` has run, without which processed data cannot be turned back."""
    return bool(synth._data_processor.fitted)


@contextlib.contextmanager
def unchanged(synth: Any, *, if_it_works: bool = False) -> Iterator[None]:
    """Put a synthesizer back as it was before if what is done within fails or is interrupted.

    SDV fits transformers and constraints in place. A synthesizer that has not learnt anything yet
    has nothing to lose, and is left as SDV leaves it.

    Args:
        synth: The synthesizer.
        if_it_works: Whether to put it back in any case.
    """
    if not is_fitted(synth) and not is_preprocessed(synth):
        yield
        return
    in_place = {name: vars(synth)[name] for name in _FITTED_IN_PLACE}
    before = {**vars(synth), **copied(in_place)}
    works = False
    try:
        yield
        works = True
    finally:
        if if_it_works or not works:
            vars(synth).clear()
            vars(synth).update(before)
