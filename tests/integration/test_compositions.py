"""Texts that other columns make, in all that a synthesizer draws."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 300
COLUMNS: dict[str, dict[str, Any]] = {
    'first': {'sdtype': 'categorical'},
    'last': {'sdtype': 'categorical'},
    'name': {'sdtype': 'categorical'},
    'mail': {'sdtype': 'email', 'pii': True},
}


def people(num_rows: int = N) -> pd.DataFrame:
    """Names and addresses, nearly each of them another one."""
    random = np.random.default_rng(0)
    letters = np.array([f'{one}{two}' for one in 'abcdef' for two in 'aeiou'])
    frame = pd.DataFrame({'first': np.char.capitalize(random.choice(letters, num_rows))})
    frame['last'] = np.char.capitalize(np.char.add('m', random.choice(letters, num_rows)))
    frame['name'] = frame['first'] + ' ' + frame['last']
    frame['mail'] = frame['first'].str.lower() + '.' + frame['last'].str.lower() + '@x.org'
    return frame.astype(object)


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a text is not that of its parts."""
    return int((rows['name'] != rows['first'] + ' ' + rows['last']).sum())


KEPT = Kept(COLUMNS, people, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_have_them(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(300)
    assert broken(rows) == 0
    assert rows.dtypes.equals(people().dtypes)
    assert not {*rows['name']} <= {*people()['name']}


def test_personal_data_are_made_of_such_alone(synthesizer: TabDARSynthesizer) -> None:
    real = {*people()['mail']}
    assert real.isdisjoint(synthesizer.sample(300)['mail'])
    names = {name: {'sdtype': f'{name}_name', 'pii': True} for name in ('first', 'last')}
    rows = Kept(COLUMNS | names, people, broken).fitted().sample(100)
    assert (
        rows['mail'] == rows['first'].str.lower() + '.' + rows['last'].str.lower() + '@x.org'
    ).all()
    assert broken(rows) == 0
    assert real.isdisjoint(rows['mail'])


@pytest.mark.parametrize('columns', [['first'], ['last', 'first'], ['name'], ['name', 'last']])
def test_conditions(synthesizer: TabDARSynthesizer, columns: list[str]) -> None:
    given = people()[columns].head(60)
    rows = synthesizer.sample_remaining_columns(given)
    assert broken(rows) == 0
    assert rows[columns].to_numpy().tolist() == given.to_numpy().tolist()


@pytest.mark.parametrize('hidden', [['name', 'mail'], ['first', 'last'], ['last', 'name']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str]) -> None:
    gaps = people().drop(columns='mail')
    gaps[[name for name in hidden if name in gaps]] = None
    filled = synthesizer.impute(gaps, num_samples=1)
    assert (filled['name'] == filled['first'] + ' ' + filled['last']).all()


def test_gaps_of_rows_that_are_told_whole_are_filled(synthesizer: TabDARSynthesizer) -> None:
    data = people()
    filled = synthesizer.impute(data.assign(last=None))
    assert filled.equals(data)


def test_what_a_row_says_costs_nothing(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(60).drop(columns='mail')
    assert not {*rows['name']} <= {*people()['name']}
    parts = synthesizer.log_likelihood(rows, by_column=True, seed=0)
    assert (parts['name'] == 0).all()
    known = synthesizer.log_likelihood(rows, seed=0)
    assert np.isfinite(known).all()
    alone = synthesizer.log_likelihood(rows[['first', 'last']], seed=0)
    np.testing.assert_allclose(known, alone, rtol=1e-5)

    with pytest.warns(UserWarning, match="60 in column 'name' .such as 'Nobody Else'"):
        wrong = synthesizer.log_likelihood(rows.assign(name='Nobody Else'), seed=0)
    assert (wrong == -np.inf).all()


def test_a_file_keeps_and_tells_them(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert ('name', "'first' + ' ' + 'last'") in found.products


def test_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger='sdv_tabdar'):
        KEPT.fitted(epochs=1)
    said = [record.message for record in caplog.records]
    assert "'name' is 'first' + ' ' + 'last' in all rows, and will be in drawn ones." in said


def test_the_switch_turns_it_off() -> None:
    assert broken(KEPT.fitted(dependencies=False).sample(100)) > 0
