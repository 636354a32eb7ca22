"""Drawn numbers are in order, whatever the network says; what is given or asked for stays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing
from sdv_tabdar.core.schema import ColumnKind

N = 400
FEW_DRAWS = SamplingConfig(num_particles=8)
PAIRS = (('low', 'middle'), ('middle', 'high'), ('low', 'high'))


def table() -> pd.DataFrame:
    random = np.random.default_rng(1)
    low = random.normal(50, 10, N).round(2)
    middle = np.where(random.random(N) < 0.2, np.nan, low + random.exponential(5, N).round(2))
    high = np.fmax(low, middle) + random.exponential(5, N).round(2)
    kind = random.choice(['a', 'b'], N)
    return pd.DataFrame({'high': high, 'low': low, 'kind': kind, 'middle': middle})


def trained(**settings: object) -> TabDAR:
    """A model that has learnt little, so that many numbers come out of order."""
    config = ModelConfig(
        width=16, num_blocks=1, head_width=8, denoiser_width=16, num_bins=4, **settings
    )
    kinds = {
        name: ColumnKind.CATEGORICAL if name == 'kind' else ColumnKind.NUMERICAL for name in table()
    }
    return TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(table(), kinds)


@pytest.fixture(scope='module', params=['bidirectional', 'causal'])
def model(request: pytest.FixtureRequest) -> TabDAR:
    return trained(attention=request.param)


def disorder(rows: pd.DataFrame) -> int:
    return sum(int((rows[low] > rows[high]).sum()) for low, high in PAIRS)


def test_all_drawn_rows_are_in_order(model: TabDAR) -> None:
    rows = model.sample(600)
    assert disorder(rows) == 0
    assert rows['middle'].isna().any()


def test_without_it_they_are_not() -> None:
    assert disorder(trained(inequalities=False).sample(600)) > 100
    assert disorder(trained(column_order='fixed', attention='causal').sample(600)) > 100


@pytest.mark.parametrize('given', ['low', 'high', 'middle'])
def test_others_give_way_to_what_is_given(model: TabDAR, given: str) -> None:
    values = table()[[given]].dropna().head(200).reset_index(drop=True)
    rows = model.complete(values).rows
    assert disorder(rows) == 0
    assert (rows[given] == values[given]).all()


def test_a_number_between_two_that_are_the_same_is_the_same(model: TabDAR) -> None:
    values = table()['low']
    middle = model.complete(pd.DataFrame({'low': values, 'high': values})).rows['middle']
    assert middle.notna().sum() > N / 2
    assert (middle.isna() | (middle == values)).all()


def test_what_contradicts_itself_stays_as_it_is_given(model: TabDAR) -> None:
    given = pd.DataFrame({'low': [60.0] * 50, 'high': [50.0] * 50})
    rows = model.complete(given).rows
    assert (rows[['low', 'high']] == given).all(axis=None)


def test_a_known_number_is_not_read_as_that_of_a_source_that_has_to_be_higher() -> None:
    random = np.random.default_rng(2)
    low = random.uniform(0, 100, N)
    high = low + random.uniform(0, 50, N)
    same = np.where(random.random(N) < 0.6, high, random.uniform(0, 150, N))
    frame = pd.DataFrame({'low': low, 'high': high, 'same': same})
    config = ModelConfig(width=16, num_blocks=1, head_width=8, denoiser_width=16, num_bins=4)
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    model = TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(frame, kinds)
    rows = model.complete(pd.DataFrame({'low': [50.0] * 200, 'same': [40.0, 60.0] * 100})).rows
    assert (rows['high'] >= 50).all()
    assert not (rows['high'] == rows['same'])[::2].any()
    assert (rows['high'] == rows['same'])[1::2].any()


def test_ranges_are_kept_as_well(model: TabDAR) -> None:
    limits = {'low': [Interval(45.0, 60.0)] * 200, 'high': [Interval(40.0, 55.0)] * 200}
    rows = model.complete(pd.DataFrame(index=range(200)), restrictions=limits).rows
    assert disorder(rows) == 0
    assert rows['low'].between(45, 60).all()
    assert rows['high'].between(40, 55).all()


def test_members_of_a_set_are_in_order_and_not_only_what_stands_for_them(model: TabDAR) -> None:
    members = (40.25, 50.125, 60.5)
    limits = {'low': [Interval(40.0, None)] * 400, 'high': [Members(members)] * 400}
    rows = model.complete(pd.DataFrame(index=range(400)), restrictions=limits).rows
    assert set(rows['high']) <= set(members)
    assert disorder(rows) == 0


def test_what_follows_from_a_cell_that_is_filled_too_is_not_taken_for_given() -> None:
    random = np.random.default_rng(3)
    start = random.integers(0, 900, N).astype(float)
    due = start + np.where(random.random(N) < 0.4, 30, random.integers(31, 200, N))
    done = due + np.where(random.random(N) < 0.4, 0, random.integers(1, 50, N))
    frame = pd.DataFrame({'start': start, 'due': due, 'done': done})
    config = ModelConfig(width=16, num_blocks=1, head_width=8, denoiser_width=16)
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    model = TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(frame, kinds)
    assert len(model.trained.encoder.echoes) == 2
    for given in frame:
        filled = {name: [NotMissing()] * N for name in frame if name != given}
        rows = model.complete(frame[[given]], restrictions=filled).rows
        assert (rows['start'] <= rows['due']).all()
        assert (rows['due'] <= rows['done']).all()


def test_equal_seeds_give_equal_rows() -> None:
    first, second = (trained().sample(100) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_what_has_no_room_beside_a_given_number_of_training_is_missing() -> None:
    """A contract that began lately has no end yet."""
    start = np.linspace(0, 100, N).round(2)
    end = start + np.random.default_rng(2).uniform(1, 20, N).round(2)
    frame = pd.DataFrame({'start': start, 'end': np.where(end < 90, end, np.nan)})
    config = ModelConfig(
        width=16, head_width=8, denoiser_width=16, num_bins=4, structural_zeros=False, copula=False
    )
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    model = TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(frame, kinds)
    lately = frame[['start']].tail(40).reset_index(drop=True)
    assert model.complete(lately).rows['end'].isna().all()
    filled = model.complete(lately, restrictions={'end': [NotMissing()] * len(lately)}).rows
    assert filled['end'].notna().all()


def test_numbers_are_in_order_with_a_total_that_has_moved_to_add_up() -> None:
    random = np.random.default_rng(3)
    parts = random.lognormal(6, 1, (N, 3)).round()
    total = parts.sum(axis=1)
    asked = np.ceil(total * random.uniform(0.85, 0.99, N))
    frame = pd.DataFrame(parts, columns=['one', 'two', 'three'])
    frame['total'], frame['asked'], frame['share'] = total, asked, (asked / total * 100).round(6)
    frame['adults'] = np.floor(asked * random.uniform(0.6, 0.9, N))
    config = ModelConfig(width=16, num_blocks=1, head_width=8, denoiser_width=16, num_bins=4)
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    model = TabDAR(config, TrainingConfig(epochs=1), FEW_DRAWS, random_state=0).fit(frame, kinds)
    rows = model.sample(400)
    np.testing.assert_allclose(rows['total'], rows[['one', 'two', 'three']].sum(axis=1))
    assert not (rows['adults'] > rows['asked']).any()
    given = frame[['adults', 'two']].head(100)
    filled = model.complete(given).rows
    assert (filled['adults'] == given['adults']).all()
