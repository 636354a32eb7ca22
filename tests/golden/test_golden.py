"""The same seed gives the rows and the numbers that are kept in this folder.

Another processor rounds otherwise: numbers may differ a little, and where a uniform number falls
between two almost equal edges a row may be another one. A changed model or another use of random
numbers changes most rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from .answers import FOLDER, TABLES, answers, path_of

_OTHER_ROWS = 0.1  # the share of rows that may differ
_TOLERANCE = 2e-3  # relative, or of the column's standard deviation
_MOMENT = r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*'  # a date with its time of day: a number


@pytest.fixture(scope='module', params=list(TABLES))
def answered(request: pytest.FixtureRequest) -> tuple[str, dict[str, pd.DataFrame]]:
    return request.param, answers(request.param)


def test_answers_are_the_kept_ones(
    answered: tuple[str, dict[str, pd.DataFrame]], tmp_path: Path
) -> None:
    table, given = answered
    for question, answer in given.items():
        path = tmp_path / 'answer.csv'
        answer.to_csv(path, index=False)
        kept, found = pd.read_csv(path_of(table, question)), pd.read_csv(path)
        assert list(found) == list(kept), f'{table}: {question}'
        assert list(found.dtypes) == list(kept.dtypes), f'{table}: {question}'
        same = np.logical_and.reduce([_close(found[name], kept[name]) for name in kept])
        assert len(found) == len(kept), f'{table}: {question}'
        assert same.mean() >= 1 - _OTHER_ROWS, f'{table}: {question}\n{found[~same]}\n{kept[~same]}'


def test_every_kept_file_is_of_a_question(
    answered: tuple[str, dict[str, pd.DataFrame]],
) -> None:
    table, given = answered
    kept = {path.name for path in FOLDER.glob(f'{table}_*.csv')}

    assert kept == {path_of(table, question).name for question in given}


def _close(found: pd.Series, kept: pd.Series) -> np.ndarray:
    """Which cells are the same, but for the rounding of another processor."""
    if pd.api.types.is_string_dtype(kept) and kept.str.fullmatch(_MOMENT).all():
        moments = [pd.to_datetime(cells) for cells in (found, kept)]
        first = moments[1].min()
        found, kept = ((cells - first).dt.total_seconds() for cells in moments)
    if not pd.api.types.is_float_dtype(kept.dtype):
        return ((found == kept) | (found.isna() & kept.isna())).to_numpy()
    spread = float(kept.replace([np.inf, -np.inf], np.nan).std() or 0.0)
    slack = _TOLERANCE * (0.0 if np.isnan(spread) else spread)
    return np.isclose(found, kept, rtol=_TOLERANCE, atol=slack, equal_nan=True)
