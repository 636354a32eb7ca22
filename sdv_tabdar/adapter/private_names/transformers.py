"""What the transformer of a column makes of it, and the columns that generators make."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from rdt.transformers import (
    AnonymizedFaker,
    BaseTransformer,
    BinaryEncoder,
    FloatFormatter,
    LabelEncoder,
    OneHotEncoder,
    OrderedLabelEncoder,
    PseudoAnonymizedFaker,
    UnixTimestampEncoder,
)

Outputs = dict[str, tuple[Hashable, BaseTransformer | None]]


def outputs(synth: Any) -> Outputs:
    """For each column of the processed table, the column it comes from and its transformer.

    A field is a tuple of names where one transformer handles several columns.
    """
    found: Outputs = {}
    transformers = synth._data_processor._hyper_transformer.field_transformers
    for field, transformer in transformers.items():
        names = [field] if transformer is None else transformer.get_output_columns()
        for name in names:
            found[str(name)] = (field, transformer)
    return found


def transformed_columns(synth: Any) -> list[str]:
    """The columns that have a transformer, or None for one; none before these are assigned."""
    fields = synth._data_processor._hyper_transformer.field_transformers
    return [name for field in fields for name in ([field] if isinstance(field, str) else field)]


def gives_categories(name: str, transformer: BaseTransformer) -> bool | None:
    """Whether a transformer's output is a code (True), a number (False) or unclear (None)."""
    if isinstance(transformer, (LabelEncoder, OrderedLabelEncoder)):
        return not getattr(transformer, 'add_noise', False)
    if isinstance(transformer, (BinaryEncoder, OneHotEncoder)):
        return True
    if name.endswith('.is_null') and name not in transformer.columns:
        return True
    return {'float': False, 'categorical': True}.get(transformer.get_output_sdtypes().get(name))


def learn_counts(synth: Any, num_rows: int, missing: Mapping[Hashable, float]) -> None:
    """Let generators know of all rows what they have learnt of some.

    Args:
        synth: The synthesizer.
        num_rows: How many rows there are.
        missing: Share of missing cells of the user's columns.
    """
    transformers = synth._data_processor._hyper_transformer.field_transformers
    shares = {str(name): share for name, share in missing.items()}
    for name, transformer in transformers.items():
        if getattr(transformer, 'data_length', None) is not None:
            transformer.data_length = num_rows
        if getattr(transformer, '_nan_frequency', 0.0) and name in shares:
            transformer._nan_frequency = shares[str(name)]


def set_limits(synth: Any, limits: Mapping[str, tuple[float, float]]) -> None:
    """Let the transformers of some columns keep drawn numbers within other limits.

    Args:
        synth: The synthesizer.
        limits: Least and greatest number of a column, as the transformer gives them.
    """
    for name, (field, transformer) in outputs(synth).items():
        if name == field and name in limits and isinstance(transformer, FloatFormatter):
            low, high = limits[name]
            if transformer.enforce_min_max_values and low <= high:
                transformer._min_value, transformer._max_value = low, high


def limits_kept(synth: Any) -> dict[str, tuple[float, float]]:
    """Within which limits transformers and formatters keep numbers and dates, by their columns."""
    return {name: (one._min_value, one._max_value) for name, one in _limiting(synth)}


def widen_limits(synth: Any, limits: Mapping[str, tuple[float, float]]) -> None:
    """Let these keep what is within their own limits, or within others, as it is."""
    for name, one in _limiting(synth):
        if name in limits:
            low, high = limits[name]
            one._min_value, one._max_value = (
                np.fmin(one._min_value, low),
                np.fmax(one._max_value, high),
            )


def _limiting(synth: Any) -> Iterator[tuple[str, Any]]:
    """What cuts columns to a range that it has learnt; dates are their nanoseconds there."""
    found: list[tuple[str, Any]] = [
        (name, transformer)
        for name, (field, transformer) in outputs(synth).items()
        if name == field and isinstance(transformer, FloatFormatter | UnixTimestampEncoder)
    ]
    found += synth._data_processor.formatters.items()
    yield from (pair for pair in found if getattr(pair[1], '_min_value', None) is not None)


def encodes_levels(transformer: BaseTransformer) -> bool:
    """Whether the transformer writes levels as numbers, of which a mean is meaningless."""
    return not {'numerical', 'datetime'} & set(transformer.get_supported_sdtypes())


def keeps_order(transformer: BaseTransformer | None) -> bool:
    """Whether the transformer passes numbers or dates on unchanged, so that ranges stay ranges."""
    return type(transformer) in (FloatFormatter, UnixTimestampEncoder)


def unchanged_numbers(synth: Any) -> list[str]:
    """The columns of numbers that the model learns as the user has them."""
    return [
        name
        for name, (field, transformer) in outputs(synth).items()
        if name == field and type(transformer) is FloatFormatter
    ]


def transform_cells(cells: pd.DataFrame, transformer: BaseTransformer | None) -> pd.DataFrame:
    """Transform the columns of one field.

    SDV's ``transform`` would go through the transformers of all columns each time.
    """
    transformed: pd.DataFrame = cells if transformer is None else transformer.transform(cells)
    return transformed


def is_generated(synth: Any, column: str) -> bool:
    """Whether a generator makes the column: a key, personal data, a formatted id.

    Pseudonyms are learnt, though RDT counts what writes them as a generator.
    """
    transformer = synth._data_processor._hyper_transformer.field_transformers.get(column)
    if transformer is None or isinstance(transformer, PseudoAnonymizedFaker):
        return False
    return bool(transformer.is_generator())


def plain_ids(synth: Any) -> list[str]:
    """Columns of ids of which SDV knows no pattern, so that it makes texts of random letters."""
    transformers = synth._data_processor._hyper_transformer.field_transformers
    return [
        name
        for name, transformer in transformers.items()
        if isinstance(transformer, AnonymizedFaker)
        and transformer.function_name == 'bothify'
        and transformer.function_kwargs.get('text', '').startswith('sdv-id-')
    ]


def may_have_gaps(synth: Any, column: str) -> bool:
    """Whether a generator makes the column, and is not told to leave no cell of it missing."""
    if not is_generated(synth, column):
        return False
    transformer = synth._data_processor._hyper_transformer.field_transformers[column]
    is_faker = isinstance(transformer, AnonymizedFaker)
    return not is_faker or transformer.missing_value_generation is not None


def pseudonyms(synth: Any) -> dict[str, dict[Hashable, Hashable]]:
    """For columns whose transformer keeps each real value, the pseudonym that stands for each."""
    transformers = synth._data_processor._hyper_transformer.field_transformers
    return {
        str(name): transformer.get_mapping()
        for name, transformer in transformers.items()
        if isinstance(transformer, PseudoAnonymizedFaker)
    }


def mapped_columns(synth: Any) -> set[str]:
    """Columns of which all values must be known before a row is transformed, as far as assigned.

    They are those that get pseudonyms, and those that are learnt as they are.
    """
    transformers = synth._data_processor._hyper_transformer.field_transformers
    return {
        str(name)
        for name, transformer in transformers.items()
        if transformer is None or isinstance(transformer, PseudoAnonymizedFaker)
    }


def generate_columns(synth: Any, columns: list[str], num_rows: int) -> pd.DataFrame:
    """New values of generated columns, none of them missing."""
    hyper_transformer = synth._data_processor._hyper_transformer
    with contextlib.ExitStack() as stack:
        for name in columns:
            stack.enter_context(without_gaps(hyper_transformer.field_transformers[name]))
        made: pd.DataFrame = hyper_transformer.create_anonymized_columns(num_rows, columns)
    return made


@contextlib.contextmanager
def without_gaps(transformer: BaseTransformer) -> Iterator[None]:
    """Within it, a generator leaves no cell missing, however many training had."""
    share = getattr(transformer, '_nan_frequency', None)
    if share is not None:
        transformer._nan_frequency = 0.0
    try:
        yield
    finally:
        if share is not None:
            transformer._nan_frequency = share
