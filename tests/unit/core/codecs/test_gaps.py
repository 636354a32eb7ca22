"""Which numbers are found to be never far from each other, and on which grids they are."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs import gaps
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.gap_laws import GapLaws, Numbers
from sdv_tabdar.core.codecs.gaps import find_gaps, kept_gaps
from sdv_tabdar.core.codecs.value_places import grid_of, on_grid
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.gaps import Marks
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.tied_columns import Gap

N, DAY, START = 2_000, 86_400e9, 1.7e18 // 86_400e9 * 86_400e9


def read(frame: pd.DataFrame) -> tuple[TableEncoder, EncodedTable, tuple[Gap, ...]]:
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    table = encoder.encode_all(frame)
    return encoder, table, find_gaps(table, encoder.codecs, encoder.schema)


@pytest.fixture(scope='module')
def orders() -> pd.DataFrame:
    """Days on which something was ordered, sent, and came back; numbers, and an amount."""
    random = np.random.default_rng(0)
    order = random.integers(0, 700, N)
    sent = order + random.choice([1, 2, 5], N, p=[0.4, 0.35, 0.25])
    back = np.where(random.random(N) < 0.5, sent + random.integers(3, 40, N), np.nan)
    days = {'order': order, 'amount': random.normal(size=N), 'sent': sent, 'back': back}
    return pd.DataFrame({**days, 'other': random.integers(0, 700, N)}).astype(float)


def as_dates(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**{at: START + frame[at] * DAY for at in ('order', 'sent', 'back')})


@pytest.mark.parametrize('unit', [1.0, DAY])
def test_columns_that_follow_one_another_are_found(orders: pd.DataFrame, unit: float) -> None:
    frame = orders if unit == 1 else as_dates(orders)
    found = {(gap.first, gap.second): gap for gap in read(frame)[2]}
    assert {*found} == {(0, 2), (0, 3), (2, 3)}
    nearest = found[0, 2]
    echoes = {0.5, 1.5, 4.5}  # where a difference begins, that most rows may have as an echo
    assert {round(low / unit, 3) for low, _ in nearest.law.pieces} <= echoes
    assert all(round((high - low) / unit, 3) == 1 for low, high in nearest.law.pieces)
    assert sum(nearest.law.shares) == pytest.approx(1)
    assert nearest.grids == ((unit, 0.0), (unit, 0.0))
    later = found[2, 3]
    assert 0 < later.law.pieces[0][0] / unit < 3
    assert 39 < later.law.pieces[-1][1] / unit < 42
    assert later.gain < nearest.gain


def test_what_ranks_say_as_well_is_left_to_them() -> None:
    random = np.random.default_rng(0)
    size = np.exp(random.normal(size=N))
    gauges = {'one': size, 'two': size * np.exp(0.01 * random.normal(size=N))}
    assert read(pd.DataFrame(gauges))[2] == ()


def test_columns_that_have_nothing_in_common_have_none(orders: pd.DataFrame) -> None:
    assert read(orders[['order', 'other', 'amount']])[2] == ()


def test_few_rows_have_none(orders: pd.DataFrame) -> None:
    assert read(orders.head(90))[2] == ()


def test_only_the_pairs_that_say_most_are_kept(
    orders: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaps, 'MOST_PAIRS', 1)
    assert [(gap.first, gap.second) for gap in read(orders)[2]] == [(0, 2)]


def test_a_gap_is_plain_values(orders: pd.DataFrame) -> None:
    found = read(orders)[2][0]
    assert Gap.from_state(json.loads(json.dumps(found.to_state()))) == found


def test_a_law_is_nothing_where_no_difference_is() -> None:
    random = np.random.default_rng(0)
    first = np.exp(random.normal(4, 1, N))
    second = first + np.where(random.random(N) < 0.5, 2, 20) + random.gamma(4, 0.25, N)
    (found,) = read(pd.DataFrame({'first': first, 'second': second}))[2]
    holes = [
        (end, begin) for (_, end), (begin, _) in itertools.pairwise(found.law.pieces) if begin > end
    ]
    ((end, begin),) = holes
    assert 4 < end < 7
    assert 19.5 < begin < 20.5


@pytest.fixture(scope='module')
def parcels() -> pd.DataFrame:
    """Days of sending and of coming, which is sooner by air than by sea; and other levels."""
    random = np.random.default_rng(0)
    by = random.choice(['air', 'road', 'sea', 'rare'], N, p=[0.4, 0.3, 0.29, 0.01])
    most = pd.Series(by).map({'air': 10, 'road': 20, 'sea': 80, 'rare': 10}).to_numpy()
    days = random.integers(most // 5, most)
    sent = random.integers(0, 700, N)
    other = random.choice(list('abc'), N)
    return pd.DataFrame({'by': by, 'other': other, 'sent': sent, 'came': sent + days})


def read_levels(frame: pd.DataFrame) -> tuple[TableEncoder, EncodedTable, tuple[Gap, ...]]:
    kinds = {
        name: ColumnKind.CATEGORICAL if name in ('by', 'other') else ColumnKind.NUMERICAL
        for name in frame
    }
    encoder = TableEncoder.fit(frame.astype({'sent': float, 'came': float}), kinds, ModelConfig())
    table = encoder.encode_all(frame)
    return encoder, table, find_gaps(table, encoder.codecs, encoder.schema)


def test_levels_that_say_how_far_have_laws(parcels: pd.DataFrame) -> None:
    encoder, _, (found,) = read_levels(parcels)
    levels = found.by_level
    assert levels is not None
    assert levels.position == 0
    assert levels.gain > 0.5
    codes = encoder.codecs[0].encode(pd.Series(['air', 'road', 'sea', 'rare']))[0]
    own = [levels.of_code[code] for code in codes]
    assert own[3] == -1, 'few rows have no law'
    means = [
        sum(s * (a + b) / 2 for (a, b), s in zip(law.pieces, law.shares, strict=True))
        for law in (levels.laws[place] for place in own[:3])
    ]
    assert means == pytest.approx([5.5, 11.5, 47.5], rel=0.1)
    assert Gap.from_state(json.loads(json.dumps(found.to_state()))) == found


def test_a_gap_of_former_files_has_one_law(parcels: pd.DataFrame) -> None:
    found = read_levels(parcels)[2][0]
    state = found.to_state()
    del state['by_level']
    assert Gap.from_state(state) == dataclasses.replace(found, by_level=None)


def test_levels_that_say_nothing_have_no_laws(parcels: pd.DataFrame) -> None:
    (found,) = read_levels(parcels.assign(by=parcels['other']))[2]
    assert found.by_level is None


def test_codes_are_as_likely_as_their_laws_say(parcels: pd.DataFrame) -> None:
    encoder, table, found = read_levels(parcels)
    encoder = encoder.with_relations((), gaps=found)
    laws = GapLaws(encoder.schema)
    assert laws.told_levels == {0: [1]}, 'of the later by the earlier'
    seen = Numbers(encoder.schema, laws.columns)(table.codes, table.residuals).numbers
    logs = laws.level_logs(1, seen[:, 0], seen[:, 1])
    shares = torch.bincount(table.codes[:, 0].long(), minlength=logs.shape[1]) / len(table)
    likeliest = (logs + shares.log()).argmax(dim=1)
    assert (likeliest == table.codes[:, 0]).float().mean() > 0.8
    assert found[0].by_level is not None
    own = seen[300:400]
    one = torch.stack([torch.full((100,), law) for law in laws.laws_1.tolist()], dim=1)
    by_law = [laws.of(law, own[:, 0]) for law in one.T]
    row = torch.full((100, 1), 2.0 * laws.row[1])
    places = Marks(laws.marks, laws.places)((own[:, 1:] + row).flatten())[:, None]
    plain = torch.cat([law.at(places) for law in by_law], dim=1).log()
    close = ((plain - plain[:, :1])[:, laws.of_code_1] - logs[300:400]).abs() < 0.05
    assert close.float().mean() > 0.97  # where the column has all that laws have
    rare = [code for code, own in enumerate(found[0].by_level.of_code) if own < 0]
    assert (logs[:, rare] == 0).all()


def test_levels_are_known_by_their_new_codes(parcels: pd.DataFrame) -> None:
    (found,) = read_levels(parcels)[2]
    assert found.by_level is not None
    own = found.by_level.of_code
    former = [torch.tensor([-1, 2, 0, 1, 3]), *[torch.zeros(0)] * 3]
    (kept,) = kept_gaps([found], former)
    assert kept.by_level is not None
    assert kept.by_level.of_code == (-1, own[2], own[0], own[1], own[3])
    (plain,) = kept_gaps([dataclasses.replace(found, by_level=None)], former)
    assert plain.by_level is None


def test_numbers_are_read_as_they_are_known(orders: pd.DataFrame) -> None:
    encoder, table, found = read(as_dates(orders))
    encoder = encoder.with_relations((), gaps=found)
    laws = GapLaws(encoder.schema)
    assert laws.columns == (0, 2, 3)
    numbers = Numbers(encoder.schema, laws.columns)
    seen = numbers(table.codes, table.residuals)
    marks = [encoder.schema.value_places[at].marks for at in laws.columns]
    days = [own[0] + (own[-1] - own[0]) * seen.numbers[:, at] for at, own in enumerate(marks)]
    everything = seen.told(torch.ones_like(seen.placed))
    for at, name in enumerate(('order', 'sent', 'back')):
        told = everything[:, at]
        assert torch.equal(told, torch.from_numpy(orders[name].notna().to_numpy()))
        known = torch.from_numpy(orders[name].to_numpy())[told]
        assert torch.allclose((days[at][told] - START) / DAY, known, atol=1e-3)


def test_an_echo_is_known_beside_what_it_echoes_alone(orders: pd.DataFrame) -> None:
    encoder, table, found = read(orders)
    assert {echo.position: echo.source for echo in encoder.echoes}[2] == 0
    encoder = encoder.with_relations((), gaps=found)
    seen = Numbers(encoder.schema, (0, 2, 3))(table.codes, table.residuals)
    echoing = table.codes[:, 2] == encoder.schema.columns[2].echo
    visible = torch.tensor([[False, True, False]]).expand(len(echoing), -1)
    assert torch.equal(seen.told(visible)[:, 1], ~echoing)


@pytest.mark.parametrize(
    ('numbers', 'grid'),
    [
        ([3.0, 5.0, 4.0, 9.0, 4.0], (1.0, 0.0)),
        ([0.25, 0.75, 2.25], (0.5, 0.25)),
        ([START + 7 * 3600e9, START + DAY + 7 * 3600e9 + 1e6], (DAY, 7 * 3600e9)),
        ([0.0, 1.0, 2.5, 3.7, 4.1, 5.55], (0.0, 0.0)),
        ([2.0, 2.0], (0.0, 0.0)),
    ],
)
def test_numbers_are_on_a_grid_or_not(numbers: list[float], grid: tuple[float, float]) -> None:
    found = grid_of(np.array(numbers))
    assert found == pytest.approx(grid, rel=1e-3)
    moved = on_grid(np.array(numbers), found)
    assert np.abs(moved - numbers).max() <= 0.02 * found[0]
