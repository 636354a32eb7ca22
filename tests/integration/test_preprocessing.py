"""A table on its way to the model: as SDV itself would make it, in little memory."""

from __future__ import annotations

import copy
import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import BaseTransformer, FloatFormatter, LabelEncoder, OneHotEncoder

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.private_names import preprocessing
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import COLUMNS, TINY, make_metadata

New = Callable[..., TabDARSynthesizer]
Transformers = dict[str, Callable[[], BaseTransformer]]
CASES: list[Transformers] = [
    {},
    {'city': OneHotEncoder, 'group': LabelEncoder},
    {
        'gap': lambda: FloatFormatter(
            missing_value_generation='from_column', learn_rounding_scheme=True
        )
    },
]


def _by_sdv(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> pd.DataFrame:
    """What SDV's own steps make of the table, all columns at once."""
    processor = copy.deepcopy(synthesizer)._data_processor
    processor.fit(table)
    transformed: pd.DataFrame = processor.transform(table, is_condition=not processor._primary_key)
    return transformed


@pytest.mark.filterwarnings('ignore:Replacing the default transformer')
@pytest.mark.parametrize('transformers', CASES)
@pytest.mark.parametrize('primary_key', ['key', None])
@pytest.mark.parametrize('cells_together', [1, 10**6])
def test_columns_few_by_few_are_as_all_at_once(
    table: pd.DataFrame,
    primary_key: str | None,
    transformers: Transformers,
    cells_together: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preprocessing, '_CELLS_TOGETHER', cells_together)
    keys = {'primary_key': primary_key} if primary_key else {}
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS, **keys), **TINY)
    synthesizer.auto_assign_transformers(table)
    synthesizer.update_transformers({name: make() for name, make in transformers.items()})
    expected = _by_sdv(synthesizer, table)

    pd.testing.assert_frame_equal(private_names.preprocess_table(synthesizer, table), expected)


@pytest.mark.filterwarnings('ignore:Replacing the default transformer')
@pytest.mark.filterwarnings('ignore:The output columns')
def test_outputs_named_as_another_column() -> None:
    """RDT gives an output another name if a column has it, which one column alone cannot tell."""
    table = pd.DataFrame({'gap': [1.5, np.nan, 2.5], 'gap.is_null': ['a', 'b', 'a']})
    columns = {'gap': {'sdtype': 'numerical'}, 'gap.is_null': {'sdtype': 'categorical'}}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.auto_assign_transformers(table)
    marked = FloatFormatter(missing_value_generation='from_column', learn_rounding_scheme=True)
    synthesizer.update_transformers({'gap': marked})
    expected = _by_sdv(synthesizer, table)

    pd.testing.assert_frame_equal(private_names.preprocess_table(synthesizer, table), expected)
    assert expected.shape == (3, 3)
    synthesizer.fit(table)
    assert set(synthesizer.sample(20)['gap.is_null']) <= {'a', 'b'}


def test_processed_tables_have_memory_of_their_own(table: pd.DataFrame, new: New) -> None:
    before = table.copy(deep=True)
    processed = new().preprocess(table)
    for name in processed:
        processed[name].to_numpy()[:] = processed[name].to_numpy()[0]

    pd.testing.assert_frame_equal(table, before)


def test_fitting_takes_a_few_times_the_encoded_table(monkeypatch: pytest.MonkeyPatch) -> None:
    num_rows, num_pairs = 40_000, 5
    monkeypatch.setattr(preprocessing, '_CELLS_TOGETHER', num_rows)
    random = np.random.default_rng(0)
    words = np.array(['a', 'b', None], dtype=object)
    data = {}
    for number in range(num_pairs):
        data[f'number_{number}'] = random.normal(size=num_rows)
        data[f'word_{number}'] = words[random.integers(0, 3, num_rows)]
    table = pd.DataFrame(data)
    sdtypes = {'n': 'numerical', 'w': 'categorical'}
    columns = {name: {'sdtype': sdtypes[name[0]]} for name in table}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY, max_training_time=0.01)
    # a code and a mark of each cell, and four bytes for the place of a number in its bin
    encoded = num_rows * num_pairs * (2 + 2 + 4)

    tracemalloc.start()
    synthesizer.fit(table)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 5 * encoded
