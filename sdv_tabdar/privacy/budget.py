"""What is paid for a guarantee of differential privacy, by a library's accountant.

Every question that is put to the rows is a Gaussian mechanism: counts with Gaussian noise (the
events of ``Counts``), and steps of training, which ask rows that are drawn for each of them
(``Steps``). ``dp-accounting`` composes them by their privacy loss distributions. That a value which
a single row has is told at all has a probability of its own, ``chance``; see :func:`threshold`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scipy.special import ndtri

COUNTS_SHARE = 0.6  # of the budget: of 1 / (standard deviation of the noise) ** 2
CHANCE_SHARE = 0.1  # of delta: that a value of one row is told
_STEP_SHARE, _MOST_STEP_ROWS = 1 / 40, 1024
_LEAST_NOISE, _MOST_NOISE = 0.1, 1e5
_PRECISION = 5e-3  # of a noise, from above
_QUICK_ERROR = 0.8  # of it, at most: what the quick bound is too high by
_INTERVAL = 1e-3  # of privacy losses, which are rounded up to it
_ORDERS = [*range(2, 64), *range(64, 512, 32)]  # of Renyi's divergence
_INSTALL = "pip install 'sdv_tabdar[dp]'"


class BudgetError(ValueError):
    """A budget cannot be kept, or not be added up."""


@dataclasses.dataclass(frozen=True)
class Counts:
    """Counts of rows, of which each row changes one by 1, with Gaussian noise.

    Attributes:
        what: What was counted.
        noise: Standard deviation of the noise, in rows.
    """

    what: str
    noise: float


@dataclasses.dataclass(frozen=True)
class Steps:
    """Sums of clipped gradients, each of norm at most 1, of rows drawn by Poisson sampling.

    Attributes:
        number: Steps.
        rate: Probability of each row to be in a step.
        noise: Standard deviation of the noise of each coordinate.
    """

    number: int
    rate: float
    noise: float


@dataclasses.dataclass(frozen=True)
class Spent:
    """What a model has cost.

    Attributes:
        delta: Of the guarantee.
        chance: Part of ``delta``: the probability that a value of a single row is told.
        counts: All counts, those of trainings before a warm start among them.
        steps: All steps, likewise.
    """

    delta: float
    chance: float = 0.0
    counts: Sequence[Counts] = ()
    steps: Sequence[Steps] = ()

    @property
    def epsilon(self) -> float:
        """Of the guarantee: what :attr:`counts` and :attr:`steps` add up to, at ``delta``."""
        if self.chance >= self.delta:
            return math.inf
        return _epsilon(self.counts, self.steps, self.delta - self.chance) - math.log1p(
            -self.chance
        )

    def and_then(self, other: Spent) -> Spent:
        """Both of them, at the sum of their deltas."""
        return Spent(
            self.delta + other.delta,
            self.chance + other.chance,
            [*self.counts, *other.counts],
            [*self.steps, *other.steps],
        )

    def to_state(self) -> dict[str, Any]:
        """As plain values, with epsilon."""
        return {
            'epsilon': self.epsilon,
            'delta': self.delta,
            'chance': self.chance,
            'counts': [dataclasses.asdict(entry) for entry in self.counts],
            'steps': [dataclasses.asdict(entry) for entry in self.steps],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Spent:
        """What :meth:`to_state` wrote."""
        counts = [Counts(**entry) for entry in state['counts']]
        steps = [Steps(**entry) for entry in state['steps']]
        return cls(state['delta'], state['chance'], counts, steps)


def digits(num_rows: int) -> int:
    """How many digits the number of rows has: all of it that counts as public."""
    return len(str(num_rows))


def default_delta(num_rows: int) -> float:
    """A tenth of a power of ten that is less than 1 / rows: 1e-6 for 10,000 to 99,999 rows."""
    return 10.0 ** -(digits(num_rows) + 1)


def step_rate(num_rows: int, batch_size: int | None) -> float:
    """The probability of each row to be in a step.

    It follows from the digits of the number of rows, and not from the noisy count: what steps cost
    must be known before anything is asked for the sum of all costs to be right.

    Args:
        num_rows: Of the table.
        batch_size: About how many rows a step should have; None for a fortieth of all, but no more
            than about 1,024.
    """
    about = 10.0 ** (digits(num_rows) - 0.5)
    if batch_size is None:
        return min(_STEP_SHARE, _MOST_STEP_ROWS / about)
    return min(batch_size / about, 1.0)


@functools.lru_cache(maxsize=8)
def counts_noise(epsilon: float, delta: float) -> float:
    """Standard deviation of the noise of a count that costs all that counts may cost together.

    A count that may cost a share of that has the noise divided by the root of the share.

    Args:
        epsilon: Of the whole budget.
        delta: Of the whole budget.
    """

    def epsilon_of(noise: float, *, quick: bool = False) -> float:
        return _epsilon([Counts('', noise)], [], _left(delta), quick=quick)

    return _least_noise(epsilon_of, epsilon - _margin(delta)) / math.sqrt(COUNTS_SHARE)


def steps_noise(
    epsilon: float, delta: float, counts: Sequence[Counts], number: int, rate: float
) -> float:
    """The least noise multiplier of steps with which a budget is kept.

    Args:
        epsilon: Of the whole budget.
        delta: Of the whole budget.
        counts: What was counted before.
        number: Steps.
        rate: Probability of each row to be in a step.
    """

    def epsilon_of(noise: float, *, quick: bool = False) -> float:
        return _epsilon(counts, [Steps(number, rate, noise)], _left(delta), quick=quick)

    return _least_noise(epsilon_of, epsilon - _margin(delta))


def threshold(noise: float, chance: float) -> float:
    """The noisy count above which a value may be told.

    A count of 1, the value of a single row, is above it with probability ``chance`` at most.

    Source: Korolova et al. 2009, doi:10.1145/1526709.1526733, with Gaussian noise.
    """
    # half a row: noise is rounded to whole numbers
    return 1.5 - noise * float(ndtri(chance))


def check_accountant() -> None:
    """Refuse to begin without the library that adds up.

    Raises:
        BudgetError: If it is not installed.
    """
    try:
        import dp_accounting  # noqa: F401 - only whether it is there
    except ImportError:
        raise BudgetError(
            "A fit with 'epsilon' needs the package dp-accounting, which adds up what is spent. "
            f'Install it: {_INSTALL}.'
        ) from None


def _left(delta: float) -> float:
    return (1 - CHANCE_SHARE) * delta


def _margin(delta: float) -> float:
    """What the chance that a value is told adds to epsilon, see ``Spent.epsilon``."""
    return -math.log1p(-CHANCE_SHARE * delta)


def _least_noise(epsilon_of: Callable[..., float], epsilon: float) -> float:
    """The least noise with which an epsilon is kept, by bisection, from above.

    Args:
        epsilon_of: Of a noise, and whether Renyi's divergence is enough to bound it: quick to
            compute, and a few per cent too high.
        epsilon: The most that may be spent.
    """
    high = _bisected(
        lambda noise: epsilon_of(noise, quick=True), epsilon, _LEAST_NOISE, _MOST_NOISE
    )
    return _bisected(epsilon_of, epsilon, high * _QUICK_ERROR, high)


def _bisected(epsilon_of: Callable[..., float], epsilon: float, low: float, high: float) -> float:
    if epsilon_of(high) > epsilon:
        raise BudgetError(
            f'No noise is enough for epsilon={epsilon:.3g}. Give a larger epsilon, or a larger '
            'delta.'
        )
    while high / low > 1 + _PRECISION:
        middle = math.sqrt(low * high)
        if epsilon_of(middle) > epsilon:
            low = middle
        else:
            high = middle
    return high


def _epsilon(
    counts: Sequence[Counts], steps: Sequence[Steps], delta: float, *, quick: bool = False
) -> float:
    """Epsilon of all of them together, rows added or removed."""
    from dp_accounting import NeighboringRelation, dp_event
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.rdp import RdpAccountant

    neighbours = NeighboringRelation.ADD_OR_REMOVE_ONE
    accountant = (
        RdpAccountant(_ORDERS, neighbours) if quick else PLDAccountant(neighbours, _INTERVAL)
    )
    precision = sum(1 / entry.noise**2 for entry in counts)
    if precision:  # Gaussian mechanisms compose to one
        accountant.compose(dp_event.GaussianDpEvent(precision**-0.5))
    for entry in steps:
        one = dp_event.PoissonSampledDpEvent(entry.rate, dp_event.GaussianDpEvent(entry.noise))
        accountant.compose(dp_event.SelfComposedDpEvent(one, entry.number))
    found: float = accountant.get_epsilon(delta)
    return found
