"""Which of RDT's transformers can be written, and what makes up each of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from rdt import transformers as rdt

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Check

SEED = checked.whole(0, 2**32 - 1)
MOST_GENERATED = 10_000_000
"""Values that a generator may have made before it is saved: loading goes through them again."""

TEXTS = checked.items(checked.text)
COUNT = checked.whole(0, 2**48)
DTYPE = checked.instance(np.dtype, pd.api.extensions.ExtensionDtype)
NUMBER = checked.number(finite=False)
VALUE = checked.anything
MISSING = checked.one_of('random', 'from_column', None)
_RULE = checked.one_of('unique', 'match', 'scale', None)
_ENCODED = checked.one_of('new_category', None)
_FLAG = checked.flag
_GENERATED = checked.whole(0, MOST_GENERATED)
_MAP = checked.entries(VALUE, key=VALUE)

_MOST_CLUSTERS = 10_000
_DISTRIBUTIONS = ('norm', 'gamma', 'beta', 't', 'gaussian_kde', 'truncnorm', 'uniform')


class NotWritable(ValueError):
    """Something of a synthesizer cannot be written without its code."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """How the transformers of one class are written.

    Attributes:
        make: The class.
        parameters: Arguments of the constructor, in attributes of the same name, and what they
            may be.
        fitted: Attributes that fitting or drawing sets, and what they may be.
        remade: Attributes that follow from the others.
    """

    make: Callable[..., Any]
    parameters: Mapping[str, Check]
    fitted: Mapping[str, Check]
    remade: tuple[str, ...] = ()


COMMON: Mapping[str, Check] = {
    'columns': checked.optional(TEXTS),
    'column_prefix': checked.optional(checked.text),
    'output_columns': checked.optional(TEXTS),
    'random_seed': SEED,
    'missing_value_generation': MISSING,
}
SPECIAL = ('output_properties', 'random_states')
_REPLACED = {'missing_value_replacement': VALUE, 'missing_value_generation': MISSING}
_FLOAT = {
    **_REPLACED,
    'learn_rounding_scheme': _FLAG,
    'enforce_min_max_values': _FLAG,
    'computer_representation': checked.one_of(
        'Float', *(f'{sign}Int{bits}' for sign in ('', 'U') for bits in (8, 16, 32, 64))
    ),
}
_SCALED = {name: check for name, check in _FLOAT.items() if name != 'computer_representation'}
_FLOAT_FITTED = {
    'null_transformer': VALUE,
    '_dtype': DTYPE,
    '_min_value': checked.optional(NUMBER),
    '_max_value': checked.optional(NUMBER),
    '_rounding_digits': checked.optional(checked.whole(-400, 400)),
}
_DATES = {
    **_REPLACED,
    'datetime_format': checked.optional(checked.text),
    'enforce_min_max_values': _FLAG,
}
_DATES_FITTED = {
    'null_transformer': VALUE,
    'datetime_format': checked.optional(checked.text),
    '_dtype': checked.optional(DTYPE),
    '_min_value': checked.optional(NUMBER),
    '_max_value': checked.optional(NUMBER),
    '_has_multiple_timezones': _FLAG,
    '_timezone_offset': VALUE,
}
_UNIFORM_FITTED = {
    'dtype': DTYPE,
    'frequencies': checked.entries(NUMBER, key=VALUE),
    'intervals': checked.entries(checked.items(NUMBER, length=2), key=VALUE),
}
_LABEL_FITTED = {
    'dtype': DTYPE,
    'values_to_categories': checked.entries(VALUE, key=COUNT),
    'categories_to_values': checked.entries(COUNT, key=VALUE),
}
_SCALE = {
    '_data_cardinality': checked.optional(COUNT),
    '_data_cardinality_scale': checked.optional(
        checked.record(
            {'num_repetitions': checked.items(COUNT), 'frequency': checked.items(NUMBER)}
        )
    ),
    '_remaining_samples': checked.record({'value': VALUE, 'repetitions': COUNT}),
    'data_length': checked.optional(COUNT),
}
_FAKER = {
    'provider_name': checked.text,
    'function_name': checked.text,
    'function_kwargs': checked.entries(VALUE),
    'locales': VALUE,
}
_FAKER_FITTED = {
    **_SCALE,
    '_faker_random_seed': checked.optional(SEED),
    '_nan_frequency': checked.number(0, 1),
    '_unique_categories': checked.optional(checked.items(VALUE)),
    'cardinality_rule': _RULE,
}

KINDS: Mapping[str, Kind] = {
    'FloatFormatter': Kind(rdt.FloatFormatter, _FLOAT, _FLOAT_FITTED),
    'LogScaler': Kind(
        rdt.LogScaler,
        {**_REPLACED, 'constant': NUMBER, 'invert': _FLAG, 'learn_rounding_scheme': _FLAG},
        _FLOAT_FITTED,
    ),
    'LogitScaler': Kind(
        rdt.LogitScaler,
        {**_REPLACED, 'min_value': NUMBER, 'max_value': NUMBER, 'learn_rounding_scheme': _FLAG},
        _FLOAT_FITTED,
    ),
    'GaussianNormalizer': Kind(
        rdt.GaussianNormalizer,
        {
            **{name: check for name, check in _SCALED.items() if not name.endswith('replacement')},
            'distribution': checked.one_of(*_DISTRIBUTIONS),
        },
        {
            **_FLOAT_FITTED,
            '_univariate': VALUE,
            '_learned_distribution_name': checked.one_of(*_DISTRIBUTIONS),
        },
        ('_distributions', '_distribution'),
    ),
    'ClusterBasedNormalizer': Kind(
        rdt.ClusterBasedNormalizer,
        {
            'learn_rounding_scheme': _FLAG,
            'enforce_min_max_values': _FLAG,
            'max_clusters': checked.whole(1, _MOST_CLUSTERS),
            'weight_threshold': NUMBER,
            'missing_value_generation': MISSING,
        },
        {
            **_FLOAT_FITTED,
            '_bgm_transformer': VALUE,
            'valid_component_indicator': checked.items(_FLAG),
        },
    ),
    'UnixTimestampEncoder': Kind(rdt.UnixTimestampEncoder, _DATES, _DATES_FITTED),
    'OptimizedTimestampEncoder': Kind(
        rdt.OptimizedTimestampEncoder, _DATES, {**_DATES_FITTED, 'divider': checked.whole(1, 2**60)}
    ),
    'BinaryEncoder': Kind(rdt.BinaryEncoder, _REPLACED, {'null_transformer': VALUE}),
    'UniformEncoder': Kind(
        rdt.UniformEncoder, {'missing_value_encoding': _ENCODED}, _UNIFORM_FITTED
    ),
    'OrderedUniformEncoder': Kind(
        rdt.OrderedUniformEncoder,
        {'order': checked.optional(checked.items(VALUE)), 'missing_value_encoding': _ENCODED},
        _UNIFORM_FITTED,
    ),
    'LabelEncoder': Kind(
        rdt.LabelEncoder, {'add_noise': _FLAG, 'missing_value_encoding': _ENCODED}, _LABEL_FITTED
    ),
    'OrderedLabelEncoder': Kind(
        rdt.OrderedLabelEncoder,
        {
            'order': checked.optional(checked.items(VALUE)),
            'add_noise': _FLAG,
            'missing_value_encoding': _ENCODED,
        },
        _LABEL_FITTED,
    ),
    'OneHotEncoder': Kind(
        rdt.OneHotEncoder,
        {},
        {
            'dtype': DTYPE,
            'dummies': checked.items(VALUE),
            '_uniques': checked.items(VALUE),
            '_indexer': checked.items(COUNT),
            '_num_dummies': COUNT,
            '_dummy_na': _FLAG,
            '_dummy_encoded': _FLAG,
        },
    ),
    'IndexGenerator': Kind(
        rdt.IndexGenerator,
        {
            'prefix': checked.optional(checked.text),
            'starting_value': checked.whole(-(2**62), 2**62),
            'suffix': checked.optional(checked.text),
        },
        {'_counter': COUNT},
    ),
    'RegexGenerator': Kind(
        rdt.RegexGenerator,
        {
            'regex_format': checked.text,
            'cardinality_rule': _RULE,
            'generation_order': checked.one_of('alphanumeric', 'scrambled'),
        },
        {
            **_SCALE,
            'generated': checked.optional(_GENERATED),
            '_num_fallback_samples_generated': _GENERATED,
            '_unique_regex_values': checked.optional(TEXTS),
        },
        ('generator', 'generator_size'),
    ),
    'AnonymizedFaker': Kind(
        rdt.AnonymizedFaker,
        {**_FAKER, 'cardinality_rule': _RULE, 'missing_value_generation': MISSING},
        _FAKER_FITTED,
        ('faker',),
    ),
    'PseudoAnonymizedFaker': Kind(
        rdt.PseudoAnonymizedFaker,
        _FAKER,
        {**_FAKER_FITTED, '_mapping_dict': _MAP, '_reverse_mapping_dict': _MAP},
        ('faker',),
    ),
}


def plain(value: Any) -> Any:
    """NumPy's scalars as Python's, within lists, tuples and dictionaries too."""
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        return value.item()
    if isinstance(value, dict):
        return {plain(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, (list, pd.Series)) or (
        isinstance(value, np.ndarray) and value.dtype.kind == 'O'
    ):
        return list(map(plain, value))
    return value
