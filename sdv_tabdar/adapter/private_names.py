"""The only file that touches private names of SDV and RDT.

Each name is here because no public one does the job; ``tests/integration/test_private_names.py``
fails with the name of what SDV has renamed. ``synth`` is always an SDV single-table synthesizer.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_dtype
from rdt.transformers import (
    BaseTransformer,
    BinaryEncoder,
    FloatFormatter,
    LabelEncoder,
    OneHotEncoder,
    OrderedLabelEncoder,
    UnixTimestampEncoder,
)
from rdt.transformers.utils import learn_rounding_digits
from sdv.cag import Inequality, Range
from sdv.cag._errors import ConstraintNotMetError  # what constraints raise; SDV exports it nowhere
from sdv.cag._utils import get_lower_precision_format
from sdv.cag.one_hot_encoding import EPSILON
from sdv.cag.programmable_constraint import ProgrammableConstraintHarness
from sdv.data_processing.numerical_formatter import MAX_DECIMALS
from sdv.single_table.base import FIXED_RNG_SEED, BaseSingleTableSynthesizer

__all__ = [
    'BaseSingleTableSynthesizer',
    'ConstraintNotMetError',
    'learn_rounding_digits',
]

# SDV names null patterns by the columns that are null, and this one when none is.
NO_NULLS = 'None'
# What SDV's `fit` changes without replacing it.
_FITTED_IN_PLACE = ('_data_processor', '_chained_constraints', '_reject_sampling_constraints')
_CELLS_TOGETHER = 1 << 21  # transformed at a time

Outputs = dict[str, tuple[Hashable, BaseTransformer | None]]


@dataclasses.dataclass(frozen=True)
class ConstraintStep:
    """What one constraint does to the columns.

    Attributes:
        constraint: The fitted constraint.
        dropped: Columns that it takes away.
        added: Columns that it puts in their place, with their sdtypes.
    """

    constraint: Any
    dropped: tuple[str, ...]
    added: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class OrderedColumns:
    """What an Inequality or a Range calls its columns.

    Attributes:
        names: The columns from the lowest to the highest.
        low: The column that the lowest one lives on in.
        differences: The columns that hold log(upper - lower + 1), for each two neighbours.
        nulls: The column that says which of ``names`` are null: their names in that order, or
            :data:`NO_NULLS`.
        strict: Whether neighbours may not be equal.
    """

    names: tuple[str, ...]
    low: str
    differences: tuple[str, ...]
    nulls: str
    strict: bool


@dataclasses.dataclass(frozen=True)
class Combinations:
    """What a FixedCombinations allows.

    Attributes:
        names: Its columns.
        joint: The column that it puts in their place.
        labels: For each value of ``joint`` those of ``names``.
    """

    names: tuple[str, ...]
    joint: str
    labels: Mapping[str, tuple[Any, ...]]


@dataclasses.dataclass(frozen=True)
class OneHot:
    """What a OneHotEncoding calls its columns.

    Attributes:
        names: Its columns.
        is_joint: Whether it puts one column of their names in their place, and not one for each.
        zero: What it writes for a 0 if it does not.
        one: What it writes for a 1.
    """

    names: tuple[str, ...]
    is_joint: bool
    zero: float
    one: float


def table_name(synth: Any) -> str:
    """Name of the synthesizer's table; the attribute that SDV's own methods use."""
    name: str = synth._table_name
    return name


def original_table(synth: Any) -> Any:
    """Metadata of the table before constraints; ``get_metadata`` would copy and warn."""
    return synth._original_metadata.tables[table_name(synth)]


def level_order(synth: Any, column: str) -> list[Any]:
    """The levels of an ordinal column in their order; empty if the metadata give none."""
    entry = original_table(synth).columns.get(column, {})
    return list(entry.get('range_values') or [])


def modified_columns(synth: Any) -> Mapping[str, Mapping[str, Any]]:
    """Metadata of the columns after constraints, as the data processor sees them."""
    columns: Mapping[str, Mapping[str, Any]] = synth._data_processor.metadata.columns
    return columns


@contextlib.contextmanager
def described(synth: Any, entries: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Within it, the metadata of the table describe some columns otherwise."""
    columns = original_table(synth).columns
    before = {key: columns[key] for key in entries}
    columns.update(entries)
    try:
        yield
    finally:
        columns.update(before)


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
    before = {**vars(synth), **copy.deepcopy(in_place)}
    works = False
    try:
        yield
        works = True
    finally:
        if if_it_works or not works:
            vars(synth).clear()
            vars(synth).update(before)


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
    with _fitted_by_column(hyper_transformer), _dates_kept_whole(processor):
        processor.fit(table)
    _learn_rounding_anew(synth, table)
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


def _learn_rounding_anew(synth: Any, table: pd.DataFrame) -> None:
    """Round as training does where the metadata have as many decimal places as SDV looks for.

    Detection writes that number for columns in which it has found no rounding.
    """
    for name, formatter in synth._data_processor.formatters.items():
        if (getattr(formatter, 'decimal_places', None) or 0) > MAX_DECIMALS:
            formatter.decimal_places = None
            formatter.enforce_rounding = synth.enforce_rounding
            formatter.learn_format(table[name])


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


def gives_categories(name: str, transformer: BaseTransformer) -> bool | None:
    """Whether a transformer's output is a code (True), a number (False) or unclear (None)."""
    if isinstance(transformer, (LabelEncoder, OrderedLabelEncoder)):
        return not getattr(transformer, 'add_noise', False)
    if isinstance(transformer, (BinaryEncoder, OneHotEncoder)):
        return True
    if name.endswith('.is_null') and name not in transformer.columns:
        return True
    return {'float': False, 'categorical': True}.get(transformer.get_output_sdtypes().get(name))


def encodes_levels(transformer: BaseTransformer) -> bool:
    """Whether the transformer writes levels as numbers, of which a mean is meaningless."""
    return not {'numerical', 'datetime'} & set(transformer.get_supported_sdtypes())


def keeps_order(transformer: BaseTransformer | None) -> bool:
    """Whether the transformer passes numbers or dates on unchanged, so that ranges stay ranges."""
    return type(transformer) in (FloatFormatter, UnixTimestampEncoder)


def is_generated(synth: Any, column: str) -> bool:
    """Whether a generator makes the column: a key, personal data, a formatted id."""
    transformer = synth._data_processor._hyper_transformer.field_transformers.get(column)
    return transformer is not None and bool(transformer.is_generator())


def keys(synth: Any) -> list[str]:
    """Primary and alternate keys of the table."""
    return list(synth._data_processor._keys)


def transform_cells(cells: pd.DataFrame, transformer: BaseTransformer | None) -> pd.DataFrame:
    """Transform the columns of one field.

    SDV's ``transform`` would go through the transformers of all columns each time.
    """
    transformed: pd.DataFrame = cells if transformer is None else transformer.transform(cells)
    return transformed


def reverse_transform(synth: Any, processed: pd.DataFrame) -> pd.DataFrame:
    """Processed rows to rows of the table before constraints; rows that break one are left out.

    Args:
        synth: The synthesizer.
        processed: Rows of the model with a RangeIndex; generated columns are joined by index.

    Returns:
        The surviving rows under their labels of ``processed``.
    """
    reversed_rows = synth._data_processor.reverse_transform(processed)
    return synth.reverse_transform_constraints(reversed_rows)


def shares_valid(synth: Any, processed: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, float]]:
    """As :func:`reverse_transform`, but all rows, and the share that meets each constraint.

    A constraint is named by its class and, where it says so, by its columns.
    """
    rows = synth._data_processor.reverse_transform(processed)
    shares = {}
    chained = list(reversed(synth._chained_constraints))
    for constraint in [*chained, *synth._reject_sampling_constraints]:
        if constraint in chained:
            rows = constraint.reverse_transform(rows)
        shares[constraint_name(constraint)] = _share(constraint, rows)
    return rows, shares


def shares_of_whole_rows(synth: Any, rows: pd.DataFrame) -> dict[str, float]:
    """The share of rows that meets each constraint that looks at the user's columns."""
    constraints = [*synth._chained_constraints, *synth._reject_sampling_constraints]
    return {
        constraint_name(constraint): _share(constraint, rows)
        for constraint in constraints
        if _looks_at(constraint) <= set(rows.columns)
    }


def _share(constraint: Any, rows: pd.DataFrame) -> float:
    return float(np.mean(np.asarray(constraint.is_valid(rows), dtype=bool)))


def constraint_name(constraint: Any) -> str:
    """What messages call a constraint."""
    if isinstance(constraint, ProgrammableConstraintHarness):
        return type(constraint.programmable_constraint).__name__
    columns = ', '.join(f"'{name}'" for name in sorted(_looks_at(constraint)))
    return f'{type(constraint).__name__} of {columns}'


def generate_columns(synth: Any, columns: list[str], num_rows: int) -> pd.DataFrame:
    """New values of generated columns, none of them missing."""
    hyper_transformer = synth._data_processor._hyper_transformer
    with contextlib.ExitStack() as stack:
        for name in columns:
            stack.enter_context(_without_gaps(hyper_transformer.field_transformers[name]))
        made: pd.DataFrame = hyper_transformer.create_anonymized_columns(num_rows, columns)
    return made


@contextlib.contextmanager
def _without_gaps(transformer: BaseTransformer) -> Iterator[None]:
    """Within it, a generator leaves no cell missing, however many training had."""
    share = getattr(transformer, '_nan_frequency', None)
    if share is not None:
        transformer._nan_frequency = 0.0
    try:
        yield
    finally:
        if share is not None:
            transformer._nan_frequency = share


def constraint_steps(synth: Any, rewritten: Sequence[Sequence[str]]) -> list[ConstraintStep]:
    """The constraints that change columns, in the order in which they are applied.

    Args:
        synth: The synthesizer.
        rewritten: What :func:`rewritten_columns` found in the training table.
    """
    steps = []
    for constraint, kept in zip(synth._chained_constraints, rewritten, strict=True):
        before = constraint.metadata.tables[table_name(synth)].columns
        after_table = constraint.get_updated_metadata(constraint.metadata)
        after = after_table.tables[table_name(synth)].columns
        dropped = tuple(name for name in before if name not in after or name in kept)
        added = {
            name: entry['sdtype']
            for name, entry in after.items()
            if name not in before or name in kept
        }
        steps.append(ConstraintStep(constraint, dropped, added))
    return steps


def ordered_columns(constraint: Any) -> OrderedColumns:
    """The columns of a fitted Inequality or Range."""
    if isinstance(constraint, Range):
        differences: tuple[str, ...] = (
            constraint._low_diff_column_name,
            constraint._high_diff_column_name,
        )
    else:
        differences = (constraint._diff_column_name,)
    return OrderedColumns(
        names=_in_order(constraint),
        low=constraint._fillna_low_column_name,
        differences=differences,
        nulls=constraint._nan_column_name,
        strict=not constraint._operator(0, 0),
    )


def compared_format(constraint: Any) -> str | None:
    """The coarser of two formats of text in which an Inequality compares dates.

    None if both columns have one format, or are not text when SDV sees them.
    """
    is_text = isinstance(constraint, Inequality) and pd.api.types.is_object_dtype(constraint._dtype)
    if not is_text or not constraint._is_datetime:
        return None
    formats = constraint._low_datetime_format, constraint._high_datetime_format
    return None if formats[0] == formats[1] else get_lower_precision_format(*formats)


def orders(synth: Any) -> list[tuple[tuple[str, ...], bool]]:
    """The columns of each Inequality and Range, the lowest first, and whether all must differ."""
    every = (*synth._chained_constraints, *synth._reject_sampling_constraints)
    return [
        (_in_order(constraint), not constraint._operator(0, 0))
        for constraint in every
        if isinstance(constraint, (Inequality, Range))
    ]


def _in_order(constraint: Any) -> tuple[str, ...]:
    """The columns of an Inequality or a Range, the lowest first."""
    middle = getattr(constraint, '_middle_column_name', None)
    names = (constraint._low_column_name, middle, constraint._high_column_name)
    return tuple(name for name in names if name is not None)


def compared_columns(synth: Any) -> list[tuple[str, str]]:
    """The lower and the upper column of each Inequality, which SDV compares as text if they are."""
    every = (*synth._chained_constraints, *synth._reject_sampling_constraints)
    return [
        (constraint._low_column_name, constraint._high_column_name)
        for constraint in every
        if isinstance(constraint, Inequality)
    ]


def order_message(
    synth: Any, table: pd.DataFrame, written: Callable[[pd.DataFrame], pd.DataFrame]
) -> str | None:
    """SDV's message about rows that break an Inequality or a Range.

    Args:
        synth: The synthesizer.
        table: Rows in plain form, some or all columns.
        written: Puts rows of ``table`` in the form in which they are to be shown.

    Returns:
        The message about the first such constraint; None if there is none.
    """
    metadata = synth._original_metadata
    for constraint in (*synth._chained_constraints, *synth._reject_sampling_constraints):
        if not isinstance(constraint, (Inequality, Range)):
            continue
        names = list(_in_order(constraint))
        if set(names) <= set(table.columns):
            valid = np.asarray(constraint.is_valid(table, metadata), dtype=bool)
            if not valid.all():
                rows = written(table.loc[~valid, names])
                message: str = constraint._format_error_message_constraint(rows, table_name(synth))
                return message
    return None


def rewritten_columns(synth: Any, table: pd.DataFrame) -> list[tuple[str, ...]]:
    """For each constraint that changes columns, those that it keeps, but with other values.

    Only a user's own constraint can do so, and its metadata do not tell.

    Args:
        synth: The synthesizer with fitted constraints.
        table: Rows of the training table in plain form.
    """
    found: list[tuple[str, ...]] = []
    for constraint in synth._chained_constraints:
        after = constraint.transform(table)
        changed: tuple[str, ...] = ()
        if isinstance(constraint, ProgrammableConstraintHarness):
            shared = [name for name in table.columns if name in after.columns]
            changed = tuple(name for name in shared if not table[name].equals(after[name]))
        found.append(changed)
        table = after
    return found


def combinations(constraint: Any) -> Combinations:
    """The columns and the combinations of a fitted FixedCombinations."""
    return Combinations(
        tuple(constraint.column_names), constraint._joint_column, constraint._ids_to_combinations
    )


def increments(constraint: Any) -> tuple[str, float]:
    """The column of a FixedIncrements, and what its values are multiples of."""
    return constraint.column_name, float(constraint.increment_value)


def one_hot(constraint: Any) -> OneHot:
    """The columns of a OneHotEncoding."""
    is_joint = constraint.learning_strategy == 'categorical'
    return OneHot(tuple(constraint._column_names), is_joint, EPSILON, 1 - EPSILON)


def has_constraints(synth: Any) -> bool:
    """Whether any constraint is set."""
    return bool(synth._chained_constraints or synth._reject_sampling_constraints)


def constrained_columns(synth: Any) -> set[str]:
    """Columns of the user's that a constraint is about."""
    return {name for names in constraint_groups(synth) for name in names}


def constraint_groups(synth: Any) -> list[set[str]]:
    """The columns of the user's that each constraint is about."""
    every = (*synth._chained_constraints, *synth._reject_sampling_constraints)
    return [_looks_at(constraint) for constraint in every]


def valid_rows(synth: Any, table: pd.DataFrame) -> pd.Series:
    """Which rows meet all constraints.

    ``reverse_transform_constraints`` checks rows before conditioned cells are written back.
    """
    valid = pd.Series(True, index=table.index)
    for constraint in synth._reject_sampling_constraints:
        valid &= np.asarray(constraint.is_valid(table), dtype=bool)
    rows = table
    not_applied: list[Any] = []
    for constraint in synth._chained_constraints:
        if _looks_at(constraint) <= set(table.columns):
            valid &= np.asarray(constraint.is_valid(table), dtype=bool)
        else:
            # It looks at what the ones before it made; these fail on tables without valid rows.
            rows = rows[valid.loc[rows.index].to_numpy()]
            for earlier in not_applied:
                rows = earlier.transform(rows) if len(rows) else rows
            not_applied = []
            if not len(rows):
                return valid
            passes = np.asarray(constraint.is_valid(rows), dtype=bool)
            valid &= ~valid.index.isin(rows.index[~passes])
        not_applied.append(constraint)
    return valid


def _looks_at(constraint: Any) -> set[str]:
    """Columns that a constraint is about; for a user's own, all that it was fitted on."""
    table = next(iter(constraint.metadata.tables))
    before = set(constraint.metadata.tables[table].columns)
    if isinstance(constraint, ProgrammableConstraintHarness):
        return before
    return before - set(constraint.get_updated_metadata(constraint.metadata).tables[table].columns)
