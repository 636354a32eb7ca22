"""Levels that follow from how two numbers compare: which they are, and that they are saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs import comparisons
from sdv_tabdar.core.codecs.bands import Band, kept_bands
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 600
DAY = 8.64e13
LEVELS = 'late', 'result', 'loss', 'speed', 'place'
ALL = {
    'late': ('promised', 'delivered'),
    'result': ('home', 'away'),
    'loss': ('revenue', 'cost'),
    'speed': ('promised', 'delivered'),
}


def games(seed: int = 0, num_rows: int = N) -> pd.DataFrame:
    """Days with whether they are kept, goals with who has won, and money with what it comes to."""
    random = np.random.default_rng(seed)
    promised = 1.7e18 // DAY * DAY + DAY * random.integers(0, 500, num_rows)
    frame = pd.DataFrame({'promised': promised})
    days = random.integers(-9, 10, num_rows)
    frame['delivered'] = promised + DAY * days
    frame['home'] = random.poisson(20, num_rows).astype(float)
    frame['away'] = random.poisson(20, num_rows).astype(float)
    frame['revenue'] = random.lognormal(5, 1, num_rows).round(2)
    frame['cost'] = (frame['revenue'] * random.uniform(0.5, 1.4, num_rows)).round(1)
    frame['late'] = (days > 0).astype(object)
    frame['result'] = np.array(['lost', 'drawn', 'won'], dtype=object)[
        np.sign(frame['home'] - frame['away']).astype(int) + 1
    ]
    frame['loss'] = np.where(frame['cost'] > frame['revenue'], 'yes', 'no').astype(object)
    frame['speed'] = np.where(days > 5, 'slow', 'fast').astype(object)
    frame['place'] = random.choice(np.array(['a', 'b', 'c'], dtype=object), num_rows)
    return frame


def kinds_of(frame: pd.DataFrame) -> dict[str, ColumnKind]:
    kinds = ColumnKind.CATEGORICAL, ColumnKind.NUMERICAL
    return {name: kinds[name not in LEVELS] for name in frame}


def found_in(
    frame: pd.DataFrame, replaced: pd.DataFrame | None = None
) -> tuple[TableEncoder, tuple[Band, ...]]:
    encoder = TableEncoder.fit(frame, kinds_of(frame), ModelConfig(), replaced)
    return encoder, encoder.bands


def named(frame: pd.DataFrame, replaced: pd.DataFrame | None = None) -> dict[str, tuple[str, ...]]:
    names, (_, found) = list(frame), found_in(frame, replaced)
    return {names[one.position]: tuple(names[at] for at in one.sources) for one in found}


def test_comparisons_are_found_with_round_edges() -> None:
    frame = games()
    assert named(frame) == ALL
    encoder, bands = found_in(frame)
    for one in bands:
        name = encoder.schema.names[one.position]
        wanted = one.wanted(one.numbers(lambda position: frame.iloc[:, position].to_numpy()))
        assert (wanted == encoder.codec(name).encode(frame[name])[0]).all()
        if name == 'loss':
            assert one.edges[0] == pytest.approx(0, abs=1)
            assert one.units == (0.01, 0.1)
        elif name in ('late', 'speed'):
            assert one.units == (DAY, DAY)


@pytest.mark.parametrize('digits', [0, None])
def test_what_is_more_by_less_than_training_has_seen_is_more(digits: int | None) -> None:
    frame = games()[['home', 'away', 'result']]
    frame.loc[frame['result'] == 'drawn', 'result'] = 'lost'
    if digits is None:
        frame['home'] += np.where(frame['home'] == frame['away'], 0, np.pi / 10)
    apart = frame['home'] - frame['away']
    frame = frame[(apart <= 0) | (apart > 3)].reset_index(drop=True)
    (one,) = found_in(frame)[1]
    assert one.digits == digits
    assert one.is_at_zero
    codes = one.wanted(np.array([-1.0, 0.0, 1e-9 if digits is None else 1.0, 2.0]))
    assert codes[0] == codes[1] != codes[2] == codes[3]


def test_numbers_are_compared_as_they_will_be_written() -> None:
    one = Band(2, (0, 1), (0.0, 1.0), (2, 1, 0), digits=0, units=(1.0, 1.0))
    columns = [np.array([2.4, 2.6, 3.0, np.nan]), np.array([2.0, 2.0, 3.4, 1.0])]
    assert one.wanted(one.numbers(columns.__getitem__)).tolist() == [1, 0, 1, -1]


def test_gaps_and_replaced_cells_say_nothing() -> None:
    frame = games()
    frame.loc[::7, 'delivered'] = np.nan
    frame.loc[1::9, 'loss'] = None
    assert named(frame) == ALL
    replaced = pd.DataFrame(False, index=frame.index, columns=frame.columns)
    row = frame.index[frame['late'].eq(True) & frame['delivered'].notna()][0]
    frame.loc[row, 'late'] = False
    assert 'late' not in named(frame)
    replaced.loc[row, 'late'] = True
    assert named(frame, replaced) == ALL


def test_gaps_where_the_ranges_meet_say_nothing() -> None:
    frame = games()
    is_near = ((frame['delivered'] - frame['promised']) / DAY).isin([0, 1])
    frame.loc[is_near, 'late'] = None
    assert named(frame)['late'] == ('promised', 'delivered')


@pytest.mark.parametrize('num_rows', [1, 2, 20, 45])
def test_few_rows_say_nothing(num_rows: int) -> None:
    assert named(games(num_rows=num_rows)) == {}


def test_a_column_of_few_numbers_is_not_compared_with_itself() -> None:
    frame = games()[['home', 'away']]
    frame['few'] = np.where(frame['home'] > frame['home'].median(), 40.0, 0.0)
    encoder, found = found_in(frame)
    assert not encoder.codec('few').column.bins
    assert all(one.position not in one.sources for one in found)


def test_what_one_number_says_is_no_comparison() -> None:
    frame = games()[['revenue', 'cost', 'place']]
    frame['loss'] = np.where(frame['revenue'] > 100, 'yes', 'no').astype(object)
    assert named(frame) == {'loss': ('revenue',)}


def test_many_ranges_and_numbers_far_from_each_other_are_none() -> None:
    frame = games()[['home', 'away', 'revenue', 'cost']]
    frame['result'] = ((frame['home'] - frame['away']) % 2 == 0).astype(object)
    frame['cost'] += 1e6
    frame['loss'] = np.where(frame['cost'] - frame['revenue'] > 1e6, 'yes', 'no').astype(object)
    assert named(frame) == {}


def test_other_rows_keep_what_holds_in_them() -> None:
    encoder, found = found_in(games())
    more = games(1)
    more.loc[more['home'].idxmax(), 'result'] = 'lost'
    kept = kept_bands(more, encoder.codecs, found)
    assert {list(more)[one.position] for one in kept} == ALL.keys() - {'result'}


def test_a_table_in_files_has_the_same(tmp_path: Path) -> None:
    frame = games()
    with StoredTable(tmp_path, kinds_of(frame)) as stored:
        for start in range(0, N, 250):
            stored.append(frame[start : start + 250])
        bands = TableEncoder.fit(stored, kinds_of(frame), ModelConfig()).bands
    assert bands == found_in(frame)[1]


def test_all_rows_are_looked_at() -> None:
    frame = games(num_rows=20_000)
    assert named(frame) == ALL
    frame.loc[12_345, 'loss'] = {'yes': 'no', 'no': 'yes'}[frame.loc[12_345, 'loss']]
    assert named(frame).keys() == ALL.keys() - {'loss'}


def test_a_state_is_plain_and_comes_back() -> None:
    encoder, found = found_in(games())
    state = encoder.to_state()
    assert TableEncoder.from_state(state).bands == found
    for one in state['bands']:
        assert isinstance(one['less'], list)
        assert isinstance(one['units'], list)


def test_levels_that_equal_differences_contradict_are_not_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(4)
    frame = pd.DataFrame({name: random.choice([0.0, 1.0], N) for name in 'xyz'})
    frame['flag'] = (random.random(N) < 0.5).astype(object)
    frame['rare'] = (np.arange(N) < 3).astype(object)
    asked = list[object]()

    def noted(*arguments: object) -> list[Band]:
        asked.append(arguments[2])
        return []

    monkeypatch.setattr(comparisons, 'bands_among', noted)
    kinds = {
        name: ColumnKind.NUMERICAL if name in 'xyz' else ColumnKind.CATEGORICAL for name in frame
    }
    TableEncoder.fit(frame, kinds, ModelConfig())
    assert asked == [set()]
