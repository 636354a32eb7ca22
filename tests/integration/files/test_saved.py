"""Files of every released format are read, described, drawn from and fitted again, for ever."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files import describe

from ..conftest import COLUMNS, make_table
from .write_saved import SAVED

FILES = sorted(SAVED.glob('*.tabdar'))

pytestmark = pytest.mark.filterwarnings(
    'ignore::UserWarning:sdv', 'ignore::UserWarning:rdt', 'ignore:Known cells hold'
)


def test_there_are_files() -> None:
    assert {path.stem for path in FILES} >= {
        'format_1_constraints',
        'format_1_sdtypes',
        'format_1_transformers',
    }


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_a_file_loads_and_draws(path: Path) -> None:
    loaded = TabDARSynthesizer.load_safe(path)
    rows = loaded.sample(8)
    found = describe(path)

    assert len(rows) == 8
    if path.stem.startswith('format_1_'):  # when there were no gated layers
        assert loaded.feedforward == loaded.head_activation == 'relu'
        assert loaded.num_scales == 1
    assert [column.name for column in found.columns] == list(rows)
    assert {column.name: column.dtype for column in found.columns} == {
        name: str(dtype) for name, dtype in rows.dtypes.items()
    }
    loaded.validate_constraints(rows)
    pd.testing.assert_frame_equal(loaded.sample(4, seed=0), loaded.sample(4, seed=0))


@pytest.mark.parametrize('path', sorted(SAVED.glob('*_sdtypes.tabdar')), ids=lambda path: path.stem)
def test_a_file_of_all_sdtypes_answers_and_fits_again(path: Path) -> None:
    loaded = TabDARSynthesizer.load_safe(path)
    table = make_table(40)
    assert list(table) == list(COLUMNS)
    filled = loaded.impute(table.drop(columns=['key', 'email', 'mystery', 'city']), num_samples=1)
    loaded.fit(table)

    assert {'a', 'b', 'c'} & set(filled['city'])
    assert len(loaded.sample(3)) == 3
