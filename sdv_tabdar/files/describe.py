"""What is in a model file, told without its weights: settings, training, and what of the data."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sdv_tabdar.adapter.made_columns import keeps_values
from sdv_tabdar.adapter.private_names import saved_host
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.core.codecs.clock_times import ClockTimes
from sdv_tabdar.core.codecs.cycles import Cycle, written
from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.files import model_state, table_state, told_relations
from sdv_tabdar.files.container import ModelFile
from sdv_tabdar.files.description import Description, LearntColumn, UserColumn
from sdv_tabdar.files.read import read_state, wrong_content


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
    products += [] if model is None else told_relations.mostly(model['encoder'], names)
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
