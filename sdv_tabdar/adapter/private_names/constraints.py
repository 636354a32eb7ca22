"""What each of SDV's constraints is about, and what it puts in the place of columns."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from sdv.cag import FixedCombinations, Inequality, OneHotEncoding, Range
from sdv.cag._errors import ConstraintNotMetError
from sdv.cag._utils import get_lower_precision_format
from sdv.cag.one_hot_encoding import EPSILON
from sdv.cag.programmable_constraint import ProgrammableConstraintHarness
from sdv.errors import RefitWarning
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_tabdar.adapter.private_names.metadata import original_table, table_name
from sdv_tabdar.adapter.private_names.preprocessing import apply_default_transformers
from sdv_tabdar.adapter.private_names.transformers import outputs

# SDV names null patterns by the columns that are null, and this one when none is.
NO_NULLS = 'None'


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


def all_constraints(synth: Any) -> list[Any]:
    """The constraints that change columns, in the order in which they do, then the others."""
    return [*synth._chained_constraints, *synth._reject_sampling_constraints]


def has_constraints(synth: Any) -> bool:
    """Whether any constraint is set."""
    return bool(all_constraints(synth))


def constrained_columns(synth: Any) -> set[str]:
    """Columns of the user's that a constraint is about."""
    return set().union(*constraint_groups(synth))


def replaced_columns(synth: Any) -> set[str]:
    """Those of them that a constraint changes."""
    return set().union(*map(columns_of, synth._chained_constraints))


def constraint_groups(synth: Any) -> list[set[str]]:
    """The columns of the user's that each constraint is about."""
    return [columns_of(constraint) for constraint in all_constraints(synth)]


def columns_of(constraint: Any) -> set[str]:
    """Columns that a constraint is about; for a user's own, all if it has no ``column_names``."""
    table = next(iter(constraint.metadata.tables))
    before = set(constraint.metadata.tables[table].columns)
    if isinstance(constraint, ProgrammableConstraintHarness):
        return set(declared_columns(constraint) or before)
    return before - set(constraint.get_updated_metadata(constraint.metadata).tables[table].columns)


def declared_columns(constraint: Any) -> list[str]:
    """The ``column_names`` of a user's own constraint; of others nothing."""
    return list(getattr(own_constraint(constraint), 'column_names', ()))


def own_constraint(constraint: Any) -> Any:
    """What SDV has wrapped in order to use it as a constraint; None for its own classes."""
    is_wrapped = isinstance(constraint, ProgrammableConstraintHarness)
    return constraint.programmable_constraint if is_wrapped else None


def own_constraints(synth: Any) -> list[Any]:
    """The programmable constraints that change columns, as they were given."""
    found = map(own_constraint, synth._chained_constraints)
    return [own for own in found if own is not None]


def order_constraints(synth: Any) -> list[Any]:
    """Each Inequality and Range."""
    found = all_constraints(synth)
    return [constraint for constraint in found if isinstance(constraint, (Inequality, Range))]


def replacing_orders(synth: Any) -> list[Any]:
    """Those of them that replace columns of the user's."""
    columns = original_table(synth).columns
    return [
        constraint
        for constraint in synth._chained_constraints
        if isinstance(constraint, (Inequality, Range))
        and {*ordered_names(constraint)} <= {*columns}
    ]


def only_checked_orders(synth: Any) -> list[Any]:
    """Those of them that change no column, and are checked in finished rows."""
    checked = synth._reject_sampling_constraints
    return [constraint for constraint in checked if isinstance(constraint, (Inequality, Range))]


def leave_columns(synth: Any, constraint: Any) -> bool:
    """Have a constraint change no column from now on, but be checked as before.

    It then is as if columns of it had been taken by another constraint. Transformers are those of
    the class again.

    Returns:
        Whether it is so; it is not where another constraint needs what this one makes.
    """
    others = [entry for entry in synth._chained_constraints if entry is not constraint]
    metadata = copy.deepcopy(synth._original_metadata)
    try:
        for entry in others:
            metadata = entry.get_updated_metadata(metadata)
    except (ConstraintNotMetError, ValueError):
        return False
    synth.metadata, synth._chained_constraints = metadata, others
    synth._reject_sampling_constraints = [*synth._reject_sampling_constraints, constraint]
    synth._constraints_fitted = False
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RefitWarning)  # it is being fitted
        BaseSingleTableSynthesizer.add_constraints(synth, [])  # makes a new data processor
    apply_default_transformers(synth)
    return True


def unbind_totals(synth: Any) -> None:
    """Let totals lie beyond those of training.

    SDV cuts columns that a constraint makes to the range of training, and sums would be wrong.
    """
    for constraint in synth._chained_constraints:
        if getattr(own_constraint(constraint), 'total_column', None) is not None:
            for formatter in constraint._formatters[table_name(synth)].values():
                formatter.enforce_min_max_values = False


def constraint_name(constraint: Any) -> str:
    """What messages call a constraint."""
    if isinstance(constraint, ProgrammableConstraintHarness):
        return type(constraint.programmable_constraint).__name__
    columns = ', '.join(f"'{name}'" for name in sorted(columns_of(constraint)))
    return f'{type(constraint).__name__} of {columns}'


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


def ordered_names(constraint: Any) -> tuple[str, ...]:
    """The user's columns of an Inequality or a Range, from the lowest to the highest."""
    low, high = constraint._low_column_name, constraint._high_column_name
    is_range = isinstance(constraint, Range)
    return (low, constraint._middle_column_name, high) if is_range else (low, high)


def orders(synth: Any) -> list[tuple[tuple[str, ...], bool]]:
    """The columns of each Inequality and Range, the lowest first, and whether all must differ."""
    return [
        (ordered_names(constraint), not constraint._operator(0, 0))
        for constraint in order_constraints(synth)
    ]


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
        names=ordered_names(constraint),
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


def compared_columns(synth: Any) -> list[tuple[str, str]]:
    """The lower and the upper column of each Inequality, which SDV compares as text if they are."""
    return [
        (constraint._low_column_name, constraint._high_column_name)
        for constraint in all_constraints(synth)
        if isinstance(constraint, Inequality)
    ]


def combinations(constraint: Any) -> Combinations:
    """The columns and the combinations of a fitted FixedCombinations."""
    return Combinations(
        tuple(constraint.column_names), constraint._joint_column, constraint._ids_to_combinations
    )


def fixed_combinations(synth: Any) -> list[tuple[str, ...]]:
    """The columns of each FixedCombinations."""
    return [
        tuple(constraint.column_names)
        for constraint in all_constraints(synth)
        if isinstance(constraint, FixedCombinations)
    ]


def increments(constraint: Any) -> tuple[str, float]:
    """The column of a FixedIncrements, and what its values are multiples of."""
    return constraint.column_name, float(constraint.increment_value)


def one_hot(constraint: Any) -> OneHot:
    """The columns of a OneHotEncoding."""
    is_joint = constraint.learning_strategy == 'categorical'
    return OneHot(tuple(constraint._column_names), is_joint, EPSILON, 1 - EPSILON)


def readable_levels(synth: Any) -> dict[str, frozenset[str | None]]:
    """For each column of levels that a constraint makes, those it can read; None is missing.

    Columns that a transformer of the user's encodes are left out.
    """
    found: dict[str, frozenset[str | None]] = {}
    for constraint in synth._chained_constraints:
        if isinstance(constraint, FixedCombinations):
            made = combinations(constraint)
            found[made.joint] = frozenset({None, *made.labels})
        elif isinstance(constraint, OneHotEncoding) and one_hot(constraint).is_joint:
            found[constraint._categorical_column] = frozenset(one_hot(constraint).names)
        elif isinstance(constraint, (Inequality, Range)):
            columns = ordered_columns(constraint)
            sizes = range(1, len(columns.names) + 1)
            parts = (itertools.combinations(columns.names, size) for size in sizes)
            nulls = {', '.join(some) for some in itertools.chain.from_iterable(parts)}
            found[columns.nulls] = frozenset({None, NO_NULLS, *nulls})
    made_of = outputs(synth)
    return {name: levels for name, levels in found.items() if made_of.get(name) == (name, None)}
