"""Whether cells of invented columns are there: learnt of the row, and nothing of their values."""

from __future__ import annotations

import logging
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import AnonymizedFaker
from sdv.cag import SingleTableProgrammableConstraint
from sdv.sampling import Condition

from sdv_tabdar import NotNull, OneOf, TabDARSynthesizer
from sdv_tabdar.files import ModelFileError, container
from sdv_tabdar.files.describe import describe

from .conftest import TINY, make_metadata

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 300
COLUMNS: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'id'},
    'kind': {'sdtype': 'categorical'},
    'amount': {'sdtype': 'numerical'},
    'email': {'sdtype': 'email', 'pii': True},
    'code': {'sdtype': 'id', 'regex_format': 'C-[0-9]{6}'},
    'number': {'sdtype': 'phone_number', 'pii': True},
    'name': {'sdtype': 'name', 'pii': True},
    'nick': {'sdtype': 'first_name', 'pii': True},
}
FLAGS = {key: f'{key} (missing)' for key in ('email', 'code', 'number')}


def customers(num_rows: int = N) -> pd.DataFrame:
    """Customers of the web alone have an address of mail and no code; all have a name."""
    random = np.random.default_rng(0)
    web = random.random(num_rows) < 0.5
    rows = np.arange(num_rows)
    frame = pd.DataFrame({'key': rows, 'kind': np.where(web, 'web', 'shop').astype(object)})
    frame['amount'] = random.normal(size=num_rows).round(2)
    frame['email'] = pd.Series([f'real{row}@x.org' for row in rows]).where(web, None)
    frame['code'] = pd.Series([f'R-{row}' for row in random.permutation(rows)]).mask(web, None)
    gaps = random.random(num_rows) < 0.4
    frame['number'] = pd.Series([f'+0 {row}' for row in random.permutation(rows)]).mask(gaps, None)
    frame['name'] = [f'Real {row}' for row in random.permutation(rows)]
    frame['nick'] = pd.Series([None] * num_rows, dtype=object)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a cell is there that should not be, or the other way round."""
    web = rows['kind'] == 'web'
    wrong = (rows['email'].notna() != web) | (rows['code'].isna() != web)
    return int((wrong | rows['name'].isna() | rows['nick'].notna()).sum())


def make(**settings: Any) -> TabDARSynthesizer:
    metadata = make_metadata(COLUMNS, primary_key='key')
    return TabDARSynthesizer(metadata, **{**TINY, **settings})


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    made = make()
    made.fit(customers())
    return made


def flags_of(synthesizer: TabDARSynthesizer) -> dict[str, str]:
    table = synthesizer._fitted_table
    assert table is not None
    return dict(table.presences)


def test_drawn_rows(synthesizer: TabDARSynthesizer) -> None:
    assert flags_of(synthesizer) == FLAGS
    real = customers()
    rows = synthesizer.sample(N)
    assert broken(rows) == 0
    assert rows.dtypes.equals(real.dtypes)
    assert 0.2 < rows['number'].isna().mean() < 0.6
    for name in ('email', 'code', 'number', 'name'):
        assert not {*rows[name].dropna()} & {*real[name].dropna()}
    assert rows['code'].dropna().str.fullmatch('C-[0-9]{6}').all()


def test_nothing_real_is_kept(synthesizer: TabDARSynthesizer) -> None:
    assert b'real7@' not in pickle.dumps(synthesizer)


def test_what_is_known_informs_the_rest(synthesizer: TabDARSynthesizer) -> None:
    known = pd.DataFrame({'email': ['mine@x.org', None] * 20}, index=range(40, 0, -1))
    rows = synthesizer.sample_remaining_columns(known)
    assert rows['email'].equals(known['email'])
    assert broken(rows) == 0
    conditions = [Condition({'email': NotNull()}, 20), Condition({'kind': 'shop'}, 20)]
    rows = synthesizer.sample_from_conditions([*conditions, Condition({'code': NotNull()}, 20)])
    assert list(rows['kind']) == ['web'] * 20 + ['shop'] * 40
    assert broken(rows) == 0
    with pytest.raises(ValueError, match=r'not learnt; give a value. Allowed: .* or NotNull\(\)'):
        synthesizer.sample_from_conditions([Condition({'email': OneOf(['a'])}, 1)])


def test_gaps_are_filled_unless_they_are_rightly_there(synthesizer: TabDARSynthesizer) -> None:
    synthesizer = pickle.loads(pickle.dumps(synthesizer))  # it has not yet warned
    data = customers().drop(columns='nick')
    data.loc[::3, 'email'] = None
    data.loc[::4, 'kind'] = None
    with pytest.warns(UserWarning, match=r"'nick'\] had only missing values"):
        filled = synthesizer.impute(data)
    assert filled.drop(columns='nick').notna().all(axis=None)
    given = data['email'].notna()
    assert filled['email'][given].equals(data['email'][given])
    assert (filled['kind'][given] == 'web').all()
    kept = synthesizer.impute(data, keep_structural=True)
    shop = data['kind'] == 'shop'
    assert kept['email'][shop].isna().all()
    assert kept['email'][data['kind'] == 'web'].notna().all()
    assert kept['number'].notna().all()


def test_likelihoods_count_what_is_there(synthesizer: TabDARSynthesizer) -> None:
    rows = pd.DataFrame({'kind': ['web', 'web'], 'email': ['any@x.org', None]})
    found = synthesizer.log_likelihood(rows)
    assert np.isfinite(found[0])
    assert found[1] < found[0] - 3
    assert list(synthesizer.log_likelihood(rows, by_column=True)) == ['kind', 'email (missing)']
    chances = synthesizer.predict_proba(rows[['email']], 'kind')
    assert chances['web'][0] == pytest.approx(1)
    with pytest.raises(ValueError, match="'email' is generated and not learnt"):
        synthesizer.predict_proba(rows[['kind']], 'email')
    model, _ = synthesizer._table.trained
    assert {*FLAGS.values()} <= {*model.column_names}


def test_files(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    rows = synthesizer.sample(50, seed=1)
    loaded = pickle.loads(pickle.dumps(synthesizer))
    pd.testing.assert_frame_equal(loaded.sample(50, seed=1), rows)
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    pd.testing.assert_frame_equal(TabDARSynthesizer.load_safe(path).sample(50, seed=1), rows)
    assert ('kind', 'email (missing)', 2) in describe(path).dependencies
    assert "that 'email (missing)' follows from 2 levels of 'kind'" in str(describe(path))


def test_older_files_act_as_before(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    path = tmp_path / 'model.tabdar'
    before = make()
    processed = before.preprocess(customers())
    before.fit_processed_data(processed.drop(columns=[*FLAGS.values()]))
    before.save_safe(path)
    document, *others = [*container.ModelFile(path).description()]
    del document['table']['processed']['presences']
    container.write(path, document, *others, container.ModelFile(path).weights())
    rows = TabDARSynthesizer.load_safe(path).sample(N)
    assert rows['email'].isna().sum() == int(customers()['email'].isna().mean() * N)
    assert rows['code'].notna().all()
    assert broken(rows) > 0


@pytest.mark.parametrize(
    'presences',
    [{'amount': 'email (missing)'}, {'email': 'amount'}, {'email': 'x'}, {'email': 'kind'}, {}],
)
def test_files_that_cannot_be(
    synthesizer: TabDARSynthesizer, tmp_path: Path, presences: dict[str, str]
) -> None:
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    file = container.ModelFile(path)
    document, arrays, weights = *file.description(), file.weights()
    document['table']['processed']['presences'] = presences
    container.write(path, document, arrays, weights)
    with pytest.raises(ModelFileError, match=r'processed\.(presences|kinds)'):
        TabDARSynthesizer.load_safe(path)


def test_the_processed_table_says_it(caplog: pytest.LogCaptureFixture) -> None:
    data, synthesizer = customers(), make()
    with caplog.at_level(logging.INFO, 'sdv_tabdar'):
        processed = synthesizer.preprocess(data)
    assert "Whether cells of ['email', 'code', 'number'] are missing is learnt." in caplog.text
    assert list(processed) == ['kind', 'amount', *FLAGS.values()]
    for key, flag in FLAGS.items():
        assert (processed[flag].to_numpy() == data[key].isna().to_numpy()).all()
    synthesizer.fit_processed_data(processed.assign(**{'number (missing)': 1}))
    rows = synthesizer.sample(60)
    assert broken(rows) == 0
    assert rows['number'].isna().all()


def test_names_that_are_taken() -> None:
    data = customers().rename(columns={'amount': 'email (missing)'})
    entries = {**COLUMNS, 'email (missing)': {'sdtype': 'numerical'}}
    del entries['amount']
    synthesizer = TabDARSynthesizer(make_metadata(entries, primary_key='key'), **TINY)
    synthesizer.fit(data)
    assert flags_of(synthesizer)['email'] == 'email (missing, 2)'
    rows = synthesizer.sample(60)
    assert broken(rows) == 0
    assert list(rows) == list(data)


@pytest.mark.parametrize('gaps', [0, N])
def test_columns_without_gaps_or_values_have_none(gaps: int) -> None:
    data = customers()[['key', 'kind', 'email']]
    data['email'] = [None if row < gaps else f'{row}@x.org' for row in range(N)]
    columns = {name: COLUMNS[name] for name in data}
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='key'), **TINY)
    assert list(synthesizer.preprocess(data)) == ['kind']


def test_transformers_that_are_told_to_leave_no_gap() -> None:
    synthesizer = make()
    synthesizer.auto_assign_transformers(customers())
    faker = AnonymizedFaker('internet', 'email', missing_value_generation=None)
    synthesizer.update_transformers({'email': faker})
    synthesizer.fit(customers())
    assert 'email' not in flags_of(synthesizer)
    assert synthesizer.sample(60)['email'].notna().all()


def test_going_on(synthesizer: TabDARSynthesizer) -> None:
    later = pickle.loads(pickle.dumps(synthesizer))
    full = customers()
    full['email'], full['code'] = full['name'] + '@x.org', full['name']
    full['number'] = np.arange(N) + 10**10
    later.fit(full.astype({'number': 'int64'}), warm_start=True)
    assert flags_of(later) == FLAGS
    rows = later.sample(N)
    assert rows['number'].isna().any()
    assert later.sample_from_conditions([Condition({'email': NotNull()}, 9)])['email'].notna().all()


def test_a_table_that_is_not_in_memory(tmp_path: Path) -> None:
    customers().to_parquet(tmp_path / 'table.parquet')
    synthesizer = make()
    synthesizer.fit(tmp_path / 'table.parquet', scratch_folder=tmp_path)
    assert flags_of(synthesizer) == FLAGS
    assert broken(synthesizer.sample(N)) == 0


def test_protection_and_budgets() -> None:
    data = customers()
    data.loc[4:, 'number'] = None  # too few to be told
    synthesizer = make(protect_values=True)
    synthesizer.fit(data)
    assert [*flags_of(synthesizer)] == ['email', 'code']
    assert broken(synthesizer.sample(60)) == 0
    private = make(epsilon=1.0)
    with warnings.catch_warnings():  # remarks that the noise makes, or not
        warnings.filterwarnings('ignore', 'The table is learnt under a privacy budget')
        private.fit(data)
    assert flags_of(private) == {}
    assert private.sample(60)['email'].notna().all()


def test_tables_of_invented_columns_alone() -> None:
    data = customers()[['email', 'code']]
    columns = {name: COLUMNS[name] for name in data}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.fit(data)
    rows = synthesizer.sample(60)
    assert (rows['email'].isna() == rows['code'].notna()).all()
    rows = synthesizer.sample_remaining_columns(pd.DataFrame({'code': ['x', None]}))
    assert rows['email'].isna().tolist() == [True, False]
    assert synthesizer.impute(data.head(9)).notna().all(axis=None)


class _WebWrites(SingleTableProgrammableConstraint):
    """Who came by the web has an address of mail, and nobody else."""

    def get_updated_metadata(self, metadata: Any) -> Any:
        return metadata

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        return data

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        return transformed_data

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        return (synthetic_data['kind'] == 'web') == synthetic_data['email'].notna()


def test_constraints_and_blocks_see_the_gaps() -> None:
    synthesizer = make()
    synthesizer.add_constraints([_WebWrites()])
    synthesizer.fit(customers())
    rows = synthesizer.sample(40, seed=1)
    assert len(rows) == 40
    assert broken(rows) == 0
    rows = synthesizer.sample_remaining_columns(pd.DataFrame({'kind': ['web', 'shop']}), seed=1)
    assert broken(rows) == 0
