"""Numbers that are the sum of others in all training rows are so in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality
from sdv.sampling import Condition

from sdv_tabdar import Between, NotNull, OneOf, TabDARSynthesizer

from .conftest import TINY, make_metadata
from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 300
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'numerical'} for name in ('gross', 'net', 'tax', 'tip', 'paid')},
    'kind': {'sdtype': 'categorical'},
}


def bills(dtype: str = 'float64', num_rows: int = N) -> pd.DataFrame:
    """Net and tax make gross; gross and tip make what is paid. Whole numbers are not floats."""
    random = np.random.default_rng(0)
    unit = 1 if dtype == 'Int64' else 100
    net = random.integers(100, 9000, num_rows)
    tax = np.rint(net * random.choice([0.07, 0.19], num_rows)).astype(int)
    tip = np.where(random.random(num_rows) < 0.6, 0, 100 * random.integers(1, 9, num_rows))
    cells = {'gross': net + tax, 'net': net, 'tax': tax, 'tip': tip, 'paid': net + tax + tip}
    frame = pd.DataFrame({name: column / unit for name, column in cells.items()}).astype(dtype)
    frame['tip'] = frame['tip'].astype('int64')
    frame.loc[::9, 'tax'] = None
    frame['kind'] = np.where(net > 4000, 'dear', 'cheap')
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows without a gap a sum is wrong by as much as can be seen."""
    numbers = rows.drop(columns='kind', errors='ignore').astype('float64')
    gross = (numbers['net'] + numbers['tax'] - numbers['gross']).abs() > 1e-7
    paid = (numbers['gross'] + numbers['tip'] - numbers['paid']).abs() > 1e-7
    return int((gross | paid).sum())


KEPT = Kept(COLUMNS, bills, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_add_up_in_their_digits(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(500)
    assert broken(rows) == 0
    assert rows.dtypes.equals(bills().dtypes)
    assert rows['tax'].isna().any()
    assert (rows.round(2) == rows)[['gross', 'net', 'paid']].all(axis=None)
    assert 0.4 < (rows['tip'] == 0).mean() < 0.9


@pytest.mark.parametrize('dtype', ['Int64', 'Float64', 'float32'])
def test_other_dtypes(dtype: str) -> None:
    rows = KEPT.fitted(bills(dtype)).sample(200)
    assert rows.dtypes.equals(bills(dtype).dtypes)
    numbers = rows.drop(columns='kind').astype('float64').round(2)  # float32 has few digits
    assert broken(numbers) == 0


@pytest.mark.parametrize(
    'given',
    [
        {'gross': 50.0},
        {'paid': 47.11},
        {'net': 20.0, 'tip': 3},
        {'paid': 60.0, 'tax': 5.5},
        {'paid': Between(40, 60), 'net': Between(20, 30)},
        {'gross': Between(40.005, 40.5)},
        {'gross': OneOf([30.0, 31.5]), 'tax': NotNull()},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


def test_remaining_columns_of_known_totals(synthesizer: TabDARSynthesizer) -> None:
    known = bills()[['paid', 'kind']].head(100)
    rows = synthesizer.sample_remaining_columns(known)
    assert broken(rows) == 0
    assert rows[['paid', 'kind']].equals(known)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize('hidden', [['tax'], ['net'], ['gross'], ['net', 'tax'], ['gross', 'tip']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    filled, data = KEPT.check_gaps(synthesizer, hidden, num_samples)
    if len(hidden) == 1:  # which says what it was
        assert np.allclose(filled[hidden], data[hidden])


def test_gaps_anywhere(synthesizer: TabDARSynthesizer) -> None:
    gaps = bills().mask(np.random.default_rng(1).random((N, 6)) < 0.4)
    for filled in (synthesizer.impute(gaps), synthesizer.impute(gaps, num_samples=4)):
        assert broken(filled) == 0
        assert not filled.isna().any(axis=None)
        assert filled[gaps.notna()].equals(gaps)


@pytest.mark.filterwarnings('ignore:Known cells hold')
def test_numbers_beyond_those_of_training(synthesizer: TabDARSynthesizer) -> None:
    most = bills().max(numeric_only=True)
    given = pd.DataFrame({'net': [most['net']] * 9, 'tax': most['tax'], 'tip': 8})
    filled = synthesizer.impute(given)  # a total may be more than all others
    assert broken(filled) == 0
    given = pd.DataFrame({'paid': [most['gross'] + 7.96] * 9})
    assert given['paid'][0] > most['paid']
    assert broken(synthesizer.impute(given)) == 0
    given = pd.DataFrame({'gross': [1e6] * 9})
    assert (synthesizer.impute(given)['gross'] == 1e6).all()


def test_what_contradicts_itself_stays(synthesizer: TabDARSynthesizer) -> None:
    given = {'gross': 50.0, 'net': 60.0, 'tax': 4.0}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=20)])
    assert (rows[[*given]] == list(given.values())).all(axis=None)
    assert np.allclose(rows['gross'] + rows['tip'], rows['paid'])


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    told = str(KEPT.check_file(synthesizer, tmp_path))
    assert "that 'gross' is the sum of 'net' and 'tax'" in told
    assert "that 'paid' is the sum of 'gross' and 'tip'" in told


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), bills()
    others.loc[0, 'paid'] = 1000.0
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    assert ((rows['net'] + rows['tax'] - rows['gross']).abs() < 1e-7)[rows['tax'].notna()].all()
    assert broken(rows) > 50


def test_columns_of_a_constraint() -> None:
    rows = KEPT.fitted(constraints=[Inequality('net', 'gross')]).sample(100)
    assert (rows['gross'] >= rows['net']).all()


def test_a_table_in_files(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)


def test_the_log_tells_what_is_kept_and_nothing_is_advised() -> None:
    told = "'gross' is the sum of 'net' and 'tax' in all rows, and will be in drawn ones."
    assert told in KEPT.logged


@pytest.mark.parametrize('settings', [{'sums': False}, {'column_order': 'fixed'}], ids=str)
def test_off_it_is_advised_and_not_kept(settings: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="'gross' is the sum of 'net' and 'tax', which synthetic"):
        synthesizer = KEPT.fitted(**settings)
    assert broken(synthesizer.sample(300)) > 100


@pytest.mark.filterwarnings('ignore:Known cells hold')
def test_averaged_rows_stay_in_order_with_columns_of_no_sum() -> None:
    random = np.random.default_rng(3)
    one, other = random.gamma(2, 30, (2, N)).round(1)
    frame = pd.DataFrame({'one': one, 'both': (one + other).round(1), 'other': other})
    frame['most'] = np.maximum(one, other)
    columns = {name: {'sdtype': 'numerical'} for name in frame}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.fit(frame)
    gaps = frame.mask(random.random(frame.shape) < 0.4)
    for num_samples in (1, 5):
        filled = synthesizer.impute(gaps, num_samples=num_samples)
        assert ((filled['one'] + filled['other'] - filled['both']).abs() < 1e-7).all()
        for name in ('one', 'other'):
            assert (filled[name] <= filled['most'] + 1e-9)[gaps['most'].isna()].all()
