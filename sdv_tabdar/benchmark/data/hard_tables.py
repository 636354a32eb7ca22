"""Tables of known distributions whose dependence no pair of columns, or no straight line, tells.

`ring` has two numbers on a circle of eight spots, `chequerboard` two numbers on its dark squares,
`parity` a level that says, but for one row in twenty, whether an even number of three others is
'yes', among five that have no say, and `days` two numbers whose means belong to the month
and the day together, drawn once for each of 360.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from scipy import stats

from sdv_tabdar.benchmark.data.known_tables import KnownTable
from sdv_tabdar.benchmark.data.mixture import Component, Mixture
from sdv_tabdar.conditions import Between, OneOf

_SPOTS, _SPOT = 8, 0.05  # of the ring, and their standard deviation
_SQUARES = 8  # on a side of the board
_BITS, _EVEN = 8, 3  # of parity, and how many of them have a say
_LEVELS = ('no', 'yes')  # texts that a file keeps as such
_WRONG = 0.05  # share of rows whose parity is told wrongly
_MONTHS, _DAYS, _SPREAD = 12, 30, 0.25  # the spread of a day's numbers beside 1, that of its mean


def _table(
    groups: list[Mapping[str, Component]],
    sdtypes: dict[str, str],
    conditions: list[tuple[str, dict[str, object], str | list[str]]],
) -> KnownTable:
    """A table of groups that are alike in size, and which no row can share."""
    mixture = Mixture([1 / len(groups)] * len(groups), groups)
    return KnownTable(mixture, sdtypes, conditions, mixture.entropy_of_groups_apart)


def _ring() -> KnownTable:
    angles = 2 * np.pi * np.arange(_SPOTS) / _SPOTS
    return _table(
        [
            {
                'x': Component({}, stats.norm(np.cos(angle), _SPOT)),
                'y': Component({}, stats.norm(np.sin(angle), _SPOT)),
            }
            for angle in angles
        ],
        dict.fromkeys('xy', 'numerical'),
        [
            ('value', {'x': 0.7}, 'y'),
            ('value', {'y': -0.02}, 'x'),
            ('range', {'x': Between(0.5, None)}, 'xy'),
        ],
    )


def _chequerboard() -> KnownTable:
    places = itertools.product(range(_SQUARES), repeat=2)
    return _table(
        [
            {'x': Component({}, stats.uniform(x, 1)), 'y': Component({}, stats.uniform(y, 1))}
            for x, y in places
            if (x + y) % 2 == 0
        ],
        dict.fromkeys('xy', 'numerical'),
        [
            ('value', {'x': 2.5}, 'y'),
            ('value', {'y': 7.5}, 'x'),
            ('range', {'x': Between(1.0, 1.8)}, 'xy'),
        ],
    )


def _parity() -> KnownTable:
    names = [f'bit {number}' for number in range(1, _BITS + 1)]
    groups: list[Mapping[str, Component]] = []
    for bits in itertools.product(_LEVELS, repeat=_EVEN):
        odd = 1 - _WRONG if bits.count('yes') % 2 else _WRONG
        fixed = {name: Component({bit: 1.0}) for name, bit in zip(names, bits, strict=False)}
        free = {name: Component(dict.fromkeys(_LEVELS, 0.5)) for name in names[_EVEN:]}
        groups.append({**fixed, **free, 'parity': Component({'even': 1 - odd, 'odd': odd})})
    given: dict[str, object] = dict(zip(names, ['yes', 'no', 'yes'], strict=False))
    return _table(
        groups,
        dict.fromkeys([*names, 'parity'], 'categorical'),
        [
            ('value', given, ['parity', names[-1]]),
            ('value', {'parity': 'odd', names[0]: 'yes', names[1]: 'no'}, [names[2]]),
            ('set', {names[0]: OneOf(['no', 'yes']), 'parity': 'even'}, names[:2]),
        ],
    )


def _days() -> KnownTable:
    means = np.random.default_rng(7).normal(size=(_MONTHS, _DAYS, 2))
    groups: list[Mapping[str, Component]] = [
        {
            'month': Component({f'month {month + 1}': 1.0}),
            'day': Component({f'day {day + 1}': 1.0}),
            'warmth': Component({}, stats.norm(means[month, day, 0], _SPREAD)),
            'wind': Component({}, stats.norm(means[month, day, 1], _SPREAD)),
        }
        for month, day in itertools.product(range(_MONTHS), range(_DAYS))
    ]
    categories = dict.fromkeys(['month', 'day'], 'categorical')
    return _table(
        groups,
        {**categories, **dict.fromkeys(['warmth', 'wind'], 'numerical')},
        [
            ('value', {'month': 'month 5', 'day': 'day 17'}, ['warmth', 'wind']),
            ('value', {'month': 'month 2', 'warmth': 0.4}, ['day', 'wind']),
            ('value', {'month': 'month 9'}, ['day', 'warmth']),
        ],
    )


HARD_TABLES = {
    'ring': _ring(),
    'chequerboard': _chequerboard(),
    'parity': _parity(),
    'days': _days(),
}
