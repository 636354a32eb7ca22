"""What is in a model file, told without its weights: settings, training, and what of the data."""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sdv_tabdar.adapter.made_columns import keeps_values
from sdv_tabdar.adapter.private_names import saved_host
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.core.codecs.clock_times import ClockTimes
from sdv_tabdar.core.codecs.cycles import Cycle, written
from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.sums import written_constant
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.files import model_state, table_state, told_relations
from sdv_tabdar.files.container import ModelFile
from sdv_tabdar.files.read import read_state, wrong_content

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


def describe(path: str | os.PathLike[str]) -> Description:
    """What is in a model file.

    Args:
        path: A file that ``save_safe`` wrote.

    Raises:
        ModelFileError: If it is none, damaged, or of a later version.
        OSError: If it cannot be read.
    """
    file = ModelFile(path)
    state = read_state(file)
    with wrong_content(file):
        host, table, model = state['host'], state['table'], state['model']
        saved_host.check(host, 'host')
        if table is not None:
            table_state.check(table, host, 'table')
        if model is not None:
            model = model_state.checked_description(model, 'model')
    columns = [] if table is None else _columns(table)
    names = {} if table is None else _own_values(host, table)
    learnt, crosses, echoes = ([], [], []) if model is None else _learnt(model, names, columns)
    inequalities = [] if model is None else told_relations.inequalities(model['encoder'], names)
    dependencies = [] if model is None else told_relations.dependencies(model['encoder'], names)
    joints = [] if model is None else told_relations.joint_dependencies(model['encoder'], names)
    sums, constant_sums = (
        ([], []) if model is None else told_relations.sums(model['encoder'], names)
    )
    products = [] if model is None else told_relations.products(model['encoder'], names)
    products += [] if model is None else told_relations.rates(model['encoder'], names)
    products += [] if model is None else told_relations.choices(model['encoder'], names)
    products += [] if table is None else told_relations.compositions(table)
    aggregates = [] if model is None else told_relations.aggregates(model['encoder'], names)
    told = [] if model is None else told_relations.told_by_numbers(model['encoder'], names)
    tied = [] if model is None else told_relations.tied(model['encoder'], names)
    near = [] if model is None else told_relations.gaps(model['encoder'], names)
    by_level = [] if model is None else told_relations.gaps_by_level(model['encoder'], names)
    structural_zeros = (
        [] if model is None else told_relations.structural_zeros(model['encoder'], names)
    )
    return Description(
        path=str(path),
        size=file.size,
        format_version=file.version,
        versions=state['versions'],
        is_fitted=host['attributes']['_fitted'],
        metadata=host['metadata'],
        settings=state['settings'],
        constraints=[(entry['class'], entry['arguments']) for entry in _constraints(host)],
        training=_training(table, model),
        columns=columns,
        learnt=learnt,
        combinations=list(_combinations(host)),
        transformers=list(_holding(host)),
        clock_times=[] if model is None else model.get('clock_times', []),
        crosses=crosses,
        echoes=echoes,
        inequalities=inequalities,
        dependencies=dependencies,
        joint_dependencies=joints,
        sums=sums,
        constant_sums=constant_sums,
        products=products,
        aggregates=aggregates,
        told_by_numbers=told,
        tied=tied,
        gaps=near,
        gaps_by_level=by_level,
        structural_zeros=structural_zeros,
    )


def _constraints(host: Mapping[str, Any]) -> list[Any]:
    return [*host['constraints'], *host['rejecting']]


def _combinations(host: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], int]]:
    for entry in _constraints(host):
        found = (entry['fit'] or {}).get('combinations')
        if found is not None:
            yield found['columns'], max(map(len, found['cells']), default=0)


def _holding(host: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Transformers that keep values of the column: categories, mappings, distributions."""
    names = {'frequencies', 'values_to_categories', 'dummies', '_mapping_dict', '_univariate'}
    for entry in host['hyper_transformer']['transformers']:
        if names & set(entry['fitted']):
            yield ', '.join(entry['fitted'].get('columns') or []), entry['class']


def _training(table: Any, model: Any) -> dict[str, Any]:
    if table is None or model is None:
        return {}
    history, spent = model['history'], table.get('spent')
    rows, reason = {'rows': table['num_rows']}, {'reason': history['reason']}
    if spent:  # of the course of a private training nothing is kept
        return {**rows, **reason, 'epsilon': spent['epsilon'], 'delta': spent['delta']}
    return {**rows, 'epochs': len(history['losses']), 'seconds': history['seconds'], **reason}


def _columns(table: Mapping[str, Any]) -> list[UserColumn]:
    found = []
    for column in table['form']['columns']:
        profile = table['profiles'].get(column['key'])
        role = 'unknown' if profile is None else profile['role']
        ordered = role in (Role.NUMBER.value, Role.DATE.value)
        has_limits = profile is not None and ordered and profile['has_values']
        found.append(
            UserColumn(
                column['name'],
                column['sdtype'],
                str(column['dtype']),
                role,
                (profile['low'], profile['high']) if has_limits else None,
                [] if profile is None else profile['levels'],
            )
        )
    return found


def _learnt(
    model: Mapping[str, Any], names: Mapping[Any, str], users: Sequence[UserColumn]
) -> tuple[list[LearntColumn], list[tuple[Sequence[str], int]], list[tuple[str, str, int]]]:
    encoder, clocks = model['encoder'], ClockTimes(frozenset(model.get('clock_times', ())))
    columns = [_learnt_column(codec, clocks) for codec in encoder['codecs']]
    crosses: list[tuple[Sequence[str], int]] = [
        ([columns[member].name for member in cross['members']], len(cross['levels']))
        for cross in encoder['crosses']
    ]
    users_dates = [column.name for column in users if column.sdtype == 'datetime']
    dates = {name for name, own in names.items() if own in users_dates}
    found = [
        (columns[echo.position].name, columns[echo.source].name, echo)
        for echo in map(Echo.from_state, encoder.get('echoes', ()))
    ]
    echoes = [
        (
            names[own],
            echo.line.written(names[source], of_dates=dates.issuperset((own, source))),
            echo.counts[-1],
        )
        for own, source, echo in found
        if own in names and source in names
    ]
    return columns, crosses, echoes


def _own_values(host: Mapping[str, Any], table: Mapping[str, Any]) -> dict[Any, str]:
    """As ``columns_with_own_values`` of a fitted table: the model's columns that are a user's."""
    names = {column['key']: column['key'] for column in table['form']['columns']}
    for entry in host['constraints']:
        low = (entry['learnt'] or {}).get('_fillna_low_column_name')
        lowest = entry['arguments'].get('low_column_name')
        names |= {low: names[lowest]} if low and lowest in names else {}
    hyper = host['hyper_transformer']
    kinds = [entry['class'] for entry in hyper['transformers']]
    presences = (table['processed'] or {}).get('presences', {}).values()
    return {
        name: names[name]
        for name, number in hyper['fields'].items()
        if name in names and (number is None or keeps_values(kinds[number]))
    } | dict(zip(presences, presences, strict=True))


def _learnt_column(codec: Mapping[str, Any], clocks: ClockTimes) -> LearntColumn:
    column = codec['column']
    counts, missing = column['counts'], column['missing']
    if column['kind'] == ColumnKind.CATEGORICAL.value:
        values, quantiles = codec['levels'], []
        level_counts = codec['counts'].tolist()
    else:
        values, level_counts = clocks.clocks(column['name'], codec['atoms']).tolist(), counts
        written_knots = (clocks.clocks(column['name'], knots) for knots in codec['knots'])
        quantiles = [number for knots in written_knots for number in knots.tolist()]
    return LearntColumn(
        column['name'],
        list(zip(values, level_counts, strict=False)),
        quantiles,
        sorted(set(codec.get('steps', ())) - {0.0}),
        [written(Cycle.from_state(cycle)) for cycle in codec.get('cycles', ())],
        0 if missing is None else counts[missing],
        sum(counts),
    )


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
