"""Relations are looked for in cells that were not replaced; in the others they need not hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs.dependencies import find_dependencies, kept_dependencies
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 400
RANDOM = np.random.default_rng(3)
CONFIG = ModelConfig(num_bins=4)
NUMBERS = ['net', 'tax', 'gross', 'pieces', 'price', 'sand', 'silt', 'clay']


def table() -> pd.DataFrame:
    """A sum, a product, percentages, and a name that follows from a code."""
    net, tax = RANDOM.gamma(2, 30, (2, N)).round(2)
    pieces = RANDOM.integers(1, 9, N)
    sand = RANDOM.uniform(0, 50, N).round(1)
    silt = RANDOM.uniform(0, 50, N).round(1)
    code = RANDOM.integers(0, 12, N)
    return pd.DataFrame(
        {
            'net': net,
            'tax': tax,
            'gross': (net + tax).round(2),
            'pieces': pieces.astype(float),
            'price': (net / pieces).round(2),
            'sand': sand,
            'silt': silt,
            'clay': (100 - sand - silt).round(1),
            'code': [f'c{number}' for number in code],
            'name': [f'n{number // 2}' for number in code],
        }
    )


KINDS = {
    name: ColumnKind.NUMERICAL if name in NUMBERS else ColumnKind.CATEGORICAL for name in table()
}


@pytest.fixture(scope='module')
def frame() -> pd.DataFrame:
    return table()


def with_others(frame: pd.DataFrame, rows: slice) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table with other totals, results, parts and codes in some rows, and which these are."""
    found = frame.copy()
    found.loc[rows, 'gross'] = 1.0
    found.loc[rows, 'price'] = 500.0
    found.loc[rows, 'clay'] = 7.0
    found.loc[rows, 'code'] = np.where(frame.loc[rows, 'code'] == 'c0', 'c7', 'c0')
    return found, found != frame


def relations(encoder: TableEncoder) -> tuple[set[str], set[str], set[float | None]]:
    """The results of products, the totals, and the constants."""
    names = encoder.schema.names
    totals = {names[one.total] for one in encoder.sums if one.total is not None}
    results = {names[one.result] for one in encoder.products}
    return results, totals, {one.constant for one in encoder.sums} - {None}


def test_what_holds_in_all_other_rows_is_found(frame: pd.DataFrame) -> None:
    changed, replaced = with_others(frame, slice(5, 30))
    expected = {'price'}, {'gross'}, {100.0}
    assert relations(TableEncoder.fit(frame, KINDS, CONFIG)) == expected
    assert relations(TableEncoder.fit(changed, KINDS, CONFIG)) == (set(), set(), set())
    found = TableEncoder.fit(changed, KINDS, CONFIG, replaced)
    assert relations(found) == expected
    assert found.keeps_values
    in_order = {
        (found.schema.names[low], found.schema.names[high]) for low, high in found.inequalities
    }
    assert {('net', 'gross'), ('tax', 'gross')} <= in_order


def test_rows_are_those_in_the_same_place_whatever_their_names() -> None:
    random = np.random.default_rng(0)
    city = random.choice(['a', 'b', 'c'], N)
    cells = pd.DataFrame({'city': city, 'net': random.gamma(2, 30, N).round(2)})
    cells['tax'] = (cells['net'] * cells['city'].map({'a': 0.19, 'b': 0.07, 'c': 0.0})).round(2)
    changed = cells.copy()
    changed.loc[:20, 'tax'] = 1.0
    replaced = (changed != cells).set_axis([f'key {row}' for row in range(N)])
    kinds = {
        name: ColumnKind.CATEGORICAL if name == 'city' else ColumnKind.NUMERICAL for name in cells
    }
    (rate,) = TableEncoder.fit(changed, kinds, CONFIG, replaced).rates
    assert rate.columns == (2, 1, 0)


def test_what_a_cell_breaks_that_was_not_replaced_is_not(frame: pd.DataFrame) -> None:
    changed, replaced = with_others(frame, slice(5, 30))
    changed.loc[50, ['gross', 'clay']] = 3.0
    assert relations(TableEncoder.fit(changed, KINDS, CONFIG, replaced)) == (
        {'price'},
        set(),
        set(),
    )


def test_of_too_few_other_rows_nothing_is_said(frame: pd.DataFrame) -> None:
    changed, replaced = with_others(frame, slice(15, N))
    assert relations(TableEncoder.fit(changed, KINDS, CONFIG, replaced)) == (set(), set(), set())


def test_training_goes_on_with_what_holds_in_the_other_rows(frame: pd.DataFrame) -> None:
    before = TableEncoder.fit(frame, KINDS, CONFIG)
    changed, replaced = with_others(frame, slice(5, 30))
    assert relations(before.grown(changed, KINDS, CONFIG)) == (set(), set(), set())
    grown = before.grown(changed, KINDS, CONFIG, replaced)
    assert relations(grown) == ({'price'}, {'gross'}, {100.0})
    assert TableEncoder.from_state(grown.to_state()).keeps_values


def test_levels_follow_where_neither_was_replaced(frame: pd.DataFrame) -> None:
    changed, replaced = with_others(frame, slice(5, 30))
    encoder = TableEncoder.fit(changed, KINDS, CONFIG)
    encoded, marks = encoder.encode_all(changed), replaced.to_numpy()
    assert find_dependencies(encoded, encoder.codecs) == ()
    (found,) = find_dependencies(encoded, encoder.codecs, marks)
    levels = [encoder.codec(name).levels for name in ('code', 'name')]
    said = {levels[0][place]: levels[1][code] for place, code in enumerate(found.codes)}
    assert said == dict(frame[['code', 'name']].drop_duplicates().to_numpy())

    former = [torch.arange(codec.column.num_codes) for codec in encoder.codecs]
    assert kept_dependencies([found], encoded, encoder.codecs, former) == ()
    assert kept_dependencies([found], encoded, encoder.codecs, former, marks) == (found,)


def test_a_level_some_of_whose_dependents_were_replaced_says_nothing(frame: pd.DataFrame) -> None:
    changed = frame.copy()
    first = frame.index[frame['code'] == 'c3'][:-1]
    changed.loc[first, 'name'] = 'n5'
    encoder = TableEncoder.fit(changed, KINDS, CONFIG)
    marks = (changed != frame).to_numpy()
    (found,) = find_dependencies(encoder.encode_all(changed), encoder.codecs, marks)
    silent = [place for place, code in enumerate(found.codes) if code < 0]
    assert [encoder.codec('code').levels[place] for place in silent] == ['c3']


@pytest.mark.parametrize(('num_rows', 'is_kept'), [(3, True), (40, False)])
def test_levels_that_would_be_drawn_no_more_are_few(
    frame: pd.DataFrame, num_rows: int, is_kept: bool
) -> None:
    changed = frame.copy()
    changed.loc[: num_rows - 1, 'name'] = 'n9'  # and all of its codes were replaced
    marks = np.zeros(frame.shape, dtype=bool)
    marks[:num_rows, frame.columns.get_loc('code')] = True
    encoder = TableEncoder.fit(changed, KINDS, CONFIG)
    found = find_dependencies(encoder.encode_all(changed), encoder.codecs, marks)
    assert len(found) == is_kept
