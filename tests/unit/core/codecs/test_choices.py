"""Numbers of which a level says which other number they are: which they are, and their levels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.choices import Choice, kept_choices
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.relations import Relations
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 600
LEVELS = 'channel', 'place'
ALL = {'fee': ('web fee', 'shop fee', 'channel'), 'paid': ('reduced', 'list', 'reduced')}


def sales(seed: int = 0, num_rows: int = N) -> pd.DataFrame:
    """A fee by the channel, and a price that is the reduced one where there is one."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({'channel': random.choice(['web', 'phone', 'shop'], num_rows)})
    frame['place'] = random.choice(['a', 'b'], num_rows)
    for name in ('web fee', 'shop fee', 'list'):
        frame[name] = random.gamma(2, 20, num_rows).round(2)
    frame['fee'] = frame['web fee'].where(frame['channel'] != 'shop', frame['shop fee'])
    part = frame['list'] * random.uniform(0.5, 0.9, num_rows)
    frame['reduced'] = part.round(2).where(random.random(num_rows) < 0.4)
    frame['paid'] = frame['reduced'].fillna(frame['list'])
    return frame.astype(dict.fromkeys(LEVELS, object))


def kinds_of(frame: pd.DataFrame) -> dict[str, ColumnKind]:
    kinds = ColumnKind.CATEGORICAL, ColumnKind.NUMERICAL
    return {name: kinds[name not in LEVELS] for name in frame}


def fitted(frame: pd.DataFrame, replaced: pd.DataFrame | None = None) -> TableEncoder:
    return TableEncoder.fit(frame, kinds_of(frame), ModelConfig(), replaced)


def named(frame: pd.DataFrame, replaced: pd.DataFrame | None = None) -> dict[str, tuple[str, ...]]:
    encoder, names = fitted(frame, replaced), list(frame)
    return {
        names[one.result]: tuple(names[at] for at in (*one.sources, one.level))
        for one in encoder.choices
    }


def test_choices_are_found_by_levels_and_by_what_is_there() -> None:
    frame = sales()
    found = named(frame)
    assert found.keys() == ALL.keys()
    assert {*found['fee']} == {*ALL['fee']}
    assert {*found['paid'][:2]} == {'reduced', 'list'}
    assert found['paid'][2] == 'reduced'
    encoder = fitted(frame)
    for one in encoder.choices:
        picked = one.picked(encoder.codecs[one.level], frame.iloc[:, one.level])
        sources = frame.iloc[:, list(one.sources)].to_numpy()
        made = sources[np.arange(N), picked]
        assert one.holds(frame.iloc[:, one.result].to_numpy(), made).all()
        assert one.is_whole


def test_cells_that_no_row_of_training_has_say_nothing() -> None:
    one = next(one for one in fitted(sales()).choices if one.level == 0)
    codec = fitted(sales()).codecs[0]
    picked = one.picked(codec, pd.Series(['web', None, 'shop'], name='channel', dtype=object))
    assert picked[1] == -1
    assert picked[0] != picked[2]


def test_results_may_be_missing_where_their_source_is_or_anywhere() -> None:
    whole, other = (Choice(0, (1, 2), 3, (0, 1), is_whole) for is_whole in (True, False))
    result, source = np.array([1.0, np.nan, np.nan, 1.0]), np.array([1.0, np.nan, 2.0, np.nan])
    assert whole.holds(result, source).tolist() == [True, True, False, False]
    assert other.holds(result, source).tolist() == [True, True, True, False]
    frame = sales()
    frame.loc[::5, 'fee'] = np.nan
    assert named(frame).keys() == ALL.keys()
    assert [one.is_whole for one in fitted(frame).choices] == [False, True]


def test_one_row_that_is_otherwise_leaves_its_level_open_and_a_replaced_one_does_not() -> None:
    frame = sales()
    row, other = frame.index[frame['channel'] == 'phone'][:2]
    frame.loc[row, 'fee'] = 777.0
    found = next(one for one in fitted(frame).choices if one.level == 0)
    assert sorted(found.picks) == [-1, 0, 1]
    replaced = pd.DataFrame(False, index=frame.index, columns=frame.columns)
    replaced.loc[row, 'fee'] = True
    frame.loc[other, 'web fee'] = 55.5
    replaced.loc[other, 'web fee'] = True
    found = next(one for one in fitted(frame, replaced).choices if one.level == 0)
    assert sorted(found.picks) == [0, 0, 1] or sorted(found.picks) == [0, 1, 1]


@pytest.mark.parametrize('num_rows', [1, 2, 20, 35])
def test_few_rows_say_nothing(num_rows: int) -> None:
    assert named(sales(num_rows=num_rows)) == {}


def test_levels_of_other_rows_and_columns_of_few_numbers_are_none() -> None:
    frame = sales()[['channel', 'web fee', 'shop fee', 'fee']]
    other = frame.assign(channel=np.random.default_rng(1).permutation(frame['channel']))
    assert named(other) == {}
    few = frame.assign(**{name: frame[name] // 30 for name in frame if name != 'channel'})
    assert named(few) == {}


def test_none_is_made_of_itself() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.uniform(0, 1, (N, 2)).round(4), columns=['home', 'away'])
    frame.insert(0, 'place', np.where(random.random(N) < 0.5, 'home', 'away').astype(object))
    is_home = frame['place'] == 'home'
    frame['own'] = frame['home'].where(is_home, frame['away'])
    frame['other'] = frame['away'].where(is_home, frame['home'])
    found = named(frame)
    assert found.keys() == {'own'}  # what the other one is follows from three
    assert {*found['own']} == {'home', 'away', 'place'}


def test_another_table_keeps_what_holds_in_it() -> None:
    frame, other = sales(), sales(1)
    other.loc[:, 'fee'] = 3.0
    encoder = fitted(frame)
    kept = kept_choices(other, encoder.codecs, encoder.choices)
    assert [encoder.schema.names[one.result] for one in kept] == ['paid']


def test_the_state_has_them() -> None:
    relations = fitted(sales()).relations
    assert len(relations.choices) == 2
    assert Relations.from_state(relations.to_state()).choices == relations.choices


def test_they_are_found_in_files(tmp_path: Path) -> None:
    frame = sales()
    with StoredTable(tmp_path, kinds_of(frame)) as stored:
        for start in range(0, N, 250):
            stored.append(frame[start : start + 250])
        choices = TableEncoder.fit(stored, kinds_of(frame), ModelConfig()).choices
    assert choices == fitted(frame).choices
