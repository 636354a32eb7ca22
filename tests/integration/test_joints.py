"""Levels that follow from two columns together in all rows do so in what comes out."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import OneOf, TabDARSynthesizer
from sdv_tabdar.files import describe

from .conftest import TINY, make_metadata

pytestmark = pytest.mark.filterwarnings('ignore:The table can be learnt')

SIZES = ('small', 'medium', 'large')
COLUMNS = {
    'product': {'sdtype': 'categorical'},
    'size': {'sdtype': 'categorical'},
    'price': {'sdtype': 'numerical'},
    'paid': {'sdtype': 'categorical'},
}


def price(product: pd.Series, size: pd.Series) -> pd.Series:
    base = product.map(lambda name: 3 * int(name[1:]) % 7 + 1)
    return (base * (size.map(SIZES.index) + 1) + size.map(len) * 0.5).astype(float)


def orders(rows: int = 1_500, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    product = pd.Series([f'p{number}' for number in random.integers(0, 9, rows)])
    size = pd.Series(random.choice(SIZES, rows))
    paid = random.choice(['cash', 'card'], rows)
    return pd.DataFrame(
        {'product': product, 'size': size, 'price': price(product, size), 'paid': paid}
    )


def wrong(rows: pd.DataFrame) -> int:
    return int((rows['price'] != price(rows['product'], rows['size'])).sum())


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    found = TabDARSynthesizer(make_metadata(COLUMNS), **TINY, max_crosses=0)
    found.fit(orders())
    return found


def test_drawn_rows(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(2_000)
    assert wrong(rows) == 0
    assert rows['product'].nunique() == 9
    assert rows['paid'].nunique() == 2


def test_off_it_is_as_the_model_has_it() -> None:
    found = TabDARSynthesizer(make_metadata(COLUMNS), **TINY, max_crosses=0, dependencies=False)
    found.fit(orders())
    assert wrong(found.sample(500)) > 100


def test_any_of_the_three_may_be_given(synthesizer: TabDARSynthesizer) -> None:
    dear = float(price(pd.Series(['p2']), pd.Series(['large'])).iloc[0])
    conditions = [
        Condition({'product': 'p2', 'size': 'large'}, 30),
        Condition({'price': dear, 'size': 'large'}, 30),
        Condition({'price': dear, 'product': 'p2'}, 30),
        Condition({'price': dear}, 30),
        Condition({'product': OneOf(['p1', 'p2']), 'size': 'small'}, 30),
    ]
    rows = synthesizer.sample_from_conditions(conditions)
    assert wrong(rows) == 0
    assert (rows['price'][:30] == dear).all()
    gaps = orders(200, 1).mask(np.random.default_rng(2).random((200, 4)) < 0.4)
    filled = synthesizer.impute(gaps)
    assert wrong(filled) == 0


def test_probabilities_know_it(synthesizer: TabDARSynthesizer) -> None:
    rows = orders(40, 3)
    found = synthesizer.predict_proba(rows.drop(columns=['size']), 'size')
    agreeing = [
        found[
            [
                size
                for size in SIZES
                if price(pd.Series([row['product']]), pd.Series([size]))[0] == row['price']
            ]
        ]
        .loc[index]
        .sum()
        for index, row in rows.iterrows()
    ]
    assert np.allclose(agreeing, 1)


def test_the_log_a_file_and_its_description_tell_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger='sdv_tabdar'):
        found = TabDARSynthesizer(make_metadata(COLUMNS), **TINY, max_crosses=0)
        found.fit(orders())
    assert "'price' follows from 'product' and 'size' in all rows" in caplog.text
    path = tmp_path / 'model.tabdar'
    found.save_safe(path)
    assert (('product', 'size'), 'price', 27) in describe(path).joint_dependencies
    assert "'price' follows from 27 levels of 'product' and 'size' together" in str(describe(path))
    again = TabDARSynthesizer.load_safe(path)
    assert wrong(again.sample(300)) == 0


def test_more_rows_with_new_levels(synthesizer: TabDARSynthesizer) -> None:
    more = orders(600, 5)
    more.loc[:99, 'product'] = 'p77'
    more['price'] = price(more['product'], more['size'])
    found = TabDARSynthesizer(make_metadata(COLUMNS), **TINY, max_crosses=0)
    found.fit(orders())
    found.fit(more, warm_start=True)
    rows = found.sample(600)
    assert wrong(rows) == 0
    assert 'p77' in set(rows['product'])


def test_rows_that_contradict_it_end_it() -> None:
    found = TabDARSynthesizer(make_metadata(COLUMNS), **TINY, max_crosses=0)
    found.fit(orders())
    more = orders(600, 5)
    more.loc[0, 'price'] = float(more['price'].max())
    more.loc[0, ['product', 'size']] = ['p0', 'small']
    found.fit(more, warm_start=True)
    assert wrong(found.sample(300)) > 0
