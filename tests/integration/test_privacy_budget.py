"""epsilon: what is paid for, what is refused because nothing pays for it, what the file holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from rdt.transformers import LabelEncoder
from sdv.cag import FixedCombinations
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.metadata import Metadata
from sdv.sampling import Condition
from sdv.utils import load_synthesizer

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.core.training import private
from sdv_tabdar.files import describe
from sdv_tabdar.privacy import budget

from .conftest import make_metadata

pytestmark = pytest.mark.filterwarnings('ignore:The table can be learnt')

COLUMNS: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'id'},
    'city': {'sdtype': 'categorical'},
    'income': {'sdtype': 'numerical'},
    'since': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'member': {'sdtype': 'boolean'},
}
SMALL: dict[str, Any] = {
    'width': 8,
    'num_blocks': 1,
    'num_heads': 2,
    'head_width': 8,
    'epochs': 1,
    'batch_size': 1_000,
    'epsilon': 5.0,
    'random_state': 0,
    'enable_gpu': False,
}
MARK = 8_128_496_337.25  # and 'Nowhere', of one row


def make_table(rows: int = 2_000, *, outlier: bool = False) -> pd.DataFrame:
    random = np.random.default_rng(0)
    cities = random.choice(['Rome', 'Oslo', 'Lima'], rows, p=[0.6, 0.3, 0.1])
    dates = pd.Timestamp('2001-01-01') + pd.to_timedelta(random.integers(0, 5000, rows), 'D')
    table = pd.DataFrame(
        {
            'key': np.arange(rows),
            'city': cities,
            'income': np.where(cities == 'Rome', 1.0, 10.0) * random.lognormal(3, 0.5, rows),
            'since': dates.strftime('%Y-%m-%d'),
            'member': random.random(rows) < 0.3,
        }
    )
    table['income'] = table['income'].round(2)
    if outlier:
        table.loc[rows] = [rows, 'Nowhere', MARK, '2099-12-31', True]
    return table


def make_synthesizer(**settings: Any) -> TabDARSynthesizer:
    metadata = make_metadata(COLUMNS)
    metadata.set_primary_key('key')
    return TabDARSynthesizer(metadata, **{**SMALL, **settings})


@pytest.fixture(scope='module', autouse=True)
def coarse_accounts() -> Iterator[None]:
    """Losses are rounded up to fewer values, and bounded by fewer orders: nothing costs less.

    ``tests/unit/privacy/test_budget.py`` has the accountant as it is.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, '_INTERVAL', 10 * budget._INTERVAL)
        patch.setattr(budget, '_ORDERS', budget._ORDERS[::3])
        yield


@pytest.fixture(scope='module')
def table() -> pd.DataFrame:
    return make_table(outlier=True)


@pytest.fixture(scope='module')
def fitted(table: pd.DataFrame) -> TabDARSynthesizer:
    synthesizer = make_synthesizer()
    synthesizer.fit(table)
    return synthesizer


def test_it_draws_conditions_imputes_and_scores(
    fitted: TabDARSynthesizer, table: pd.DataFrame
) -> None:
    drawn = fitted.sample(300, seed=0)
    assert {*drawn['city']} <= {'Rome', 'Oslo', 'Lima'}
    assert drawn['income'].max() < 1e6
    assert drawn.dtypes.equals(table.dtypes)
    pd.to_datetime(drawn['since'], format='%Y-%m-%d')
    given = fitted.sample_from_conditions([Condition({'city': 'Oslo'}, num_rows=9)])
    assert (given['city'] == 'Oslo').all()
    holes = table.head(20).copy()
    holes.loc[:9, 'city'] = None
    assert fitted.impute(holes)['city'].notna().all()
    assert np.isfinite(fitted.log_likelihood(table.head(20))).all()


def test_what_is_spent_is_said_saved_and_no_more_than_the_budget(
    fitted: TabDARSynthesizer, tmp_path: Path
) -> None:
    assert fitted.spent_epsilon is not None
    assert 4.5 < fitted.spent_epsilon <= 5
    assert fitted.spent_delta == 1e-5
    path = tmp_path / 'model.tabdar'
    fitted.save_safe(path)
    fitted.save(tmp_path / 'model.pkl')
    for loaded in (
        TabDARSynthesizer.load_safe(path),
        load_synthesizer(tmp_path / 'model.pkl'),
    ):
        assert loaded.spent_epsilon == fitted.spent_epsilon
        pd.testing.assert_frame_equal(loaded.sample(5, seed=1), fitted.sample(5, seed=1))
    assert f'epsilon {fitted.spent_epsilon}, delta' in str(describe(path))
    assert not {'epochs', 'seconds'} & set(describe(path).training)


def test_no_loss_of_a_row_is_kept(fitted: TabDARSynthesizer) -> None:
    assert fitted.get_loss_values().empty


def test_a_second_training_goes_up(table: pd.DataFrame) -> None:
    synthesizer = make_synthesizer()
    synthesizer.fit(table)
    first, drawn = synthesizer.spent_epsilon, synthesizer.sample(50, seed=0)
    synthesizer.fit(table, warm_start=True)
    assert first is not None
    assert synthesizer.spent_epsilon is not None
    assert synthesizer.spent_epsilon > 1.05 * first
    assert synthesizer.spent_delta == 2e-5
    synthesizer.fit(table)
    assert synthesizer.spent_epsilon == pytest.approx(first, rel=0.02)
    # noise does not follow from the seed
    assert not synthesizer.sample(50, seed=0).equals(drawn)


def test_the_file_holds_no_value_of_a_single_row(table: pd.DataFrame, tmp_path: Path) -> None:
    # detection writes the ends and levels of columns into the metadata
    metadata = Metadata.detect_from_dataframes({'table': table})
    assert str(MARK) in str(metadata.to_dict())
    synthesizer = TabDARSynthesizer(metadata, **SMALL)
    synthesizer.fit(table)
    synthesizer.save_safe(tmp_path / 'model.tabdar')
    synthesizer.save(tmp_path / 'model.pkl')
    for name in ('model.tabdar', 'model.pkl'):
        content = (tmp_path / name).read_bytes()
        for value in ('Nowhere', '8128496337', '2099-12-31'):
            assert value.encode() not in content, (name, value)
        assert np.float64(MARK).tobytes() not in content, name
        nanoseconds = pd.Timestamp('2099-12-31').value
        for kind in (np.int64, np.float64):
            assert kind(nanoseconds).tobytes() not in content, name


def test_training_sees_rows_by_noisy_sums_alone(
    table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no noisy sum depends on rows in no way: with sums of nothing models are equal."""
    monkeypatch.setattr(private, 'noisy_sum', lambda total, noise: total * 0)
    monkeypatch.setattr(private, 'rows_of_step', lambda number, rate: torch.arange(3))
    counted = iter(range(10**6))
    monkeypatch.setattr(
        'sdv_tabdar.privacy.questions.Questions.counts',
        lambda self, what, counts, weight: counts * 0 + 500.0 + next(counted) % 3,
    )
    monkeypatch.setattr(
        'sdv_tabdar.privacy.questions.Questions.distances',
        lambda self, what, distances, weight: distances * 0 + 1e6,
    )
    monkeypatch.setattr(
        'sdv_tabdar.privacy.questions.Questions.levels',
        lambda self, what, levels, counts, weight: [('Rome' if 'city' in what else 3.0, 900.0)],
    )
    monkeypatch.setattr(
        np.random, 'default_rng', lambda *a: np.random.Generator(np.random.PCG64(1))
    )
    other = table.sample(frac=0.5, random_state=1).reset_index(drop=True)
    other['income'] = 7.0 + other['income'] ** 2
    drawn = []
    for frame in (table, other):
        counted = iter(range(10**6))
        synthesizer = make_synthesizer(delta=1e-6)
        synthesizer.fit(frame)
        drawn.append(synthesizer.sample(40, seed=0))
    pd.testing.assert_frame_equal(*drawn)


def _preprocess(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> None:
    synthesizer.preprocess(table)


def _fit_processed(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> None:
    synthesizer.fit(table)
    synthesizer.fit_processed_data(table)


def _checkpoint(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> None:
    synthesizer.fit(table, checkpoint_path='checkpoint.pt')


def _constraint(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> None:
    synthesizer.add_constraints([FixedCombinations(['city', 'member'])])
    synthesizer.fit(table)


def _protection(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> None:
    synthesizer.protect_values = True
    synthesizer.fit(table)


def _unpaid_weights(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> None:
    synthesizer.epsilon = None
    synthesizer.fit(table)
    synthesizer.epsilon = 5.0
    synthesizer.fit(table, warm_start=True)


@pytest.mark.parametrize(
    ('ingredient', 'words'),
    [
        (_preprocess, "by 'fit' as a whole"),
        (TabDARSynthesizer.auto_assign_transformers, "by 'fit' as a whole"),
        (_fit_processed, "by 'fit' as a whole"),
        (_checkpoint, 'keeps no checkpoint'),
        (_constraint, 'Constraints are fitted to rows'),
        (_protection, "'protect_values'"),
        (_unpaid_weights, 'not learnt under a budget'),
    ],
)
def test_what_no_budget_pays_for_is_refused(
    table: pd.DataFrame,
    ingredient: Callable[[TabDARSynthesizer, pd.DataFrame], object],
    words: str,
) -> None:
    with pytest.raises(SynthesizerInputError, match=words):
        ingredient(make_synthesizer(max_crosses=0), table.head(300))


@pytest.mark.parametrize(
    'settings',
    [
        {'attention': 'causal'},
        {'column_order': 'fixed', 'attention': 'causal'},
        {'max_crosses': 2},
    ],
)
def test_settings_that_learn_from_rows_outside_the_budget_are_refused(
    table: pd.DataFrame, settings: dict[str, Any]
) -> None:
    with pytest.raises(SynthesizerInputError, match='pays for'):
        make_synthesizer(**settings).fit(table)


def test_a_transformer_that_is_fitted_to_rows_is_refused(table: pd.DataFrame) -> None:
    synthesizer = make_synthesizer(epsilon=None)
    synthesizer.auto_assign_transformers(table)
    with pytest.warns(UserWarning, match='default transformer'):
        synthesizer.update_transformers({'city': LabelEncoder()})
    synthesizer.epsilon = 5.0
    with pytest.raises(SynthesizerInputError, match="LabelEncoder of column 'city'"):
        synthesizer.fit(table)


def test_a_column_of_which_a_cell_cannot_be_read_alone_is_refused(table: pd.DataFrame) -> None:
    mixed = table.assign(income=table['income'].astype(object))
    with pytest.raises(InvalidDataError, match=r"Column 'income'.*'float64'"):
        make_synthesizer().fit(mixed)


@pytest.mark.parametrize(
    'settings',
    [{'epsilon': 0}, {'epsilon': True}, {'delta': 2.0}, {'epsilon': None, 'delta': 1e-6}],
)
def test_a_budget_that_is_none_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SynthesizerInputError, match='Invalid value'):
        make_synthesizer(**settings)


def test_public_values_bound_what_is_drawn_and_are_in_the_file(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    public = {
        'income': (0, 100),
        'since': ('2001-01-01', '2014-12-31'),
        'city': ['Rome', 'Oslo', 'Lima', 'Nowhere'],
        'member': [False, True],
    }
    synthesizer = make_synthesizer(public_values=public)
    synthesizer.fit(table)
    synthesizer.save_safe(tmp_path / 'model.tabdar')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'model.tabdar')
    assert loaded.get_parameters()['public_values'] == public
    drawn = loaded.sample(500, seed=0)
    pd.testing.assert_frame_equal(drawn, synthesizer.sample(500, seed=0))
    assert drawn['income'].between(0, 100).all()
    assert drawn['since'].between('2001-01-01', '2014-12-31').all()
    assert 4.5 < synthesizer.spent_epsilon <= 5
    with pytest.raises(SynthesizerInputError, match="beside 'epsilon'"):
        make_synthesizer(epsilon=None, public_values=public)


def test_gaps_other_dtypes_and_a_column_without_a_common_value() -> None:
    random = np.random.default_rng(0)
    table = make_table(1_500).drop(columns=['key', 'since'])
    table['since'] = pd.to_datetime('2020-01-01', utc=True) + pd.to_timedelta(
        random.integers(0, 10**6, len(table)), 's'
    )
    table['income'] = table['income'].round().astype('Int64').mask(random.random(1_500) < 0.3)
    table['city'] = table['city'].astype('category')
    table['member'] = table['member'].astype('boolean').mask(random.random(1_500) < 0.3)
    table['name'] = [f'name {number}' for number in range(len(table))]
    columns = {**COLUMNS, 'since': {'sdtype': 'datetime'}, 'name': {'sdtype': 'categorical'}}
    del columns['key']
    synthesizer = TabDARSynthesizer(make_metadata(columns), **SMALL)
    with pytest.warns(UserWarning, match=r"columns \['name'\] no value"):
        synthesizer.fit(table)
    drawn = synthesizer.sample(200, seed=0)
    assert drawn['name'].isna().all()
    assert drawn['income'].isna().mean() == pytest.approx(0.3, abs=0.2)
    assert str(drawn['income'].dtype) == 'Int64'
    assert drawn['since'].dtype == table['since'].dtype
    assert str(drawn['member'].dtype) == 'boolean'
    assert set(drawn['member'].dropna()) == {True, False}
    assert drawn['member'].isna().any()


def test_a_table_in_files_is_refused(table: pd.DataFrame, tmp_path: Path) -> None:
    table.astype({'member': bool}).to_parquet(tmp_path / 'table.parquet')
    with pytest.raises(SynthesizerInputError, match='a frame in memory'):
        make_synthesizer().fit(tmp_path / 'table.parquet')
