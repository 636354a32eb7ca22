"""What a metric declares about itself: computation, needs, and for each score its floor and words.

A metric is one file of `metrics/` that ends in a `METRIC`; `registry` lists the files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.context import Context

Goal = Literal['higher', 'lower', 'floor']
Group = Literal['fidelity', 'use', 'privacy']
Mood = Literal['good', 'fair', 'poor']


@dataclass(frozen=True)
class MetricResult:
    """What a metric returns.

    Attributes:
        scores: Numbers by key.
        tables: Breakdowns by name.
        arrays: Numbers per row, by name.
        goals: Goals that this data decides, by key (an RMSE is an error, an AUC is not).
        notes: Why a score beside the main one has no value, by key.
    """

    scores: dict[str, float]
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    goals: dict[str, Goal] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Halves:
    """Floor rule: what one half of the real training rows scores against the other.

    Attributes:
        scaled: Whether the score shrinks with the root of the number of rows, so that the floor is
            scaled from the sizes of the halves to those of the tables.
    """

    scaled: bool = False


@dataclass(frozen=True)
class Beside:
    """Floor rule: another score of the same run, of real rows in the place of synthetic ones.

    Attributes:
        key: That score.
        label: What a page calls it.
        otherwise: The rule where that score is not there.
    """

    key: str
    label: str = 'unseen real rows'
    otherwise: Halves | None = None


@dataclass(frozen=True)
class Verdict:
    """A few words about a score.

    Attributes:
        words: The words.
        mood: Whether they are good news.
        copying: Whether they say that training rows were copied.
        beyond: Whether the score is better than a sample of real rows would score.
    """

    words: str
    mood: Mood
    copying: bool = False
    beyond: bool = False


@dataclass(frozen=True)
class Reading:
    """A score beside all that a verdict may look at.

    Attributes:
        value: The score.
        floor: Its floor, NaN if there is none.
        goal: Its goal on this data.
        scores: All scores of the run.
    """

    value: float
    floor: float
    goal: Goal
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Score:
    """One number of a metric and what it says.

    Attributes:
        key: Its name among the scores.
        title: Its name in a heading.
        meaning: What it means, in one sentence.
        group: The question that it answers.
        goal: 'higher', 'lower', or 'floor' where neither is better and the floor is ideal.
        ideal: What a perfect sample of infinite size scores, if that is known beforehand.
        floor: How its floor is found; None if it has none.
        verdict: Words about a finite value, or None where there is nothing to compare it with.
        percent: Whether it is shown as a percentage.
    """

    key: str
    title: str
    meaning: str
    group: Group
    goal: Goal
    ideal: float | None = None
    floor: Halves | Beside | None = None
    verdict: Callable[[Reading], Verdict | None] | None = None
    percent: bool = False


@dataclass(frozen=True)
class Metric:
    """A metric.

    Attributes:
        name: What users call it.
        compute: The function; raises `NotComputableError` where there is no value.
        scores: The scores that have a meaning of their own, the main one first. Others that
            `compute` returns (ends of an interval, what real rows score) are facts beside them.
        needs_holdout: Whether it needs rows that were not trained on.
        needs_target: Whether it needs a column to predict.
        costly: Whether it takes minutes on a large table and is left out unless it is asked for.
    """

    name: str
    compute: Callable[[Context], MetricResult]
    scores: tuple[Score, ...]
    needs_holdout: bool = False
    needs_target: bool = False
    costly: bool = False

    @property
    def main_key(self) -> str:
        """The score that is NaN where the metric has no value."""
        return self.scores[0].key
