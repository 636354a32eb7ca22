"""The state of a fitted table in a file: the checks that all of it is there and fits together."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.adapter.compositions import CASES
from sdv_tabdar.adapter.presences import THERE
from sdv_tabdar.adapter.processed import ProcessedFormat
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.values import level_key
from sdv_tabdar.core.schema import ColumnKind

_TEXT, _FLAG, _VALUE = checked.text, checked.flag, checked.anything
_OPTIONAL_TEXT = checked.optional(_TEXT)
_DTYPE = checked.instance(np.dtype, pd.api.extensions.ExtensionDtype)
_ZONE = checked.instance(datetime.tzinfo)
_NUMBER = checked.number(finite=False)
_NANOSECONDS = checked.whole(-(2**63), 2**63 - 1)

_DATES = checked.record(
    {
        'text_format': _OPTIONAL_TEXT,
        'is_text': _FLAG,
        'time_zone': checked.optional(_ZONE),
        'has_nanoseconds': _FLAG,
        'ends': checked.optional(checked.pair(_NANOSECONDS, _NANOSECONDS)),
        'stays_text': _FLAG,
    }
)
_NUMBERS = checked.record(
    {
        'is_whole': _FLAG,
        'is_decimal': _FLAG,
        'decimals': checked.whole(-400, 700),
        'is_mixed': _FLAG,
        'short': checked.optional(checked.instance(np.dtype)),
        'ends': checked.optional(checked.pair(_VALUE, _VALUE)),
    }
)
_FORM = checked.record(
    {
        'columns': checked.items(
            checked.record(
                {
                    'name': _VALUE,
                    'key': _TEXT,
                    'sdtype': _OPTIONAL_TEXT,
                    'dtype': _DTYPE,
                    'dates': _DATES,
                    'number': _NUMBERS,
                    'value_type': checked.optional(checked.instance(type)),
                    'null': _VALUE,
                }
            )
        ),
        'order': checked.items(_TEXT, kinds=(list, tuple)),
    }
)
_PROFILE = checked.record(
    {
        'role': checked.one_of(*(role.value for role in Role)),
        'dtype': _DTYPE,
        'low': _NUMBER,
        'high': _NUMBER,
        'has_missing': _FLAG,
        'has_values': _FLAG,
        'levels': checked.items(_VALUE),
        'unit': checked.number(0),
        'extrapolates': _FLAG,
        'date_unit': checked.number(0),
        'local_unit': checked.number(0),
        'is_clock': _FLAG,
    },
    absent=('local_unit', 'is_clock'),
)
_PROCESSED = checked.record(
    {
        'kinds': checked.entries(checked.one_of(*(kind.value for kind in ColumnKind))),
        'dtypes': checked.entries(_DTYPE),
        'units': checked.entries(checked.number(0)),
        'zones': checked.entries(_ZONE),
        'presences': checked.entries(_TEXT),
    },
    absent=('presences',),
)
_PART = checked.number(0, 1)
_SPENT = checked.record(
    {
        'epsilon': checked.number(0, finite=False),
        'delta': _PART,
        'chance': _PART,
        'counts': checked.items(checked.record({'what': _TEXT, 'noise': checked.number(0)})),
        'steps': checked.items(
            checked.record(
                {'number': checked.whole(0, 2**53), 'rate': _PART, 'noise': checked.number(0)}
            )
        ),
    }
)
_COMPOSITION = checked.record(
    {
        'key': _TEXT,
        'pieces': checked.items(checked.pair(_TEXT, _TEXT)),
        'is_whole': _FLAG,
    }
)
_STATE = checked.record(
    {
        'form': _FORM,
        'profiles': checked.entries(_PROFILE),
        'rewritten': checked.items(checked.items(_TEXT, kinds=(list, tuple)), kinds=(list, tuple)),
        'processed': checked.optional(_PROCESSED),
        'num_rows': checked.whole(0, 2**53),
        'spent': checked.optional(_SPENT),
        'protected': _FLAG,
        'compositions': checked.items(_COMPOSITION),
    },
    absent=('spent', 'protected', 'compositions'),  # from files of former versions
)


def check(state: Any, host: Mapping[str, Any], place: str) -> None:
    """Refuse the state of a fitted table that cannot be one.

    Args:
        state: The state without the model.
        host: What SDV keeps of the synthesizer, after its own check.
        place: Where the state stands, for messages.

    Raises:
        Unfit: If it is not whole, or does not go with the metadata and the constraints.
    """
    _STATE(state, place)
    (table,) = host['metadata']['tables'].values()
    keys = [column['key'] for column in state['form']['columns']]
    if len(set(keys)) < len(keys) or set(keys) != set(table['columns']):
        raise Unfit(f'{place}.form.columns', 'are not the columns of the metadata, each once.')
    if set(state['form']['order']) != set(keys) or len(state['form']['order']) != len(keys):
        raise Unfit(f'{place}.form.order', 'is not that of the columns.')
    try:
        labels = {column['name']: column['key'] for column in state['form']['columns']}
    except TypeError:
        raise Unfit(f'{place}.form.columns', 'have labels that cannot be labels.') from None
    if any(str(name) != key for name, key in labels.items()) or len(labels) < len(keys):
        raise Unfit(f'{place}.form.columns', 'have labels that SDV knows by another name.')
    profiles = state['profiles']
    if profiles and set(profiles) != set(keys):
        raise Unfit(f'{place}.profiles', 'are not one for each column.')
    if profiles and len(state['rewritten']) != len(host['constraints']):
        raise Unfit(f'{place}.rewritten', 'is not one for each constraint.')
    _check_compositions(state.get('compositions', ()), set(keys), f'{place}.compositions')
    for key, profile in profiles.items():
        _check_profile(profile, f'{place}.profiles.{key}')
    if state['processed'] is not None:
        if not profiles:
            raise Unfit(f'{place}.profiles', 'are not there.')
        _check_presences(state, host, f'{place}.processed.presences')
        _check_processed(state['processed'], host, f'{place}.processed')


def _check_compositions(
    compositions: Sequence[Mapping[str, Any]], keys: Collection[str], place: str
) -> None:
    made: set[str] = set()
    for number, one in enumerate(compositions):
        parts = [name for name, _ in one['pieces'] if name]
        if (
            not parts
            or len({one['key'], *parts}) <= len(parts)
            or not {one['key'], *parts} <= {*keys}
        ):
            raise Unfit(f'{place}[{number}]', 'is not of a column and others, each once.')
        if any(name and case not in CASES for name, case in one['pieces']):
            raise Unfit(f'{place}[{number}].pieces', f'are not written in one of the ways {CASES}.')
        later = {other['key'] for other in compositions[number:]}
        if one['key'] in made or later & {*parts}:
            raise Unfit(f'{place}[{number}]', 'is not behind those of its parts, or a second one.')
        made.add(one['key'])


def check_model(state: Mapping[str, Any], model: Mapping[str, Any], place: str) -> None:
    """Refuse a model of other columns than those that the table is turned into.

    Args:
        state: What has passed :func:`check`.
        model: State of the model, after its own check.
        place: Where the state stands, for messages.

    Raises:
        Unfit: If it is one.
    """
    if state['processed'] is None:
        raise Unfit(f'{place}.processed', 'is not there, although there is a model.')
    columns = [codec['column'] for codec in model['encoder']['codecs']]
    if {column['name']: column['kind'] for column in columns} != state['processed']['kinds']:
        raise Unfit(f'{place}.processed.kinds', 'are not those of the columns of the model.')
    form = ProcessedFormat.from_state(state['processed'])
    presences = {*form.presences.values()}
    for codec in model['encoder']['codecs']:
        _check_values(codec, form, f'{place}.processed')
        if codec['column']['name'] in presences and not {*codec['levels']} <= {THERE, None}:
            raise Unfit(f'{place}.processed.presences', f'are not of {THERE!r} and missing alone.')


def _check_values(codec: Mapping[str, Any], form: ProcessedFormat, place: str) -> None:
    """Refuse values of a column that its processed form cannot be made of."""
    name = codec['column']['name']
    values = [level for level in codec.get('levels', ()) if level is not None]
    if codec['column']['kind'] == ColumnKind.NUMERICAL.value:
        values = np.concatenate([codec['atoms'], *codec['knots']]).tolist()
    try:
        form.from_model(pd.DataFrame({name: pd.Series(values, dtype=object).infer_objects()}))
    except (TypeError, ValueError, OverflowError) as error:
        raise Unfit(
            f'{place}.dtypes.{name}', f'cannot hold the values of the model: {str(error)[:200]}'
        ) from error


def _check_profile(profile: Mapping[str, Any], place: str) -> None:
    try:
        {level_key(level) for level in profile['levels']}
    except TypeError:
        raise Unfit(f'{place}.levels', 'hold what cannot be a category.') from None
    if profile['role'] in (Role.NUMBER.value, Role.DATE.value) and profile['has_values']:
        low, high = profile['low'], profile['high']
        if not low <= high or abs(low) == float('inf') or abs(high) == float('inf'):
            raise Unfit(place, 'has values, but no least and greatest one.')


def _check_presences(state: Mapping[str, Any], host: Mapping[str, Any], place: str) -> None:
    """Refuse columns that say where others are missing whose values are not invented."""
    presences = state['processed'].get('presences', {})
    hyper, kinds = host['hyper_transformer'], state['processed']['kinds']
    for key in presences:
        profile = state['profiles'].get(key)
        is_made = profile is not None and profile['role'] == Role.GENERATED.value
        if not is_made or hyper['fields'].get(key) is None:
            raise Unfit(place, f'are of {key!r}, whose values are not invented.')
    names = [*presences.values()]
    taken = {*state['profiles'], *hyper['_output_columns']}
    is_own = all(kinds.get(name) == ColumnKind.CATEGORICAL.value for name in names)
    if not is_own or len({*names} - taken) < len(names):
        raise Unfit(place, 'are not a column of levels of its own each.')


def _check_processed(processed: Mapping[str, Any], host: Mapping[str, Any], place: str) -> None:
    names = set(processed['kinds'])
    for what in ('dtypes', 'units', 'zones'):
        found = set(processed[what])
        if found != names if what == 'dtypes' else found - names:
            raise Unfit(f'{place}.{what}', 'are those of other columns.')
    names -= set(processed.get('presences', {}).values())
    if not names <= set(host['hyper_transformer']['_output_columns']):
        raise Unfit(f'{place}.kinds', 'are those of columns that no transformer makes.')
