"""Metadata that SDV refuses: the message names the column and says what to write."""

from __future__ import annotations

from typing import Any

import pytest
from sdv.metadata import Metadata
from sdv.metadata.errors import InvalidMetadataError

from sdv_tabdar import TabDARSynthesizer


@pytest.mark.parametrize('facts', ['numerical', None, {}, {'sdtype': 7}])
def test_a_column_without_an_sdtype_is_named(facts: Any) -> None:
    columns = {'age': facts, 'job': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'people': {'columns': columns}}})
    with pytest.raises(InvalidMetadataError, match=r"column 'age' by .*\{'sdtype': 'numerical'\}"):
        TabDARSynthesizer(metadata)
