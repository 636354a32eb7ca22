"""SDV's constraints as plain values, and back: by their arguments and what fitting set."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from sdv import cag
from sdv.cag.programmable_constraint import ProgrammableConstraintHarness

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Check, Unfit
from sdv_tabdar.adapter.private_names import saved_formatters
from sdv_tabdar.adapter.private_names.constraints import own_constraint
from sdv_tabdar.adapter.private_names.saved_kinds import DTYPE, VALUE, NotWritable, plain

_TEXT, _NAMES, _FLAG = checked.text, checked.names, checked.flag
_TABLE = checked.optional(_TEXT)

# For each constraint: the arguments of the constructor with the attributes that hold them, and
# the attributes that fitting sets.
_ARGUMENTS: Mapping[str, Mapping[str, tuple[str, Check]]] = {
    'Inequality': {
        'low_column_name': ('_low_column_name', _TEXT),
        'high_column_name': ('_high_column_name', _TEXT),
        'strict_boundaries': ('strict_boundaries', _FLAG),
        'table_name': ('table_name', _TABLE),
    },
    'Range': {
        'low_column_name': ('_low_column_name', _TEXT),
        'middle_column_name': ('_middle_column_name', _TEXT),
        'high_column_name': ('_high_column_name', _TEXT),
        'strict_boundaries': ('strict_boundaries', _FLAG),
        'table_name': ('table_name', _TABLE),
    },
    'FixedCombinations': {
        'column_names': ('column_names', _NAMES),
        'table_name': ('table_name', _TABLE),
    },
    'FixedIncrements': {
        'column_name': ('column_name', _TEXT),
        'increment_value': ('increment_value', checked.number(1, 2**62)),
        'table_name': ('table_name', _TABLE),
    },
    'OneHotEncoding': {
        'column_names': ('_column_names', _NAMES),
        'table_name': ('table_name', _TABLE),
        'learning_strategy': ('learning_strategy', checked.one_of('one_hot', 'categorical')),
    },
}
_OPTIONAL_TEXT = checked.optional(_TEXT)
_ORDERED: Mapping[str, Check] = {
    '_is_datetime': checked.optional(_FLAG),
    '_dtype': checked.optional(DTYPE),
    '_low_datetime_format': _OPTIONAL_TEXT,
    '_high_datetime_format': _OPTIONAL_TEXT,
    '_fillna_low_column_name': _TEXT,
    '_nan_column_name': _TEXT,
}
_LEARNT: Mapping[str, Mapping[str, Check]] = {
    'Inequality': {**_ORDERED, '_diff_column_name': _TEXT},
    'Range': {
        **_ORDERED,
        '_middle_datetime_format': _OPTIONAL_TEXT,
        '_low_diff_column_name': _TEXT,
        '_high_diff_column_name': _TEXT,
    },
    'FixedCombinations': {'_joint_column': _TEXT},
    'FixedIncrements': {
        '_dtype': checked.optional(DTYPE),
        '_fixed_increments_column_name': _TEXT,
    },
    'OneHotEncoding': {'_categorical_column': _TEXT, '_transformed_col_names': _NAMES},
}
# Names of the columns that they put in the place of others.
_WRITTEN = (
    *('_fillna_low_column_name', '_nan_column_name', '_diff_column_name', '_low_diff_column_name'),
    *('_high_diff_column_name', '_joint_column', '_fixed_increments_column_name'),
)
# What fitting sets in all of them, beside the metadata, which follow from those before them.
_SHARED = ('_dtypes', '_original_data_columns', '_datetime_min_max_value', '_formatters')
_REMADE = {
    'metadata',
    '_fitted',
    '_single_table',
    '_table_name',
    '_operator',
    '_combinations',
    '_combinations_to_ids',
    '_ids_to_combinations',
    *_SHARED,
}
_DATE = checked.instance(pd.Timestamp, type(pd.NaT))
_DTYPES = checked.entries(DTYPE)
_FIT = checked.record(
    {
        'dtypes': _DTYPES,
        'columns': _NAMES,
        'ends': checked.entries(checked.pair(_DATE, _DATE)),
        'formatters': checked.entries(VALUE),
        'combinations': VALUE,
    },
    absent=('combinations',),
)
_FRAME = checked.record(
    {
        'columns': _NAMES,
        'dtypes': checked.items(DTYPE),
        'cells': checked.items(checked.items(VALUE)),
    }
)


# What the harness holds in which SDV uses a programmable constraint.
_HARNESS = {'programmable_constraint', 'table_name', '_is_single_table'}


@dataclasses.dataclass(frozen=True)
class OwnKind:
    """A programmable constraint of this package, which can be written as SDV's own can.

    Attributes:
        make: Its class.
        arguments: What the constructor's arguments, in attributes of their names, may be.
        learnt: Attributes that fitting sets, and what they may be.
        check: Refuses, by raising :class:`Unfit`, an entry whose parts do not fit together.
    """

    make: Callable[..., Any]
    arguments: Mapping[str, Check]
    learnt: Mapping[str, Check]
    check: Check


_OWN: dict[str, OwnKind] = {}


def register(name: str, kind: OwnKind) -> None:
    """Let programmable constraints of a class of this package be written."""
    _OWN[name] = kind


def _arguments(name: str) -> Mapping[str, tuple[str, Check]]:
    """The arguments of a class on the list, with their attributes."""
    if name in _OWN:
        return {key: (key, check) for key, check in _OWN[name].arguments.items()}
    return _ARGUMENTS[name]


def _learnt(name: str) -> Mapping[str, Check]:
    return _OWN[name].learnt if name in _OWN else _LEARNT[name]


def _writable() -> list[str]:
    return sorted([*_ARGUMENTS, *_OWN])


def written(constraint: Any) -> dict[str, Any]:
    """A constraint as plain values.

    Raises:
        NotWritable: If it is a user's own code, or of an unknown form.
    """
    held = _held(constraint)
    name = type(held).__name__
    if held is not constraint and (name not in _OWN or type(held) is not _OWN[name].make):
        raise NotWritable(
            f'The constraint {name} is a programmable one, whose code a safe file cannot hold. '
            f'Use one of {_writable()}, or save with save().'
        )
    if held is constraint and (name not in _ARGUMENTS or type(held) is not getattr(cag, name)):
        raise NotWritable(
            f'The constraint {name} cannot be written; these can: {_writable()}. Use one of '
            'them, or save with save().'
        )
    arguments, learnt = _arguments(name), _learnt(name)
    known = {*(attribute for attribute, _ in arguments.values()), *learnt, *_REMADE, *_HARNESS}
    unknown = sorted({*vars(constraint), *vars(held)} - known)
    if unknown:
        raise NotWritable(
            f'The constraint {name} holds {unknown}, which this version of sdv_tabdar cannot '
            'write. Save with save().'
        )
    state: dict[str, Any] = {
        'class': name,
        'arguments': {
            key: plain(getattr(held, attribute)) for key, (attribute, _) in arguments.items()
        },
        'learnt': {key: getattr(held, key) for key in learnt},
        'fit': None,
    }
    if constraint._fitted:
        state['fit'] = _written_fit(constraint)
    return state


def _held(constraint: Any) -> Any:
    """The constraint that SDV has wrapped, or itself."""
    own = own_constraint(constraint)
    return constraint if own is None else own


def _written_fit(constraint: Any) -> dict[str, Any]:
    (table,) = constraint._dtypes
    fit = {
        'dtypes': constraint._dtypes[table],
        'columns': list(constraint._original_data_columns[table]),
        'ends': {key: tuple(e) for key, e in constraint._datetime_min_max_value[table].items()},
        'formatters': saved_formatters.written(constraint._formatters[table]),
    }
    if isinstance(constraint, cag.FixedCombinations):
        frame = constraint._combinations
        fit['combinations'] = {
            'columns': list(frame.columns),
            'dtypes': list(frame.dtypes),
            'cells': [plain(frame[name].tolist()) for name in frame.columns],
        }
    return fit


def check(entry: Any, place: str) -> None:
    """Refuse what :func:`written` cannot have written, and classes that are not on the list.

    Raises:
        Unfit: If it is so.
    """
    checked.record({'class': _TEXT, 'arguments': VALUE, 'learnt': VALUE, 'fit': VALUE})(
        entry, place
    )
    name = entry['class']
    if name not in _writable():
        checked.refuse(f'{place}.class', name, f'one of {_writable()}')
    arguments = {key: each for key, (_, each) in _arguments(name).items()}
    checked.record(arguments)(entry['arguments'], f'{place}.arguments')
    checked.record(_learnt(name))(entry['learnt'], f'{place}.learnt')
    if name in _OWN:
        _OWN[name].check(entry, place)
    if entry['fit'] is not None:
        _FIT(entry['fit'], f'{place}.fit')
        if name == 'FixedCombinations':
            _check_combinations(entry, f'{place}.fit.combinations')


def made(entry: Mapping[str, Any]) -> Any:
    """A new constraint with the arguments of the one that was written."""
    name, arguments = entry['class'], entry['arguments']
    if name in _OWN:
        return ProgrammableConstraintHarness(_OWN[name].make(**arguments))
    return getattr(cag, name)(**arguments)


def check_names(entry: Mapping[str, Any], after: Any, place: str) -> None:
    """Refuse a fitted constraint that writes other columns than the metadata after it have.

    Args:
        entry: What has passed :func:`check`.
        after: The metadata after the constraint.
        place: Where the entry stands, for messages.

    Raises:
        Unfit: If it is one.
    """
    if entry['fit'] is None:
        return
    learnt, (table,) = entry['learnt'], after.tables
    names = [learnt[name] for name in _WRITTEN if name in learnt]
    if entry['class'] == 'OneHotEncoding':
        one_hot = entry['arguments']['learning_strategy'] == 'one_hot'
        names = learnt['_transformed_col_names'] if one_hot else [learnt['_categorical_column']]
        if one_hot and len(names) != len(entry['arguments']['column_names']):
            raise Unfit(f'{place}.learnt', 'has not one column for each of those it replaces.')
    absent = sorted(set(names) - set(after.tables[table].columns))
    if absent:
        raise Unfit(f'{place}.learnt', f'writes {absent[:5]}, which are no columns after it.')


def put_into(constraint: Any, entry: Mapping[str, Any], metadata: Any, place: str) -> None:
    """Put into a constraint what fitting it on a table with these metadata has set."""
    fit = entry['fit']
    vars(_held(constraint)).update(entry['learnt'])
    if fit is None:
        return
    (table,) = metadata.tables
    columns = set(metadata.tables[table].columns)
    for what in ('dtypes', 'columns'):
        if set(fit[what]) != columns:
            raise Unfit(f'{place}.fit.{what}', f'must be the columns {sorted(columns)[:10]}.')
    constraint._single_table, constraint._table_name = True, table
    constraint.metadata = metadata
    constraint._dtypes = {table: fit['dtypes']}
    constraint._original_data_columns = {table: fit['columns']}
    constraint._datetime_min_max_value = {
        table: {key: tuple(ends) for key, ends in fit['ends'].items()}
    }
    constraint._formatters = {
        table: saved_formatters.read(fit['formatters'], f'{place}.fit.formatters')
    }
    if isinstance(constraint, cag.FixedCombinations):
        _put_combinations(constraint, fit, f'{place}.fit')
    constraint._fitted = True


def _check_combinations(entry: Mapping[str, Any], place: str) -> None:
    found = entry['fit'].get('combinations')
    _FRAME(found, place)
    names = entry['arguments']['column_names']
    if found['columns'] != names:
        raise Unfit(f'{place}.columns', f'must be {names}.')
    for what in ('dtypes', 'cells'):
        checked.items(VALUE, length=len(names))(found[what], f'{place}.{what}')
    if len({len(cells) for cells in found['cells']}) > 1:
        raise Unfit(f'{place}.cells', 'has columns of different lengths.')


def _put_combinations(constraint: Any, fit: Mapping[str, Any], place: str) -> None:
    """As SDV learns them from a table."""
    found = fit['combinations']
    parts = zip(found['columns'], found['cells'], found['dtypes'], strict=True)
    columns = {}
    for name, cells, dtype in parts:
        columns[name] = pd.Series(cells, dtype=object).astype(dtype)
        try:
            columns[name].astype(object).astype(fit['dtypes'][name])
        except (TypeError, ValueError) as error:
            raise Unfit(f'{place}.dtypes', f'cannot hold the cells of {name!r}: {error}') from error
    constraint._fit({constraint._table_name: pd.DataFrame(columns)}, constraint.metadata)
