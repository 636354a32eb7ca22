"""Tables come back, and what cannot be encoded is refused."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs.decoder import Restrictions
from sdv_tabdar.core.codecs.encoder import CODECS, TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval, Members
from sdv_tabdar.core.schema import ColumnKind

NUMERICAL, CATEGORICAL = ColumnKind.NUMERICAL, ColumnKind.CATEGORICAL
DEFAULT = ModelConfig()


def _fit(values: Any, kind: ColumnKind, config: ModelConfig = DEFAULT) -> TableEncoder:
    return TableEncoder.fit(pd.DataFrame({'x': values}), {'x': kind}, config)


def _round_trip(encoder: TableEncoder, values: Any) -> pd.Series:
    frame = pd.DataFrame({'x': values})
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    return encoder.decode(table, generator=torch.Generator().manual_seed(0))['x']


def test_tables_come_back(encoder: TableEncoder, mixed: pd.DataFrame) -> None:
    table = encoder.encode(mixed, np.ones(mixed.shape, dtype=bool))
    back = encoder.decode(table, generator=torch.Generator())
    assert list(back.columns) == list(mixed.columns)
    assert back['colour'].tolist() == mixed['colour'].tolist()
    assert back['flag'].tolist() == mixed['flag'].tolist()
    for name in ('smooth', 'spiked', 'rounded', 'holes'):
        assert np.allclose(back[name], mixed[name], rtol=1e-4, atol=1e-4, equal_nan=True)
    assert np.array_equal(back['spiked'] == 0, mixed['spiked'] == 0)
    assert isinstance(back.index, pd.RangeIndex)


def test_hidden_cells_are_not_even_looked_at(encoder: TableEncoder, mixed: pd.DataFrame) -> None:
    strange = mixed.head(3).astype(object)
    strange[:] = 'never seen'
    table = encoder.encode(strange, np.zeros(strange.shape, dtype=bool))
    assert not table.observed.any()
    assert not table.codes.any()
    assert not table.residuals.any()


def test_absent_columns_are_hidden_and_order_does_not_matter(
    encoder: TableEncoder, mixed: pd.DataFrame
) -> None:
    some = mixed[['flag', 'smooth']]
    table = encoder.encode(some, np.ones(some.shape, dtype=bool))
    assert table.observed[0].tolist() == [True, False, False, False, True, False]
    whole = encoder.encode(mixed, np.ones(mixed.shape, dtype=bool))
    assert torch.equal(table.codes[:, [0, 4]], whole.codes[:, [0, 4]])


def test_an_index_with_duplicates_is_ignored(encoder: TableEncoder, mixed: pd.DataFrame) -> None:
    other = mixed.set_axis([5] * len(mixed), axis=0)
    observed = np.ones(mixed.shape, dtype=bool)
    assert torch.equal(encoder.encode(other, observed).codes, encoder.encode(mixed, observed).codes)


@pytest.mark.parametrize(
    ('num_levels', 'dtype'), [(256, torch.uint8), (257, torch.int16), (40_000, torch.int32)]
)
def test_codes_take_the_smallest_dtype(num_levels: int, dtype: torch.dtype) -> None:
    encoder = _fit(np.arange(num_levels), CATEGORICAL, ModelConfig(max_categories=50_000))
    frame = pd.DataFrame({'x': [0]})
    assert encoder.encode(frame, np.ones((1, 1), dtype=bool)).codes.dtype == dtype
    assert _round_trip(encoder, [0, num_levels - 1]).tolist() == [0, num_levels - 1]


def test_an_unknown_column_is_an_error(encoder: TableEncoder) -> None:
    frame = pd.DataFrame({'size': [1]})
    with pytest.raises(ValueError, match="no column 'size' in the fitted table"):
        encoder.encode(frame, np.ones((1, 1), dtype=bool))


@pytest.mark.parametrize('shape', [(0, 2), (2, 0)])
def test_an_empty_table_is_an_error(shape: tuple[int, int]) -> None:
    frame = pd.DataFrame(np.zeros(shape), columns=[f'c{i}' for i in range(shape[1])])
    with pytest.raises(ValueError, match=f'has {shape[0]} rows and {shape[1]} columns; it needs'):
        TableEncoder.fit(frame, dict.fromkeys(frame, NUMERICAL), DEFAULT)


@pytest.mark.parametrize('kinds', [{}, {'x': 'numerical'}])
def test_a_column_without_a_kind_is_an_error(kinds: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"columns \['x'\] have no kind. Give a ColumnKind"):
        TableEncoder.fit(pd.DataFrame({'x': [1.0]}), kinds, DEFAULT)


def test_a_name_that_is_no_string_is_an_error() -> None:
    with pytest.raises(TypeError, match=r'must be strings, however: \[0\]. Rename'):
        TableEncoder.fit(pd.DataFrame([[1.0]]), {0: NUMERICAL}, DEFAULT)


def test_a_name_that_occurs_twice_is_an_error(encoder: TableEncoder) -> None:
    frame = pd.DataFrame([[1.0, 2.0]], columns=['smooth', 'smooth'])
    with pytest.raises(ValueError, match=r"must be unique, but .* more than once: \['smooth'\]"):
        TableEncoder.fit(frame, {'smooth': NUMERICAL}, DEFAULT)
    with pytest.raises(ValueError, match='must be unique'):
        encoder.encode(frame, np.ones(frame.shape, dtype=bool))


def _classes(pickled: bytes) -> set[str]:
    """Modules of everything that unpickling would look up by name."""
    found = set()

    class Reader(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            found.add(module)
            return super().find_class(module, name)

    Reader(io.BytesIO(pickled)).load()
    return found


def test_a_table_encodes_the_same_after_its_state_was_saved(
    encoder: TableEncoder, mixed: pd.DataFrame
) -> None:
    pickled = pickle.dumps(encoder.to_state())
    assert not {module for module in _classes(pickled) if module.startswith('sdv_tabdar')}
    loaded = TableEncoder.from_state(pickle.loads(pickled))
    assert loaded.schema == encoder.schema
    observed = np.ones(mixed.shape, dtype=bool)
    one, other = (fitted.encode(mixed, observed) for fitted in (encoder, loaded))
    assert torch.equal(one.codes, other.codes)
    assert torch.equal(one.residuals, other.residuals)
    decoded = [
        fitted.decode(one, generator=torch.Generator().manual_seed(0))
        for fitted in (encoder, loaded)
    ]
    pd.testing.assert_frame_equal(*decoded)
    volumes = [fitted.log_volume(mixed, observed) for fitted in (encoder, loaded)]
    assert np.array_equal(*volumes)


def test_a_state_of_another_version_is_an_error(encoder: TableEncoder) -> None:
    state = {**encoder.to_state(), 'version': 7}
    with pytest.raises(
        ValueError, match='saved in format 7; this version .* reads formats 2 to 4. '
    ):
        TableEncoder.from_state(state)


def test_restrictions_by_position_equal_ones_shared(encoder: TableEncoder) -> None:
    first, second = Members(('red',)), Members(('red',))
    (position,) = found = encoder.restrict({'colour': [first, None, second]})
    assert encoder.schema.names[position] == 'colour'
    pieces = found[position]
    assert pieces[0] is pieces[2]
    assert pieces[1] is None


def test_enforced_cells_are_those_with_a_restriction(
    encoder: TableEncoder, mixed: pd.DataFrame
) -> None:
    frame = mixed.head(3).reset_index(drop=True)
    low = float(frame['smooth'].max()) + 1
    wanted: Restrictions = {'smooth': [Interval(low, None), None, Interval(None, 0.0)]}
    generator = torch.Generator().manual_seed(0)
    encoder.enforce(frame, wanted, generator=generator)
    assert frame['smooth'].tolist() == [low, mixed['smooth'][1], 0.0]


def test_every_kind_of_column_has_a_codec() -> None:
    assert set(CODECS) == set(ColumnKind)
