"""What a model file holds, as an object, and told to a person in lines."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.core.codecs.sums import written_constant

_SHOWN = 5


@dataclasses.dataclass(frozen=True)
class LearntColumn:
    """What the file holds of one column as the model learns it.

    Attributes:
        name: Its name after constraints and transformers.
        levels: Categories, most frequent first, with their number of training rows; of a column
            of numbers those that come back exactly. None stands for missing.
        quantiles: The least and the greatest training value, and between them where the density of
            drawn numbers changes, or numbers that many rows share; sorted. Empty for categories.
        steps: What the numbers of some of its bins are multiples of, sorted.
        periods: At which its numbers are dense or rare again and again, in words.
        missing: Training rows without a value.
        rows: Training rows.
    """

    name: str
    levels: Sequence[tuple[Any, int]]
    quantiles: Sequence[float]
    steps: Sequence[float]
    periods: Sequence[str]
    missing: int
    rows: int


@dataclasses.dataclass(frozen=True)
class UserColumn:
    """What the file holds of one of the user's columns.

    Attributes:
        name: The user's label.
        sdtype: SDV's type of the column.
        dtype: Its dtype.
        role: ``'number'``, ``'date'``, ``'discrete'``, or ``'generated'``: made anew, not learnt.
        limits: Least and greatest number, or date in nanoseconds since 1970; None if there is none.
        levels: The distinct values of a discrete column.
    """

    name: Any
    sdtype: str | None
    dtype: str
    role: str
    limits: tuple[float, float] | None
    levels: Sequence[Any]


@dataclasses.dataclass(frozen=True)
class Description:
    """What is in a model file.

    Attributes:
        path: The file.
        size: Its bytes.
        format_version: Version of the format.
        versions: Of Python and of the packages that wrote it.
        is_fitted: Whether the synthesizer has been fitted.
        metadata: SDV's metadata of the table.
        settings: Arguments of the synthesizer.
        constraints: Class and arguments of each constraint.
        training: Rows, epochs, seconds, reason of the end; under a privacy budget about how many
            rows, and in place of epochs and seconds what was spent, ``epsilon`` and ``delta``.
        columns: The user's columns.
        learnt: The columns of the model.
        combinations: Columns of each FixedCombinations, and how many combinations it holds.
        transformers: Column and class of each transformer that holds values of its own.
        clock_times: Columns whose numbers are read as clock times, written hhmm; what it says of
            them together with others, and of steps and periods, is in minutes since midnight.
        crosses: Sets of columns whose combinations of codes are kept, and how many these are.
        echoes: Columns that often follow from another, how (as a formula), and in how many rows;
            of those only whose numbers are the user's, as are the next.
        inequalities: Pairs of columns of which the first is never more than the second.
        dependencies: Pairs of columns of which the second follows from the first, and how many of
            its levels say what it is.
        joint_dependencies: Pairs of columns, what follows from both together, and for how many of
            their pairs of levels.
        sums: Columns that are the sum of others, and what they are the sum of.
        constant_sums: Sets of columns that make a constant, and this number.
        products: Columns that are the product or the quotient of two others, another one times the
            rate of a level, or one of several, or texts that others make, and of which.
        aggregates: Columns that are the mean, a weighted sum or an extreme of others, or a curve of
            one, and of which.
        told_by_numbers: Columns that follow from a part of a date, or a number's range, and from
            which.
        tied: Columns of numbers that nearly follow from others of them; it holds the correlations
            of their ranks.
        gaps: Columns that are never far from each other, and how many intervals of their difference
            it holds.
        gaps_by_level: Of these, the column for some of whose levels it holds such intervals of
            their own, and how many these are.
        structural_zeros: Columns some of whose values never meet some of other columns, and these.
    """

    path: str
    size: int
    format_version: int
    versions: Mapping[str, str]
    is_fitted: bool
    metadata: Mapping[str, Any]
    settings: Mapping[str, Any]
    constraints: Sequence[tuple[str, Mapping[str, Any]]]
    training: Mapping[str, Any]
    columns: Sequence[UserColumn]
    learnt: Sequence[LearntColumn]
    combinations: Sequence[tuple[Sequence[str], int]]
    transformers: Sequence[tuple[str, str]]
    clock_times: Sequence[str]
    crosses: Sequence[tuple[Sequence[str], int]]
    echoes: Sequence[tuple[str, str, int]]
    inequalities: Sequence[tuple[str, str]]
    dependencies: Sequence[tuple[str, str, int]]
    joint_dependencies: Sequence[tuple[tuple[str, str], str, int]]
    sums: Sequence[tuple[str, str]]
    constant_sums: Sequence[tuple[Sequence[str], float]]
    products: Sequence[tuple[str, str]]
    aggregates: Sequence[tuple[str, str]]
    told_by_numbers: Sequence[tuple[str, str]]
    tied: Sequence[str]
    gaps: Sequence[tuple[str, str, int]]
    gaps_by_level: Sequence[tuple[str, str, str, int]]
    structural_zeros: Sequence[tuple[str, Sequence[str]]]

    def __str__(self) -> str:
        """All of it for a person to read; of many values only the first ones."""
        return '\n'.join(_lines(self))


def _lines(found: Description) -> Iterator[str]:
    (name,) = found.metadata['tables']
    yield f'{found.path}: {found.size:,} bytes, format {found.format_version}'
    yield 'Written by ' + ', '.join(f'{name} {text}' for name, text in found.versions.items())
    state = 'fitted' if found.is_fitted else 'not fitted'
    facts = ', '.join(f'{name} {value}' for name, value in found.training.items())
    yield f"Table '{name}', {state}{': ' + facts if facts else ''}"
    yield 'Settings: ' + ', '.join(f'{name}={value!r}' for name, value in found.settings.items())
    for kind, arguments in found.constraints:
        text = ', '.join(f'{name}={value!r}' for name, value in arguments.items())
        yield f'Constraint {kind}({text})'
    yield 'What it holds of the columns of the table'
    for column in found.columns:
        yield f'  {column.name!r}: {column.sdtype}, {column.dtype}, {_of_column(column)}'
    if found.learnt:
        yield 'What it holds of the columns that the model has learnt'
    for learnt in found.learnt:
        yield f'  {learnt.name!r}: {_of_learnt(learnt)}'
    for name in found.clock_times:
        yield f'  that {name!r} are clock times (hhmm), related to others in minutes'
    for names, number in found.combinations:
        yield f'  {number:,} combinations of {list(names)}'
    for names, number in found.crosses:
        yield f'  {number:,} combinations of codes of {list(names)}'
    for own, formula, number in found.echoes:
        yield f'  that {own!r} is {formula} in {number:,} rows'
    for low, high in found.inequalities:
        yield f'  that {low!r} is never more than {high!r}'
    for determinant, dependent, number in found.dependencies:
        yield f'  that {dependent!r} follows from {number:,} levels of {determinant!r}'
    for (first, second), own, number in found.joint_dependencies:
        yield f'  that {own!r} follows from {number:,} levels of {first!r} and {second!r} together'
    for own, formula in (*found.sums, *found.aggregates, *found.products):
        yield f'  that {own!r} is {formula}'
    for own, source in found.told_by_numbers:
        yield f'  that {own!r} follows from {source}'
    for parts, constant in found.constant_sums:
        yield f'  that {written_constant(parts, constant)}'
    if found.tied:
        yield f'  correlations of the ranks of {list(found.tied)}'
    for first, second, number in found.gaps:
        yield f'  {number} intervals of what {second!r} is more or less than {first!r}'
    for first, second, own, number in found.gaps_by_level:
        yield f'  such intervals of {second!r} and {first!r} for each of {number} levels of {own!r}'
    for name, others in found.structural_zeros:
        yield f'  which values of {name!r} never meet some of {list(others)}'
    for names_, kind in found.transformers:
        yield f'  values of {names_} in its transformer {kind}'
    yield 'No row of the table is stored.'


def _of_column(column: UserColumn) -> str:
    if column.role == Role.GENERATED.value:
        return 'made anew, no values'
    if column.limits is not None:
        shown = _moment if column.role == Role.DATE.value else '{:.15g}'.format
        low, high = map(shown, column.limits)
        return f'from {low} to {high}'
    return f'{len(column.levels):,} distinct values ({_some(column.levels)})'


def _moment(nanoseconds: float) -> str:
    """A date, to the microsecond, of nanoseconds since 1970."""
    try:
        since = datetime.timedelta(microseconds=round(nanoseconds / 1000))
        return (datetime.datetime(1970, 1, 1) + since).isoformat(' ').removesuffix(' 00:00:00')
    except (OverflowError, ValueError):  # before the year 1 or after 9999
        return f'{nanoseconds:.15g} nanoseconds since 1970'


def _of_learnt(column: LearntColumn) -> str:
    parts = []
    if column.levels:
        text = _some([f'{value!r}: {count}' for value, count in column.levels], str)
        parts.append(f'{len(column.levels):,} values with their counts ({text})')
    if column.quantiles:
        low, high = column.quantiles[0], column.quantiles[-1]
        parts.append(f'{len(column.quantiles):,} quantiles from {low:.15g} to {high:.15g}')
    if column.steps:
        parts.append('in places multiples of ' + ', '.join(f'{step:.15g}' for step in column.steps))
    if column.periods:
        parts.append('how many are where in ' + ', in '.join(column.periods))
    return '; '.join([*parts, f'{column.missing:,} of {column.rows:,} missing'])


def _some(values: Sequence[Any], shown: Any = repr) -> str:
    text = ', '.join(shown(value) for value in values[:_SHOWN])
    return f'{text}, ...' if len(values) > _SHOWN else text
