"""What the metrics of one evaluation share: the canonical frames and the expensive distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.likelihoods import WhiteBox
from sdv_tabdar.evaluation.neighbours import Points, nearest, to_points
from sdv_tabdar.evaluation.shuffling import shuffled

SHUFFLED_ROWS = 5_000  # enough for a share that is right to half a per cent


class NotComputableError(ValueError):
    """A metric has no value on this data; the message says why."""


@dataclass(frozen=True)
class Context:
    """The inputs of all metrics: canonical frames (see `tables`) and settings.

    Attributes:
        real: Real rows that the synthesizer was trained on.
        synthetic: Synthetic rows.
        columns: The measured columns.
        holdout: Real rows that it did not see, if there are any.
        target: The column to predict, for MLE.
        seed: Decides folds, subsamples and halves.
        paper_compatible: Whether to add the scores of the published protocol with its faults.
        white_box: What models say of rows, for attackers who have them.
        units: What the numbers of the frames are multiples of, by column, where that is not 1; see
            `units`.
    """

    real: pd.DataFrame
    synthetic: pd.DataFrame
    columns: ColumnTypes
    holdout: pd.DataFrame | None = None
    target: str | None = None
    seed: int = 0
    paper_compatible: bool = False
    white_box: WhiteBox | None = None
    units: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def points(self) -> Mapping[str, Points]:
        """The frames as points, by name: real, synthetic, and with a holdout that, and shuffled."""
        others = [self.synthetic]
        if self.holdout is not None:
            others += [self.holdout, self.shuffled]
        named = to_points(self.real, self.columns, *others)
        return dict(zip(('real', 'synthetic', 'holdout', 'shuffled'), named, strict=False))

    @cached_property
    def shuffled(self) -> pd.DataFrame:
        """Real rows with each column in an order of its own: values without their relations."""
        return shuffled(self.real, SHUFFLED_ROWS, np.random.default_rng(self.seed))

    @cached_property
    def synthetic_to_real(self) -> np.ndarray:
        """L1 distances of synthetic rows to their two nearest real rows, rows x 2."""
        return nearest(self.points['synthetic'], self.points['real'], count=2)[0]

    @cached_property
    def holdout_to_real(self) -> np.ndarray:
        """L1 distances of holdout rows to their two nearest real rows, rows x 2."""
        return nearest(self.points['holdout'], self.points['real'], count=2)[0]

    def needed_holdout(self, metric: str) -> pd.DataFrame:
        """The holdout, or a reason why the metric has no value."""
        if self.holdout is None:
            raise NotComputableError(
                f'{metric} compares with real rows that the synthesizer did not see; '
                'pass them as real_test.'
            )
        return self.holdout
