"""Numbers are rounded, kept within limits and left missing in every dtype that pandas has."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer

from ..conftest import TINY, fit_tiny

N = 150
RANDOM = np.random.default_rng(0)
CENTS = np.round(RANDOM.normal(10, 3, N), 2)
WHOLE = RANDOM.integers(0, 100, N)
GAPS = RANDOM.random(N) < 0.2
NUMBERS = {'x': {'sdtype': 'numerical'}}


def with_gaps(values: Any) -> list[Any]:
    return [None if gap else value for value, gap in zip(values.tolist(), GAPS, strict=True)]


def as_float64(values: pd.Series) -> np.ndarray[Any, Any]:
    return np.array([float(value) for value in values.dropna().tolist()])


FLOATS = ['float32', 'float64', 'Float32', 'Float64', 'float[pyarrow]', 'double[pyarrow]']
CASES = [
    pytest.param(name, gaps, id=f'{name}{" with gaps" if gaps else ""}')
    for name in FLOATS
    for gaps in (False, True)
]


def check(sampled: pd.Series, values: pd.Series, digits: int) -> None:
    """Dtype, limits and gaps are those of the data, and numbers are rounded in their dtype."""
    assert sampled.dtype == values.dtype
    found, given = as_float64(sampled), as_float64(values)
    assert found.min() >= given.min()
    assert found.max() <= given.max()
    assert sampled.isna().any() == values.isna().any()
    single = np.isin(given.astype(np.float32), given).all()
    rounded = np.round(found, digits)
    assert np.array_equal(rounded.astype(np.float32) if single else rounded, found)


@pytest.mark.parametrize(('dtype', 'gaps'), CASES)
def test_floats_are_rounded_as_the_data_are(dtype: str, gaps: bool) -> None:
    values = pd.Series(with_gaps(CENTS) if gaps else CENTS, dtype=dtype)
    synthesizer = fit_tiny(pd.DataFrame({'x': values}), NUMBERS, max_atoms=0)

    check(synthesizer.sample(100)['x'], values, 2)


@pytest.mark.parametrize(('dtype', 'gaps'), CASES)
def test_floats_are_rounded_under_detected_metadata(dtype: str, gaps: bool) -> None:
    values = pd.Series(with_gaps(CENTS) if gaps else CENTS, dtype=dtype)
    data = pd.DataFrame({'x': values})
    metadata = Metadata.detect_from_dataframes({'table': data})
    synthesizer = TabDARSynthesizer(metadata, **{**TINY, 'max_atoms': 0})
    synthesizer.fit(data)

    check(synthesizer.sample(100)['x'], values, 2)


@pytest.mark.parametrize('is_detected', [False, True])
def test_the_last_bits_of_a_float_are_no_digits(is_detected: bool) -> None:
    values = pd.Series(CENTS).where(np.arange(N) != 3, 4.1 + 2.2)  # 6.299999999999999
    data = pd.DataFrame({'x': values})
    if is_detected:
        metadata = Metadata.detect_from_dataframes({'table': data})
        synthesizer = TabDARSynthesizer(metadata, **{**TINY, 'max_atoms': 0})
        synthesizer.fit(data)
    else:
        synthesizer = fit_tiny(data, NUMBERS, max_atoms=0)
    drawn = synthesizer.sample(100)['x']
    assert (drawn.round(2) == drawn).all()


def test_half_precision_is_rounded() -> None:
    values = pd.Series(CENTS, dtype='float16')
    sampled = fit_tiny(pd.DataFrame({'x': values}), NUMBERS, max_atoms=0).sample(200)['x']

    assert sampled.dtype == values.dtype
    rounded = np.round(sampled.to_numpy(dtype=np.float64), 2)
    assert np.array_equal(rounded.astype(np.float16), sampled.to_numpy())


@pytest.mark.parametrize('dtype', ['Int8', 'Int64', 'UInt16', 'int64[pyarrow]', 'uint8[pyarrow]'])
def test_whole_numbers_stay_whole(dtype: str) -> None:
    values = pd.Series(with_gaps(WHOLE), dtype=dtype)
    sampled = fit_tiny(pd.DataFrame({'x': values}), NUMBERS, max_atoms=0).sample(100)['x']

    check(sampled, values, 0)


def test_arrow_decimals_keep_their_scale() -> None:
    cents = [decimal.Decimal(f'{value:.2f}') for value in CENTS]
    values = pd.Series(cents, dtype=pd.ArrowDtype(pa.decimal128(10, 2)))
    sampled = fit_tiny(pd.DataFrame({'x': values}), NUMBERS, max_atoms=0).sample(50)['x']

    assert sampled.dtype == values.dtype
    assert sampled.between(values.min(), values.max()).all()


def test_digits_that_the_user_asks_for_are_given() -> None:
    """``decimal_places`` of the metadata comes before what the data happen to have."""
    data = pd.DataFrame({'x': np.round(RANDOM.normal(10, 3, N), 1)})
    entry = {'sdtype': 'numerical', 'decimal_places': 3}
    sampled = fit_tiny(data, {'x': entry}, max_atoms=0).sample(50)['x']

    assert np.array_equal(sampled.round(3), sampled)
    assert (sampled.round(1) != sampled).any()


def test_rounding_can_be_turned_off() -> None:
    data = pd.DataFrame({'x': pd.Series(CENTS, dtype='Float64')})
    sampled = fit_tiny(data, NUMBERS, max_atoms=0, enforce_rounding=False).sample(50)['x']

    assert (sampled.round(2) != sampled).any()
