"""Our synthesizer for SDGym."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pandas as pd
import pytest

from sdv_tabdar.benchmark.methods.sdgym import sdgym_synthesizer


def test_sdgym_gets_a_custom_synthesizer(
    monkeypatch: pytest.MonkeyPatch, table: pd.DataFrame
) -> None:
    sdgym = SimpleNamespace(create_single_table_synthesizer=lambda *parts: parts)
    monkeypatch.setitem(sys.modules, 'sdgym', sdgym)
    name, fit, sample = sdgym_synthesizer('Ours', width=8, num_heads=1, epochs=1)
    columns = {
        column: {'sdtype': 'categorical' if column == 'kind' else 'numerical'}
        for column in table.columns
    }
    fitted = fit(table, {'columns': columns, 'METADATA_SPEC_VERSION': 'V2'})
    assert name == 'Ours'
    assert fitted[1].get_parameters()['width'] == 8
    assert list(sample(fitted, 4).columns) == list(table.columns)


def test_sdgym_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'sdgym', None)
    with pytest.raises(ImportError, match='needs the package sdgym'):
        sdgym_synthesizer()
