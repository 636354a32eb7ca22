"""SMOTE gives whole rows of a table."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.methods.spec import Request, parse_spec
from sdv_tabdar.benchmark.methods.synthesizers import build


def test_smote_without_the_library(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'imblearn.over_sampling', None)
    with pytest.raises(ImportError, match='needs the package imbalanced-learn'):
        build(Request(parse_spec('smote'), load_dataset(prepared, 'one'), seed=0))


class FakeSampler:
    """Copies rows of each class in place of interpolating between them."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings

    def fit_resample(self, features: pd.DataFrame, classes: pd.Series) -> tuple[Any, Any]:
        """The rows given, then the new ones."""
        parts = [features.index.to_numpy()]
        for level, count in self.settings['sampling_strategy'].items():
            of_level = classes.index[classes == level]
            parts.append(np.resize(of_level, count - len(of_level)))
        order = np.concatenate(parts)
        return (
            features.loc[order].reset_index(drop=True),
            classes.loc[order].reset_index(drop=True),
        )


@pytest.fixture
def imblearn(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(SMOTE=FakeSampler, SMOTEN=FakeSampler, SMOTENC=FakeSampler)
    monkeypatch.setitem(sys.modules, 'imblearn', SimpleNamespace(over_sampling=fake))
    monkeypatch.setitem(sys.modules, 'imblearn.over_sampling', fake)


@pytest.mark.usefixtures('imblearn')
@pytest.mark.parametrize('target', ['kind', 'age', 'code'])
def test_smote_gives_whole_rows_of_the_table(prepared: Path, target: str) -> None:
    dataset = load_dataset(prepared, 'one', target=target)
    # A class that is alone cannot have neighbours.
    dataset.train.loc[10, 'kind'] = 'alone'
    synthesizer = build(Request(parse_spec('smote:neighbours=3'), dataset, seed=0))
    synthesizer.fit(dataset.train)
    rows = synthesizer.sample(200)
    known = dataset.train.dropna()
    assert list(rows.columns) == list(known.columns)
    assert len(rows) == 200
    # Scaled and scaled back.
    merged = rows.assign(wage=rows['wage'].round(4)).merge(
        known.drop_duplicates(), how='left', indicator=True
    )
    assert (merged['_merge'] == 'both').all()
    assert rows['age'].dtype == known['age'].dtype
    share = (known['kind'] == 'a').mean()
    assert abs((rows['kind'] == 'a').mean() - share) < 0.2


@pytest.mark.usefixtures('imblearn')
def test_smote_needs_a_target(prepared: Path) -> None:
    dataset = dataclasses.replace(load_dataset(prepared, 'one'), target=None)
    with pytest.raises(ValueError, match='this table has no target'):
        build(Request(parse_spec('smote'), dataset, seed=0))


@pytest.mark.parametrize('target', ['kind', 'age'])
def test_smote_interpolates_between_rows_with_the_library(prepared: Path, target: str) -> None:
    pytest.importorskip('imblearn')
    dataset = load_dataset(prepared, 'one', target=target)
    synthesizer = build(Request(parse_spec('smote'), dataset, seed=0))
    synthesizer.fit(dataset.train)
    rows, known = synthesizer.sample(100), dataset.train.dropna()
    assert len(rows) == 100
    assert rows.dtypes.equals(known.dtypes)
    for name in ('age', 'wage'):
        assert rows[name].between(known[name].min(), known[name].max()).all()
    for name in ('code', 'kind'):
        assert rows[name].isin(known[name]).all()
    # New numbers, not those of training rows again.
    assert (~rows['wage'].round(6).isin(known['wage'].round(6))).mean() > 0.5
