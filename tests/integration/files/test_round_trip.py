"""What save_safe writes, load_safe reads: the loaded synthesizer does what the saved one does."""

from __future__ import annotations

import copy
import datetime
import decimal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from dateutil import tz as dateutil_zones
from rdt.transformers import FloatFormatter
from sdv.cag import Inequality, SingleTableProgrammableConstraint
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.core.presets import WITHOUT_RELATIONS
from sdv_tabdar.files import ModelFileError, describe

from ...fresh import FreshProcesses
from ..conftest import COLUMNS, TINY, fit_tiny, make_metadata, make_table
from ..test_dtypes import CASES
from .tables import constrained, transformed

pytestmark = pytest.mark.filterwarnings(
    'ignore::UserWarning:sdv',
    'ignore::UserWarning:rdt',
    'ignore:The table can be learnt',
    'ignore:The columns .* stay empty',
    'ignore:The file .* holds every real value',
)


@pytest.fixture(scope='module')
def with_constraints() -> tuple[TabDARSynthesizer, pd.DataFrame]:
    """What :func:`constrained` makes; tests may draw from it but not fit it."""
    return constrained()


@pytest.fixture(scope='module')
def with_transformers() -> TabDARSynthesizer:
    """What :func:`transformed` makes, likewise."""
    return transformed()


def again(synthesizer: TabDARSynthesizer, folder: Path) -> TabDARSynthesizer:
    """A synthesizer after it was saved and loaded; the file says nothing else a second time."""
    path = folder / 'model.tabdar'
    synthesizer.save_safe(path)
    loaded = TabDARSynthesizer.load_safe(path)
    written = path.read_bytes()
    loaded.save_safe(path)
    assert path.read_bytes() == written
    return loaded


def assert_same(saved: TabDARSynthesizer, loaded: TabDARSynthesizer, table: pd.DataFrame) -> None:
    """Both draw the same rows, from a seed and on from where they stand, and answer the same."""
    some = table.head(4)
    for rows in (5, 3):
        pd.testing.assert_frame_equal(loaded.sample(rows), saved.sample(rows))
    pd.testing.assert_frame_equal(loaded.sample(4, seed=1), saved.sample(4, seed=1))
    pd.testing.assert_frame_equal(
        loaded.impute(some, num_samples=2, seed=1), saved.impute(some, num_samples=2, seed=1)
    )
    pd.testing.assert_series_equal(
        loaded.log_likelihood(some, 1, seed=1), saved.log_likelihood(some, 1, seed=1)
    )
    assert loaded.get_parameters() == saved.get_parameters()
    assert loaded.get_info() == saved.get_info()
    assert repr(loaded) == repr(saved)
    assert loaded.get_metadata().to_dict() == saved.get_metadata().to_dict()


def test_the_table_of_all_sdtypes(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    fitted.sample(3)
    loaded = again(fitted, tmp_path)
    table = make_table().drop(columns=['key', 'email', 'mystery'])

    assert_same(fitted, loaded, table)
    asked = [Condition({'city': 'a', 'age': Between(20, 30)}, num_rows=3)]
    pd.testing.assert_frame_equal(
        loaded.sample_from_conditions(asked), fitted.sample_from_conditions(asked)
    )
    pd.testing.assert_frame_equal(
        loaded.predict_proba(table.head(3), 'city'), fitted.predict_proba(table.head(3), 'city')
    )
    pd.testing.assert_frame_equal(loaded.get_loss_values(), fitted.get_loss_values())
    fitted.reset_sampling()
    loaded.reset_sampling()
    pd.testing.assert_frame_equal(loaded.sample(3), fitted.sample(3))


def test_every_dtype(tmp_path: Path) -> None:
    table = pd.DataFrame({name: values for name, values, _ in CASES})
    columns = {name: entry for name, _, entry in CASES}
    saved = fit_tiny(table, columns, max_crosses=0, **WITHOUT_RELATIONS)

    assert_same(saved, again(saved, tmp_path), table)


def test_arrow_and_other_dtypes(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip('pyarrow')
    numbers = np.arange(40)
    dates = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(numbers, 'D'))
    table = pd.DataFrame(
        {
            'whole': pd.Series(numbers, dtype='int32[pyarrow]'),
            'cents': pd.Series([decimal.Decimal(int(n)) / 4 for n in numbers]).astype(
                pd.ArrowDtype(pyarrow.decimal128(7, 2))
            ),
            'text': pd.Series(['p', 'q'] * 20, dtype='string[pyarrow]'),
            'arrow_text': pd.Series(['p', 'q'] * 20, dtype=pd.ArrowDtype(pyarrow.string())),
            'stamp': dates.astype('timestamp[us][pyarrow]'),
            'zone': dates.dt.tz_localize(dateutil_zones.gettz('Europe/Paris')),
            'offset': dates.dt.tz_localize(datetime.timezone(datetime.timedelta(hours=2))),
            'short': numbers.astype('float32') / 3,
            'interval': pd.Series(pd.cut(numbers, 4)),
            'uuid': [uuid.UUID(int=n % 3) for n in numbers],
            'tuple': [(1, 'a') if n % 2 else (2.5, None) for n in numbers],
            'bytes': [b'\xff' if n % 2 else b'' for n in numbers],
            'odd text': ['\ud800' if n % 2 else '$dict' for n in numbers],
            7: numbers % 5,
        }
    )
    kinds = ['numerical', 'numerical', 'categorical', 'categorical', *['datetime'] * 3, 'numerical']
    kinds += ['categorical'] * 5 + ['numerical']
    columns = {str(name): {'sdtype': kind} for name, kind in zip(table, kinds, strict=True)}
    saved = fit_tiny(table, columns, max_crosses=0, **WITHOUT_RELATIONS)

    assert_same(saved, again(saved, tmp_path), table)


def test_every_constraint(
    with_constraints: tuple[TabDARSynthesizer, pd.DataFrame], tmp_path: Path
) -> None:
    saved, table = with_constraints
    loaded = again(saved, tmp_path)

    assert_same(saved, loaded, table)
    loaded.validate_constraints(loaded.sample(9, seed=3))
    known = pd.DataFrame({'low': [3, 40], 'free': [Between(0, 1)] * 2})
    pd.testing.assert_frame_equal(
        loaded.sample_remaining_columns(known), saved.sample_remaining_columns(known)
    )


def test_constraints_that_only_reject(tmp_path: Path) -> None:
    table = pd.DataFrame({'a': range(40), 'b': range(2, 42), 'c': range(5, 45)})
    columns = {name: {'sdtype': 'numerical'} for name in 'abc'}
    saved = TabDARSynthesizer(make_metadata(columns), **TINY)
    saved.add_constraints([Inequality('a', 'b'), Inequality('b', 'c')])
    saved.fit(table)

    assert_same(saved, again(saved, tmp_path), table)


def test_every_transformer_and_generated_columns(
    with_transformers: TabDARSynthesizer, tmp_path: Path
) -> None:
    saved = with_transformers
    for _ in range(2):  # as fitted, and after rows were drawn
        loaded = again(saved, tmp_path)
        pd.testing.assert_frame_equal(loaded.sample(6), saved.sample(6))
    pd.testing.assert_frame_equal(loaded.sample(4, seed=5), saved.sample(4, seed=5))


def test_a_loaded_synthesizer_fits_as_a_new_one(
    with_constraints: tuple[TabDARSynthesizer, pd.DataFrame], tmp_path: Path
) -> None:
    fitted, table = with_constraints
    loaded, saved = again(fitted, tmp_path), copy.deepcopy(fitted)
    saved.fit(table)
    loaded.fit(table)

    pd.testing.assert_frame_equal(loaded.sample(5), saved.sample(5))


@pytest.mark.parametrize('stage', ['new', 'assigned', 'preprocessed'])
def test_before_fit(stage: str, tmp_path: Path) -> None:
    table = make_table(60)
    saved = TabDARSynthesizer(make_metadata(COLUMNS, primary_key='key'), **TINY)
    processed: Any = None
    if stage == 'assigned':
        saved.auto_assign_transformers(table)
        saved.update_transformers({'age': FloatFormatter(learn_rounding_scheme=True)})
    if stage == 'preprocessed':
        processed = saved.preprocess(table)
    loaded = again(saved, tmp_path)
    for synthesizer in (saved, loaded):
        if processed is None:
            synthesizer.fit(table)
        else:
            synthesizer.fit_processed_data(processed)

    pd.testing.assert_frame_equal(loaded.sample(5), saved.sample(5))


def test_generated_columns_alone(tmp_path: Path) -> None:
    table = pd.DataFrame({'key': range(30), 'name': [f'n{n}' for n in range(30)]})
    columns = {'key': {'sdtype': 'id'}, 'name': {'sdtype': 'name', 'pii': True}}
    saved = TabDARSynthesizer(make_metadata(columns, primary_key='key'), **TINY)
    saved.fit(table)

    pd.testing.assert_frame_equal(again(saved, tmp_path).sample(5), saved.sample(5))


@pytest.mark.parametrize('locale', ['en_US', 'ja_JP'])
def test_generated_columns_that_only_some_locales_have(locale: str, tmp_path: Path) -> None:
    columns = {
        'state': {'sdtype': 'administrative_unit', 'pii': True},
        'zip': {'sdtype': 'zipcode', 'pii': True},
    }
    data = pd.DataFrame({'state': ['Ohio', 'Utah'] * 5, 'zip': ['43001', '84001'] * 5})

    saved = fit_tiny(data, columns, locales=[locale])

    pd.testing.assert_frame_equal(again(saved, tmp_path).sample(5), saved.sample(5))


def test_in_another_process_without_a_gpu(
    fitted: TabDARSynthesizer, tmp_path: Path, fresh: FreshProcesses
) -> None:
    path = tmp_path / 'model.tabdar'
    fitted.save_safe(path)
    code = (
        'from sdv_tabdar import TabDARSynthesizer\n'
        f'synthesizer = TabDARSynthesizer.load_safe({str(path)!r})\n'
        f'synthesizer.sample(5, seed=2).to_csv({str(tmp_path / "rows.csv")!r}, index=False)\n'
    )
    done = fresh.run(code)
    assert done.returncode == 0, done.stderr

    assert (tmp_path / 'rows.csv').read_text() == fitted.sample(5, seed=2).to_csv(index=False)


@pytest.mark.skipif(not torch.cuda.is_available(), reason='needs a GPU')
def test_trained_on_a_gpu_and_loaded_without(table: pd.DataFrame, tmp_path: Path) -> None:
    metadata = make_metadata(COLUMNS, primary_key='key')
    synthesizer = TabDARSynthesizer(metadata, **{**TINY, 'enable_gpu': True})
    synthesizer.fit(table)
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    code = (
        'from sdv_tabdar import TabDARSynthesizer\n'
        f'assert len(TabDARSynthesizer.load_safe({str(path)!r}).sample(5)) == 5\n'
    )
    environment = {'CUDA_VISIBLE_DEVICES': '', 'PATH': '/usr/bin:/bin'}
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, '-c', code], check=True, cwd=root, env=environment, timeout=300)


class _Own(SingleTableProgrammableConstraint):
    """A user's own constraint."""

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        return data

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        return transformed_data

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        return pd.Series(True, index=synthetic_data.index)

    def get_updated_metadata(self, metadata: Any) -> Any:
        return metadata


class _Shifted(FloatFormatter):
    """A user's own transformer."""


class _Level(str):
    """A user's own kind of values."""


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    table = pd.DataFrame({'x': np.arange(40.0), 'y': ['u', 'v'] * 20})
    columns = {'x': {'sdtype': 'numerical'}, 'y': {'sdtype': 'categorical'}}
    path = tmp_path / 'model.tabdar'
    own = TabDARSynthesizer(make_metadata(columns), **TINY)
    own.add_constraints([_Own()])
    with pytest.raises(ModelFileError, match='constraint _Own is a programmable one.*or save with'):
        own.save_safe(path)
    for transformer, words in ((_Shifted(), 'transformer _Shifted of .x. is not one of RDT'),):
        changed = TabDARSynthesizer(make_metadata(columns), **TINY)
        changed.auto_assign_transformers(table)
        changed.update_transformers({'x': transformer})
        changed.fit(table)
        with pytest.raises(ModelFileError, match=words):
            changed.save_safe(path)
    strange = fit_tiny(table.assign(y=[_Level('u'), _Level('v')] * 20), columns)
    with pytest.raises(ModelFileError, match='a value of type _Level, which a safe file cannot'):
        strange.save_safe(path)

    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_file(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    path = tmp_path / 'model.tabdar'
    path.write_bytes(b'old')
    own = TabDARSynthesizer(make_metadata({'x': {'sdtype': 'numerical'}}), **TINY)
    own.add_constraints([_Own()])
    with pytest.raises(ModelFileError):
        own.save_safe(path)

    assert path.read_bytes() == b'old'


def test_a_description_tells_what_is_inside(
    with_constraints: tuple[TabDARSynthesizer, pd.DataFrame], tmp_path: Path
) -> None:
    saved, table = with_constraints
    path = tmp_path / 'model.tabdar'
    saved.save_safe(path)
    found = describe(path)

    assert found.format_version == 1
    assert found.size == path.stat().st_size
    assert found.training['rows'] == len(table)
    assert found.settings == saved.get_parameters()
    assert found.metadata == saved.get_metadata().to_dict()
    assert [name for name, _ in found.constraints][:2] == ['Inequality', 'Inequality']
    limits = {column.name: column.limits for column in found.columns}
    assert limits['low'] == (table['low'].min(), table['low'].max())
    levels = {column.name: set(column.levels) for column in found.columns}
    assert levels['a'] == {'x', 'y'}
    learnt = {column.name: column for column in found.learnt}
    assert sum(count for _, count in learnt['a#b'].levels) == len(table)
    assert learnt['free'].quantiles[0] == table['free'].min()
    assert (['a', 'b'], len(table[['a', 'b']].drop_duplicates())) in found.combinations
    text = str(found)
    for words in (
        "'low': numerical, int64, from",
        'combinations of',
        'No row of the table',
        'rows 80',
    ):
        assert words in text


def test_a_description_of_transformers_and_of_what_is_not_fitted(
    with_transformers: TabDARSynthesizer, tmp_path: Path
) -> None:
    path = tmp_path / 'model.tabdar'
    with_transformers.save_safe(path)
    assert ('pseudonym', 'PseudoAnonymizedFaker') in describe(path).transformers
    TabDARSynthesizer(make_metadata(COLUMNS), **TINY).save_safe(path)
    found = describe(path)

    assert not found.is_fitted
    assert 'not fitted' in str(found)
    assert found.columns == []
    assert found.learnt == []
