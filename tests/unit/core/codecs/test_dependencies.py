"""Columns that follow from others in all rows: which they are, and that they are kept and saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.codecs.dependencies import (
    Dependency,
    find_dependencies,
    kept_dependencies,
)
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 400
RANDOM = np.random.default_rng(2)
CITY = RANDOM.integers(0, 20, N)
KINDS = dict.fromkeys(('land', 'city', 'state'), ColumnKind.CATEGORICAL)


def places(city: np.ndarray = CITY) -> pd.DataFrame:
    """A city has its state, and a state its land."""
    return pd.DataFrame(
        {
            'land': np.where(city // 5 < 2, 'north', 'south'),
            'city': [f'c{number}' for number in city],
            'state': [f's{number}' for number in city // 5],
        }
    )


def kinds_of(frame: pd.DataFrame) -> dict[str, ColumnKind]:
    numbers = frame.select_dtypes('number').columns
    return {
        name: ColumnKind.NUMERICAL if name in numbers else ColumnKind.CATEGORICAL for name in frame
    }


def found_in(
    frame: pd.DataFrame, config: ModelConfig | None = None
) -> tuple[TableEncoder, Sequence[Dependency]]:
    encoder = TableEncoder.fit(frame, kinds_of(frame), config or ModelConfig())
    return encoder, find_dependencies(encoder.encode_all(frame), encoder.codecs)


def pairs(found: Sequence[Dependency]) -> list[tuple[int, int]]:
    return [(entry.determinant, entry.dependent) for entry in found]


def test_levels_that_follow_are_found_those_of_most_levels_first() -> None:
    frame = places()
    encoder, found = found_in(frame)
    assert pairs(found) == [(1, 0), (1, 2), (2, 0)]
    cities, states = (encoder.codec(name).levels for name in ('city', 'state'))
    for city, state in zip(cities, (found[1].codes[code] for code in range(20)), strict=True):
        assert frame.loc[frame['city'] == city, 'state'].eq(states[state]).all()
    frame.loc[3, 'state'] = 's3' if frame.loc[3, 'state'] != 's3' else 's0'
    assert pairs(found_in(frame)[1]) == [(1, 0)]


def test_nothing_follows_from_names_that_single_rows_have() -> None:
    names = [f'n{number}' for number in range(1000)]
    frame = pd.DataFrame({'name': names, 'team': RANDOM.integers(0, 5, 1000).astype(str)})
    assert found_in(frame, ModelConfig(max_categories=100))[1] == ()
    # of those that recur it does, also where others share codes
    frame = pd.concat([frame, pd.DataFrame({'name': names[:20] * 9, 'team': '3'})])
    frame['team'] = frame.groupby('name')['team'].transform('first')
    assert pairs(found_in(frame, ModelConfig(max_categories=23))[1]) == [(0, 1)]


def test_of_two_that_follow_from_each_other_the_first_says_what_the_second_is() -> None:
    frame = pd.DataFrame({'code': CITY % 3, 'name': [f'n{number % 3}' for number in CITY]})
    assert pairs(found_in(frame.astype(str))[1]) == [(0, 1)]


def test_numbers_of_few_values_and_missing_cells_are_levels_as_well() -> None:
    price = np.where(CITY == 4, np.nan, (CITY // 2) * 1.5)
    frame = pd.DataFrame({'product': [f'p{number}' for number in CITY], 'price': price})
    assert pairs(found_in(frame)[1]) == [(0, 1)]


def test_numbers_in_bins_follow_from_nothing() -> None:
    frame = pd.DataFrame({'city': CITY.astype(str), 'size': np.random.default_rng(0).random(N)})
    assert found_in(frame)[1] == ()


def test_what_comes_by_chance_or_of_single_rows_is_none() -> None:
    rare = np.where(np.arange(N) == 7, 'yes', 'no')  # the level that has it may be any
    frame = pd.DataFrame({'group': (CITY % 4).astype(str), 'rare': rare})
    assert found_in(frame[(frame['group'] != frame['group'][7]) | (rare == 'yes')])[1] == ()
    person = np.repeat(np.arange(N // 2), 2)
    frame = pd.DataFrame({'person': person.astype(str), 'sex': (person % 2).astype(str)})
    assert found_in(frame)[1] == ()


def test_of_levels_that_share_a_code_is_said_what_holds_for_all_of_them() -> None:
    encoder, found = found_in(places(), ModelConfig(max_categories=16))
    city = encoder.codec('city')
    assert city.needs_uniforms
    assert pairs(found) == [(1, 0), (1, 2), (2, 0)]
    for entry in found[:2]:
        told = places().iloc[:, entry.dependent]
        of_code = pd.Series(city.encode(places()['city'])[0]).groupby(told).unique()
        shared = [code for codes in of_code for code in set(codes) if code >= city.num_single]
        says = [entry.codes[code] >= 0 for code in range(city.num_single, 16)]
        assert says == [shared.count(code) == 1 for code in range(city.num_single, 16)]
        assert min(entry.codes[: city.num_single]) >= 0


def test_a_saved_encoder_has_the_same_and_a_former_one_none() -> None:
    encoder, found = found_in(places())
    state = encoder.with_relations((), found).to_state()
    assert TableEncoder.from_state(state).dependencies == found
    del state['dependencies']
    assert TableEncoder.from_state(state).dependencies == ()


def test_training_goes_on_with_those_that_still_hold() -> None:
    before, found = found_in(places())
    more = places(np.r_[np.arange(5, 15), 20, 21])  # two new cities of a new state
    encoder = before.grown(more, KINDS, ModelConfig())
    former = encoder.codes_in(before)

    def kept(rows: pd.DataFrame) -> tuple[Dependency, ...]:
        return kept_dependencies(found, encoder.encode_all(rows), encoder.codecs, former)

    assert pairs(kept(more)) == pairs(found)
    cities, states = (encoder.codec(name).levels for name in ('city', 'state'))
    told = dict(zip(cities, (states[code] for code in kept(more)[1].codes), strict=True))
    assert told == {f'c{number}': f's{number // 5}' for number in range(22)}
    other = more.assign(state=['s0', *more['state'][1:]])  # c5 was of s1
    assert pairs(kept(other)) == [(1, 0), (2, 0)]


def test_from_files_they_are_what_they_are_from_a_frame(tmp_path: Path) -> None:
    frame = places()
    with StoredTable(tmp_path, KINDS) as stored:
        for start in range(0, N, 150):
            stored.append(frame[start : start + 150])
        encoder = TableEncoder.fit(stored, KINDS, ModelConfig())
        found = find_dependencies(encoder.encode_all(stored), encoder.codecs)
    assert found == found_in(frame)[1]


def test_a_late_row_that_breaks_one_is_seen(monkeypatch) -> None:
    monkeypatch.setattr('sdv_tabdar.core.codecs.dependencies._LOOKS', (10, 20))
    monkeypatch.setattr('sdv_tabdar.core.codecs.dependencies._TOGETHER', 64)
    monkeypatch.setattr(
        'sdv_tabdar.core.codecs.dependencies.some_rows', lambda *_: torch.arange(20)
    )
    frame = places()
    frame.loc[N - 1, 'land'] = 'south' if frame.loc[N - 1, 'land'] == 'north' else 'north'
    assert pairs(found_in(frame)[1]) == [(1, 2)]
