"""Synthesizers whose files hold one of everything, fitted in a second each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from rdt.transformers import (
    AnonymizedFaker,
    BinaryEncoder,
    ClusterBasedNormalizer,
    FloatFormatter,
    GaussianNormalizer,
    IndexGenerator,
    LabelEncoder,
    LogScaler,
    OneHotEncoder,
    OptimizedTimestampEncoder,
    OrderedLabelEncoder,
    OrderedUniformEncoder,
    PseudoAnonymizedFaker,
    RegexGenerator,
    UniformEncoder,
)
from rdt.transformers.numerical import LogitScaler
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range

from sdv_tabdar import FixedSum, TabDARSynthesizer

from ..conftest import TINY, make_metadata

_ROWS = 80


def constraints() -> list[Any]:
    """One or two of each of SDV's, and those of this package."""
    return [
        Inequality('low', 'high', strict_boundaries=True),
        Inequality('begin', 'end'),
        Inequality('text_begin', 'text_end'),
        Range('first', 'second', 'third'),
        FixedCombinations(['a', 'b']),
        FixedIncrements('step', 5),
        OneHotEncoding(['yes', 'no']),
        OneHotEncoding(['red', 'blue'], learning_strategy='categorical'),
        FixedSum(['net', 'tax'], total_column='gross'),
        FixedSum(['cash', 'card'], total=100),
    ]


def transformers() -> dict[str, Any]:
    """One of each of RDT's that can be written, by column."""
    return {
        'gauss': GaussianNormalizer(),
        'clusters': ClusterBasedNormalizer(max_clusters=3, enforce_min_max_values=True),
        'beta': GaussianNormalizer(distribution='beta', enforce_min_max_values=True),
        'log': LogScaler(),
        'logit': LogitScaler(min_value=-1, max_value=2),
        'rounded': FloatFormatter(
            missing_value_replacement='random',
            missing_value_generation='from_column',
            learn_rounding_scheme=True,
        ),
        'uniform': UniformEncoder(),
        'ordered': OrderedUniformEncoder(order=['w', 'v', 'u']),
        'label': LabelEncoder(add_noise=True),
        'ordered_label': OrderedLabelEncoder(order=['w', 'v', 'u']),
        'one_hot': OneHotEncoder(),
        'moment': OptimizedTimestampEncoder(),
        'flag': BinaryEncoder(),
        'pseudonym': PseudoAnonymizedFaker('person', 'name'),
        'shared_name': AnonymizedFaker(
            'person', 'first_name', cardinality_rule='match', locales=['en_US', 'de_DE']
        ),
        'code': AnonymizedFaker(
            function_name='bothify', function_kwargs={'text': '##??'}, cardinality_rule='unique'
        ),
        'pattern': RegexGenerator('[A-Z]{3}', cardinality_rule='match'),
        'running': IndexGenerator(prefix='no '),
    }


def constrained() -> tuple[TabDARSynthesizer, pd.DataFrame]:
    """A synthesizer with each of SDV's constraints, and its table."""
    random = np.random.default_rng(1)
    low, first = random.integers(0, 50, _ROWS), random.integers(0, 20, _ROWS)
    # Each column in order stands in no other relation, so that its constraint replaces it.
    days, other_days, net, tax = (np.roll(first, shift) for shift in (1, 2, 3, 4))
    begin = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(days, 'D'))
    text_begin = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(other_days, 'D'))
    yes, red = random.integers(0, 2, _ROWS), random.integers(0, 2, _ROWS)
    table = pd.DataFrame(
        {
            'low': low,
            'high': low + random.integers(1, 9, _ROWS),
            'begin': begin,
            'end': begin + pd.to_timedelta(random.integers(0, 9, _ROWS), 'D'),
            'text_begin': text_begin.dt.strftime('%Y-%m-%d'),
            'text_end': (text_begin + pd.Timedelta('3D')).dt.strftime('%Y-%m-%d %H:%M'),
            'first': first,
            'second': first + random.integers(1, 5, _ROWS),
            'third': first + random.integers(5, 9, _ROWS),
            'a': random.choice(['x', 'y'], _ROWS),
            'b': random.choice(np.array([1, 2, None], dtype=object), _ROWS),
            'step': random.integers(0, 9, _ROWS) * 5,
            'yes': yes,
            'no': 1 - yes,
            'red': red,
            'blue': 1 - red,
            'net': net,
            'tax': tax / 10,
            'gross': net + tax / 10,
            'cash': np.roll(low, 1),
            'card': 100 - np.roll(low, 1),
            'free': random.normal(size=_ROWS).round(3),
        }
    )
    columns: dict[str, dict[str, Any]] = {name: {'sdtype': 'numerical'} for name in table}
    columns.update({name: {'sdtype': 'categorical'} for name in 'ab'})
    columns.update({name: {'sdtype': 'datetime'} for name in ('begin', 'end')})
    columns['text_begin'] = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
    columns['text_end'] = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M'}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints(constraints())
    synthesizer.fit(table)
    return synthesizer, table


def transformed() -> TabDARSynthesizer:
    """A synthesizer with each of RDT's transformers that can be written, and two kinds of keys."""
    random = np.random.default_rng(2)
    texts = random.choice(['u', 'v', 'w'], _ROWS)
    numbers = random.random(_ROWS).round(3)
    names = [f'n{number}' for number in range(_ROWS)]
    kinds = {
        'numerical': ('gauss', 'beta', 'log', 'logit', 'rounded', 'clusters'),
        'categorical': ('uniform', 'ordered', 'label', 'ordered_label', 'one_hot'),
        'first_name': ('pseudonym', 'shared_name', 'code'),
        'id': ('pattern', 'running', 'key'),
        'ssn': ('other_key',),
    }
    columns = {name: {'sdtype': kind} for kind, own in kinds.items() for name in own}
    table = pd.DataFrame(dict.fromkeys(columns, texts))
    table[list(kinds['numerical'])] = np.column_stack([numbers + 0.5 * (numbers == 0)] * 6)
    table.loc[3, ['rounded', 'gauss', 'clusters']] = np.nan
    table.loc[5, ['label', 'one_hot', 'shared_name']] = None
    table = table.assign(
        moment=pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 99, _ROWS), 'D'),
        flag=numbers < 0.5,
        key=names,
        other_key=names,
        pseudonym=names,
    )
    columns |= {'moment': {'sdtype': 'datetime'}, 'flag': {'sdtype': 'boolean'}}
    metadata = make_metadata(columns, primary_key='key', alternate_keys=['other_key'])
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.auto_assign_transformers(table)
    synthesizer.update_transformers(transformers())
    synthesizer.fit(table)
    return synthesizer
