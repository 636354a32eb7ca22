"""The check of the synthesizer's arguments, and of those of its methods."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
from sdv.errors import SynthesizerInputError

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse arguments of the constructor that are not allowed.

    Raises:
        SynthesizerInputError: In SDV's words.
    """
    for name in ('verbose', 'enable_gpu'):
        if not isinstance(parameters[name], bool):
            raise SynthesizerInputError(
                f"Invalid value '{parameters[name]}' for parameter '{name}'. Please provide True "
                'or False.'
            )
    state = parameters['random_state']
    whole = isinstance(state, (int, np.integer)) and not isinstance(state, bool)
    if state is not None and (not whole or not 0 <= state < 2**63):
        raise SynthesizerInputError(
            f"Invalid value {state!r} for parameter 'random_state'. Please provide a whole "
            'number from 0 to 2**63 - 1, or None.'
        )
    locales = parameters['locales']
    listed = [locales] if isinstance(locales, str) else locales
    valid = isinstance(listed, (list, tuple)) and all(isinstance(n, str) for n in listed)
    if locales is not None and not valid:
        raise SynthesizerInputError(
            f"Invalid value {locales!r} for parameter 'locales'. Please provide a list of "
            "locale names such as ['en_US']."
        )
    configs(parameters)


def configs(parameters: Mapping[str, Any]) -> tuple[ModelConfig, TrainingConfig, SamplingConfig]:
    """The settings objects that the arguments of the constructor fill.

    Raises:
        SynthesizerInputError: If a hyperparameter has a value that is not allowed.
    """

    def fields_of(config: type[Any]) -> dict[str, Any]:
        return {field.name: parameters[field.name] for field in dataclasses.fields(config)}

    try:
        return (
            ModelConfig(**fields_of(ModelConfig)),
            TrainingConfig(**fields_of(TrainingConfig)),
            SamplingConfig(**fields_of(SamplingConfig)),
        )
    except (TypeError, ValueError) as error:
        raise SynthesizerInputError(f'Invalid parameter: {error}') from error


def check_count(name: str, value: Any, minimum: int, *, optional: bool = False) -> None:
    """Refuse a count that is no whole number or too small.

    Args:
        name: Name of the parameter.
        value: Its value.
        minimum: Least value.
        optional: Whether None passes.

    Raises:
        ValueError: If it is.
    """
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < minimum:
        raise ValueError(
            f"Parameter '{name}' must be a whole number of at least {minimum}, however: {value!r}."
        )


def check_seed(value: Any) -> None:
    """Refuse a seed for drawing that is none.

    Raises:
        ValueError: If it is neither None nor a whole number from 0 to 2**63 - 1.
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if value is not None and (not whole or not 0 <= value < 2**63):
        raise ValueError(
            f"Parameter 'seed' must be a whole number from 0 to 2**63 - 1, or None, however: "
            f'{value!r}.'
        )
