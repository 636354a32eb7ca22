"""Columns of clock times, 517 for 5:17: users have hhmm, and relations are those of minutes."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality
from sdv.sampling import Condition
from sdv.utils import load_synthesizer

from sdv_tabdar import Between, OneOf, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import TINY, fit_tiny, make_metadata

pytestmark = [
    pytest.mark.changes_random_state('SDV itself draws from the global generators'),
    pytest.mark.filterwarnings('ignore:In .* rows'),
]

N = 500
NUMBER: dict[str, Any] = {'sdtype': 'numerical'}
COLUMNS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(('planned', 'real', 'delay', 'hour'), NUMBER),
    'kind': {'sdtype': 'categorical'},
}
CLOCKS = ('planned', 'real')


def _clock(minutes: Any) -> Any:
    return minutes // 60 * 100 + minutes % 60


def _minutes(clocks: Any) -> Any:
    return clocks // 100 * 60 + clocks % 100


def flights(seed: int = 0) -> pd.DataFrame:
    """When something was to begin and began, how much later, and its hour; some never began."""
    random = np.random.default_rng(seed)
    planned = random.integers(60, 260, N) * 5
    delay = random.integers(-15, 90, N)
    data = pd.DataFrame(
        {
            'planned': _clock(planned),
            'real': _clock(planned + delay).astype(float),
            'delay': delay.astype(float),
            'hour': planned // 60,
            'kind': random.choice(['a', 'b'], N),
        }
    )
    data.loc[random.random(N) < 0.1, ['real', 'delay']] = np.nan
    return data


def check(rows: pd.DataFrame, *, clocks: tuple[str, ...] = CLOCKS) -> None:
    """Everything is a clock time, and so much later as it says."""
    for name in clocks:
        present = rows[name].dropna()
        assert len(present)
        assert (present % 1 == 0).all()
        assert (present % 100 < 60).all(), name
        assert present.between(0, 2400).all()
    whole = rows.dropna()
    assert (_minutes(whole['real']) - _minutes(whole['planned']) == whole['delay']).all()
    assert (rows['planned'] // 100 == rows['hour']).all()


@pytest.fixture(scope='module')
def fitted() -> TabDARSynthesizer:
    return fit_tiny(flights(), COLUMNS)


def _condition(fitted: TabDARSynthesizer, value: Any, name: str = 'planned') -> pd.DataFrame:
    rows: pd.DataFrame = fitted.sample_from_conditions([Condition({name: value}, num_rows=60)])
    return rows


def test_drawn_rows_have_clock_times(fitted: TabDARSynthesizer) -> None:
    data, rows = flights(), fitted.sample(500)
    check(rows)
    pd.testing.assert_series_equal(rows.dtypes, data.dtypes)
    assert rows['real'].isna().any()


def test_conditions_are_clock_times(fitted: TabDARSynthesizer) -> None:
    rows = _condition(fitted, Between(1150, 1205))
    check(rows)
    assert set(rows['planned']) <= {1150, 1155, 1200, 1205}
    rows = _condition(fitted, Between(1157, 1202), 'real')
    check(rows)
    assert rows['real'].between(1157, 1202).all()
    rows = _condition(fitted, OneOf([700, 1855]))
    check(rows)
    assert set(rows['planned']) <= {700, 1855}
    rows = _condition(fitted, 1200)
    check(rows)
    assert (rows['planned'] == 1200).all()
    known = flights()[['real', 'kind']].head(60)
    rows = fitted.sample_remaining_columns(known)
    check(rows)
    pd.testing.assert_frame_equal(rows[['real', 'kind']], known)


def test_what_is_no_clock_time_is_refused_or_kept_in_words(fitted: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match='no clock time, as hhmm, lies there'):
        _condition(fitted, Between(1160, 1199))
    with pytest.raises(ValueError, match='cannot be 1275, because it is no clock time'):
        _condition(fitted, OneOf([1200, 1275]))
    new = fit_tiny(flights(), COLUMNS)
    with pytest.warns(UserWarning, match='such as 1275, training had clock times'):
        rows = _condition(new, 1275)
    assert (rows['planned'] == 1275).all()
    check(rows.assign(planned=0, hour=0, delay=np.nan))


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.filterwarnings('ignore:Known cells hold')
def test_gaps_are_filled_with_clock_times(fitted: TabDARSynthesizer, num_samples: int) -> None:
    data = flights()
    gaps = np.random.default_rng(1).random(data.shape) < 0.4
    given = data.mask(gaps)
    given.loc[0, 'planned'] = 1275
    filled = fitted.impute(given, num_samples=num_samples)
    assert filled.loc[0, 'planned'] == 1275
    check(filled.iloc[1:])
    assert filled.notna().all(axis=None)
    there = given.notna()
    assert (filled.where(there) == given.where(there)).to_numpy()[there.to_numpy()].all()


def test_quantiles_are_clock_times(fitted: TabDARSynthesizer) -> None:
    data = flights().head(30)
    for known in (['planned', 'delay'], ['kind']):
        found = fitted.predict_quantiles(data[known], 'real', [0.1, 0.5, 0.9]).to_numpy()
        assert (found % 100 < 60).all()
        assert (found % 1 == 0).all()
        assert (np.diff(found, axis=1) >= 0).all()
    shares = fitted.predict_proba(data.drop(columns='kind'), 'kind')
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_what_is_no_clock_time_has_no_likelihood(fitted: TabDARSynthesizer) -> None:
    data = flights().head(5)
    assert np.isfinite(fitted.log_likelihood(data)).all()
    assert np.isfinite(fitted.log_likelihood(data, steps={'planned': 5, 'real': 1})).all()
    data.loc[0, 'planned'] = 1275
    assert np.isneginf(fitted.log_likelihood(data)).tolist() == [True] + 4 * [False]
    assert np.isfinite(fitted.log_likelihood(data, unseen='rare')).all()


def test_files_keep_what_is_read_as_clock_times(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    fitted.save(str(tmp_path / 'model.pkl'))
    fitted.save_safe(tmp_path / 'model.tabdar')
    loaded = load_synthesizer(str(tmp_path / 'model.pkl'))
    safe = TabDARSynthesizer.load_safe(tmp_path / 'model.tabdar')
    drawn = []
    for each in (fitted, loaded, safe):
        each.reset_sampling()
        drawn.append(each.sample(50))
    pd.testing.assert_frame_equal(drawn[0], drawn[1])
    pd.testing.assert_frame_equal(drawn[0], drawn[2])
    found = describe(tmp_path / 'model.tabdar')
    assert list(found.clock_times) == sorted(CLOCKS)
    assert "that 'planned' are clock times (hhmm)" in str(found)
    (learnt,) = (column for column in found.learnt if column.name == 'planned')
    values = [*learnt.quantiles, *(value for value, _ in learnt.levels)]
    assert all(value % 100 < 60 for value in values)
    assert (min(values), max(values)) == (flights()['planned'].min(), flights()['planned'].max())


def test_the_log_says_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger='sdv_tabdar'):
        fitted = fit_tiny(flights(), COLUMNS)
    assert "'planned', 'real' are read as clock times (hhmm)" in caplog.text
    assert "'real' is the sum of 'planned' and 'delay'" in caplog.text
    fitted.fit(flights(1), warm_start=True)
    rows = fitted.sample(200)
    assert (rows[[*CLOCKS]].fillna(0) % 100 < 60).all(axis=None)


def test_it_can_be_turned_off(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger='sdv_tabdar'):
        fit_tiny(flights(), COLUMNS, sums=False)
    assert 'clock times' not in caplog.text


def test_protected_columns_are_clock_times() -> None:
    fitted = fit_tiny(flights(), COLUMNS, protect_values=5)
    check(fitted.sample(300))


def test_a_table_in_files_is_read_so(tmp_path: Path) -> None:
    flights().to_parquet(tmp_path / 'table.parquet')
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    synthesizer.fit(tmp_path / 'table.parquet', scratch_folder=tmp_path)
    check(synthesizer.sample(300))


def test_an_order_of_clock_times_is_learnt_as_it_is() -> None:
    data = flights()
    data['end'] = _clock(_minutes(data['planned']) + np.random.default_rng(5).integers(0, 60, N))
    synthesizer = TabDARSynthesizer(make_metadata({**COLUMNS, 'end': NUMBER}), **TINY)
    synthesizer.add_constraints([Inequality('planned', 'end')])
    synthesizer.fit(data)
    rows = synthesizer.sample(300)
    check(rows, clocks=(*CLOCKS, 'end'))
    assert (rows['planned'] <= rows['end']).all()
