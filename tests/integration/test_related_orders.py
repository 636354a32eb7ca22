"""Constraints on an order beside other relations of their columns: both hold in what comes out."""

from __future__ import annotations

import copy
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedIncrements, Inequality, Range
from sdv.cag._errors import ConstraintNotMetError
from sdv.sampling import Condition
from sdv.utils import load_synthesizer

from sdv_tabdar import Between, TabDARSynthesizer

from .conftest import TINY, make_metadata

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 400
NUMBER: dict[str, Any] = {'sdtype': 'numerical'}
DATE: dict[str, Any] = {'sdtype': 'datetime'}
COLUMNS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(('net', 'tax', 'amount', 'fives'), NUMBER),
    'start': DATE,
    'end': DATE,
    'days': NUMBER,
}


def invoices(*, gaps: bool = False) -> pd.DataFrame:
    """An amount that is the sum of a net price and its tax, and the days from a start to an end."""
    random = np.random.default_rng(0)
    net = random.gamma(3, 20, N).round(2) + 1
    tax = (net * random.choice([0.07, 0.19], N)).round(2)
    start = pd.Timestamp('2023-01-01') + pd.to_timedelta(random.integers(0, 700, N), 'D')
    days = random.poisson(20, N)
    data = pd.DataFrame(
        {
            'net': net,
            'tax': tax,
            'amount': (net + tax).round(2),
            'fives': 5 * random.integers(0, 9, N),
            'start': start,
            'end': start + pd.to_timedelta(days, 'D'),
            'days': days,
        }
    )
    if gaps:
        data.loc[random.random(N) < 0.2, 'tax'] = np.nan
        data.loc[random.random(N) < 0.2, 'amount'] = np.nan
    return data


def constraints(*, strict: bool = True) -> list[Any]:
    return [
        Inequality('tax', 'amount', strict_boundaries=strict),
        FixedIncrements('fives', 5),
        Inequality('start', 'end'),
    ]


def fitted(data: pd.DataFrame, given: list[Any], **settings: Any) -> TabDARSynthesizer:
    metadata = make_metadata({name: COLUMNS[name] for name in data})
    synthesizer = TabDARSynthesizer(metadata, **{**TINY, **settings})
    synthesizer.add_constraints(given)
    synthesizer.fit(data)
    return synthesizer


def check(rows: pd.DataFrame) -> None:
    assert not (rows['tax'] >= rows['amount']).any()
    assert not (rows['start'] > rows['end']).any()
    assert not ((rows['net'] + rows['tax'] - rows['amount']).abs() > 0.005).any()
    assert ((rows['end'] - rows['start']).dt.days != rows['days']).mean() < 0.02
    assert (rows['fives'] % 5 == 0).all()


@pytest.fixture(scope='module', params=['', 'gaps', 'protected'])
def synthesizer(request: pytest.FixtureRequest) -> TabDARSynthesizer:
    settings = {'protect_values': True} if request.param == 'protected' else {}
    return fitted(invoices(gaps=request.param == 'gaps'), constraints(), **settings)


def test_rows_conditions_and_gaps_keep_both(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(200)
    assert len(rows) == 200
    check(rows)
    synthesizer.validate_constraints(rows)
    wanted = [{'amount': 50.0}, {'tax': 6.0}, {'amount': Between(30, 50)}]
    asked = synthesizer.sample_from_conditions([Condition(one, num_rows=20) for one in wanted])
    assert len(asked) == 60
    check(asked)
    data = invoices()
    is_usual = data['amount'].between(20, 80) & data['start'].between('2023-03-01', '2024-09-01')
    known = data[is_usual].head(40)
    check(synthesizer.sample_remaining_columns(known[['amount', 'start']]))
    filled = synthesizer.impute(known[['amount', 'start', 'tax']], num_samples=1)
    assert filled.notna().all(axis=None)
    check(filled)


@pytest.mark.parametrize(
    'condition',
    [{'tax': 16.0, 'amount': 16.0}, {'tax': 16.0, 'amount': Between(None, 15.5)}],
    ids=str,
)
def test_conditions_that_contradict_the_order_are_refused(
    synthesizer: TabDARSynthesizer, condition: dict[str, Any]
) -> None:
    with pytest.raises(ConstraintNotMetError, match="Inequality: 'tax' < 'amount' must hold"):
        synthesizer.sample_from_conditions([Condition(condition, num_rows=2)])


def test_constraints_are_as_they_were_given(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = [one.get_constraint_dict()['parameters'] for one in synthesizer.get_constraints()]
    wanted = [one.get_constraint_dict()['parameters'] for one in constraints()]
    assert sorted(map(str, found)) == sorted(str({**one, 'table_name': 'table'}) for one in wanted)
    synthesizer.save_safe(tmp_path / 'safe.tabdar')
    synthesizer.save(tmp_path / 'pickled.pkl')
    rows = synthesizer.sample(20, seed=1)
    for loaded in (
        TabDARSynthesizer.load_safe(tmp_path / 'safe.tabdar'),
        load_synthesizer(tmp_path / 'pickled.pkl'),
    ):
        pd.testing.assert_frame_equal(loaded.sample(20, seed=1), rows)


def test_rows_that_break_the_order_are_refused_in_the_table(
    synthesizer: TabDARSynthesizer,
) -> None:
    broken = invoices()
    broken.loc[3, 'amount'] = 0.5
    for other in (copy.deepcopy(synthesizer), TabDARSynthesizer(make_metadata(COLUMNS), **TINY)):
        if not other.get_constraints():
            other.add_constraints(constraints())
        with pytest.raises(ConstraintNotMetError, match="'Inequality' constraint"):
            other.fit(broken)


def test_a_range_beside_a_sum(caplog: pytest.LogCaptureFixture) -> None:
    random = np.random.default_rng(1)
    low, first, second = random.gamma(2, 10, (3, N)).round(2) + 0.01
    data = pd.DataFrame({'net': low, 'tax': low + first, 'amount': low + first + second})
    data = data.assign(days=second).round(2)
    with caplog.at_level(logging.INFO, 'sdv_tabdar'):
        rows = fitted(data, [Range('net', 'tax', 'amount')]).sample(200)
    message = "Columns ['net', 'tax', 'amount'] are learnt as they are, in their order"
    assert any(line.startswith(message) for line in caplog.messages)
    assert ((rows['net'] < rows['tax']) & (rows['tax'] < rows['amount'])).all()
    assert ((rows['tax'] + rows['days'] - rows['amount']).abs() < 0.005).all()


@pytest.mark.parametrize('settings', [{}, {'inequalities': False}], ids=str)
def test_columns_without_other_relations_are_learnt_by_their_difference(
    settings: dict[str, Any],
) -> None:
    names = ['start', 'end', *(['days'] if settings else [])]
    synthesizer = fitted(invoices()[names], [Inequality('start', 'end')], **settings)
    assert 'start#end' in synthesizer.get_metadata('modified').tables['table'].columns


def test_a_constraint_on_what_another_one_makes_stays() -> None:
    data = invoices()[['net', 'tax', 'amount', 'days']].assign(days=500.0)
    given = [Inequality('tax', 'amount'), Inequality('tax.fillna', 'days')]
    rows = fitted(data, given).sample(50)
    assert (rows['tax'] <= rows['amount']).all()
    assert (rows['tax'] <= rows['days']).all()
