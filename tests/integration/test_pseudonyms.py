"""Columns whose real values RDT replaces by pseudonyms, one for one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import PseudoAnonymizedFaker
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer

SETTINGS: dict[str, Any] = {
    'width': 16,
    'num_blocks': 1,
    'num_heads': 2,
    'epochs': 25,
    'random_state': 0,
}
NAMES = ['Ann', 'Bob', 'Cid', 'Dan']


@pytest.fixture(scope='module')
def people() -> pd.DataFrame:
    """A name fixes the sign of the height."""
    generator = np.random.default_rng(0)
    place = generator.integers(0, 4, size=400)
    height = np.where(place < 2, -1, 1) * (5 + generator.random(400))
    return pd.DataFrame({'name': np.array(NAMES)[place], 'height': height})


@pytest.fixture(scope='module')
def fitted(people: pd.DataFrame) -> TabDARSynthesizer:
    columns = {'name': {'sdtype': 'first_name', 'pii': True}, 'height': {'sdtype': 'numerical'}}
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **SETTINGS)
    synthesizer.auto_assign_transformers(people)
    synthesizer.update_transformers({'name': PseudoAnonymizedFaker('person', 'first_name')})
    synthesizer.fit(people)
    return synthesizer


@pytest.fixture(scope='module')
def mapping(fitted: TabDARSynthesizer) -> dict[str, str]:
    found: dict[str, str] = fitted.get_transformers()['name'].get_mapping()
    return found


def test_drawn_rows_have_pseudonyms_and_what_goes_with_them(
    fitted: TabDARSynthesizer, mapping: dict[str, str]
) -> None:
    rows = fitted.sample(200)
    assert set(rows['name']) <= set(mapping.values())
    low = rows['name'].isin([mapping['Ann'], mapping['Bob']])
    assert ((rows['height'] < 0) == low).mean() > 0.9


def test_gaps_are_filled_beside_real_names_and_by_pseudonyms(
    fitted: TabDARSynthesizer, mapping: dict[str, str]
) -> None:
    gaps = pd.DataFrame({'name': ['Ann', None, 'Dan'], 'height': [np.nan, 5.5, np.nan]})
    filled = fitted.impute(gaps, seed=0)
    assert filled['name'][0] == 'Ann'
    assert filled['name'][1] in (mapping['Cid'], mapping['Dan'])
    assert filled['height'][0] < 0 < filled['height'][2]


def test_probabilities_are_those_of_pseudonyms(
    fitted: TabDARSynthesizer, mapping: dict[str, str]
) -> None:
    found = fitted.predict_proba(pd.DataFrame({'height': [5.5, -5.5]}), 'name')
    assert set(found.columns) == set(mapping.values())
    assert found.loc[0, [mapping['Cid'], mapping['Dan']]].sum() > 0.9
    assert found.loc[1, [mapping['Ann'], mapping['Bob']]].sum() > 0.9


def test_conditions_name_real_values(fitted: TabDARSynthesizer) -> None:
    rows = fitted.sample_from_conditions([Condition({'name': 'Bob'}, num_rows=20)])
    assert (rows['height'] < 0).mean() > 0.8


def test_rows_have_a_likelihood(fitted: TabDARSynthesizer) -> None:
    rows = pd.DataFrame({'name': ['Ann', 'Ann'], 'height': [-5.5, 5.5]})
    likely, unlikely = fitted.log_likelihood(rows, seed=0)
    assert likely > unlikely


def test_saved_files_keep_the_pseudonyms(
    fitted: TabDARSynthesizer, mapping: dict[str, str], tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=r"every real value of \['name'\] beside"):
        fitted.save_safe(tmp_path / 'people.tabdar')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'people.tabdar')
    assert loaded.get_transformers()['name'].get_mapping() == mapping
    pd.testing.assert_frame_equal(loaded.sample(20, seed=1), fitted.sample(20, seed=1))
