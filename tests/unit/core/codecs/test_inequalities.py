"""Columns that are in order in all rows: which they are, and that they are kept and saved."""

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.inequalities import without_consequences
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 400
RANDOM = np.random.default_rng(3)
LOW = RANDOM.normal(50, 10, N)
CONFIG = ModelConfig(num_bins=4)


def fitted(frame: pd.DataFrame, config: ModelConfig = CONFIG) -> TableEncoder:
    return TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), config)


def chain() -> pd.DataFrame:
    middle = LOW + RANDOM.exponential(5, N)
    return pd.DataFrame({'high': middle + RANDOM.exponential(5, N), 'low': LOW, 'middle': middle})


def test_an_order_holds_in_all_rows_that_have_both_numbers() -> None:
    high = np.where(np.arange(N) % 5 == 0, np.nan, LOW + RANDOM.exponential(5, N))
    frame = pd.DataFrame({'high': high, 'low': LOW, 'other': RANDOM.normal(50, 10, N)})
    assert fitted(frame).inequalities == ((1, 0),)
    frame.loc[1, 'high'] = frame.loc[1, 'low'] - 0.1
    assert fitted(frame).inequalities == ()


def test_what_is_so_by_itself_says_nothing() -> None:
    apart = pd.DataFrame({'age': RANDOM.integers(18, 90, N), 'pay': RANDOM.integers(900, 9000, N)})
    assert fitted(apart.astype(float)).inequalities == ()
    assert fitted(chain().head(30)).inequalities == ()
    assert fitted(pd.DataFrame({'low': LOW, 'nothing': np.nan})).inequalities == ()


def test_few_rows_are_enough_where_most_would_fail() -> None:
    random = np.random.default_rng(2)
    price = 100 + random.normal(size=60).cumsum()
    frame = pd.DataFrame({'low': price - 0.1, 'high': price + random.exponential(0.1, 60)})
    assert fitted(frame.head(40)).inequalities == ((0, 1),)
    assert fitted(frame.head(19)).inequalities == ()


def test_all_pairs_of_a_chain_are_found_and_the_shortest_told() -> None:
    found = fitted(chain()).inequalities
    assert sorted(found) == [(1, 0), (1, 2), (2, 0)]
    assert sorted(without_consequences(found)) == [(1, 2), (2, 0)]


def test_what_follows_from_two_that_say_something_need_not_say_more() -> None:
    random = np.random.default_rng(5)
    low = np.where(random.random(N) < 0.9, -1.0, random.uniform(0, 100, N))
    middle = np.fmax(low, random.uniform(0, 100, N))
    frame = pd.DataFrame({'middle': middle, 'high': middle + random.uniform(40, 90, N), 'low': low})
    assert fitted(frame[['high', 'low']]).inequalities == ()
    assert fitted(frame).inequalities == ((0, 1), (2, 0), (2, 1))
    frame.loc[0, ['low', 'middle', 'high']] = [100, np.nan, 90]
    assert fitted(frame).inequalities == ((0, 1), (2, 0))


def test_of_equal_columns_each_is_told_of_with_what_is_above() -> None:
    pairs = [(0, 1), (1, 0), (0, 2), (1, 2), (2, 3), (0, 3), (1, 3)]
    assert without_consequences(pairs) == [(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)]


def test_a_column_that_is_told_to_be_another_one_is_not_told_of_again() -> None:
    pairs = [(0, 1), (1, 0), (0, 2), (1, 2), (2, 3), (0, 3), (1, 3)]
    assert without_consequences(pairs, follows=[(0, 1)]) == [(1, 2), (2, 3)]
    assert without_consequences(pairs, follows=[(2, 1)]) == without_consequences(pairs)


def test_off_there_are_none() -> None:
    assert fitted(chain(), ModelConfig(inequalities=False)).inequalities == ()


def test_a_saved_encoder_has_the_same_and_a_former_one_none() -> None:
    encoder = fitted(chain())
    state = encoder.to_state()
    assert TableEncoder.from_state(state).inequalities == encoder.inequalities
    del state['inequalities']
    assert TableEncoder.from_state(state).inequalities == ()


def test_training_goes_on_with_those_that_still_hold() -> None:
    encoder, frame = fitted(chain()), chain()
    frame.loc[0, 'low'] = frame.loc[0, 'middle'] + 1e-6
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    assert set(encoder.grown(frame, kinds, CONFIG).inequalities) == {(1, 0), (2, 0)}


def test_from_files_they_are_what_they_are_from_a_frame(tmp_path) -> None:
    frame = chain()
    with StoredTable(tmp_path, dict.fromkeys(frame, ColumnKind.NUMERICAL)) as stored:
        for start in range(0, N, 150):
            stored.append(frame[start : start + 150])
        found = TableEncoder.fit(stored, stored.kinds, CONFIG).inequalities
    assert found == fitted(frame).inequalities
