"""SDMetrics' own report, which shape and trend agree with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from sdmetrics.reports import QualityReport


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
