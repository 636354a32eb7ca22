"""Levels that follow from the range of a number: which they are, and that they are saved."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.bands import Band, kept_bands
from sdv_tabdar.core.codecs.calendars import part_codes
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 600
NUMBERS = 'income', 'age', 'points'


def people(seed: int = 0, num_rows: int = N) -> pd.DataFrame:
    """An income with its bracket, a risk that is high at both ends, and points with a grade."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({'income': random.lognormal(7, 0.6, num_rows).round(2)})
    frame['age'] = random.normal(45, 12, num_rows).round(3)
    frame['points'] = random.uniform(0, 100, num_rows)
    edges = [0, 800, 1500, 1e9]
    labels = ['low', 'middle', 'high']
    frame['bracket'] = pd.cut(frame['income'], edges, right=False, labels=labels).astype(object)
    is_risky = ~frame['age'].between(30, 60, inclusive='left')
    frame['risk'] = np.where(is_risky, 'high', 'low').astype(object)
    frame['passed'] = (frame['points'] >= 50).astype(object)
    frame['place'] = random.choice(np.array(['a', 'b', 'c'], dtype=object), num_rows)
    return frame


def kinds_of(frame: pd.DataFrame) -> dict[str, ColumnKind]:
    return {
        name: ColumnKind.NUMERICAL if name in NUMBERS else ColumnKind.CATEGORICAL for name in frame
    }


def found_in(
    frame: pd.DataFrame, replaced: pd.DataFrame | None = None
) -> tuple[TableEncoder, Sequence[Band]]:
    encoder = TableEncoder.fit(frame, kinds_of(frame), ModelConfig(), replaced)
    return encoder, encoder.bands


def named(
    frame: pd.DataFrame, replaced: pd.DataFrame | None = None
) -> dict[str, tuple[str, tuple[float, ...]]]:
    names = list(frame)
    found = found_in(frame, replaced)[1]
    return {names[one.position]: (names[one.sources[0]], one.edges) for one in found}


ALL = {
    'bracket': ('income', (800.0, 1500.0)),
    'risk': ('age', (30.0, 60.0)),
    'passed': ('points', (50.0,)),
}


def test_ranges_are_found_with_round_edges() -> None:
    frame = people()
    found = named(frame)
    assert {name: source for name, (source, _) in found.items()} == {
        name: source for name, (source, _) in ALL.items()
    }
    for name, (_, edges) in ALL.items():
        assert found[name][1] == pytest.approx(edges, rel=0.02)
    encoder, bands = found_in(frame)
    for one in bands:
        codec = encoder.codecs[one.position]
        numbers = frame.iloc[:, one.sources[0]].to_numpy()
        assert (one.wanted(numbers) == part_codes(codec, frame[codec.column.name])).all()


def test_numbers_move_into_the_nearest_range() -> None:
    one = Band(3, (0,), (10.0, 20.0), (1, 0, 1), digits=1)
    numbers = np.array([5.0, 12.0, 13.0, 18.0, 25.0, np.nan])
    assert one.wanted(numbers).tolist() == [1, 0, 0, 0, 1, -1]
    assert one.wanted(np.array([9.96, 9.94])).tolist() == [0, 1]  # as they will be rounded
    moved = one.moved(numbers, np.array([1, 1, 0, 1, 0, 0]), (0.0, 40.0))
    assert np.array_equal(moved, [5.0, 7.8, 13.0, 22.0, 14.8, np.nan], equal_nan=True)
    assert (one.wanted(moved[:5]) == [1, 1, 0, 1, 0]).all()
    assert np.isnan(one.moved(numbers, np.full(6, 7), (0.0, 40.0))).all()
    far = one.moved(np.array([39.0]), np.array([0]), (0.0, 40.0))
    assert 10 <= far[0] < 20
    exact = Band(3, (0,), (10.0,), (1, 0), digits=None)
    assert exact.moved(np.array([12.0]), np.array([1]), (0.0, 40.0))[0] == pytest.approx(8)


def test_missing_and_replaced_cells_say_nothing() -> None:
    frame = people()
    frame.loc[::7, 'income'] = np.nan
    frame.loc[1::9, 'bracket'] = None
    assert named(frame).keys() == ALL.keys()
    replaced = pd.DataFrame(False, index=frame.index, columns=frame.columns)
    row = frame.index[frame['bracket'] == 'low'][0]
    frame.loc[row, 'bracket'] = 'high'
    assert named(frame).keys() == ALL.keys() - {'bracket'}
    replaced.loc[row, 'bracket'] = True
    assert named(frame, replaced).keys() == ALL.keys()
    for place, row in enumerate(frame.index[frame['risk'] == 'low'][::20]):
        frame.loc[row, 'age'] = 5.0 * place  # wherever it stands now
        replaced.loc[row, 'age'] = True
    assert named(frame, replaced).keys() == ALL.keys()


def test_one_row_that_is_otherwise_takes_it_away() -> None:
    frame = people()
    row = frame['income'].idxmin()
    frame.loc[row, 'bracket'] = 'high'  # in a range of one row
    assert 'bracket' not in named(frame)


@pytest.mark.parametrize('num_rows', [1, 2, 20, 45])
def test_few_rows_say_nothing(num_rows: int) -> None:
    assert named(people(num_rows=num_rows)) == {}


def test_independent_rare_and_many_ranges_are_none() -> None:
    random = np.random.default_rng(1)
    frame = people()[['income', 'place']]
    frame['rare'] = np.where(frame['income'] > frame['income'].nlargest(4).min(), 'a', 'b')
    frame['odd'] = (frame['income'] % 40 > 20).astype(object)
    frame['same'] = 'x'
    frame['mixed'] = random.permutation(people()['bracket'].to_numpy())
    assert named(frame.astype({'rare': object, 'same': object})) == {}


def test_a_number_that_others_tell_is_not_the_source() -> None:
    frame = people()
    frame.insert(0, 'points', frame.pop('points'))
    frame.insert(1, 'twice', 2 * frame['points'])
    frame['income'] = 3 * frame['twice']
    frame = frame.drop(columns=['bracket', 'risk', 'age'])
    kinds = kinds_of(frame) | {'twice': ColumnKind.NUMERICAL}
    (one,) = TableEncoder.fit(frame, kinds, ModelConfig()).bands
    assert list(frame)[one.sources[0]] == 'points'
    one = dataclasses.replace(one, sources=(list(frame).index('income'),))
    codecs = TableEncoder.fit(frame, kinds, ModelConfig()).codecs
    assert [kept.sources for kept in kept_bands(frame, codecs, [one])] == [one.sources]


def test_other_rows_keep_what_holds_in_them() -> None:
    encoder, found = found_in(people())
    more = people(1)
    more.loc[more['age'].idxmax(), 'risk'] = 'low'
    kept = kept_bands(more, encoder.codecs, found)
    assert {list(more)[one.position] for one in kept} == ALL.keys() - {'risk'}


def test_a_table_in_files_has_the_same(tmp_path: Path) -> None:
    frame = people()
    with StoredTable(tmp_path, kinds_of(frame)) as stored:
        for start in range(0, N, 250):
            stored.append(frame[start : start + 250])
        bands = TableEncoder.fit(stored, kinds_of(frame), ModelConfig()).bands
    assert bands == tuple(found_in(frame)[1])


def test_all_rows_are_looked_at() -> None:
    frame = people(num_rows=40_000)
    assert named(frame).keys() == ALL.keys()
    frame.loc[12_345, 'passed'] = not frame.loc[12_345, 'passed']
    assert named(frame).keys() == ALL.keys() - {'passed'}


def test_a_state_is_plain_and_comes_back() -> None:
    encoder, found = found_in(people())
    assert TableEncoder.from_state(encoder.to_state()).bands == tuple(found)
    state = encoder.to_state()
    del state['bands']  # as files of former versions
    assert TableEncoder.from_state(state).bands == ()
