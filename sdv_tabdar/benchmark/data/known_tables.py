"""Three tables of known distributions, with conditions and the exact distributions given them.

Rows are spread evenly over the distribution (quasi-random numbers, counts in proportion) and not
drawn from it. So a distance between completed cells and the distribution is the model's, not the
table's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from sdv_tabdar.benchmark.data.distributions import Case, Distribution, Floats
from sdv_tabdar.benchmark.data.mixture import Component, Mixture
from sdv_tabdar.conditions import Between, NotNull, OneOf

Given = Mapping[str, object]


@dataclasses.dataclass(frozen=True)
class KnownTable:
    """A table and what is known about it.

    Attributes:
        name: Of the table.
        frame: Its rows.
        sdtypes: SDV's type of each column.
        cases: Conditions with the distributions of the other cells.
    """

    name: str
    frame: pd.DataFrame
    sdtypes: Mapping[str, str]
    cases: Sequence[Case]


def known_tables(rows: int, draws: int) -> dict[str, KnownTable]:
    """The tables by name.

    Args:
        rows: About how many training rows each has.
        draws: How many rows of other values a case with such values has.
    """
    tables = (gaussian_table(rows, draws), discrete_table(rows), spiked_table(rows))
    return {table.name: table for table in tables}


# A normal distribution of three columns.

NAMES = ('x', 'y', 'w')
MEANS = np.array([10.0, -2.0, 0.0])
SCALES = np.array([3.0, 0.5, 1.0])
CORRELATION = np.array([[1.0, 0.8, -0.5], [0.8, 1.0, -0.2], [-0.5, -0.2, 1.0]])
# Points of the numerical integrals, and how many standard deviations they reach.
GRID_POINTS = 8_001
REACH = 8.0


def gaussian_table(rows: int, draws: int) -> KnownTable:
    """Three correlated normal columns."""
    uniform = _quasi_random(3, rows, seed=0)
    normal = stats.norm.ppf(uniform) @ np.linalg.cholesky(CORRELATION).T
    frame = pd.DataFrame(MEANS + SCALES * normal, columns=list(NAMES))
    x, y, w = (stats.norm(*distribution) for distribution in zip(MEANS, SCALES, strict=True))
    several_values = [10.0, 13.0, 16.0]
    density = x.pdf(several_values)
    in_several: list[Case] = [
        _gaussian_case('value', {'x': x.ppf(0.02)}, 'y', 'w'),
        _gaussian_case('value', {'x': x.ppf(0.5)}, 'y', 'w'),
        _gaussian_case('value', {'y': y.ppf(0.9)}, 'x', 'w'),
        _gaussian_case('value', {'x': x.ppf(0.3), 'y': y.ppf(0.6)}, 'w'),
        _gaussian_case('value', {'w': w.ppf(0.99)}, 'x', 'y'),
        _many_values(draws),
        _gaussian_case('range', {'x': Between(*x.ppf([0.4, 0.7]))}, 'x', 'y'),
        _gaussian_case('range', {'x': Between(x.ppf(0.999), None)}, 'x', 'y'),
        _gaussian_case('range', {'y': Between(None, y.ppf(0.1))}, 'y', 'w'),
        _gaussian_case('range', {'x': x.ppf(0.8), 'y': Between(None, y.ppf(0.6))}, 'y', 'w'),
        Case('set', {'x': OneOf(several_values)}, {'x': _discrete(several_values, density)}),
        _gaussian_case(
            'several', {'x': Between(*x.ppf([0.5, 0.8])), 'y': Between(y.ppf(0.3), None)}, 'x', 'y'
        ),
        _gaussian_case(
            'several', {'x': Between(x.ppf(0.5), None), 'y': Between(None, y.ppf(0.4))}, 'x', 'y'
        ),
    ]
    return KnownTable('gaussian', frame, dict.fromkeys(NAMES, 'numerical'), in_several)


def _many_values(draws: int) -> Case:
    """Other values of x and w in each row; y, standardised given them, is standard normal."""
    uniform = np.random.default_rng(1).random((draws, 3))
    normal = stats.norm.ppf(uniform) @ np.linalg.cholesky(CORRELATION).T
    known = pd.DataFrame((MEANS + SCALES * normal)[:, [0, 2]], columns=['x', 'w'])
    weights = np.linalg.solve(CORRELATION[np.ix_([0, 2], [0, 2])], CORRELATION[[0, 2], 1])
    spread = float(np.sqrt(1 - weights @ CORRELATION[[0, 2], 1]))

    def derive(rows: pd.DataFrame) -> pd.DataFrame:
        scaled = (rows[list(NAMES)].to_numpy(dtype=float) - MEANS) / SCALES
        residual = (scaled[:, 1] - scaled[:, [0, 2]] @ weights) / spread
        return pd.DataFrame({'y': residual})

    return Case('value', known, {'y': Distribution(cdf=stats.norm.cdf)}, derive)


def _gaussian_case(kind: str, given: Given, *columns: str) -> Case:
    plain = {
        name: cell if isinstance(cell, Between) else float(cell)  # type: ignore[arg-type]
        for name, cell in given.items()
    }
    return Case(kind, plain, {name: gaussian_distribution(plain, name) for name in columns})


def gaussian_distribution(given: Given, column: str) -> Distribution:
    """A column of the normal table given values, and a range of at most one other."""
    values = {NAMES.index(name): cell for name, cell in given.items() if _is_number(cell)}
    ranges = {NAMES.index(name): cell for name, cell in given.items() if isinstance(cell, Between)}
    target = NAMES.index(column)
    beside = [place for place in ranges if place != target]
    assert len(beside) <= 1, 'the integral is over one column'
    mean, covariance = _conditional(values, [target, *beside])
    scale = float(np.sqrt(covariance[0, 0]))
    own = ranges.get(target, Between(low=mean[0] - REACH * scale, high=None))
    low = mean[0] - REACH * scale if own.low is None else float(own.low)
    high = mean[0] + REACH * scale if own.high is None else float(own.high)
    grid = np.linspace(low, high, GRID_POINTS)
    density = stats.norm.pdf(grid, mean[0], scale)
    for place in beside:
        slope = covariance[0, 1] / covariance[0, 0]
        left = float(np.sqrt(covariance[1, 1] - slope * covariance[0, 1]))
        distribution = stats.norm(mean[1] + slope * (grid - mean[0]), left)
        cell = ranges[place]
        upper = 1.0 if cell.high is None else distribution.cdf(cell.high)
        density = density * (upper - (0.0 if cell.low is None else distribution.cdf(cell.low)))
    steps = (density[1:] + density[:-1]) / 2
    cumulative = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    return Distribution(cdf=lambda cells: np.interp(cells, grid, cumulative))


def _conditional(values: Mapping[int, object], places: list[int]) -> tuple[Floats, Floats]:
    """Mean and covariance of some columns given values of others."""
    covariance = CORRELATION * np.outer(SCALES, SCALES)
    if not values:
        return MEANS[places], covariance[np.ix_(places, places)]
    known = list(values)
    weights = np.linalg.solve(covariance[np.ix_(known, known)], covariance[np.ix_(known, places)]).T
    shift = np.array([float(values[place]) for place in known]) - MEANS[known]  # type: ignore[arg-type]
    rest = covariance[np.ix_(places, places)] - weights @ covariance[np.ix_(known, places)]
    return MEANS[places] + weights @ shift, rest


# A distribution of three columns of categories that can be listed.

LEVELS: dict[str, list[Hashable]] = {
    'a': ['a0', 'a1'],
    'b': ['b0', 'b1', 'b2', 'b3'],
    'c': ['c0', 'c1', None],
}


def discrete_joint() -> pd.Series:
    """A dependent distribution, the third column with missing cells: probabilities by cells."""
    cells = pd.MultiIndex.from_product(
        [[_named(level) for level in levels] for levels in LEVELS.values()], names=list(LEVELS)
    )
    masses = np.random.default_rng(4).dirichlet(np.full(len(cells), 0.7))
    return pd.Series(0.008 + (1 - 0.008 * len(cells)) * masses, index=cells)


def discrete_table(rows: int) -> KnownTable:
    """Three columns of categories, the third with missing cells."""
    joint = discrete_joint()
    counts = (joint * rows).round().astype(int)
    frame = joint.index.to_frame(index=False).loc[np.repeat(np.arange(len(joint)), counts)]
    frame = frame.replace({'c': {_named(None): None}})
    frame = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    listed: list[tuple[str, Given]] = [
        ('value', {'a': 'a0'}),
        ('value', {'b': 'b2'}),
        ('value', {'c': 'c1'}),
        ('value', {'a': 'a1', 'b': 'b0'}),
        ('value', {'b': 'b3', 'c': 'c0'}),
        ('set', {'b': OneOf(['b0', 'b2'])}),
        ('set', {'a': 'a1', 'b': OneOf(['b1', 'b3'])}),
        ('set', {'c': OneOf(['c0', None])}),
        ('null', {'c': None}),
        ('null', {'a': 'a0', 'c': None}),
        ('null', {'c': NotNull()}),
        ('null', {'b': 'b1', 'c': NotNull()}),
        ('several', {'b': OneOf(['b0', 'b3']), 'c': OneOf(['c1', None])}),
        ('several', {'a': OneOf(['a1']), 'b': OneOf(['b1', 'b2']), 'c': NotNull()}),
    ]
    cases = [Case(kind, given, discrete_distributions(joint, given)) for kind, given in listed]
    return KnownTable('discrete', frame, dict.fromkeys(LEVELS, 'categorical'), cases)


def discrete_distributions(
    joint: pd.Series, given: Given
) -> dict[str | tuple[str, ...], Distribution]:
    """The joint distribution of all cells that are not given by a value."""
    allowed = np.ones(len(joint), dtype=bool)
    for name, cell in given.items():
        levels = joint.index.get_level_values(name)
        if isinstance(cell, NotNull):
            allowed &= levels != _named(None)
        else:
            members = cell.values if isinstance(cell, OneOf) else (cell,)
            allowed &= levels.isin([_named(member) for member in members])
    left = tuple(
        name for name in LEVELS if name not in given or isinstance(given[name], (OneOf, NotNull))
    )
    kept = joint[allowed] / joint[allowed].sum()
    masses = kept.groupby(list(left)).sum()
    unnamed: dict[Hashable, float] = {
        tuple(None if level == _named(None) else level for level in _as_tuple(cells)): mass
        for cells, mass in masses.items()
    }
    if len(left) == 1:
        return {
            left[0]: Distribution({_as_tuple(cells)[0]: mass for cells, mass in unnamed.items()})
        }
    return {left: Distribution(unnamed)}


def _named(level: object) -> str:
    """A missing cell has no place in an index, so it gets a name."""
    return '(missing)' if level is None else str(level)


# Two groups, a column with spikes, a column with missing cells.

SPIKED = Mixture(
    {
        'p': {
            'x': Component({0.0: 0.5, 20.0: 0.1}, stats.gamma(2, scale=1)),
            'y': Component({None: 0.6}, stats.norm(0.5, 1)),
        },
        'q': {
            'x': Component({0.0: 0.1, 20.0: 0.2}, stats.gamma(2, scale=3)),
            'y': Component({None: 0.1}, stats.norm(-0.5, 1)),
        },
    }
)


def spiked_table(rows: int) -> KnownTable:
    """Groups g of equal size; given the group, x with spikes and y with missing cells."""
    parts = []
    for seed, (group, columns) in enumerate(SPIKED.groups.items()):
        uniform = _quasi_random(4, rows // 2, seed=seed + 1)
        drawn = {
            name: component.quantiles(uniform[:, 2 * place], uniform[:, 2 * place + 1])
            for place, (name, component) in enumerate(columns.items())
        }
        parts.append(pd.DataFrame({'g': group, **drawn}))
    frame = pd.concat(parts).sample(frac=1, random_state=0).reset_index(drop=True)
    listed: list[tuple[str, Given, tuple[str, ...]]] = [
        ('value', {'g': 'p'}, ('x', 'y')),
        ('value', {'x': 0.0}, ('g', 'y')),
        ('value', {'x': 20.0}, ('g', 'y')),
        ('value', {'x': 6.0}, ('g', 'y')),
        ('value', {'y': 1.5}, ('g', 'x')),
        ('value', {'x': 2.0, 'y': -1.0}, ('g',)),
        ('range', {'x': Between(0, 3)}, ('g', 'x', 'y')),
        ('range', {'x': Between(1, 8)}, ('g', 'x')),
        ('range', {'x': Between(15, None)}, ('g', 'x')),
        ('range', {'y': Between(0.5, 2)}, ('g', 'x', 'y')),
        ('set', {'x': OneOf([0.0, 20.0])}, ('g', 'x', 'y')),
        ('set', {'g': OneOf(['q'])}, ('x', 'y')),
        ('null', {'y': None}, ('g', 'x')),
        ('null', {'x': 0.0, 'y': None}, ('g',)),
        ('null', {'y': NotNull()}, ('g', 'x', 'y')),
        ('null', {'x': 0.0, 'y': NotNull()}, ('g', 'y')),
        ('several', {'x': Between(0, 3), 'y': NotNull()}, ('g', 'x')),
        ('several', {'x': Between(1, 8), 'y': Between(None, 0)}, ('g', 'x', 'y')),
    ]
    cases = [
        Case(kind, given, {name: SPIKED.distribution(given, name) for name in columns})
        for kind, given, columns in listed
    ]
    types = {'g': 'categorical', 'x': 'numerical', 'y': 'numerical'}
    return KnownTable('spiked', frame, types, cases)


def _quasi_random(dimensions: int, rows: int, *, seed: int) -> Floats:
    """Quasi-random numbers in (0, 1), as many rows as the next power of two."""
    sequence = stats.qmc.Sobol(dimensions, rng=np.random.default_rng(seed))
    found = sequence.random_base2(max(1, round(np.log2(rows))))
    return np.clip(found, 1e-7, 1 - 1e-7)


def _discrete(outcomes: Sequence[float], weights: Floats) -> Distribution:
    return Distribution(dict(zip(outcomes, weights / weights.sum(), strict=True)))


def _is_number(cell: object) -> bool:
    return isinstance(cell, (int, float))


def _as_tuple(cells: Hashable) -> tuple[Hashable, ...]:
    return cells if isinstance(cells, tuple) else (cells,)
