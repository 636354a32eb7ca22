"""Rows in blocks: whoever draws a block draws the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from rdt.transformers import AnonymizedFaker, IndexGenerator, RegexGenerator
from sdv.cag import Inequality

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.adapter import blocks

from .conftest import TINY, make_metadata, make_table

BLOCK = 32


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, 'BLOCK_ROWS', BLOCK)


@pytest.fixture(scope='module')
def ordered() -> TabDARSynthesizer:
    """A key, a text id and a constraint that many draws break."""
    data = make_table(120)[['key', 'age', 'income', 'city', 'mystery']]
    data['later'] = data['age'] + np.where(data['income'] > 20, 1, 40)
    columns = {
        'key': {'sdtype': 'id'},
        'mystery': {'sdtype': 'id', 'regex_format': '[a-d]{6}'},
        'city': {'sdtype': 'categorical'},
        **{name: {'sdtype': 'numerical'} for name in ('age', 'income', 'later')},
    }
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='key'), **TINY)
    synthesizer.add_constraints([Inequality('age', 'later')])
    synthesizer.fit(data)
    return synthesizer


def _parts(
    draw: Callable[..., pd.DataFrame], num_rows: int, blocks_of_part: int
) -> Iterator[pd.DataFrame]:
    size = blocks_of_part * BLOCK
    for first in reversed(range(0, num_rows, size)):
        yield draw(first, min(size, num_rows - first))


def _joined(parts: Iterator[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(list(parts)[::-1])


@pytest.mark.parametrize('blocks_of_part', [1, 2])
@pytest.mark.parametrize('name', ['fitted', 'ordered'])
def test_rows_are_those_of_the_blocks(
    request: pytest.FixtureRequest, name: str, blocks_of_part: int
) -> None:
    """In any order; keys, personal data and rows drawn again because of a constraint among them."""
    synthesizer = request.getfixturevalue(name)
    whole = synthesizer.sample(3 * BLOCK + 5, seed=3)

    def draw(first: int, count: int) -> pd.DataFrame:
        synthesizer.sample(2)
        return synthesizer.sample(count, seed=3, first_row=first)

    parts = _joined(_parts(draw, len(whole), blocks_of_part))
    pd.testing.assert_frame_equal(parts.reset_index(drop=True), whole)
    assert whole['key'].is_unique
    assert not whole.head(BLOCK)['age'].equals(whole['age'][BLOCK : 2 * BLOCK].reset_index())


@pytest.mark.parametrize('batch_size', [BLOCK, 3 * BLOCK])
def test_batches_of_whole_blocks_change_nothing(
    fitted: TabDARSynthesizer, batch_size: int, tmp_path: Any
) -> None:
    whole = fitted.sample(3 * BLOCK + 1, seed=1)

    pd.testing.assert_frame_equal(fitted.sample(len(whole), batch_size=batch_size, seed=1), whole)
    fitted.sample(
        len(whole), seed=1, output_folder_path=str(tmp_path), batch_size=BLOCK, return_rows=False
    )
    assert pd.read_csv(tmp_path / 'table.csv')['key'].tolist() == whole['key'].tolist()


def test_threads_change_no_bit(fitted: TabDARSynthesizer) -> None:
    """Of rows, predictions and log-likelihoods."""
    before = torch.get_num_threads()
    found = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        try:
            rows = fitted.sample(2 * BLOCK, seed=2)
            chances = fitted.predict_proba(rows, 'city', seed=2)
            found.append((rows, chances, fitted.log_likelihood(rows, seed=2)))
        finally:
            torch.set_num_threads(before)

    for one, other in zip(*found, strict=True):
        assert one.equals(other)


def test_known_rows_and_gaps_are_completed_by_block(ordered: TabDARSynthesizer) -> None:
    whole = ordered.sample(BLOCK + 9, seed=0).set_axis(range(100, 141))
    known = whole[['city']]
    gaps = whole.drop(columns='key')
    gaps.loc[gaps.index % 3 == 0, 'income'] = np.nan
    gaps.loc[gaps.index % 4 == 0, 'city'] = None
    asked: list[tuple[pd.DataFrame, Callable[..., Any]]] = [
        (known, ordered.sample_remaining_columns),
        (gaps, ordered.impute),
        (gaps, lambda part, **seed: ordered.impute(part, num_draws=2, **seed)[1]),
        (gaps, lambda part, **seed: ordered.predict_proba(part, 'city', **seed)),
        (gaps, lambda part, **seed: ordered.predict_quantiles(part, 'later', **seed)),
        (gaps, lambda part, **seed: ordered.log_likelihood(part, **seed)),
    ]
    for data, answer in asked:
        expected = answer(data, seed=4)

        def part(
            first: int, count: int, data: pd.DataFrame = data, answer: Any = answer
        ) -> pd.DataFrame:
            rows: pd.DataFrame = answer(data[first : first + count], seed=4, first_row=first)
            return rows

        found = _joined(_parts(part, len(data), 1))
        if isinstance(expected, pd.Series):
            pd.testing.assert_series_equal(found, expected)
        else:
            pd.testing.assert_frame_equal(found, expected)
        assert found.index.equals(data.index)
        assert 'key' not in found or found['key'].is_unique


def test_new_keys_repeat_no_known_one(ordered: TabDARSynthesizer) -> None:
    """A known key that a row with a gap would get as well."""
    rows = ordered.sample(2 * BLOCK, seed=8)
    rows['key'] = rows['key'].astype(object)
    rows.loc[: BLOCK - 1, 'key'] = rows['key'][BLOCK:].to_numpy()
    rows.loc[BLOCK:, 'key'] = None

    filled = ordered.impute(rows, seed=8)
    assert filled['key'].is_unique
    assert filled['key'].notna().all()


def test_first_rows_are_blocks_of_a_seed(fitted: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match='multiple of the 32 rows of a block'):
        fitted.sample(3, seed=1, first_row=5)
    with pytest.raises(ValueError, match="which of the rows of a seed are meant; give 'seed'"):
        fitted.sample(3, first_row=BLOCK)
    with pytest.raises(ValueError, match="'first_row' asks for a part"):
        fitted.sample(3, seed=1, first_row=BLOCK, shares={'city': {'a': 0.5}})


@pytest.mark.parametrize('rule', ['unique', 'match', 'scale', None])
@pytest.mark.parametrize('pattern', ['[a-c]{5}', '[a-c]{3}', 'ab?c'])
def test_patterns_go_on(rule: str | None, pattern: str) -> None:
    """Also where there are more rows than texts."""
    data = pd.DataFrame({'code': ['x', 'y', 'z', 'z'] * 10, 'n': np.arange(40.0)})
    synthesizer = _with_transformer(data, RegexGenerator(pattern, rule))
    many = 3 * BLOCK + 5
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of RDT: the pattern has too few texts
        whole = synthesizer.sample(many, seed=0)
        part = synthesizer.sample(many - 2 * BLOCK, seed=0, first_row=2 * BLOCK)

    assert part['code'].tolist() == whole['code'][2 * BLOCK :].tolist()
    if rule == 'unique':
        assert whole['code'].is_unique
    if rule == 'match':
        assert whole['code'].nunique() == 3


def test_running_numbers_go_on() -> None:
    data = pd.DataFrame({'code': [f'k{n}' for n in range(40)], 'n': np.arange(40.0)})
    synthesizer = _with_transformer(data, IndexGenerator(prefix='k', starting_value=7))

    assert synthesizer.sample(70, seed=0)['code'].tolist() == [f'k{n + 7}' for n in range(70)]
    assert synthesizer.sample(2, seed=0, first_row=10**9 * BLOCK)['code'].tolist() == [
        f'k{7 + 10**9 * BLOCK}',
        f'k{8 + 10**9 * BLOCK}',
    ]


@pytest.mark.filterwarnings('ignore:The table can be learnt as it is')  # it says: invented anew
def test_invented_values_of_few_are_the_same_in_all_blocks() -> None:
    data = pd.DataFrame({'code': list('abcd') * 10, 'n': np.arange(40.0)})
    faker = AnonymizedFaker('address', 'city', cardinality_rule='match')
    synthesizer = _with_transformer(data, faker, 'city')
    whole = synthesizer.sample(2 * BLOCK, seed=0)
    part = synthesizer.sample(BLOCK, seed=0, first_row=BLOCK)

    assert part['code'].tolist() == whole['code'][BLOCK:].tolist()
    assert whole['code'].nunique() == 4


def test_keys_that_only_comparison_keeps_apart_are_drawn_in_one_place() -> None:
    data = pd.DataFrame({'code': [f'm{n}@x.org' for n in range(40)], 'n': np.arange(40.0)})
    entries = {'code': {'sdtype': 'email'}, 'n': {'sdtype': 'numerical'}}
    synthesizer = TabDARSynthesizer(make_metadata(entries, primary_key='code'), **TINY)
    synthesizer.fit(data)

    assert synthesizer.sample(3 * BLOCK, seed=0)['code'].is_unique
    with pytest.raises(ValueError, match=r"values of \['code'\] are made by Faker"):
        synthesizer.sample(5, seed=0, first_row=BLOCK)


def _with_transformer(
    data: pd.DataFrame, transformer: Any, sdtype: str = 'id'
) -> TabDARSynthesizer:
    entries = {'code': {'sdtype': sdtype}, 'n': {'sdtype': 'numerical'}}
    synthesizer = TabDARSynthesizer(make_metadata(entries), **TINY)
    synthesizer.auto_assign_transformers(data)
    synthesizer.update_transformers({'code': transformer})
    synthesizer.fit(data)
    return synthesizer
