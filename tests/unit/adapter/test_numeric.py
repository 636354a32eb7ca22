"""Numbers in the form of their column, and as SDV gets them."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.numeric import NumberForm, as_written, nearest

SHORT: dict[str, Any] = {
    'float16': np.float16,
    'float32': np.float32,
    'Float32': np.float32,
    'float[pyarrow]': np.float32,
    'halffloat[pyarrow]': np.float16,
}


@pytest.mark.parametrize('dtype', SHORT)
def test_short_floats_are_the_decimals_that_they_are_written_as(dtype: str) -> None:
    values = pd.Series([2.81, None, -0.5, 12.3], dtype=dtype)

    form = NumberForm.learn(values)
    assert form.short == SHORT[dtype]
    assert form.plain_number(float(SHORT[dtype](2.81))) == 2.81
    assert form.plain_number(1e99) == 1e99
    assert form.plain(values).tolist() == pytest.approx(
        [2.81, np.nan, -0.5, 12.3], rel=0, abs=0, nan_ok=True
    )


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_short_floats_come_back(cells: list[float]) -> None:
    short = np.array(cells, dtype=np.float32)

    assert np.array_equal(as_written(short).astype(np.float32), short)


@pytest.mark.parametrize('dtype', ['float64', 'Float64', 'double[pyarrow]', 'Int8', 'int16'])
def test_other_numbers_are_not_short(dtype: str) -> None:
    form = NumberForm.learn(pd.Series([1, 2], dtype=dtype))

    assert form.short is None
    assert form.plain_number(float(np.float32(2.81))) == float(np.float32(2.81))


def test_large_numbers_of_several_types_stay_within_their_ends() -> None:
    values = pd.Series([2**63 - 1, -1.5, None, 3], dtype=object)
    form = NumberForm.learn(values)
    found = form.restore(form.plain(values), as_objects=True)
    assert found.tolist() == [2**63 - 1, -1.5, None, 3]
    assert form.restore(found, as_objects=True).tolist() == found.tolist()


@settings(deadline=None)
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    st.sampled_from(['Int64', 'int64[pyarrow]', 'object']),
)
def test_large_whole_numbers_stay_within_their_ends(cells: list[int], dtype: str) -> None:
    values = pd.Series([*cells, None], dtype=dtype)
    form = NumberForm.learn(values)
    plain = form.plain(values)

    assert plain.dtype == np.float64
    assert form.is_whole
    restored = form.restore(plain, as_objects=True).tolist()
    assert restored.pop() is None
    assert all(min(cells) <= value <= max(cells) for value in restored)
    assert [float(value) for value in restored] == [float(value) for value in cells]
    assert [form.known(*pair) for pair in zip(restored, cells, strict=True)] == cells


def test_whole_numbers_up_to_the_precision_of_floats_stay_integers() -> None:
    exact, beyond = pd.Series([0, 2**53]), pd.Series([0, 2**53 + 1])

    assert NumberForm.learn(exact).plain(exact).dtype == np.int64
    assert NumberForm.learn(exact).ends is None
    assert NumberForm.learn(beyond).plain(beyond).dtype == np.float64
    assert NumberForm.learn(beyond).ends == (0, 2**53 + 1)


@pytest.mark.parametrize('dtype', [object, pd.ArrowDtype(pa.decimal128(38, 2))], ids=str)
def test_decimals_of_many_digits(dtype: Any) -> None:
    cells = [decimal.Decimal('1783573289355542800.01'), decimal.Decimal('-3.25')]
    form = NumberForm.learn(pd.Series(cells, dtype=dtype))

    restored = form.restore(form.plain(pd.Series(cells, dtype=dtype)), as_objects=True).tolist()
    assert (form.decimals, restored[1]) == (2, cells[1])
    assert cells[1] < restored[0] <= cells[0]
    assert form.known(restored[0], cells[0]) == cells[0]


def test_known_numbers_of_several_types_keep_theirs() -> None:
    form = NumberForm.learn(pd.Series([48, 2.5, None], dtype=object))

    known = [form.known(float(cell), cell) for cell in (48, 2.5)]
    assert [(type(cell), cell) for cell in known] == [(int, 48), (float, 2.5)]


def test_what_is_no_number_is_left_to_the_validation_of_sdv() -> None:
    values = pd.Series([1, 'two', True], dtype=object)

    assert NumberForm.learn(values) == NumberForm()
    assert NumberForm().plain(values).tolist() == [1, 'two', True]


def test_numbers_too_large_for_floats_are_refused() -> None:
    values = pd.Series([10**400, 1, None], dtype=object, name='x')

    with pytest.raises(InvalidDataError, match="'x' has numbers of more than 308 digits"):
        NumberForm.learn(values).plain(values)


def test_the_nearest_choice() -> None:
    choices = np.array([7.0, 1.5, 2.0])

    assert nearest(pd.Series([0.0, 1.8, np.nan, 99.0, 7.0]), choices).tolist() == [1, 2, -1, 0, 0]


@pytest.mark.parametrize(
    'cells',
    [
        [3, 2**63 - 1],
        [decimal.Decimal('7'), decimal.Decimal(2**62 + 1)],
        [decimal.Decimal('7.1'), decimal.Decimal('1000.25')],
    ],
    ids=str,
)
def test_keys_come_back_as_the_objects_that_they_were(cells: list[Any]) -> None:
    keys = pd.Series(cells, dtype=object)
    form = NumberForm.of_keys(keys)
    plain = form.plain_keys(keys)
    gaps = form.plain_keys(pd.Series([*cells, None], dtype=object))

    assert plain.dtype.kind in 'if'
    assert gaps.tolist() == [*plain.tolist(), None]
    restored = form.restore_keys(plain).tolist()
    assert [(type(cell), cell) for cell in restored] == [(type(cell), cell) for cell in cells]
    text = pd.Series(['id-1'])
    assert form.restore_keys(text).equals(text)


@pytest.mark.parametrize(
    'cells',
    [
        ['1', '2'],
        [1, 2.0],
        [True, False],
        [1, 2**63],
        [decimal.Decimal('Infinity')],
        [decimal.Decimal('0.1234567890123456789')],
        [None],
    ],
    ids=str,
)
def test_keys_that_are_no_exact_numbers_have_no_form(cells: list[Any]) -> None:
    assert NumberForm.of_keys(pd.Series(cells, dtype=object)) == NumberForm()
