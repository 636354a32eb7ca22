"""Whatever a synthesizer is, frames go in and come out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sdv.metadata import Metadata

import sdv_tabdar
from sdv_tabdar.benchmark.data.datasets import Dataset, load_dataset
from sdv_tabdar.benchmark.methods.exchange import write_rows
from sdv_tabdar.benchmark.methods.spec import Request, parse_spec
from sdv_tabdar.benchmark.methods.synthesizers import build, ends_and_levels


class Recorder:
    """Stands in for our synthesizer and keeps what it is given."""

    def __init__(self, metadata: object, **settings: object) -> None:
        self.metadata, self.settings = metadata, settings

    def fit(self, data: dict[str, pd.DataFrame]) -> None:
        """Keep the table."""
        self.data = data

    def sample(self, num_rows: int) -> dict[str, pd.DataFrame]:
        """Its first rows."""
        return {name: table.head(num_rows) for name, table in self.data.items()}


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdv_tabdar, 'TabDARSynthesizer', Recorder, raising=False)
    monkeypatch.setattr(sdv_tabdar, 'PAPER', {'width': 32, 'epochs': 5000}, raising=False)


def test_sdv_synthesizer_takes_and_gives_frames_and_follows_the_seed(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    drawn = []
    for seed in (1, 1, 2):
        synthesizer = build(Request(parse_spec('gaussian_copula'), dataset, seed=seed))
        synthesizer.fit(dataset.train)
        drawn.append(synthesizer.sample(15))
    assert list(drawn[0].columns) == list(dataset.train.columns)
    assert len(drawn[0]) == 15
    pd.testing.assert_frame_equal(drawn[0], drawn[1])
    assert not drawn[0].equals(drawn[2])


def test_options_reach_an_sdv_synthesizer(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    made: Any = build(Request(parse_spec('ctgan:epochs=3,batch_size=50'), dataset, seed=0))
    parameters = made.synthesizer.get_parameters()
    assert (parameters['epochs'], parameters['batch_size']) == (3, 50)
    with pytest.raises(TypeError, match='depth'):
        build(Request(parse_spec('ctgan:depth=3'), dataset, seed=0))


@pytest.mark.usefixtures('ours')
def test_ours_gets_seed_time_and_overrides(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    made: Any = build(
        Request(parse_spec('tabdar:width=8'), dataset, seed=4, max_training_time=30.0)
    )
    assert made.synthesizer.settings == {
        'width': 8,
        'random_state': 4,
        'max_training_time': 30.0,
    }
    made.fit(dataset.train)
    assert list(made.synthesizer.data) == ['one']
    assert len(made.sample(5)) == 5
    paper: Any = build(Request(parse_spec('tabdar-paper:epochs=2'), dataset, seed=0))
    assert paper.synthesizer.settings == {'width': 32, 'epochs': 2, 'random_state': 0}
    own_time = parse_spec('tabdar:max_training_time=5')
    timed: Any = build(Request(own_time, dataset, seed=0, max_training_time=30.0))
    assert timed.synthesizer.settings['max_training_time'] == 5


def test_public_values_are_read_off_columns_that_have_some() -> None:
    kinds = {'a': 'numerical', 'b': 'numerical', 'c': 'categorical', 'd': 'datetime'}
    kinds |= {'e': 'categorical', 'f': 'boolean'}
    rows = pd.DataFrame({'a': [1.5, 7, None], 'b': [1, 1, 1], 'c': ['x', None, 'y']})
    rows = rows.assign(d=pd.Timestamp('2020-01-01'), e=None, f=[True, False, True])
    columns = {name: {'sdtype': kind} for name, kind in kinds.items()}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    found = ends_and_levels(Dataset('t', rows, rows, metadata))
    assert found == {'a': (1.5, 7.0), 'c': ['x', 'y'], 'f': [True, False]}


def test_rows_from_elsewhere(prepared: Path, tmp_path: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    write_rows(dataset.train.head(30), tmp_path / 'one_7.csv')
    synthesizer = build(
        Request(parse_spec(f'csv:{tmp_path}/{{table}}_{{seed}}.csv'), dataset, seed=7)
    )
    synthesizer.fit(dataset.train)
    pd.testing.assert_frame_equal(synthesizer.sample(20), dataset.train.head(20))
    assert len(synthesizer.sample(1000)) == 30


def test_an_object_of_the_users(prepared: Path, bootstrap: str) -> None:
    dataset = load_dataset(prepared, 'one')
    synthesizer = build(Request(parse_spec(f'{bootstrap},state=3'), dataset, seed=0))
    synthesizer.fit(dataset.train)
    assert len(synthesizer.sample(7)) == 7
    with pytest.raises(TypeError, match=r'fit\(frame\) and sample\(num_rows\), but Mute has not'):
        build(Request(parse_spec('object:bootstrap_model:Mute'), dataset, seed=0))
    with pytest.raises(ImportError, match='could not be loaded'):
        build(Request(parse_spec('object:bootstrap_model:Nothing'), dataset, seed=0))


def test_an_sdv_class_of_the_users(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    spec = parse_spec('object:sdv.single_table:GaussianCopulaSynthesizer')
    synthesizer = build(Request(spec, dataset, seed=0))
    synthesizer.fit(dataset.train)
    assert len(synthesizer.sample(7)) == 7
