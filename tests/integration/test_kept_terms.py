"""Ends of contracts are so many months after they began in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import Between, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 500
DATES = 'begin', 'end', 'paid', 'covered'
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'datetime'} for name in DATES},
    **{name: {'sdtype': 'numerical'} for name in ('term', 'cost')},
}
A_DAY = pd.Timedelta(days=1)


def after(dates: pd.Series, months: pd.Series) -> pd.Series:
    pairs = zip(dates, months, strict=True)
    return pd.Series([date + pd.DateOffset(months=int(many)) for date, many in pairs], dates.index)


def table(num_rows: int = N, seed: int = 0) -> pd.DataFrame:
    """Contracts of some months, a day of payment, and a year from it that is covered."""
    random = np.random.default_rng(seed)
    days = pd.to_timedelta(random.integers(0, 1_500, num_rows), 'D')
    frame = pd.DataFrame({'begin': pd.Timestamp('2019-01-01') + days})
    frame['term'] = random.choice([6, 12, 36], num_rows)
    frame['end'] = after(frame['begin'], frame['term'])
    frame['paid'] = frame['begin'] + pd.to_timedelta(random.integers(0, 60, num_rows), 'D')
    frame['covered'] = after(frame['paid'], pd.Series(12, frame.index)) - A_DAY
    frame['cost'] = (frame['term'] * random.gamma(5, 2, num_rows)).round(2)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a date is another one."""
    found = after(rows['begin'], rows['term']) != rows['end']
    found |= after(rows['paid'], pd.Series(12, rows.index)) - A_DAY != rows['covered']
    return int(found.sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    rows, data = synthesizer.sample(600), table()
    assert broken(rows) == 0
    assert {*rows['term']} == {*data['term']}
    for name in DATES:
        assert rows[name].between(data[name].min(), data[name].max()).mean() > 0.97


@pytest.mark.parametrize(
    'given',
    [
        {'term': 12},
        {'end': pd.Timestamp('2021-02-28')},
        {'begin': pd.Timestamp('2020-01-31'), 'term': 36},
        {'begin': pd.Timestamp('2020-01-31'), 'end': pd.Timestamp('2021-01-31')},
        {'covered': Between(pd.Timestamp('2021-01-01'), pd.Timestamp('2021-06-30'))},
        {'end': Between(pd.Timestamp('2021-01-01'), pd.Timestamp('2021-06-30')), 'term': 6},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('num_samples', [1, 4])
@pytest.mark.parametrize('hidden', [['end', 'covered'], ['begin'], ['term', 'paid']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_what_is_made_of_known_cells_is_known(synthesizer: TabDARSynthesizer) -> None:
    known = table().head(30)
    found = synthesizer.predict_quantiles(known.drop(columns='end'), 'end')
    assert (found.to_numpy() == known[['end']].to_numpy()).all()


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert found.aggregates == [
        ('end', "'term' months after 'begin'"),
        ('covered', "12 months after 'paid' - 1 days"),
    ]
    line = "'end' is 'term' months after 'begin' in all rows, and will be in drawn ones."
    assert line in KEPT.logged


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), table(seed=1)
    others.loc[0, 'covered'] += A_DAY
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    assert (after(rows['begin'], rows['term']) == rows['end']).all()


def test_the_switch_turns_it_off_and_files_have_them(tmp_path: Path) -> None:
    assert broken(KEPT.fitted(sums=False).sample(200)) > 0
    KEPT.check_parquet(tmp_path)
