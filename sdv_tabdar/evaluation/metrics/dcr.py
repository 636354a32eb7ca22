"""Distance to the closest record: are synthetic rows closer to the rows trained on?

Distances are those of the paper's lineage: L1 on numbers divided by their range in the training
rows, plus 2 for each category that differs, target included (see `neighbours`).

`dcr_share` is the share of synthetic rows that are closer to the training rows than to real rows
that the synthesizer did not see, with ties split between them. An honest synthesizer scores .5, if
both tables have the same number of rows. So the larger of the two is subsampled, many times: it is
cut at random into small groups, each row's distance to each group is computed once, and a draw is
a random choice of groups. The published code counts ties as 'not closer', which biases it low.

Which real rows were held out is chance as well, and more of it than which rows were drawn: a few
real rows in a dense place are the nearest of many. For an honest synthesizer training rows and
others are alike, so the groups of both are dealt anew, again and again, and how far the share then
falls from one half is what chance does (a permutation test: Fisher 1935; its interval around the
share is the inverted test).

Not all that is above one half are rows learnt by heart: columns that have the values of the
training rows, in their shares, are nearer to these by themselves, most of all in small tables. So
`dcr_share_columns` is the share of training rows whose columns are shuffled, each by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import (
    Beside,
    Halves,
    Metric,
    MetricResult,
    Reading,
    Score,
    Verdict,
)
from sdv_tabdar.evaluation.neighbours import Points, nearest_by_group

DRAWS, DEALS = 200, 200
GROUPS_PER_DRAW = 16
DEALT_DRAWS = 4
"""Draws of the larger table in each new deal of the groups, whose mean stands for that of all."""
MAX_GROUPS = 128
"""Groups of the larger table at most (memory); a table of more has a random part of it used."""
_NORMAL_95 = 1.96

_Distances: TypeAlias = tuple[np.ndarray, np.ndarray]  # to training rows, to others


@dataclass(frozen=True)
class CloserShare:
    """The share of rows that are closer to the training rows than to the holdout.

    Attributes:
        share: Mean over the draws, ties split.
        low: Lower end of the 95 % interval over synthetic rows, and over which real rows were
            trained on.
        high: Upper end.
        strict: The share without the ties, as the published code counts.
        to_real: Distance of each synthetic row to the training rows, first draw.
        to_holdout: Distance of each synthetic row to the holdout, first draw.
        to_all_real: Distance of each synthetic row to all training rows; None if only a random
            part of them was used.
    """

    share: float
    low: float
    high: float
    strict: float
    to_real: np.ndarray
    to_holdout: np.ndarray
    to_all_real: np.ndarray | None


def closer_share(
    synthetic: Points, real: Points, holdout: Points, *, seed: int = 0, draws: int = DRAWS
) -> CloserShare:
    """Compare the distances of synthetic rows to equally many training and holdout rows.

    Args:
        synthetic: The rows to judge.
        real: The training rows.
        holdout: Real rows that were not trained on.
        seed: Decides the subsamples.
        draws: How many subsamples of the larger table.
    """
    generator = np.random.default_rng(seed)
    grouped = _grouped(synthetic, real, holdout, generator)
    share, drawn = grouped.share(draws, generator)
    width = _NORMAL_95 * _chance(grouped.full, grouped.per_draw, generator)
    return CloserShare(
        share=share,
        low=max(share - width, 0.0),
        high=min(share + width, 1.0),
        strict=float(np.mean([(to_real < to_holdout).mean() for to_real, to_holdout in drawn])),
        to_real=drawn[0][0],
        to_holdout=drawn[0][1],
        to_all_real=grouped.to_all_real,
    )


def share_alone(
    rows: Points, real: Points, holdout: Points, *, seed: int = 0, draws: int = DRAWS
) -> float:
    """The share of :func:`closer_share` without its interval."""
    generator = np.random.default_rng(seed)
    return _grouped(rows, real, holdout, generator).share(draws, generator)[0]


@dataclass(frozen=True)
class _Grouped:
    """Distances of rows to groups of training rows and of others.

    Attributes:
        full: Of training rows and of others, the distances to groups of one size, groups x rows.
        per_draw: How many groups have as many rows as the smaller table.
        to_all_real: Distances to all training rows; None if only some of them were used.
    """

    full: Sequence[np.ndarray]
    per_draw: int
    to_all_real: np.ndarray | None

    def share(self, draws: int, generator: np.random.Generator) -> tuple[float, list[_Distances]]:
        """The share of rows that are closer to training rows, over draws of groups, and these."""
        drawn = [_draw(self.full, self.per_draw, generator) for _ in range(draws)]
        return float(np.mean([_closer(*pair) for pair in drawn])), drawn


def _grouped(
    rows: Points, real: Points, holdout: Points, generator: np.random.Generator
) -> _Grouped:
    size = min(len(real), len(holdout))
    group = max(1, size // GROUPS_PER_DRAW)
    grouped = []
    for points in (real, holdout):
        shuffled = points.take(generator.permutation(len(points))[: MAX_GROUPS * group])
        grouped.append(nearest_by_group(rows, shuffled, group_size=group).T.copy())
    # The last group may be smaller: without it, all draws have equally many rows.
    full = [
        part[: min(len(points) // group, MAX_GROUPS)]
        for part, points in zip(grouped, (real, holdout), strict=True)
    ]
    is_whole = len(real) <= MAX_GROUPS * group
    return _Grouped(full, size // group, grouped[0].min(axis=0) if is_whole else None)


def _draw(sides: Sequence[np.ndarray], per_draw: int, generator: np.random.Generator) -> _Distances:
    """Each synthetic row's distance to a random choice of groups of either side.

    Args:
        sides: Of training rows and of others, the distances to groups, groups x rows.
        per_draw: How many groups to choose of each.
        generator: Chooses them.
    """
    to_real, to_holdout = (
        side[generator.choice(len(side), per_draw, replace=False)].min(axis=0) for side in sides
    )
    return to_real, to_holdout


def _closer(to_real: np.ndarray, to_holdout: np.ndarray) -> float:
    """The share of rows that are closer to training rows, ties split."""
    return float(((to_real < to_holdout).mean() + (to_real <= to_holdout).mean()) / 2)


def _chance(sides: Sequence[np.ndarray], per_draw: int, generator: np.random.Generator) -> float:
    """Standard deviation of the share if which rows were trained on made no difference."""
    pooled, number = np.concatenate(sides), len(sides[0])
    draws = DEALT_DRAWS if len(pooled) > 2 * per_draw else 1
    shares = []
    for _ in range(DEALS):
        dealt = generator.permutation(len(pooled))
        parts = pooled[dealt[:number]], pooled[dealt[number:]]
        shares.append(np.mean([_closer(*_draw(parts, per_draw, generator)) for _ in range(draws)]))
    return float(np.std(shares))


def dcr(context: Context) -> MetricResult:
    """`dcr_share` with its interval, the share of exact copies, and median distances.

    `dcr_share_columns` is what training rows have whose columns are shuffled, each by itself.

    `copies` is the share of synthetic rows that equal a training row in every cell, to be read
    beside `copies_holdout`, the share of holdout rows that do. Without a holdout only the copies
    and `dcr_median` are there.
    """
    if context.holdout is None:
        to_real = context.synthetic_to_real[:, 0]
        return MetricResult(_to_train(to_real), arrays={'synthetic_to_real': to_real})
    points = context.points
    found = closer_share(points['synthetic'], points['real'], points['holdout'], seed=context.seed)
    whole = found.to_all_real
    to_real = context.synthetic_to_real[:, 0] if whole is None else whole
    honest = context.holdout_to_real[:, 0]
    scores = {
        'dcr_share': found.share,
        'dcr_share_low': found.low,
        'dcr_share_high': found.high,
        'dcr_share_columns': share_alone(
            points['shuffled'], points['real'], points['holdout'], seed=context.seed
        ),
        **_to_train(to_real),
        'copies_holdout': float((honest == 0).mean()),
        'dcr_median_holdout': float(np.median(honest)),
    }
    if context.paper_compatible:
        scores['dcr_share_paper'] = found.strict
    arrays = {
        'synthetic_to_real': to_real,
        'draw_to_real': found.to_real,
        'draw_to_holdout': found.to_holdout,
        'holdout_to_real': honest,
    }
    return MetricResult(scores, arrays=arrays)


def _to_train(to_real: np.ndarray) -> dict[str, float]:
    """What distances to the training rows say by themselves."""
    return {'copies': float((to_real == 0).mean()), 'dcr_median': float(np.median(to_real))}


def closeness(reading: Reading) -> Verdict:
    """Whether the lower end of the interval is above one half, and above what columns have."""
    low = reading.scores.get('dcr_share_low', reading.value)
    if low <= 0.505:
        return Verdict('no sign of copying', 'good')
    alone = reading.scores.get('dcr_share_columns', math.nan)
    as_columns = f'; shuffled columns are as close ({alone:.3f})' if low <= alone else ''
    if low <= 0.55:
        return Verdict(f'slightly closer to the rows trained on{as_columns}', 'fair')
    return Verdict(f'clearly closer to the rows trained on{as_columns}', 'poor', copying=True)


def copied(reading: Reading) -> Verdict | None:
    """Whether there are more exact copies than among unseen real rows."""
    if not math.isfinite(reading.floor):
        return None
    if reading.value <= 2 * reading.floor + 0.001:
        return Verdict('no more than by chance', 'good')
    return Verdict('more than by chance', 'poor', copying=True)


METRIC = Metric(
    'dcr',
    dcr,
    (
        Score(
            'dcr_share',
            'Closer to train',
            'Share of synthetic rows that are closer to the rows trained on than to unseen real '
            'rows; .5 is no copying.',
            'privacy',
            'floor',
            ideal=0.5,
            floor=Halves(),
            verdict=closeness,
        ),
        Score(
            'copies',
            'Exact copies',
            'Share of synthetic rows that equal a training row in every cell, beside the share '
            'of unseen real rows that do.',
            'privacy',
            'lower',
            floor=Beside('copies_holdout', otherwise=Halves()),
            verdict=copied,
            percent=True,
        ),
        Score(
            'dcr_median',
            'Median distance',
            'The median distance of a synthetic row to the closest training row, beside that of '
            'unseen real rows.',
            'privacy',
            'floor',
            floor=Beside('dcr_median_holdout'),
        ),
    ),
)
