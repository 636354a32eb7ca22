"""An unknown cell of an outlier, guessed from the others by way of the synthetic rows.

The guess is the cell of the synthetic row that is nearest by all other columns. If a person's own
row was copied, her cell is guessed more often than that of somebody who is as unusual and was not
trained on; what the synthetic rows say of people in general helps in both cases alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdv_tabdar.evaluation.attacks.case import Case
from sdv_tabdar.evaluation.neighbours import nearest_by_other_cells

MAX_GUESSED, MAX_LOOKED_AT = 300, 5_000
"""Outliers of either kind whose cells are guessed, and synthetic rows to guess by, at most."""
CLOSE = 0.05
"""A guessed number counts if it is off by at most this share of the range of most numbers."""
_FEWEST = 5


@dataclass(frozen=True)
class Guesses:
    """Shares of the cells that are guessed.

    Attributes:
        members: Of outliers that were trained on.
        others: Of outliers that were not.
        low: Lower end of the 95 % interval of the difference.
        high: Upper end.
    """

    members: float
    others: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        """By how much more of a member is guessed."""
        return self.members - self.others


def guess_cells(case: Case) -> Guesses | None:
    """Guess every cell of outliers; None if there are fewer than five of either kind."""
    places = np.flatnonzero(case.is_outlier)
    count = len(case.members)
    mine, theirs = places[places < count][:MAX_GUESSED], places[places >= count][:MAX_GUESSED]
    if min(len(mine), len(theirs)) < _FEWEST or len(case.context.columns.names) < 2:
        return None
    shares = _shares(case, np.concatenate([mine, theirs]))
    first, second = shares[: len(mine)], shares[len(mine) :]
    gain = first.mean() - second.mean()
    error = np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
    return Guesses(
        float(first.mean()),
        float(second.mean()),
        float(gain - 1.96 * error),
        float(gain + 1.96 * error),
    )


def _shares(case: Case, places: np.ndarray) -> np.ndarray:
    """The share of its cells that is guessed, of each of some rows under attack."""
    columns = case.context.columns
    drawn = case.synthetic.iloc[:MAX_LOOKED_AT]
    points = case.drawn_points.take(np.arange(len(drawn)))
    by_cell = list(nearest_by_other_cells(case.points.take(places), points))
    # Before the categories the codes may say which numbers are missing.
    by_column = {
        **dict(zip(columns.numbers, by_cell, strict=False)),
        **dict(zip(columns.categories[::-1], by_cell[::-1], strict=False)),
    }
    rows = case.rows.iloc[places]
    hits = []
    for name, nearest in by_column.items():
        truth, guess = rows[name].to_numpy(), drawn[name].to_numpy()[nearest]
        if not columns.is_number(name):
            hits.append((truth == guess).astype(float))
            continue
        known = case.known[name].dropna()
        width = float(known.quantile(0.95) - known.quantile(0.05)) if len(known) else 0.0
        close = np.abs(truth - guess) <= CLOSE * width
        hits.append(np.where(np.isnan(truth), np.nan, close))
    shares: np.ndarray = np.nanmean(np.stack(hits), axis=0)
    return shares
