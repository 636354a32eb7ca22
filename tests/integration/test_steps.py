"""Amounts that people round: to hundreds where they are large, not at all where they are small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files import describe

from .conftest import TINY, make_metadata

pytestmark = pytest.mark.filterwarnings('ignore:The table can be learnt')


@pytest.fixture(scope='module')
def table() -> pd.DataFrame:
    random = np.random.default_rng(2)
    small = random.integers(1, 3_000, 400)
    large = random.integers(31, 2_000, 1_600) * 100
    return pd.DataFrame(
        {
            'amount': random.permutation(np.concatenate([small, large])),
            'kind': random.choice(['a', 'b'], 2_000),
        }
    )


@pytest.fixture(scope='module')
def synthesizer(table: pd.DataFrame) -> TabDARSynthesizer:
    metadata = make_metadata({'amount': {'sdtype': 'numerical'}, 'kind': {'sdtype': 'categorical'}})
    found = TabDARSynthesizer(metadata, **TINY)
    found.fit(table)
    return found


def test_drawn_amounts_are_rounded_like_those_of_the_table(synthesizer: TabDARSynthesizer) -> None:
    amounts = synthesizer.sample(1_000)['amount']
    assert (amounts[amounts > 20_000] % 100 == 0).all()
    assert (amounts[amounts < 2_500] % 100 != 0).mean() > 0.5


def test_a_range_is_met_with_and_without_an_amount_of_the_table(
    synthesizer: TabDARSynthesizer,
) -> None:
    conditions = [Condition({'amount': Between(low, low + 90)}, 20) for low in (50_050, 50_005)]
    amounts = synthesizer.sample_from_conditions(conditions)['amount']
    assert (amounts[:20] == 50_100).all()
    assert amounts[20:].between(50_005, 50_095).all()
    assert amounts[20:].nunique() > 5


def test_amounts_of_a_grid_have_all_the_probability(synthesizer: TabDARSynthesizer) -> None:
    table = pd.DataFrame({'amount': np.arange(50_000, 50_100), 'kind': 'a'})
    likely = synthesizer.log_likelihood(table, steps={'amount': 1}, by_column=True)['amount']
    assert likely.iloc[0] > likely.iloc[1:].max() + np.log(50)


def test_steps_are_in_the_file_and_its_description(
    synthesizer: TabDARSynthesizer, tmp_path: Path
) -> None:
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    again = TabDARSynthesizer.load_safe(path)
    pd.testing.assert_frame_equal(again.sample(50), synthesizer.sample(50))
    learnt = {column.name: column for column in describe(path).learnt}
    assert learnt['amount'].steps == [100]
    assert 'in places multiples of 100' in str(describe(path))
