"""The check of the synthesizer's arguments, and of those of its methods."""

from __future__ import annotations

import dataclasses
import inspect
import numbers
import os
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rdt.errors import InvalidConfigError
from rdt.transformers import BaseTransformer
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.training.checkpoints import why_unwritable
from sdv_tabdar.paths import why_no_folder

_LEAST_EPSILON, _MOST_EPSILON = 0.01, 100.0
_LEAST_DELTA, _MOST_DELTA = 1e-15, 0.1
_LONGEST_VALUE = 80  # that a message shows
_MOST_ROWS = 1_000_000  # that protect_values may ask for


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
    protects = parameters['protect_values']
    whole = isinstance(protects, (int, np.integer))
    if not whole or (not isinstance(protects, bool) and not 2 <= protects <= _MOST_ROWS):
        raise SynthesizerInputError(
            f"Invalid value {protects!r} for parameter 'protect_values'. Please provide True or "
            f'False, or how many rows must share a value: a whole number from 2 to {_MOST_ROWS:,}.'
        )
    token = parameters['rare_token']
    if token is not None and not isinstance(token, str):
        raise SynthesizerInputError(
            f"Invalid value {token!r} for parameter 'rare_token'. Please provide text such as "
            "'_RARE_', or None."
        )
    _check_budget(parameters['epsilon'], parameters['delta'])
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
    valid &= locales is None or bool(listed)
    if locales is not None and not valid:
        raise SynthesizerInputError(
            f"Invalid value {locales!r} for parameter 'locales'. Please provide a list of "
            "locale names such as ['en_US'], at least one; or None for that one."
        )
    configs(parameters)


def _check_budget(epsilon: Any, delta: Any) -> None:
    """Refuse a privacy budget that is none."""

    def is_within(value: Any, low: float, high: float) -> bool:
        is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        return is_number and low <= value <= high

    if epsilon is not None and not is_within(epsilon, _LEAST_EPSILON, _MOST_EPSILON):
        raise SynthesizerInputError(
            f"Invalid value {epsilon!r} for parameter 'epsilon'. Please provide a number from "
            f'{_LEAST_EPSILON:g} to {_MOST_EPSILON:g}, or None for no guarantee.'
        )
    if delta is not None and (not is_within(delta, _LEAST_DELTA, _MOST_DELTA) or epsilon is None):
        raise SynthesizerInputError(
            f"Invalid value {delta!r} for parameter 'delta'. Please provide a number from "
            f"{_LEAST_DELTA:g} to {_MOST_DELTA:g} beside 'epsilon', less than 1 / rows; or None."
        )


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


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False.

    Raises:
        ValueError: If it is not.
    """
    if not isinstance(value, bool):
        raise ValueError(f"Parameter '{name}' must be True or False, however: {value!r}.")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse what is none of some words.

    Raises:
        ValueError: If it is not.
    """
    if value not in choices:
        raise ValueError(f"Parameter '{name}' must be one of {list(choices)}, however: {value!r}.")


def check_sample(num_rows: Any, return_rows: bool, output_folder_path: Any) -> None:
    """Refuse a number of rows that is none, and rows that go nowhere.

    Raises:
        ValueError: If it is one.
    """
    if num_rows is not None:  # SDV has its own words for None
        check_count('num_rows', num_rows, 0)
    if not return_rows and not output_folder_path:
        raise ValueError("Rows that are not returned must be written: give 'output_folder_path'.")


def check_drawing(max_tries_per_batch: Any, batch_size: Any, output_folder_path: Any) -> None:
    """Refuse what the methods that draw rows have in common, if it is not allowed.

    Raises:
        ValueError: If a count is no whole number of at least 1, or there can be no such folder.
        TypeError: If the folder is neither None nor a path.
    """
    check_count('max_tries_per_batch', max_tries_per_batch, 1)
    check_count('batch_size', batch_size, 1, optional=True)
    if output_folder_path is not None and not isinstance(output_folder_path, (str, os.PathLike)):
        raise TypeError(
            "Parameter 'output_folder_path' must be the path of a folder, or None, however: "
            f'{output_folder_path!r}.'
        )
    reason = why_no_folder(Path(output_folder_path)) if output_folder_path else ''
    if reason:
        raise ValueError(
            f"Parameter 'output_folder_path' must be the path of a folder, there or to be made, "
            f"however: '{output_folder_path}', as {reason}. Give another path."
        )


def check_training(on_epoch_end: Any, checkpoint_path: Any, warm_start: Any) -> None:
    """Refuse a callback that cannot be called, a checkpoint that cannot be written, and no flag.

    Raises:
        SynthesizerInputError: If it is one.
    """
    if on_epoch_end is not None and not callable(on_epoch_end):
        raise SynthesizerInputError(
            f"Parameter 'on_epoch_end' must be a function of one argument, or None, however: "
            f'{on_epoch_end!r}.'
        )
    if not isinstance(warm_start, bool):
        raise SynthesizerInputError(
            f"Parameter 'warm_start' must be True or False, however: {warm_start!r}."
        )
    if checkpoint_path is None:
        return
    if not isinstance(checkpoint_path, (str, os.PathLike)):
        raise SynthesizerInputError(
            f"Parameter 'checkpoint_path' must be the path of a file, or None, however: "
            f'{checkpoint_path!r}.'
        )
    reason = why_unwritable(Path(checkpoint_path))
    if reason:
        raise SynthesizerInputError(
            f"Parameter 'checkpoint_path' must be a file in a folder that exists and can be "
            f"written to, however: '{checkpoint_path}', as {reason}. Make the folder first, or "
            'give another path.'
        )


def check_column(value: Any) -> None:
    """Refuse what can be no name of a column.

    Raises:
        TypeError: If it cannot be hashed, as a list of names.
    """
    if not isinstance(value, Hashable):
        raise TypeError(f"Parameter 'column' must be the name of one column, however: {value!r}.")


def check_quantiles(value: Any) -> None:
    """Refuse quantiles that are no list of numbers; the model looks at their range.

    Raises:
        TypeError: If they are not.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(
            f"Parameter 'quantiles' must be a list of numbers from 0 to 1, however: {value!r}."
        )
    for level in value:
        if isinstance(level, bool) or not isinstance(level, numbers.Real):
            raise TypeError(
                f"Parameter 'quantiles' must be numbers from 0 to 1; among them is: {level!r}."
            )


def _shown(value: Any) -> str:
    """A value, or its kind where it would fill the screen."""
    shown = repr(value)
    return shown if len(shown) <= _LONGEST_VALUE else type(value).__name__


def check_metadata(value: Any) -> None:
    """Refuse what is no metadata of SDV, and a primary key that SDV takes for none.

    Raises:
        SynthesizerInputError: If it is not.
    """
    if not isinstance(value, Metadata):
        raise SynthesizerInputError(
            f"Parameter 'metadata' must be an sdv.metadata.Metadata, however: {_shown(value)}. A "
            'file is read by Metadata.load_from_json, a dictionary by '
            'Metadata.load_from_dict, and what a table has is found by '
            'Metadata.detect_from_dataframes.'
        )
    if any(table.primary_key == '' for table in value.tables.values()):
        raise SynthesizerInputError(
            "The primary key is the column with the empty name, '', which SDV takes for no key, so "
            'that keys would repeat. Give the column a name in the table (table.rename(columns='
            "{'': 'key'})) and in the metadata, or make it an alternate key."
        )


def check_transformers(value: Any, keys: Collection[str], columns: Collection[str]) -> None:
    """Refuse what is no dictionary of transformers; RDT looks at whether they suit their columns.

    Args:
        value: Transformers by column.
        keys: The table's keys.
        columns: All that may have one; none where this is not known yet.

    Raises:
        TypeError: If it is none, or what it has for a column is neither a transformer nor None.
        ValueError: If it has None for a key.
        rdt.errors.InvalidConfigError: If it has a column that is not there.
    """
    if not isinstance(value, Mapping):
        raise TypeError(
            "Parameter 'column_name_to_transformer' must be a dictionary of transformers by "
            f'column, however: {value!r}.'
        )
    unknown = [column for column in value if columns and column not in columns]
    if unknown and not any(isinstance(value[column], Mapping) for column in unknown):
        raise InvalidConfigError(
            f'There are no columns {unknown} that could have a transformer. Columns with one are '
            f'{list(columns)}.'
        )
    for column, transformer in value.items():
        if transformer is None and column in keys:
            raise ValueError(
                f"Column '{column}' is a key, which must have a transformer that generates new "
                'values, such as RegexGenerator or AnonymizedFaker, however: None.'
            )
        if transformer is not None and not isinstance(transformer, BaseTransformer):
            raise TypeError(
                f"The transformer of column '{column}' must be one of rdt.transformers, or None "
                f'for a column to be learnt as it is, however: {transformer!r}.'
            )


def check_constraints(value: Any) -> None:
    """Refuse constraints that are no list; SDV looks at what is in it.

    Raises:
        TypeError: If they are not.
    """
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"Parameter 'constraints' must be a list of constraints of sdv.cag, however: {value!r}."
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


def check_first_row(value: Any, seed: Any, block: int) -> None:
    """Refuse a first row at which no block begins.

    Args:
        value: The row.
        seed: The seed of the call.
        block: Rows of a block.

    Raises:
        ValueError: If it is no multiple of a block, or there is no seed.
    """
    check_count('first_row', value, 0)
    if value % block:
        raise ValueError(
            f"Parameter 'first_row' must be a multiple of the {block:,} rows of a block, however: "
            f'{value!r}.'
        )
    if value and seed is None:
        raise ValueError(
            "Parameter 'first_row' says which of the rows of a seed are meant; give 'seed'."
        )


def check_whole(shares: Any, first_row: Any) -> None:
    """Refuse shares of rows that are only a part.

    Raises:
        ValueError: If both are given.
    """
    if shares is not None and first_row:
        raise ValueError(
            "Parameter 'shares' is about all rows of a call, and 'first_row' asks for a part of "
            "them. Draw them all, or give each part its values by 'sample_remaining_columns'."
        )


def settings_text(parameters: Mapping[str, Any], constructor: Callable[..., Any]) -> str:
    """The arguments that are not a constructor's defaults, as they would be written.

    Args:
        parameters: Their values; those of another constructor count as well.
        constructor: The constructor.
    """
    declared = inspect.signature(constructor).parameters
    changed = {
        name: value
        for name, value in parameters.items()
        if name not in declared or value != declared[name].default
    }
    return ', '.join(f'{name}={value!r}' for name, value in changed.items())
