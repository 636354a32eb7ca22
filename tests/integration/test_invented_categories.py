"""Invented columns of pandas' categories: no real value comes out, and blocks are of one dtype."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import PseudoAnonymizedFaker

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.adapter import blocks
from sdv_tabdar.adapter.fitted import FittedTable

from .conftest import TINY, make_metadata

pytestmark = [
    pytest.mark.changes_random_state('SDV itself draws from the global generators'),
    pytest.mark.filterwarnings('ignore:The table can be learnt as it is'),  # its keys have a form
]

BLOCK = 32
N = 90
COLUMNS: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'id'},
    'kind': {'sdtype': 'categorical'},
    'email': {'sdtype': 'email', 'pii': True},
    'code': {'sdtype': 'id', 'regex_format': 'C-[0-9]{6}'},
    'name': {'sdtype': 'first_name', 'pii': True},
    'what': {'sdtype': 'unknown', 'pii': True},
}
INVENTED = ['key', 'email', 'code', 'what']


def people() -> pd.DataFrame:
    rows = np.arange(N)
    frame = pd.DataFrame(
        {
            'key': [f'real-key-{row}' for row in rows],
            'kind': np.where(rows % 3 == 0, 'web', 'shop'),
            'email': [f'real{row}@x.org' for row in rows],
            'code': [f'R-{row}' for row in rows],
            'name': [f'Real {row % 7}' for row in rows],
            'what': rows + 1_000,
        }
    )
    frame.loc[rows % 5 == 0, 'email'] = None
    return frame.astype('category')


def make() -> TabDARSynthesizer:
    return TabDARSynthesizer(make_metadata(COLUMNS, primary_key='key'), **TINY)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, 'BLOCK_ROWS', BLOCK)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    made = make()
    made.fit(people())
    return made


def real_values(synthesizer: TabDARSynthesizer) -> list[str]:
    """The columns whose dtype is saved with real values."""
    state = synthesizer._table.to_state()['form']['columns']
    return [one['key'] for one in state if re.search('real|r-|100', repr(one['dtype']).lower())]


def test_blocks_are_the_rows_drawn_at_once(synthesizer: TabDARSynthesizer) -> None:
    whole = synthesizer.sample(2 * BLOCK + 5, seed=1)
    assert whole['kind'].dtype == people()['kind'].dtype
    assert not any(isinstance(whole[name].dtype, pd.CategoricalDtype) for name in INVENTED)
    parts = [
        synthesizer.sample(n, seed=1, first_row=first)
        for first, n in ((0, BLOCK), (BLOCK, BLOCK + 5))
    ]
    for part in parts:
        pd.testing.assert_series_equal(part.dtypes, whole.dtypes)
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), whole)
    in_batches = synthesizer.sample(len(whole), seed=1, batch_size=BLOCK)
    pd.testing.assert_frame_equal(in_batches, whole)


def test_gaps_are_filled_alike(synthesizer: TabDARSynthesizer) -> None:
    gaps = people().drop(columns='key')
    gaps.loc[gaps.index % 2 == 0, 'kind'] = None
    whole = synthesizer.impute(gaps, seed=1)
    assert whole['email'].notna().all()
    known = gaps['email'].notna()
    assert whole['email'][known].tolist() == gaps['email'][known].tolist()
    starts = range(0, len(gaps), BLOCK)
    parts = [synthesizer.impute(gaps[i : i + BLOCK], seed=1, first_row=i) for i in starts]
    pd.testing.assert_frame_equal(pd.concat(parts), whole)


def test_no_real_value_comes_out(synthesizer: TabDARSynthesizer) -> None:
    rows, real = synthesizer.sample(40), people()
    for name in INVENTED:
        assert not set(rows[name].dropna()) & set(real[name].dropna()), name
    assert not real_values(synthesizer)


def test_real_names_are_not_listed_beside_pseudonyms() -> None:
    made = make()
    made.auto_assign_transformers(people())
    made.update_transformers({'name': PseudoAnonymizedFaker('person', 'first_name')})
    made.preprocess(people())
    assert not real_values(made)


def test_older_files_list_none_either(synthesizer: TabDARSynthesizer) -> None:
    state = synthesizer._table.to_state()
    for column in state['form']['columns']:
        column['dtype'] = people()[column['key']].dtype
    form = FittedTable.from_state(state, synthesizer).form
    assert form == synthesizer._table.form
