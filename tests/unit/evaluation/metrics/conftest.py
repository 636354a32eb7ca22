"""SDMetrics' own report and detection, which our scores agree with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdmetrics.reports import QualityReport

from sdv_tabdar.evaluation import score

SEEN_BY_BOTH = {
    'height': 'numerical',
    'weight': 'numerical',
    'city': 'categorical',
    'code': 'categorical',
}


@pytest.fixture
def quality_report() -> Callable[..., tuple[pd.Series, pd.DataFrame, pd.DataFrame]]:
    """Scores, shapes and trends of the report, over all pairs or over the related ones."""

    def generate(
        real: pd.DataFrame, synthetic: pd.DataFrame, columns: dict[str, Any], *, threshold: bool
    ) -> tuple[pd.Series, pd.DataFrame, pd.DataFrame]:
        described = {
            name: {'sdtype': facts} if isinstance(facts, str) else facts
            for name, facts in columns.items()
        }
        report = QualityReport()
        if not threshold:
            report.real_correlation_threshold = report.real_association_threshold = 0
        report.generate(
            {'table': real},
            {'table': synthetic},
            {'tables': {'table': {'columns': described}}},
            verbose=False,
        )
        scores = report.get_properties().set_index('Property')['Score']
        shapes, trends = map(report.get_details, ('Column Shapes', 'Column Pair Trends'))
        return scores, shapes, trends

    return generate


@pytest.fixture
def detected() -> Callable[..., tuple[float, float]]:
    """Our score of a name and that of a detection metric of SDMetrics, from the same folds."""

    def compute(
        name: str, detection: Any, real: pd.DataFrame, other: pd.DataFrame
    ) -> tuple[float, float]:
        frames = [
            frame[list(SEEN_BY_BOTH)].assign(code=frame['code'].astype(str))
            for frame in (real, other)
        ]
        metadata = {'columns': {column: {'sdtype': kind} for column, kind in SEEN_BY_BOTH.items()}}
        np.random.seed(5)
        expected = detection.compute(*(frame.copy() for frame in frames), metadata)
        return score(*frames, SEEN_BY_BOTH, metrics=[name], seed=5)[name], expected

    return compute
