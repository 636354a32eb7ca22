"""RDT's transformers as plain values, and back: by constructor arguments and what fitting set.

A class is written by its name, which must be on the list, so that a file can name nothing else.
What holds no data and follows from the rest is made anew: Faker's providers, generators of text
from patterns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from rdt import transformers as rdt
from rdt.transformers import BaseTransformer, NullTransformer

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.adapter.fakers import check_faker
from sdv_tabdar.adapter.patterns import check_pattern
from sdv_tabdar.adapter.private_names import saved_mixtures, saved_random
from sdv_tabdar.adapter.private_names.saved_kinds import (
    COMMON,
    KINDS,
    MISSING,
    MOST_GENERATED,
    NUMBER,
    SPECIAL,
    VALUE,
    Kind,
    NotWritable,
    plain,
)

# What fitting sets in each transformer that has it.
_NEEDED = (
    *('columns', 'column_prefix', 'output_columns', 'null_transformer', '_dtype', 'dtype'),
    *('frequencies', 'intervals', 'values_to_categories', 'categories_to_values', 'divider'),
    *('dummies', '_uniques', '_indexer', '_num_dummies', 'generated', '_faker_random_seed'),
    *('_univariate', '_bgm_transformer', 'valid_component_indicator'),
)
_STREAMS = ('transform', 'reverse_transform')  # with seeds one after the other


def written(transformer: BaseTransformer) -> dict[str, Any]:
    """A transformer as plain values, but for the transformers of its outputs.

    Raises:
        NotWritable: If its class is not on the list, or it holds something of an unknown form.
    """
    name = type(transformer).__name__
    kind = KINDS.get(name)
    if kind is None or type(transformer) is not kind.make:
        raise NotWritable(
            f'The transformer {name} of {_columns(transformer)} is not one of RDT that can be '
            f'written: {sorted(KINDS)}. Use one of them (update_transformers), or save with save().'
        )
    parameters = {key: plain(_parameter(transformer, key)) for key in kind.parameters}
    try:
        fresh = remade(name, parameters)
    except (Unfit, ValueError, TypeError) as error:
        raise NotWritable(
            f'The transformer {name} of {_columns(transformer)} cannot be written: {error} Use '
            'another one (update_transformers), or save with save().'
        ) from error
    fields = {**COMMON, **kind.fitted}
    known = {*fields, *kind.parameters, *kind.remade, *SPECIAL}
    for key, value in vars(transformer).items():
        if key not in known and not _same(value, vars(fresh).get(key)):
            raise NotWritable(
                f"The transformer {name} of {_columns(transformer)} holds '{key}', which this "
                'version of sdv_tabdar cannot write. Save with save().'
            )
    own = {key: value for key, value in vars(transformer).items() if key in fields}
    own = {key: value for key, value in own.items() if not _same(value, vars(fresh).get(key))}
    state: dict[str, Any] = {
        'class': name,
        'parameters': parameters,
        'fitted': {key: _fitted(key, value) for key, value in own.items()},
        'random_states': _written_states(transformer),
    }
    if 'faker' in kind.remade:
        state['faker'] = saved_random.written_faker(transformer)
    return state


def remade(name: str, parameters: Mapping[str, Any]) -> Any:
    """An unfitted transformer by its class and its constructor's arguments.

    Raises:
        Unfit: If an argument is not allowed.
    """
    _check_parameters(KINDS[name], parameters, f'{name}.parameters')
    return KINDS[name].make(**parameters)


def _check_parameters(kind: Kind, parameters: Any, place: str) -> None:
    checked.record(kind.parameters)(parameters, place)
    if 'regex_format' in kind.parameters:
        check_pattern(parameters['regex_format'], f'{place}.regex_format')
    if 'provider_name' in kind.parameters:
        check_faker(parameters, place)


_STATE = checked.record(
    {
        'class': checked.one_of(*KINDS),
        'parameters': checked.entries(VALUE),
        'fitted': checked.entries(VALUE),
        'random_states': checked.record({'transform': VALUE, 'reverse_transform': VALUE}),
        'faker': VALUE,
        'outputs': VALUE,
    },
    absent=('faker',),
)


def check(state: Any, place: str) -> None:
    """Refuse what :func:`written` cannot have written, and classes that are not on the list.

    Raises:
        Unfit: If it is so.
    """
    _STATE(state, place)
    kind = KINDS[state['class']]
    _check_parameters(kind, state['parameters'], f'{place}.parameters')
    fields = {**COMMON, **kind.fitted}
    checked.record(fields, absent=fields)(state['fitted'], f'{place}.fitted')


def check_fitted(state: Mapping[str, Any], place: str) -> None:
    """Refuse a transformer that is said to be fitted, and lacks what fitting sets.

    Raises:
        Unfit: If it is so.
    """
    fields = {**COMMON, **KINDS[state['class']].fitted}
    found = state['fitted']
    lacking = [name for name in _NEEDED if name in fields and found.get(name) is None]
    if lacking or not found['columns']:
        raise Unfit(f'{place}.fitted', f'lacks {lacking or ["columns"]}.')
    if None in state['random_states'].values():
        raise Unfit(f'{place}.random_states', 'are not there.')


def read(state: Mapping[str, Any], place: str) -> Any:
    """The transformer that :func:`written` described, but for its outputs.

    Raises:
        Unfit: If something in it does not fit, although it has passed :func:`check`.
    """
    transformer = remade(state['class'], state['parameters'])
    kind = KINDS[state['class']]
    own = {key: _read_fitted(key, value, place) for key, value in state['fitted'].items()}
    if isinstance(transformer, rdt.ClusterBasedNormalizer):
        saved_mixtures.check_valid(own, transformer.max_clusters, f'{place}.fitted')
    if isinstance(transformer, rdt.RegexGenerator) and own.get('generated') is not None:
        transformer.__setstate__({**vars(transformer), **own})  # goes on where it was
    vars(transformer).update(own)
    for shift, key in enumerate(_STREAMS):
        found, seed = state['random_states'][key], transformer.random_seed + shift
        if found is not None:
            found = saved_random.read_state(found, seed, place)
        transformer.random_states[key] = found
    if 'faker' in kind.remade:
        saved_random.restore_faker(transformer, state.get('faker'), f'{place}.faker')
    return transformer


def _written_states(transformer: BaseTransformer) -> dict[str, Any]:
    states = {}
    for shift, key in enumerate(_STREAMS):
        found, seed = transformer.random_states.get(key), transformer.random_seed + shift
        states[key] = None if found is None else saved_random.written_state(found, seed)
    return states


def _parameter(transformer: Any, name: str) -> Any:
    """An argument of a transformer's constructor."""
    if name == 'distribution':
        names = {made: name for name, made in transformer._distributions.items()}
        chosen = transformer._distribution
        return names.get(chosen if isinstance(chosen, type) else type(chosen))
    return getattr(transformer, name)


def _columns(transformer: BaseTransformer) -> str:
    columns = transformer.columns or []
    return 'a column' if not columns else ', '.join(f"'{name}'" for name in columns)


def _same(value: Any, other: Any) -> bool:
    """Whether an attribute is as the constructor left it; False where that cannot be told."""
    value, other = plain(value), plain(other)
    if type(value) is not type(other):
        return False
    try:
        return bool(value == other)
    except (TypeError, ValueError):
        return False


def _fitted(name: str, value: Any) -> Any:
    if isinstance(value, NullTransformer):
        return {key: plain(entry) for key, entry in vars(value).items()}
    if name == '_univariate':
        found = {key: plain(entry) for key, entry in value.to_dict().items()}
        found['type'] = type(value).__name__
        return {
            key: entry.tolist() if isinstance(entry, np.ndarray) else entry
            for key, entry in found.items()
        }
    if name == '_bgm_transformer' and value is not None:
        return saved_mixtures.written(value)
    if name == 'valid_component_indicator':
        return None if value is None else value.tolist()
    if name in ('generated', '_num_fallback_samples_generated') and (value or 0) > MOST_GENERATED:
        raise NotWritable(
            f'A generator has made {value:,} values; at most {MOST_GENERATED:,} can be gone '
            'through again. Call reset_sampling() before saving.'
        )
    return plain(value)


_NULLS = checked.record(
    {
        '_missing_value_replacement': VALUE,
        '_missing_value_generation': MISSING,
        '_min_value': checked.optional(NUMBER),
        '_max_value': checked.optional(NUMBER),
        'nulls': checked.optional(checked.flag),
        '_null_percentage': checked.optional(checked.number(0, 1)),
    },
    absent=('nulls', '_null_percentage'),
)


def _read_fitted(name: str, value: Any, place: str) -> Any:
    if name == 'null_transformer' and value is not None:
        _NULLS(value, f'{place}.{name}')
        found = NullTransformer()
        vars(found).update(value)
        return found
    if name == '_univariate':
        return _read_univariate(value, f'{place}.{name}')
    if name == '_bgm_transformer':
        return saved_mixtures.read(value, f'{place}.{name}')
    if name == 'valid_component_indicator':
        return np.array(value, dtype=bool)
    if name == '_unique_categories' and value is not None:
        cells = np.empty(len(value), dtype=object)
        cells[:] = value
        return cells
    return value


def _read_univariate(value: Any, place: str) -> Any:
    """A distribution of copulas by its name, which must be on the list."""
    checked.entries(checked.either(checked.items(NUMBER), VALUE))(value, place)
    known = {kind.__name__: kind for kind in rdt.GaussianNormalizer._get_distributions().values()}
    if value.get('type') not in known:
        checked.refuse(f'{place}.type', value.get('type'), f'one of {sorted(known)}')
    parameters = {key: entry for key, entry in value.items() if key != 'type'}
    checked.entries(checked.either(NUMBER, checked.items(NUMBER)))(parameters, place)
    found = known[value['type']]()
    found._set_params(parameters)
    found.fitted = True
    return found
