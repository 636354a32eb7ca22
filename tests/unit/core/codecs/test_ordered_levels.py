"""Levels that are numbers and never more than those of another column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.ordered_levels import numbers_of
from sdv_tabdar.core.codecs.related import find_told_zeros
from sdv_tabdar.core.codecs.zeros import allowed_codes
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 600
RANDOM = np.random.default_rng(0)
PERSONS = RANDOM.choice([1, 2, 3, 4, 5, 6], N, p=[0.3, 0.3, 0.15, 0.15, 0.07, 0.03])
WORKERS = RANDOM.binomial(PERSONS, 0.5)


def never_met(frame: pd.DataFrame, **settings: object) -> set[tuple[object, object]]:
    """Levels of the first and the second column that never meet."""
    kinds = dict.fromkeys(frame, ColumnKind.CATEGORICAL)
    config = ModelConfig(**settings)  # type: ignore[arg-type]
    encoder = TableEncoder.fit(frame, kinds, config)
    table = encoder.encode_all(frame)
    found = set()
    levels = [codec.levels for codec in encoder.codecs]
    for entry in find_told_zeros(encoder, table, (), config):
        places = entry.determinant, entry.dependent
        allowed = allowed_codes(entry, encoder.schema.columns[entry.dependent].num_codes)
        for codes in (~allowed).nonzero().tolist():
            of = dict(zip(places, codes, strict=True))
            found.add((levels[0][of[0]], levels[1][of[1]]))
    return found


def out_of_order(frame: pd.DataFrame) -> set[tuple[object, object]]:
    first, second = (frame[name].dropna().unique().tolist() for name in frame)
    return {(low, high) for low in first for high in second if low > high}


@pytest.mark.parametrize('missing', [False, True])
def test_who_works_lives_there(missing: bool) -> None:
    frame = pd.DataFrame({'workers': WORKERS, 'persons': PERSONS})
    if missing:
        gone = RANDOM.random((2, N)) < 0.1
        frame = frame.astype(float).mask(gone.T)
    assert never_met(frame) >= out_of_order(frame)
    turned = frame[['persons', 'workers']]
    assert never_met(turned) >= {(high, low) for low, high in out_of_order(frame)}
    assert not never_met(frame, structural_zeros=False)


def test_an_order_that_fades_away_is_none() -> None:
    """Few are as many as the others; by chance none was more."""
    first = RANDOM.poisson(2.0, 4 * N).clip(0, 6)
    second = first + RANDOM.choice([0, 1, 2, 3], 4 * N, p=[0.01, 0.15, 0.44, 0.4])
    frame = pd.DataFrame({'first': first, 'second': second})
    assert out_of_order(frame) - never_met(frame)


def test_one_row_out_of_order_is_enough_to_have_none() -> None:
    frame = pd.DataFrame({'workers': [*WORKERS, 3], 'persons': [*PERSONS, 2]})
    assert (3, 2) not in never_met(frame)
    assert out_of_order(frame) - never_met(frame)


def test_truth_values_and_texts_are_no_numbers() -> None:
    frame = pd.DataFrame({'first': WORKERS > 1, 'second': PERSONS.astype(str), 'third': PERSONS})
    kinds = dict.fromkeys(frame, ColumnKind.CATEGORICAL)
    flags, texts, numbers = map(numbers_of, TableEncoder.fit(frame, kinds, ModelConfig()).codecs)
    assert np.isnan(flags).all()
    assert np.isnan(texts).all()
    assert sorted(numbers) == [1, 2, 3, 4, 5, 6]
