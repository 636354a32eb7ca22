"""The state of the core's model in a file: how it is laid out, and that its parts fit together.

What goes through here and passes is what ``TabDAR`` itself writes, with two differences: weights
without the buffers, which follow from the columns, and the knots of a column's bins end to end.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.core.codecs.cycles import LONGEST_MONTH, MONTH, MOST_CELLS, Cycle, Months
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.multiples import MOST_DIGITS
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import (
    ModelConfig,
    SamplingConfig,
    TrainingConfig,
)
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.nn.shapes import parameter_shapes
from sdv_tabdar.core.presets import with_former_settings
from sdv_tabdar.core.schema import ColumnKind, TableSchema
from sdv_tabdar.files import relation_fields, relations
from sdv_tabdar.files.values import Arrays

_COUNT = checked.whole(0, 2**53)
_VERSION = checked.whole(0, 10**6)
_LOSSES = checked.items(checked.number(finite=False))
_KINDS = checked.one_of(*(kind.value for kind in ColumnKind))

_STATE = checked.record(
    {
        'version': _VERSION,
        'model': checked.entries(checked.anything),
        'training': checked.entries(checked.anything),
        'sampling': checked.entries(checked.anything),
        'device': checked.one_of('auto', 'cpu'),
        'random_state': checked.optional(checked.whole(0, 2**63 - 1)),
        'verbose': checked.flag,
        'history': checked.record(
            {
                'losses': _LOSSES,
                'seconds': checked.number(0),
                'evaluations': checked.entries(
                    checked.items(checked.either(_LOSSES, checked.number(finite=False)))
                ),
                'reason': checked.text,
            }
        ),
        'encoder': checked.record(
            {
                'version': _VERSION,
                'codecs': checked.items(checked.entries(checked.anything)),
                **relation_fields.FIELDS,
            },
            absent=relation_fields.NEWER,
        ),
        'precedence': checked.items(checked.number()),
        'clock_times': checked.items(checked.text),
        'generator': checked.array('u1', (None,)),
        'generator_device': checked.one_of('cpu', 'cuda', 'mps', 'xpu'),
    },
    absent=('precedence', 'clock_times'),  # from files of former versions
)
_COLUMN = checked.record(
    {
        'name': checked.text,
        'kind': _KINDS,
        'counts': checked.items(_COUNT),
        'bins': checked.pair(_COUNT, _COUNT),
        'uniform': checked.items(checked.pair(checked.number(0, 1), checked.number(0, 1))),
        'missing': checked.optional(_COUNT),
    }
)
_NUMERICAL = checked.record(
    {
        'column': _COLUMN,
        'atoms': checked.array('f8', (None,)),
        'knots': checked.array('f8', (None,)),
        'places': checked.array('f8', (None,)),
        'sizes': checked.items(_COUNT),
        'steps': checked.items(checked.number(0, 2**53)),
        'cycles': checked.items(
            checked.record(
                {
                    'period': checked.number(0),
                    'start': checked.number(),
                    'shares': checked.items(checked.number(0, 1)),
                    'monthly': checked.flag,
                }
            )
        ),
    },
    absent=('steps', 'cycles'),  # from files of former versions
)
_CATEGORICAL = checked.record(
    {
        'column': _COLUMN,
        'levels': checked.items(checked.anything),
        'counts': checked.array('i8', (None,)),
        'sharing': checked.items(checked.whole(1, 2**53)),
    },
    absent=('sharing',),
)


_LEAST_STEP = 10.0**-MOST_DIGITS


def written(model: TabDAR) -> tuple[dict[str, Any], Arrays]:
    """A model as plain values, and its weights."""
    state = model.__getstate__()
    weights = state.pop('weights')
    encoder = state['encoder']
    state['encoder'] = {**encoder, 'codecs': [_joined(codec) for codec in encoder['codecs']]}
    names = parameter_shapes(TableEncoder.from_state(encoder).schema, model.model)
    kept = {name: weights[name].numpy() for name in names}
    state['generator'] = state['generator'].numpy()
    return state, kept


def made(state: dict[str, Any]) -> TabDAR:
    """The model of a state that has passed :func:`checked_state`.

    Raises:
        Unfit: If it was written in another version of the state.
    """
    model = TabDAR.__new__(TabDAR)
    try:
        model.__setstate__(state)
    except (ValueError, RuntimeError) as error:
        raise Unfit('model', f'cannot be read: {error}') from error
    return model


def checked_state(state: Any, weights: Arrays, place: str) -> dict[str, Any]:
    """The state as ``TabDAR`` reads it; nothing of the network's size has been made.

    Raises:
        Unfit: If its parts do not fit together.
    """
    state = checked_description(state, place)
    try:
        schema = TableEncoder.from_state(state['encoder']).schema
    except ValueError as error:  # another version of the encoder
        raise Unfit(f'{place}.encoder', f'cannot be read: {error}') from error
    config = ModelConfig(**with_former_settings(state['model'], ModelConfig))
    _check_weights(schema, config, weights, f'{place}.weights')
    return {
        **state,
        'weights': {name: torch.from_numpy(array) for name, array in weights.items()},
        'generator': torch.from_numpy(state['generator']),
    }


def checked_description(state: Any, place: str) -> dict[str, Any]:
    """All but the weights of a state, with the codecs as the core has them.

    Raises:
        Unfit: If its parts do not fit together.
    """
    _STATE(state, place)
    try:
        ModelConfig(**with_former_settings(state['model'], ModelConfig))
        TrainingConfig(**with_former_settings(state['training'], TrainingConfig))
        SamplingConfig(**state['sampling'])
    except (TypeError, ValueError) as error:
        raise Unfit(f'{place}.settings', f'are not allowed: {error}') from error
    encoder = state['encoder']
    codecs = [
        _parted(codec, f'{place}.encoder.codecs[{number}]')
        for number, codec in enumerate(encoder['codecs'])
    ]
    relations.check(encoder, f'{place}.encoder')
    encoder = {**encoder, 'codecs': codecs}
    _check_history(state['history'], len(codecs), f'{place}.history')
    if len(state.get('precedence', ())) not in (0, len(codecs)):
        raise Unfit(f'{place}.precedence', 'is not a weight for each column, or none.')
    columns = [codec['column'] for codec in codecs]
    numbers = {own['name'] for own in columns if own['kind'] == ColumnKind.NUMERICAL.value}
    if not numbers.issuperset(state.get('clock_times', ())):
        raise Unfit(f'{place}.clock_times', 'are not columns of numbers.')
    return {**state, 'encoder': encoder}


def check_readable(
    state: Mapping[str, Any], readable: Mapping[str, Collection[str | None]], place: str
) -> None:
    """Refuse levels that a constraint cannot turn back into the user's columns.

    Args:
        state: What has passed :func:`checked_state`.
        readable: For columns that constraints make, the levels that they may have.
        place: Where the state stands, for messages.

    Raises:
        Unfit: If there is one.
    """
    for number, codec in enumerate(state['encoder']['codecs']):
        allowed = readable.get(codec['column']['name'])
        if allowed is None:
            continue
        others = [level for level in codec.get('levels', [0.0]) if level not in allowed]
        if others:
            where = f'{place}.encoder.codecs[{number}].levels'
            raise Unfit(where, f'has {str(others[0])[:60]!r}, which its constraint cannot read.')


def _joined(codec: Mapping[str, Any]) -> dict[str, Any]:
    """A codec's state with the knots of its bins end to end."""
    if 'knots' not in codec:
        return dict(codec)
    parts = {
        name: np.concatenate([np.empty(0), *codec[name]]).astype(np.float64)
        for name in ('knots', 'places')
    }
    return {**codec, **parts, 'sizes': [len(knots) for knots in codec['knots']]}


def _parted(codec: Any, place: str) -> dict[str, Any]:
    """A codec's state as the core has it, after a look at all of it."""
    checked.entries(checked.anything)(codec.get('column'), f'{place}.column')
    _KINDS(codec['column'].get('kind'), f'{place}.column.kind')
    if codec['column']['kind'] == ColumnKind.CATEGORICAL.value:
        _CATEGORICAL(codec, place)
        _check_levels(codec, place)
        return dict(codec)
    _NUMERICAL(codec, place)
    sizes = codec['sizes']
    if any(size < 1 for size in sizes) or not (
        sum(sizes) == len(codec['knots']) == len(codec['places'])
    ):
        raise Unfit(f'{place}.sizes', 'do not add up to the knots of the column.')
    _check_numbers(codec, place)
    found = {key: value for key, value in codec.items() if key != 'sizes'}
    ends = np.cumsum([0, *sizes]).tolist()
    for name in ('knots', 'places'):
        found[name] = [codec[name][start:stop] for start, stop in itertools.pairwise(ends)]
    for number, places in enumerate(found['places']):
        inside = len(places) and places[0] > 0 and places[-1] < 1
        if not inside or not (np.diff(places) > 0).all():
            raise Unfit(f'{place}.places', f'do not increase from 0 to 1 in bin {number}.')
    if 'steps' in found:
        _check_steps(found, place)
    _check_cycles(found.get('cycles', ()), codec['knots'], place)
    return found


def _check_steps(codec: Mapping[str, Any], place: str) -> None:
    """Refuse a bin without a multiple of its step, onto which its numbers would be rounded."""
    if len(codec['steps']) != len(codec['knots']):
        raise Unfit(f'{place}.steps', 'are not as many as the bins of the column.')
    for knots, step in zip(codec['knots'], codec['steps'], strict=True):
        if step and not _LEAST_STEP <= step <= knots[-1] / 2 - knots[0] / 2:
            raise Unfit(f'{place}.steps', 'are not numbers with multiples in their bins.')


def _check_cycles(cycles: Sequence[Mapping[str, Any]], knots: Floats, place: str) -> None:
    """Refuse periods that the numbers of a column are too large to have a place in."""
    most = float(np.abs(knots).max()) if len(knots) else 0.0
    shortest = _LEAST_STEP
    for number, state in enumerate(cycles):
        cycle = Cycle.from_state(state)
        many = len(cycle.shares) <= MOST_CELLS and cycle.shares.sum() > 0
        if isinstance(cycle, Months):
            many &= len(cycle.shares) == LONGEST_MONTH and cycle.period == MONTH
        if not many or not cycle.period > shortest or abs(cycle.start) > cycle.period:
            raise Unfit(f'{place}.cycles[{number}]', 'is no period that is cut into cells.')
        if most >= cycle.exact_up_to:
            raise Unfit(f'{place}.cycles[{number}]', 'is too short for the numbers of the column.')
        shortest = cycle.period


def _check_numbers(codec: Mapping[str, Any], place: str) -> None:
    column, atoms, knots = codec['column'], codec['atoms'], codec['knots']
    if not np.isfinite(atoms).all() or not (np.diff(atoms) > 0).all():
        raise Unfit(f'{place}.atoms', 'are not increasing finite numbers.')
    if not np.isfinite(knots).all() or not (knots[1:] >= knots[:-1]).all():
        raise Unfit(f'{place}.knots', 'are not sorted finite numbers.')
    first, last = len(atoms), len(atoms) + len(codec['sizes'])
    is_missing = column['missing'] is not None
    if list(column['bins']) != [first, last] or (is_missing and column['missing'] != last):
        raise Unfit(f'{place}.column', 'has other codes than its atoms and bins.')
    num_codes = len(column['counts'])
    if num_codes != last + is_missing or num_codes < 1 or len(column['uniform']) != num_codes:
        raise Unfit(f'{place}.column', 'has another number of codes than atoms and bins.')
    _check_intervals(column, place)


def _check_intervals(column: Mapping[str, Any], place: str) -> None:
    if any(low > high for low, high in column['uniform']):
        raise Unfit(f'{place}.column.uniform', 'has intervals that end before they begin.')


def _check_levels(codec: Mapping[str, Any], place: str) -> None:
    column, levels, counts = codec['column'], codec['levels'], codec['counts']
    num_codes = len(column['counts'])
    if not 1 <= num_codes <= len(levels) or len(levels) != len(counts):
        raise Unfit(f'{place}.levels', 'are not as many as their counts, or fewer than codes.')
    extra = len(levels) - num_codes
    sharing = codec.get('sharing', [extra + 1] if extra else [])
    if sum(sharing) - len(sharing) != extra or len(sharing) > num_codes:
        raise Unfit(
            f'{place}.sharing', 'leaves some of the codes, or of the levels, without each other.'
        )
    starts = np.cumsum([len(levels) - sum(sharing), *sharing])
    shared = [counts[start:stop].sum() for start, stop in itertools.pairwise(starts)]
    if (counts < 0).any() or min(shared, default=1) < 1:
        raise Unfit(f'{place}.counts', 'are negative, or none of those that share a code occurs.')
    if list(column['bins']) != [0, 0]:
        raise Unfit(f'{place}.column', 'has bins, although it is categorical.')
    if len(column['uniform']) not in (0, num_codes):
        raise Unfit(f'{place}.column.uniform', 'are not as many as the codes.')
    _check_intervals(column, place)
    try:
        distinct = {(isinstance(level, bool), level) for level in levels}
    except TypeError:
        raise Unfit(f'{place}.levels', 'hold what cannot be a category.') from None
    if len(distinct) != len(levels):
        raise Unfit(f'{place}.levels', 'occur more than once.')
    missing = levels.index(None) if None in levels else None
    if column['missing'] != missing or (
        missing is not None and missing >= num_codes - len(sharing)
    ):
        raise Unfit(f'{place}.column.missing', 'is not where the levels have it.')


def _check_history(history: Mapping[str, Any], num_columns: int, place: str) -> None:
    """Refuse losses by column that are not one for each column in each evaluation."""
    evaluations = history['evaluations']
    if not evaluations:
        return
    kinds = ('training_codes', 'training_residuals', 'held_out_codes', 'held_out_residuals')
    checked.record(
        {
            'epoch': checked.items(checked.number(0)),
            **{
                kind: checked.items(checked.items(checked.anything, length=num_columns))
                for kind in kinds
            },
        }
    )(evaluations, f'{place}.evaluations')
    if len({len(entries) for entries in evaluations.values()}) > 1:
        raise Unfit(f'{place}.evaluations', 'are not equally many of each kind.')


def _check_weights(schema: TableSchema, config: ModelConfig, weights: Arrays, place: str) -> None:
    """Refuse weights that are not those of the network for the columns and settings."""
    layers = config.num_blocks, config.head_layers - 1, config.denoiser_blocks
    if max(layers) > len(weights):
        raise Unfit(place, f'are {len(weights)} arrays, too few for {max(layers):,} layers.')
    shapes = parameter_shapes(schema, config)
    if shapes.keys() != weights.keys():
        differing = sorted(shapes.keys() ^ weights.keys())[:3]
        raise Unfit(place, f'are not those of the network that the columns ask for: {differing}.')
    for name, shape in shapes.items():
        checked.array('f4', shape)(weights[name], f'{place}.{name}')
        if not np.isfinite(weights[name]).all():
            raise Unfit(f'{place}.{name}', 'holds numbers that are not finite.')
