"""What a report holds: scores with floors, breakdowns, and what its page draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from sdv_tabdar.evaluation.metric import Goal, Verdict
from sdv_tabdar.evaluation.registry import SCORES, verdict_of


@dataclass(frozen=True)
class ReportData:
    """The scores of a synthetic table and what a page about it shows.

    Attributes:
        title: The heading.
        scores: Numbers by key.
        floors: What real rows score in the place of the synthetic ones, by key, scaled to the
            sizes of the tables.
        notes: Why a metric was left out or has no value.
        reasons: Why a score is better than its floor, by key.
        tables: Breakdowns: 'columns' (shape), 'pairs' (trend), 'importance' (XGB-C2ST).
        figures: What the page draws, already binned, so that a report holds no rows of the real
            table; the most suspicious synthetic rows are the exception.
        goals: Goals that the data decided (the RMSE of a target is an error), by key.
        seconds: Time that each metric took, without its floor.
        facts: Numbers of rows and columns, target, seed.
    """

    title: str
    scores: dict[str, float]
    floors: dict[str, float]
    notes: dict[str, str]
    tables: dict[str, pd.DataFrame] = field(repr=False)
    figures: dict[str, Any] = field(repr=False)
    goals: Mapping[str, Goal] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict, repr=False)
    facts: dict[str, Any] = field(default_factory=dict)

    def goal(self, key: str) -> str:
        """'higher', 'lower' or 'floor' (neither: the floor is ideal); '' for a mere fact."""
        if key not in SCORES:
            return ''
        return self.goals.get(key, SCORES[key].goal)

    def verdict(self, key: str) -> Verdict | None:
        """Words about a score, None where there is nothing to say."""
        return verdict_of(key, self.scores, self.floors, self.goals)
