"""Who is attacked, and what the attacker has.

The attacker has the synthetic rows, some real rows that were not trained on (the *reference*), and
the full rows of people of whom half were trained on: the *members* and the *others*. Reference and
others are a random half of the holdout each, so that members and others differ by nothing but the
training.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.likelihoods import LogLikelihood
from sdv_tabdar.evaluation.neighbours import Points, nearest

MEMBERS, OTHERS = 2_000, 4_000
"""Rows under attack at most."""
REFERENCE, DRAWN = 5_000, 20_000
"""Rows of the attacker's own, and synthetic rows, at most."""
LIKELY = 1_000
"""Members, and others, whose likelihood is asked for, at most: it may take long."""
FEWEST = 20
"""Members, others and reference rows that an attack needs at least."""
NEIGHBOURS = 8
OUTLIERS = 0.1
"""Share of the rows that count as outliers: those furthest from the nearest reference row."""


@dataclass(frozen=True)
class Case:
    """The rows of an attack; the rows under attack are the members, then the others.

    Attributes:
        context: The tables.
        members: Positions of the members among the real rows.
        others: Positions of the others among the holdout.
        reference: Positions of the reference among the holdout.
        drawn: Positions among the synthetic rows.
    """

    context: Context
    members: np.ndarray
    others: np.ndarray
    reference: np.ndarray
    drawn: np.ndarray

    @classmethod
    def of(cls, context: Context) -> Case:
        """A random choice of rows.

        Raises:
            NotComputableError: If there are too few.
        """
        held = context.needed_holdout('The attacks')
        if len(context.real) < FEWEST or len(held) < 2 * FEWEST:
            raise NotComputableError(
                f'attacks need {FEWEST} training rows and {2 * FEWEST} unseen ones, but there are '
                f'{len(context.real)} and {len(held)}.'
            )
        generator = np.random.default_rng(context.seed)
        order = generator.permutation(len(held))
        half = min(len(held) // 2, REFERENCE)
        return cls(
            context,
            generator.permutation(len(context.real))[:MEMBERS],
            order[half:][:OTHERS],
            order[:half],
            generator.permutation(len(context.synthetic))[:DRAWN],
        )

    def __len__(self) -> int:
        """The number of rows under attack."""
        return len(self.members) + len(self.others)

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The rows under attack."""
        context = self.context
        assert context.holdout is not None
        parts = [context.real.iloc[self.members], context.holdout.iloc[self.others]]
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def known(self) -> pd.DataFrame:
        """The reference."""
        assert self.context.holdout is not None
        return self.context.holdout.iloc[self.reference].reset_index(drop=True)

    @cached_property
    def synthetic(self) -> pd.DataFrame:
        """The synthetic rows."""
        return self.context.synthetic.iloc[self.drawn].reset_index(drop=True)

    @cached_property
    def points(self) -> Points:
        """The rows under attack as points."""
        named = self.context.points
        return named['real'].take(self.members).followed_by(named['holdout'].take(self.others))

    @cached_property
    def drawn_points(self) -> Points:
        """The synthetic rows as points."""
        return self.context.points['synthetic'].take(self.drawn)

    @cached_property
    def known_points(self) -> Points:
        """The reference as points."""
        return self.context.points['holdout'].take(self.reference)

    @cached_property
    def to_drawn(self) -> np.ndarray:
        """Distances of the rows under attack to their nearest synthetic rows, nearest first."""
        return nearest(self.points, self.drawn_points, count=NEIGHBOURS)[0]

    @cached_property
    def to_known(self) -> np.ndarray:
        """Distances of the rows under attack to their nearest reference rows, nearest first."""
        return nearest(self.points, self.known_points, count=NEIGHBOURS)[0]

    @cached_property
    def is_outlier(self) -> np.ndarray:
        """Bool, whether a row under attack is further from the reference than its rows are."""
        usual = nearest(self.known_points, self.known_points, exclude_self=True)[0][:, 0]
        outlying: np.ndarray = self.to_known[:, 0] > np.quantile(usual, 1 - OUTLIERS)
        return outlying

    @cached_property
    def nats(self) -> np.ndarray:
        """Log-likelihood of the rows under attack; NaN for those that are not asked about."""
        white_box = self.context.white_box
        assert white_box is not None
        return self._asked(white_box.log_likelihood, 'log_likelihood')

    @cached_property
    def usual_nats(self) -> np.ndarray:
        """The same under the reference model."""
        white_box = self.context.white_box
        assert white_box is not None
        assert white_box.reference is not None
        return self._asked(white_box.reference, 'reference_log_likelihood')

    def _asked(self, function: LogLikelihood, name: str) -> np.ndarray:
        """What a function says of the first `LIKELY` rows of either kind."""
        white_box = self.context.white_box
        assert white_box is not None
        members, others = self.members[:LIKELY], self.others[:LIKELY]
        nats = np.full(len(self), np.nan)
        found = white_box.ask(function, name, {'real': members, 'holdout': others})
        nats[: len(members)] = found[: len(members)]
        start = len(self.members)
        nats[start : start + len(others)] = found[len(members) :]
        return nats
