"""Jensen-Shannon distance of the marginals, mean over columns.

`jsd` is the plain one: numbers are cut into at most ten bins of equal width over the real range,
with one bin for what lies outside and one for missing cells; categories are taken as they are; the
distance (the root of the divergence, natural logarithm) is that of SciPy.

`jsd_paper` is synthcity's 'marginal', which the papers print: each one-hot column counts as a
column, and 1 is added to each share after normalising, which makes the values many times smaller.
It can be compared with published numbers and with nothing else.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.spatial.distance import jensenshannon

from sdv_tabdar.evaluation.bins import Bins
from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.features import level_codes
from sdv_tabdar.evaluation.metric import Halves, Metric, MetricResult, Score
from sdv_tabdar.evaluation.verdicts import times_floor

BINS = 10


def column_jsd(real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes) -> pd.Series:
    """The distance of each column's distributions, 0 (same) to sqrt(ln 2).

    Args:
        real: Canonical real rows.
        synthetic: Canonical synthetic rows.
        columns: The measured columns.
    """
    return pd.Series(
        {
            name: _distance(*_shares(real[name], synthetic[name], columns.is_number(name)))
            for name in columns.names
        }
    )


def jsd(context: Context) -> MetricResult:
    """`jsd`; with `paper_compatible` also `jsd_paper`."""
    real, synthetic, columns = context.real, context.synthetic, context.columns
    scores = {'jsd': float(column_jsd(real, synthetic, columns).mean())}
    if context.paper_compatible:
        scores['jsd_paper'] = paper_jsd(real, synthetic, columns)
    return MetricResult(scores)


def paper_jsd(real: pd.DataFrame, synthetic: pd.DataFrame, columns: ColumnTypes) -> float:
    """Synthcity's number, for canonical frames (missing cells in their own bin)."""
    distances = []
    for name in columns.names:
        if columns.is_number(name):
            mine, theirs = _shares(real[name], synthetic[name], number=True)
            distances.append(_distance(mine + 1, theirs + 1))
            continue
        levels = sorted(real[name].dropna().unique())
        codes = [level_codes(frame[name], list(levels)) for frame in (real, synthetic)]
        for code in range(len(levels)):
            # A 0/1 column: its two values fall into the two bins of pandas.cut.
            mine, theirs = (
                np.array([(part != code).mean(), (part == code).mean()]) for part in codes
            )
            distances.append(_distance(mine + 1, theirs + 1))
    return float(np.mean(distances))


def _distance(mine: np.ndarray, theirs: np.ndarray) -> float:
    """SciPy's distance, an exact zero for equal shares (where rounding gives NaN or 1e-9)."""
    if np.array_equal(mine, theirs):
        return 0.0
    return float(np.nan_to_num(jensenshannon(mine, theirs)))


def _shares(real: pd.Series, synthetic: pd.Series, number: bool) -> tuple[np.ndarray, np.ndarray]:
    """The share of each bin or category in both columns, on one list of bins."""
    if not number:
        both = pd.concat([real, synthetic], ignore_index=True)
        codes, _ = pd.factorize(both)
        parts = [codes[: len(real)] + 1, codes[len(real) :] + 1]
    else:
        bins = Bins.over(real, max(1, min(BINS, real.nunique())))
        parts = [_bin_codes(bins.place(values), bins.edges) for values in (real, synthetic)]
    size = max(int(part.max()) for part in parts) + 1
    mine, theirs = (np.bincount(part, minlength=size) / len(part) for part in parts)
    used = (mine > 0) | (theirs > 0)
    return mine[used], theirs[used]


def _bin_codes(values: pd.Series, edges: np.ndarray) -> np.ndarray:
    """The bin of each number: 0 outside, 1 missing, 2 and on the bins."""
    inside = values.between(edges[0], edges[-1]).to_numpy()
    bins = np.digitize(values.fillna(edges[0]), edges[1:-1]) + 2
    return np.where(values.isna(), 1, np.where(inside, bins, 0)).astype(np.int64)


METRIC = Metric(
    'jsd',
    jsd,
    (
        Score(
            'jsd',
            'Jensen-Shannon distance',
            'Another distance of single-column distributions, mean over the columns.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(scaled=True),
            verdict=times_floor,
        ),
        Score(
            'jsd_paper',
            'JSD as published',
            'The number of the papers, computed with their smoothing, which shrinks it.',
            'fidelity',
            'lower',
            ideal=0.0,
            floor=Halves(scaled=True),
            verdict=times_floor,
        ),
    ),
)
