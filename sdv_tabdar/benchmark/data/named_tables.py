"""Tables of known distributions by their names: small ones, hard ones, and wide ones.

In a wide table a column names one of some groups, in each of which the others are independent:
numbers, numbers with a spike, categories. What is known of a few columns says little of the group,
and what is known of many says it all.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from sdv_tabdar.benchmark.data.hard_tables import HARD_TABLES
from sdv_tabdar.benchmark.data.known_tables import KNOWN_TABLES, KnownTable
from sdv_tabdar.benchmark.data.mixture import Component, Mixture

WIDE_TABLES = {'wide-50': 50, 'wide-100': 100, 'wide-200': 200}
"""Columns of each."""
NAMES = (*KNOWN_TABLES, *HARD_TABLES, *WIDE_TABLES)

_SMALL_TABLES = {**KNOWN_TABLES, **HARD_TABLES}

_GROUP = 'group'
_NUM_GROUPS, _NUM_LEVELS = 8, 6
_SPIKE_EVERY = 6  # columns, one of which is a number with a spike
_KNOWN = 12  # columns that a condition gives


@functools.cache
def known_table(name: str) -> KnownTable:
    """The table of one of :data:`NAMES`."""
    return wide_table(WIDE_TABLES[name]) if name in WIDE_TABLES else _SMALL_TABLES[name]


def wide_table(num_columns: int) -> KnownTable:
    """A table of so many columns, numbers and categories in turns, and the group.

    Args:
        num_columns: At least 16.
    """
    generator = np.random.default_rng(num_columns)
    weights = generator.dirichlet(np.full(_NUM_GROUPS, 4.0))
    names = [f'{"x" if number % 2 else "k"}{number}' for number in range(1, num_columns)]
    groups = [
        {
            _GROUP: Component({f'group {group}': 1.0}),
            **{name: _component(name, generator) for name in names},
        }
        for group in range(_NUM_GROUPS)
    ]
    mixture = Mixture(weights.tolist(), groups)
    sdtypes = {
        name: 'numerical' if name.startswith('x') else 'categorical' for name in (_GROUP, *names)
    }
    given = {name: _middle(groups[0][name]) for name in names[:_KNOWN]}
    conditions: list[tuple[str, Mapping[str, object], Sequence[str]]] = [
        ('value', {_GROUP: 'group 1'}, names[-2:]),
        ('value', {name: given[name] for name in names[:2]}, [_GROUP, *names[-2:]]),
        ('value', given, [_GROUP, *names[-2:]]),
    ]
    return KnownTable(mixture, sdtypes, conditions, mixture.entropy_of_groups_apart)


def _component(name: str, generator: np.random.Generator) -> Component:
    """The distribution of a column within a group."""
    if not name.startswith('x'):
        shares = generator.dirichlet(np.ones(_NUM_LEVELS))
        return Component({f'level {n}': float(share) for n, share in enumerate(shares)})
    rest = stats.norm(generator.normal(), generator.uniform(0.5, 1.0))
    has_spike = int(name[1:]) % _SPIKE_EVERY == 1
    return Component({0.0: float(generator.uniform(0.1, 0.5))} if has_spike else {}, rest)


def _middle(component: Component) -> object:
    """A value that is likely: the middle of numbers, or the most frequent level."""
    if component.rest is not None:
        return round(float(component.rest.mean()), 2)
    return max(component.masses, key=lambda value: component.masses[value])
