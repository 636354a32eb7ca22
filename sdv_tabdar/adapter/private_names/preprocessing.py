"""Fitting RDT's transformers to a table and transforming it, in little memory."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import pandas as pd
from pandas.api.types import is_datetime64_dtype
from rdt.transformers import PseudoAnonymizedFaker, UnixTimestampEncoder
from sdv.data_processing.numerical_formatter import MAX_DECIMALS, NumericalFormatter

from sdv_tabdar.adapter.private_names.rounding import rounding_digits

_CELLS_TOGETHER = 1 << 21  # transformed at a time
_UNPADDED = re.compile('%[-#]')  # in formats of dates: numbers without a leading zero


def apply_default_transformers(synth: Any) -> None:
    """Hand the class's transformers to the data processor.

    ``add_constraints`` makes a new data processor and leaves this out.
    """
    synth._update_default_transformers()


def preprocess_table(synth: Any, table: pd.DataFrame) -> pd.DataFrame:
    """Fit the transformers and transform the table, a few columns at a time.

    SDV's own ``_preprocess`` keeps three copies of the table while it works. It sets the primary
    key as index whenever there is a key, and fails where there are alternate keys only. Keys are
    generated, so the model never needs them.

    Returns:
        The processed table. Columns without a transformer share the memory of ``table``.
    """
    processor = synth._data_processor
    hyper_transformer = processor._hyper_transformer
    _leave_pseudonyms(hyper_transformer.field_transformers.values())
    with _fitted_by_column(hyper_transformer), _dates_kept_whole(processor):
        processor.fit(table)
    _learn_rounding_anew(synth, table)
    _leave_unpadded_dates(processor)
    key = processor._primary_key
    if _meets_others(hyper_transformer, table):
        with _dates_kept_whole(processor):
            processor.fit(table)  # what outputs are called depends on the other columns
        whole: pd.DataFrame = processor.transform(table, is_condition=key is None)
        return whole
    transformers = hyper_transformer.field_transformers
    columns: dict[Hashable, pd.Series] = {
        name: table[name] for name in table if transformers[name] is None
    }
    transformed = [name for name in table if transformers[name] is not None]
    width = max(1, _CELLS_TOGETHER // len(table))
    for start in range(0, len(transformed), width):
        part = processor.transform(table[transformed[start : start + width]], is_condition=True)
        columns.update(part.items())
    in_order = {name: columns[name] for name in hyper_transformer._output_columns}
    processed = pd.DataFrame(in_order, index=table.index, copy=False)
    if key is not None:
        # Under pandas, an index of objects would be inferred to be one of dates.
        processed.index = pd.Index(table[key], dtype=table[key].dtype)
    return processed


def processed_rows(synth: Any, table: pd.DataFrame) -> pd.DataFrame:
    """Transform some rows of the table that constraints and transformers are fitted to.

    Args:
        synth: The synthesizer.
        table: Rows in plain form, of all columns.

    Raises:
        ConstraintNotMetError: If they break a constraint.
    """
    for constraint in synth._reject_sampling_constraints:
        constraint.validate(table)
    table = synth._validate_transform_constraints(table)
    if getattr(synth, '_composite_keys', None):
        table = synth._composite_keys.transform(table)
    transformed: pd.DataFrame = synth._data_processor.transform(table, is_condition=True)
    return transformed


def _leave_pseudonyms(transformers: Iterable[Any]) -> None:
    """Hand pseudonyms on as they are: RDT has a number with noise follow, a level in each row."""
    for transformer in transformers:
        if isinstance(transformer, PseudoAnonymizedFaker):
            transformer.output_properties[None]['next_transformer'] = None


def _learn_rounding_anew(synth: Any, table: pd.DataFrame) -> None:
    """Round as training does where the metadata have as many decimal places as SDV looks for.

    Detection writes that number for columns in which it has found no rounding; for those in which
    RDT finds none either, it may be there but for noise.
    """
    for name, formatter in synth._data_processor.formatters.items():
        if not isinstance(formatter, NumericalFormatter):
            continue
        if (formatter.decimal_places or 0) > MAX_DECIMALS:
            formatter.decimal_places = None
            formatter.enforce_rounding = synth.enforce_rounding
            formatter.learn_format(table[name])
        if formatter.enforce_rounding and formatter._rounding_digits is None:
            formatter._rounding_digits = rounding_digits(table[name])


def _leave_unpadded_dates(processor: Any) -> None:
    """Hand on dates in formats such as ``%-d/%-m/%Y`` as their transformer has written them.

    SDV reads them once more, cannot do so in such a format, and guesses which number is the month.
    """
    for name, formatter in list(processor.formatters.items()):
        if _UNPADDED.search(getattr(formatter, 'datetime_format', None) or ''):
            del processor.formatters[name]


@contextlib.contextmanager
def _dates_kept_whole(processor: Any) -> Iterator[None]:
    """Within it transformers of dates are fitted, and afterwards cut nothing off.

    RDT writes dates as text in their format and reads this again, so that microseconds that a
    float64 has just missed become the ones before. Text is no concern of theirs here.
    """
    transformers = processor._hyper_transformer.field_transformers
    entries = processor.metadata.columns
    for name, transformer in transformers.items():
        if isinstance(transformer, UnixTimestampEncoder) and transformer.datetime_format == '':
            transformer.datetime_format = entries.get(name, {}).get('datetime_format')
    yield
    for transformer in processor._hyper_transformer.field_transformers.values():
        if isinstance(transformer, UnixTimestampEncoder) and is_datetime64_dtype(
            transformer._dtype
        ):
            transformer.datetime_format = ''  # None would be guessed anew by the next fit


@contextlib.contextmanager
def _fitted_by_column(hyper_transformer: Any) -> Iterator[None]:
    """Within it, ``fit`` shows each transformer its own columns alone.

    RDT copies all that it shows, twice a transformer.
    """
    fit_field = hyper_transformer._fit_field_transformer

    def fit_alone(data: pd.DataFrame, field: Any, transformer: Any) -> pd.DataFrame:
        fit_field(data[[field] if isinstance(field, str) else list(field)], field, transformer)
        return data

    hyper_transformer._fit_field_transformer = fit_alone
    try:
        yield
    finally:
        del hyper_transformer._fit_field_transformer


def _meets_others(hyper_transformer: Any, table: pd.DataFrame) -> bool:
    """Whether a column has a part in what others become: by a transformer of several, or a name."""
    outputs = [
        name
        for transformer in hyper_transformer._transformers_sequence
        for name in transformer.get_output_columns()
        if name not in transformer.columns
    ]
    names = [*table.columns, *outputs]
    return bool(hyper_transformer._multi_column_fields) or len(set(names)) < len(names)
