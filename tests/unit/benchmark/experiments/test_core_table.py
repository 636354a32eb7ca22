"""Numbers and categories for the core's own model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.experiments.core_table import configurations, core_table


def test_settings_go_where_they_belong() -> None:
    model, training = configurations({'width': 16, 'epochs': 3})
    assert (model.width, training.epochs) == (16, 3)


def test_only_numbers_and_categories_are_trained_on(prepared: Path) -> None:
    info = prepared / 'one' / 'info.json'
    content = json.loads(info.read_text())
    content['columns'] = {**content['columns'], 'age': 'id', 'code': 'datetime'}
    info.write_text(json.dumps(content))
    _, kinds = core_table(load_dataset(prepared, 'one'))
    assert list(kinds) == ['wage', 'kind']
    content['columns'] = dict.fromkeys(content['columns'], 'datetime')
    info.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="'one' has no column of numbers or categories"):
        core_table(load_dataset(prepared, 'one'))
