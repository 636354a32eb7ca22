"""Three tables of known distributions, with conditions and the exact distributions given them.

Rows lie evenly on the distribution (quasi-random numbers) and are not drawn from it. So a distance
between completed cells and the distribution is the model's, not the table's.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from sdv_tabdar.benchmark.data.distributions import Case, Distribution
from sdv_tabdar.benchmark.data.mixture import Component, Mixture
from sdv_tabdar.conditions import Between, NotNull, OneOf


@dataclasses.dataclass(frozen=True)
class KnownTable:
    """A table and what is known about it.

    Attributes:
        mixture: Its distribution.
        sdtypes: SDV's type of each column.
        conditions: Their kinds, what is given, and the columns that are compared.
        varied: Columns of which other values are given in each row, in one condition more, and
            the column that is compared then; or nothing.
        entropy: Of a row, in nats; densities are per unit of each number.
    """

    mixture: Mixture
    sdtypes: Mapping[str, str]
    conditions: Sequence[tuple[str, Mapping[str, object], Sequence[str]]]
    entropy: float
    varied: tuple[tuple[str, ...], str] | None = None

    def cases(self, draws: int) -> list[Case]:
        """The conditions with the distributions that follow from them.

        Args:
            draws: How many rows a case has of which each has other values.
        """
        cases = [
            Case(kind, given, {name: self.mixture.distribution(given, name) for name in columns})
            for kind, given, columns in self.conditions
        ]
        if self.varied is not None:
            names, column = self.varied
            known = self.mixture.table(2 * draws)[list(names)].head(draws)

            def ranks(rows: pd.DataFrame) -> pd.DataFrame:
                return pd.DataFrame({column: self.mixture.rank(rows, column, names)})

            cases.append(Case('value', known, {column: Distribution(cdf=stats.uniform.cdf)}, ranks))
        return cases


# A normal distribution of three correlated columns: these are independent given a hidden normal
# factor, of which the integral is a sum over so many points.
POINTS = 101
COLUMNS = {'x': (10.0, 3.0, 0.95), 'y': (-2.0, 0.5, 0.85), 'w': (0.0, 1.0, -0.55)}
"""Mean, standard deviation, correlation with the factor."""


def _gaussian() -> Mixture:
    points = np.linspace(-7, 7, POINTS)
    weights = stats.norm.pdf(points)
    groups = [
        {
            name: Component(
                {}, stats.norm(mean + scale * load * point, scale * np.sqrt(1 - load**2))
            )
            for name, (mean, scale, load) in COLUMNS.items()
        }
        for point in points
    ]
    return Mixture((weights / weights.sum()).tolist(), groups)


def _gaussian_entropy() -> float:
    """That of a normal distribution with the correlations that follow from the factor."""
    loads = np.array([load for _, _, load in COLUMNS.values()])
    correlations = np.outer(loads, loads)
    np.fill_diagonal(correlations, 1.0)
    scales = np.array([scale for _, scale, _ in COLUMNS.values()])
    return float(stats.multivariate_normal(cov=correlations * np.outer(scales, scales)).entropy())


GAUSSIAN = KnownTable(
    _gaussian(),
    dict.fromkeys(COLUMNS, 'numerical'),
    [
        ('value', {'x': 3.84}, 'yw'),
        ('value', {'x': 10.0}, 'yw'),
        ('value', {'y': -1.36}, 'xw'),
        ('value', {'x': 8.43, 'y': -1.87}, 'w'),
        ('value', {'w': 2.33}, 'xy'),
        ('range', {'x': Between(9.24, 11.57)}, 'xy'),
        ('range', {'x': Between(19.27, None)}, 'xy'),
        ('range', {'y': Between(None, -2.64)}, 'yw'),
        ('range', {'x': 12.52, 'y': Between(None, -1.87)}, 'yw'),
        ('set', {'x': OneOf([10.0, 13.0, 16.0])}, 'x'),
        ('several', {'x': Between(10.0, 12.52), 'y': Between(-2.26, None)}, 'xy'),
        ('several', {'x': Between(10.0, None), 'y': Between(None, -2.13)}, 'xy'),
    ],
    _gaussian_entropy(),
    (('x', 'w'), 'y'),
)

# Three dependent columns of categories, the third with missing cells: each row of the joint
# distribution is a group.
LEVELS: dict[str, list[str | None]] = {
    'a': ['a0', 'a1'],
    'b': ['b0', 'b1', 'b2', 'b3'],
    'c': ['c0', 'c1', None],
}


def _discrete() -> Mixture:
    rows = list(itertools.product(*LEVELS.values()))
    masses = np.random.default_rng(4).dirichlet(np.full(len(rows), 0.7))
    weights = 0.008 + (1 - 0.008 * len(rows)) * masses
    groups = [
        {name: Component({level: 1.0}) for name, level in zip(LEVELS, row, strict=True)}
        for row in rows
    ]
    return Mixture(weights.tolist(), groups)


DISCRETE = KnownTable(
    _discrete(),
    dict.fromkeys(LEVELS, 'categorical'),
    [
        ('value', {'a': 'a0'}, 'bc'),
        ('value', {'b': 'b2'}, 'ac'),
        ('value', {'c': 'c1'}, 'ab'),
        ('value', {'a': 'a1', 'b': 'b0'}, 'c'),
        ('value', {'b': 'b3', 'c': 'c0'}, 'a'),
        ('set', {'b': OneOf(['b0', 'b2'])}, 'abc'),
        ('set', {'a': 'a1', 'b': OneOf(['b1', 'b3'])}, 'bc'),
        ('set', {'c': OneOf(['c0', None])}, 'abc'),
        ('null', {'c': None}, 'ab'),
        ('null', {'a': 'a0', 'c': None}, 'b'),
        ('null', {'c': NotNull()}, 'abc'),
        ('null', {'b': 'b1', 'c': NotNull()}, 'ac'),
        ('several', {'b': OneOf(['b0', 'b3']), 'c': OneOf(['c1', None])}, 'abc'),
        ('several', {'a': OneOf(['a1']), 'b': OneOf(['b1', 'b2']), 'c': NotNull()}, 'bc'),
    ],
    float(stats.entropy(_discrete().weights)),
)

# Two groups that a column names, a column with spikes, a column with missing cells.
_SPIKED = Mixture(
    [0.5, 0.5],
    [
        {
            'g': Component({'p': 1.0}),
            'x': Component({0.0: 0.5, 20.0: 0.1}, stats.gamma(2, scale=1)),
            'y': Component({None: 0.6}, stats.norm(0.5, 1)),
        },
        {
            'g': Component({'q': 1.0}),
            'x': Component({0.0: 0.1, 20.0: 0.2}, stats.gamma(2, scale=3)),
            'y': Component({None: 0.1}, stats.norm(-0.5, 1)),
        },
    ],
)
SPIKED = KnownTable(
    _SPIKED,
    {'g': 'categorical', 'x': 'numerical', 'y': 'numerical'},
    [
        ('value', {'g': 'p'}, 'xy'),
        ('value', {'x': 0.0}, 'gy'),
        ('value', {'x': 20.0}, 'gy'),
        ('value', {'x': 6.0}, 'gy'),
        ('value', {'y': 1.5}, 'gx'),
        ('value', {'x': 2.0, 'y': -1.0}, 'g'),
        ('range', {'x': Between(0, 3)}, 'gxy'),
        ('range', {'x': Between(1, 8)}, 'gx'),
        ('range', {'x': Between(15, None)}, 'gx'),
        ('range', {'y': Between(0.5, 2)}, 'gxy'),
        ('set', {'x': OneOf([0.0, 20.0])}, 'gxy'),
        ('set', {'g': OneOf(['q'])}, 'xy'),
        ('null', {'y': None}, 'gx'),
        ('null', {'x': 0.0, 'y': None}, 'g'),
        ('null', {'y': NotNull()}, 'gxy'),
        ('null', {'x': 0.0, 'y': NotNull()}, 'gy'),
        ('several', {'x': Between(0, 3), 'y': NotNull()}, 'gx'),
        ('several', {'x': Between(1, 8), 'y': Between(None, 0)}, 'gxy'),
    ],
    _SPIKED.entropy_of_groups_apart,  # a column tells them
)
KNOWN_TABLES = {'gaussian': GAUSSIAN, 'discrete': DISCRETE, 'spiked': SPIKED}
