"""Columns that follow from others in many rows do so in every answer, in the user's form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files import describe
from tests.integration.conftest import TINY, make_metadata

SHARE = 0.4  # of the rows that pay their bill, end on the day they began, and are due on time

COLUMNS = {
    'bill': {'sdtype': 'numerical'},
    'start': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'paid': {'sdtype': 'numerical'},
    'end': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'gross': {'sdtype': 'numerical'},
    'due': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
}
MONTH = pd.Timedelta(days=30)


@pytest.fixture(scope='module')
def bills() -> pd.DataFrame:
    """Bills to the cent, of which many are paid to the cent, and days of which many are the same.

    With its tax each bill is another amount to the cent, and many are due in thirty days.
    """
    random = np.random.default_rng(0)
    bill = random.gamma(2, 300, 900).round(2)
    paid = np.where(random.random(900) < SHARE, bill, (bill * random.random(900)).round(2))
    days = random.integers(0, 1500, 900)
    later = np.where(random.random(900) < SHARE, 0, random.integers(1, 900, 900))
    due = np.where(random.random(900) < SHARE, 30, random.integers(1, 900, 900))
    first = pd.Timestamp('2020-01-01')
    return pd.DataFrame(
        {
            'bill': bill,
            'start': (first + pd.to_timedelta(days, 'D')).strftime('%Y-%m-%d'),
            'paid': paid,
            'end': (first + pd.to_timedelta(days + later, 'D')).strftime('%Y-%m-%d'),
            'gross': (1.19 * bill).round(2),
            'due': (first + pd.to_timedelta(days + due, 'D')).strftime('%Y-%m-%d'),
        }
    )


def due_in_time(rows: pd.DataFrame) -> pd.Series:
    return pd.to_datetime(rows['due']) == pd.to_datetime(rows['start']) + MONTH


def taxed(rows: pd.DataFrame) -> pd.Series:
    return rows['gross'] == (1.19 * rows['bill']).round(2)


@pytest.fixture(scope='module')
def synthesizer(bills: pd.DataFrame) -> TabDARSynthesizer:
    found = TabDARSynthesizer(make_metadata(COLUMNS), **{**TINY, 'epochs': 10})
    found.fit(bills)
    return found


def test_drawn_rows_are_equal_as_often(synthesizer: TabDARSynthesizer):
    rows = synthesizer.sample(1000, seed=1)
    assert (rows['bill'] == rows['paid']).mean() == pytest.approx(SHARE, abs=0.12)
    assert (rows['start'] == rows['end']).mean() == pytest.approx(SHARE, abs=0.12)
    assert due_in_time(rows).mean() == pytest.approx(SHARE, abs=0.12)
    assert taxed(rows).mean() > 0.9


@pytest.mark.parametrize('name', COLUMNS)
def test_either_cell_may_be_known(synthesizer: TabDARSynthesizer, bills: pd.DataFrame, name: str):
    known = bills[[name]].head(300)
    rows = synthesizer.sample_remaining_columns(known, seed=2)
    assert rows[name].tolist() == known[name].tolist()
    pair = ('bill', 'paid') if name in ('bill', 'paid', 'gross') else ('start', 'end')
    assert (rows[pair[0]] == rows[pair[1]]).mean() == pytest.approx(SHARE, abs=0.2)
    assert due_in_time(rows).mean() == pytest.approx(SHARE, abs=0.2)
    assert taxed(rows).mean() > 0.85


def test_ranges_hold_for_both(synthesizer: TabDARSynthesizer):
    asked = {'bill': Between(500, 600), 'paid': Between(550, 700)}
    rows = synthesizer.sample_from_conditions([Condition(asked, num_rows=100)])
    assert rows['bill'].between(500, 600).all()
    assert rows['paid'].between(550, 700).all()
    assert (rows['bill'] == rows['paid']).any()
    assert taxed(rows).mean() > 0.85


def test_gaps_are_filled_with_the_number_beside_them(
    synthesizer: TabDARSynthesizer, bills: pd.DataFrame
):
    gaps = bills.head(200).copy()
    gaps.loc[::2, 'paid'] = np.nan
    gaps.loc[1::2, 'end'] = None
    gaps.loc[::3, 'gross'] = np.nan
    filled = synthesizer.impute(gaps, num_samples=1, seed=3)
    pd.testing.assert_frame_equal(filled.where(gaps.notna()), gaps.where(gaps.notna()))
    assert (filled['bill'] == filled['paid'])[::2].any()
    assert (filled['start'] == filled['end'])[1::2].any()
    assert taxed(filled)[::3].mean() > 0.85


def test_files_keep_them(synthesizer: TabDARSynthesizer, tmp_path):
    path = tmp_path / 'bills.tabdar'
    synthesizer.save_safe(path)
    pairs = [(own, formula) for own, formula, _ in describe(path).echoes]
    assert pairs == [
        ('paid', "'bill'"),
        ('end', "'start'"),
        ('gross', "1.19 * 'bill', rounded"),
        ('due', f"'start' + {MONTH.days} days"),
    ]
    again = TabDARSynthesizer.load_safe(path)
    pd.testing.assert_frame_equal(again.sample(50, seed=4), synthesizer.sample(50, seed=4))


def test_a_column_seen_together_with_others_may_follow_from_one(tmp_path):
    random = np.random.default_rng(0)
    first, other = random.normal(size=(2, 1500)).round(3)
    second = np.where(random.random(1500) < SHARE, first, other)
    side = np.where((first > 0) ^ (second > 0), 'apart', 'together')
    table = pd.DataFrame({'first': first, 'second': second, 'side': side})
    metadata = make_metadata(
        {
            'first': {'sdtype': 'numerical'},
            'second': {'sdtype': 'numerical'},
            'side': {'sdtype': 'categorical'},
        }
    )
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.fit(table)
    path = tmp_path / 'sides.tabdar'
    synthesizer.save_safe(path)
    known = describe(path)
    assert [echo[0] for echo in known.echoes] == ['second']
    assert any('second' in members for members, _ in known.crosses)
    again = TabDARSynthesizer.load_safe(path)
    pd.testing.assert_frame_equal(again.sample(20, seed=1), synthesizer.sample(20, seed=1))


@pytest.mark.parametrize('order', [('mean', 'least'), ('least', 'mean')])
def test_a_mean_of_one_number_is_that_whole_number(order: tuple[str, str]):
    random = np.random.default_rng(0)
    least = random.gamma(2, 500, 900).round()
    mean = np.where(random.random(900) < SHARE, least, least + 100 * random.random(900))
    table = pd.DataFrame({'mean': mean, 'least': least})[[*order]]
    metadata = make_metadata({name: {'sdtype': 'numerical'} for name in order})
    synthesizer = TabDARSynthesizer(metadata, **{**TINY, 'epochs': 10})
    synthesizer.fit(table)
    drawn = synthesizer.sample(500, seed=1)
    known = synthesizer.sample_remaining_columns(table[['least']].head(300), seed=2)
    asked = {'mean': Between(500, 2000)}
    asked_for = synthesizer.sample_from_conditions([Condition(asked, num_rows=300)])
    for rows in (drawn, known, asked_for):
        assert (rows['least'] == rows['least'].round()).all()
        assert (rows['mean'] == rows['least']).mean() == pytest.approx(SHARE, abs=0.15)
    assert asked_for['mean'].between(500, 2000).all()
    told = synthesizer.sample_remaining_columns(table[['mean']].head(300), seed=3)
    whole = told['mean'] == told['mean'].round()
    assert (told['mean'] == told['least']).equals(whole)


def test_a_column_completes_another_of_few_numbers(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    ability = random.normal(size=900)
    mark = (70 + 14 * ability).clip(0, 100).round()
    is_missing = random.random(900) < 0.25
    marks = pd.DataFrame(
        {
            'completed': np.where(is_missing, 70 + 13 * ability, mark),
            'mark': np.where(is_missing, np.nan, mark),
            'hours': ability + random.normal(size=900),
        }
    )
    columns = {name: {'sdtype': 'numerical'} for name in marks}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.fit(marks)
    synthesizer.save_safe(tmp_path / 'model.tabdar')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'model.tabdar')
    gaps = marks.head(50).assign(mark=np.nan, completed=np.nan)
    for rows in (
        loaded.sample(400),
        loaded.sample_from_conditions([Condition({'mark': 80.0}, num_rows=50)]),
        loaded.sample_from_conditions([Condition({'completed': 80.0}, num_rows=50)]),
        loaded.impute(gaps),
        loaded.impute(marks[['mark', 'hours']].assign(completed=np.nan).dropna(subset='mark')),
    ):
        there = rows[rows['mark'].notna()]
        assert len(there)
        assert (there['mark'] == there['completed']).all()
