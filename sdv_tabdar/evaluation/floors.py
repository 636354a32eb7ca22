"""Floors: what real rows score in the place of synthetic ones.

The floor of a score is that of two disjoint halves of the real training rows, or another score of
the same run, as its metric declares (`Halves`, `Beside`). Errors that shrink with the number of
rows are scaled from the sizes of the halves to those of the tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sdv_tabdar.evaluation.compute import compute_metrics
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.metric import Beside, Halves, Metric, Score

TINY = 60
"""Below this many rows, halves of the real table are too small to compare: resample instead."""


def halves(context: Context) -> Context:
    """Two disjoint halves of the real rows, one in the place of the synthetic rows.

    With fewer than `TINY` real rows, the real rows and a bootstrap sample of them.
    """
    generator = np.random.default_rng(context.seed)
    rows = len(context.real)
    if rows < TINY:
        first = np.arange(rows)
        second = generator.integers(rows, size=rows)
    else:
        order = generator.permutation(rows)
        first, second = order[: rows // 2], order[rows // 2 : 2 * (rows // 2)]
    return replace(
        context,
        real=context.real.iloc[first].reset_index(drop=True),
        synthetic=context.real.iloc[second].reset_index(drop=True),
    )


def compute_floors(
    chosen: Sequence[Metric],
    context: Context,
    scores: Mapping[str, float] | None = None,
    *,
    progress: str | None = None,
) -> dict[str, float]:
    """The floor of each score that has one.

    Args:
        chosen: The metrics.
        context: The inputs. Of the synthetic rows only their number counts.
        scores: The scores of the run, for floors that are among them; None for the other floors
            alone.
        progress: The name of a progress bar, or None for none.
    """
    found: dict[str, float] = {}
    run = {} if scores is None else scores
    pending: list[Metric] = []
    for metric in chosen:
        wanted = [score for score in metric.scores if scores is None or score.key in scores]
        for score in wanted:
            if isinstance(score.floor, Beside) and score.floor.key in run:
                found[score.key] = run[score.floor.key]
        if any(_by_halves(score, run) for score in wanted):
            pending.append(metric)
    if not pending:
        return found
    parts = halves(context)
    measured = compute_metrics(pending, parts, progress=progress).scores
    scale = math.sqrt(
        (1 / len(context.real) + 1 / len(context.synthetic))
        / (1 / len(parts.real) + 1 / len(parts.synthetic))
    )
    for metric in pending:
        for score in metric.scores:
            rule = _by_halves(score, run)
            if rule and score.key in measured and (scores is None or score.key in scores):
                found[score.key] = measured[score.key] * (scale if rule.scaled else 1)
    return found


def _by_halves(score: Score, run: Mapping[str, float]) -> Halves | None:
    """The rule, where it is that of the halves."""
    rule = score.floor
    if isinstance(rule, Beside):
        return None if rule.key in run else rule.otherwise
    return rule
