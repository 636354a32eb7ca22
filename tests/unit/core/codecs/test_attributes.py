"""Numbers that belong to what another column names: which get a code for each of their values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs import attributes
from sdv_tabdar.core.codecs.dependencies import find_dependencies, kept_dependencies
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N, SHOPS = 800, 40
CONFIG = ModelConfig(max_atoms=20)
RANDOM = np.random.default_rng(5)
SHOP = RANDOM.integers(0, SHOPS, N)
NORTH, AREA = RANDOM.normal(size=SHOPS), RANDOM.integers(100, 9000, SHOPS)
SALES = RANDOM.normal(size=N)


def _shops(shop: np.ndarray = SHOP) -> pd.DataFrame:
    """Sales of shops, each with its name, its place and its size."""
    name = np.array([f's{number}' for number in range(SHOPS + 5)])
    north = np.append(NORTH, np.arange(5) / 7)
    return pd.DataFrame(
        {
            'shop': name[shop],
            'north': north[shop],
            'area': np.append(AREA, AREA[:5])[shop].astype(float),
            'sales': SALES[: len(shop)],
        }
    )


def _kinds(frame: pd.DataFrame) -> dict[str, ColumnKind]:
    numbers = frame.select_dtypes('number').columns
    return {
        name: ColumnKind.NUMERICAL if name in numbers else ColumnKind.CATEGORICAL for name in frame
    }


def _fitted(frame: pd.DataFrame, config: ModelConfig = CONFIG) -> TableEncoder:
    return TableEncoder.fit(frame, _kinds(frame), config)


def _atoms_of(encoder: TableEncoder) -> list[str]:
    """The numbers that have no bins."""
    return [
        codec.column.name
        for codec in encoder.codecs
        if isinstance(codec, NumericalCodec) and not codec.bins
    ]


def _pairs(encoder: TableEncoder, frame: pd.DataFrame) -> set[tuple[str, str]]:
    found = find_dependencies(encoder.encode_all(frame), encoder.codecs)
    names = encoder.schema.names
    return {(names[entry.determinant], names[entry.dependent]) for entry in found}


def test_numbers_that_follow_from_a_level_have_atoms_alone() -> None:
    frame = _shops()
    encoder = _fitted(frame)
    assert _atoms_of(encoder) == ['north', 'area']
    assert {('shop', 'north'), ('shop', 'area'), ('north', 'area')} <= _pairs(encoder, frame)


def test_three_rows_a_value_are_enough_also_when_training_goes_on() -> None:
    shop = RANDOM.permutation(np.arange(3 * SHOPS) % SHOPS)
    frame = _shops(shop)
    encoder = TableEncoder.fit(frame, _kinds(frame), ModelConfig())
    assert _atoms_of(encoder) == ['north', 'area']
    assert _atoms_of(encoder.grown(frame, _kinds(frame), ModelConfig())) == ['north', 'area']


def test_they_need_no_column_that_names_them() -> None:
    frame = _shops().drop(columns='shop')
    assert _atoms_of(_fitted(frame)) == ['north', 'area']


def test_what_others_follow_from_has_atoms_as_well() -> None:
    frame = pd.DataFrame({'person': SHOP + 1000.0, 'kind': (SHOP % 3).astype(str), 'pay': SALES})
    assert _atoms_of(_fitted(frame)) == ['person']


@pytest.mark.parametrize(
    'change',
    [
        lambda frame: frame.assign(area=frame['area'] // 100 + RANDOM.integers(0, 40, N)),
        lambda frame: frame.assign(area=np.where(SHOP % 2, frame['area'], 1000 + SALES)),
    ],
    ids=['noisy', 'seldom the same'],
)
def test_numbers_that_only_nearly_follow_keep_their_bins(change) -> None:
    assert 'area' not in _atoms_of(_fitted(change(_shops())))


def test_numbers_of_single_rows_beside_one_that_many_have_keep_their_bins() -> None:
    """That there was a claim follows from its amount; amounts are of single rows all the same."""
    claims = np.where(RANDOM.random(N) < 0.1, RANDOM.lognormal(6, 1, N), 0.0)
    frame = pd.DataFrame({'claims': claims, 'any': (claims > 0).astype(str), 'sales': SALES})
    assert _atoms_of(_fitted(frame)) == []


def test_numbers_on_a_line_or_in_ranges_of_another_keep_their_bins() -> None:
    net = RANDOM.integers(0, 100, 4 * N).astype(float)
    taxed = pd.DataFrame({'net': net, 'gross': (1.19 * net).round(2)})
    assert _atoms_of(_fitted(taxed)) == []
    banded = pd.DataFrame({'net': net, 'band': np.where(net < 30, 'low', 'high')})
    assert _atoms_of(_fitted(banded)) == []


def test_the_logarithm_of_a_number_that_tells_a_level_keeps_its_bins() -> None:
    """What a range of the one tells, a range of the other tells as well."""
    weight = np.random.default_rng(6).normal(3400, 550, N).round(-1)
    light = np.where(weight < 2500, 'light', 'not')
    frame = pd.DataFrame({'weight': weight, 'log': np.log(weight), 'light': light})
    assert _atoms_of(_fitted(frame)) == []


@pytest.mark.parametrize('config', [{'dependencies': False}, {'max_atoms': 0}])
def test_it_can_be_turned_off(config: dict[str, object]) -> None:
    settings: dict[str, object] = {'max_atoms': 20, **config}
    assert _atoms_of(_fitted(_shops(), ModelConfig(**settings))) == []  # type: ignore[arg-type]


@pytest.mark.parametrize('rows', [10_000, 300])
def test_a_table_in_files_gets_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(attributes, '_ROWS', rows)
    frame = _shops()
    assert _atoms_of(_fitted(frame)) == ['north', 'area']
    with StoredTable(tmp_path, _kinds(frame)) as stored:
        for start in range(0, N, 99):
            stored.append(frame.iloc[start : start + 99])
        encoder = TableEncoder.fit(stored, _kinds(frame), CONFIG)
        assert _atoms_of(encoder) == ['north', 'area']


def test_values_that_were_replaced_say_nothing_and_none_of_few_rows_is_kept() -> None:
    frame = _shops()
    replaced = pd.DataFrame(False, frame.index, frame.columns)
    replaced.loc[3, 'area'] = True
    changed = frame.copy()
    changed.loc[3, 'area'] = frame['area'].value_counts().index[0]
    encoder = TableEncoder.fit(changed, _kinds(frame), CONFIG, replaced)
    assert _atoms_of(encoder) == ['north', 'area']
    few = frame.drop(index=frame.index[frame['shop'] == 's7'][4:])  # s7 has four rows
    replaced = pd.DataFrame(False, few.index, few.columns)
    encoder = TableEncoder.fit(few, _kinds(few), CONFIG, replaced)
    assert 'north' not in _atoms_of(encoder)


def test_new_values_get_codes_when_training_goes_on() -> None:
    frame = _shops()
    before = _fitted(frame)
    follows = find_dependencies(before.encode_all(frame), before.codecs)
    more = _shops(np.where(SHOP < 5, SHOP + SHOPS, SHOP))  # five shops closed, five opened
    after = before.grown(more, _kinds(more), CONFIG)
    codec = after.codec('north')
    assert isinstance(codec, NumericalCodec)
    assert not codec.bins
    assert len(codec.atoms) == SHOPS + 5
    former = after.codes_in(before)
    assert (former[1] < 0).sum() == 5
    kept = kept_dependencies(follows, after.encode_all(more), after.codecs, former)
    pairs = {(entry.determinant, entry.dependent) for entry in follows}
    assert {(entry.determinant, entry.dependent) for entry in kept} == pairs
