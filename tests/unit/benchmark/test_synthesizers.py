"""A text names a synthesizer and its settings; whatever it is, frames go in and come out."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdv_tabdar
from sdv_tabdar.benchmark.datasets import load_dataset
from sdv_tabdar.benchmark.exchange import write_rows
from sdv_tabdar.benchmark.sdgym import sdgym_synthesizer
from sdv_tabdar.benchmark.synthesizers import build, parse_spec


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


def test_a_name_alone() -> None:
    spec = parse_spec('gaussian_copula')
    assert (spec.label, spec.kind, spec.options, str(spec)) == (
        'gaussian_copula',
        'gaussian_copula',
        {},
        'gaussian_copula',
    )


def test_options_are_literals_or_texts() -> None:
    spec = parse_spec('ctgan:epochs=3, generator_dim=(64,64),verbose=False,scheduler=cosine')
    assert spec.options == {
        'epochs': 3,
        'generator_dim': (64, 64),
        'verbose': False,
        'scheduler': 'cosine',
    }


@pytest.mark.parametrize(
    'text',
    [
        'tabdar',
        'tabdar:width=32,num_blocks=6',
        'tabdar:scheduler=cosine,betas=(0.9, 0.99)',
        'csv:results/{table}.csv',
        'object:package.module:Model,epochs=3',
    ],
)
def test_the_text_of_a_spec_reads_back(text: str) -> None:
    spec = parse_spec(text)
    again = parse_spec(f'name={spec}')
    assert (again.kind, again.options, again.place) == (spec.kind, spec.options, spec.place)
    assert again.label == 'name'


def test_labels_and_folders() -> None:
    wide = parse_spec('wide=tabdar:width=128')
    assert (wide.label, wide.folder, wide.options) == ('wide', 'wide', {'width': 128})
    paths = [parse_spec(f'csv:{place}').folder for place in ('a/b.csv', 'a_b.csv')]
    assert paths[0] != paths[1]
    assert not any('/' in path for path in paths)


def test_texts_that_name_nothing() -> None:
    with pytest.raises(ValueError, match=r"no synthesizer 'gan' .* Known are \['tabdar'"):
        parse_spec('gan')
    with pytest.raises(ValueError, match="option 'width' in 'tabdar:width' must look like"):
        parse_spec('tabdar:width')
    with pytest.raises(ValueError, match="'csv:' must say where"):
        parse_spec('csv:')


def test_sdv_synthesizer_takes_and_gives_frames_and_follows_the_seed(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    drawn = []
    for seed in (1, 1, 2):
        synthesizer = build(parse_spec('gaussian_copula'), dataset, seed=seed)
        synthesizer.fit(dataset.train)
        drawn.append(synthesizer.sample(15))
    assert list(drawn[0].columns) == list(dataset.train.columns)
    assert len(drawn[0]) == 15
    pd.testing.assert_frame_equal(drawn[0], drawn[1])
    assert not drawn[0].equals(drawn[2])


def test_options_reach_an_sdv_synthesizer(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    made: Any = build(parse_spec('ctgan:epochs=3,batch_size=50'), dataset, seed=0)
    parameters = made.synthesizer.get_parameters()
    assert (parameters['epochs'], parameters['batch_size']) == (3, 50)
    with pytest.raises(TypeError, match='depth'):
        build(parse_spec('ctgan:depth=3'), dataset, seed=0)


@pytest.mark.usefixtures('ours')
def test_ours_gets_seed_time_and_overrides(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    made: Any = build(parse_spec('tabdar:width=8'), dataset, seed=4, max_training_time=30.0)
    assert made.synthesizer.settings == {
        'width': 8,
        'random_state': 4,
        'max_training_time': 30.0,
    }
    made.fit(dataset.train)
    assert list(made.synthesizer.data) == ['one']
    assert len(made.sample(5)) == 5
    paper: Any = build(parse_spec('tabdar-paper:epochs=2'), dataset, seed=0)
    assert paper.synthesizer.settings == {'width': 32, 'epochs': 2, 'random_state': 0}
    own_time = parse_spec('tabdar:max_training_time=5')
    timed: Any = build(own_time, dataset, seed=0, max_training_time=30.0)
    assert timed.synthesizer.settings['max_training_time'] == 5


def test_rows_from_elsewhere(prepared: Path, tmp_path: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    write_rows(dataset.train.head(30), tmp_path / 'one_7.csv')
    synthesizer = build(parse_spec(f'csv:{tmp_path}/{{table}}_{{seed}}.csv'), dataset, seed=7)
    synthesizer.fit(dataset.train)
    pd.testing.assert_frame_equal(synthesizer.sample(20), dataset.train.head(20))
    assert len(synthesizer.sample(1000)) == 30


def test_an_object_of_the_users(prepared: Path, bootstrap: str) -> None:
    dataset = load_dataset(prepared, 'one')
    synthesizer = build(parse_spec(f'{bootstrap},state=3'), dataset, seed=0)
    synthesizer.fit(dataset.train)
    assert len(synthesizer.sample(7)) == 7
    with pytest.raises(TypeError, match=r'fit\(frame\) and sample\(num_rows\), but Mute has not'):
        build(parse_spec('object:bootstrap_model:Mute'), dataset, seed=0)
    with pytest.raises(ImportError, match='could not be loaded'):
        build(parse_spec('object:bootstrap_model:Nothing'), dataset, seed=0)


def test_an_sdv_class_of_the_users(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    spec = parse_spec('object:sdv.single_table:GaussianCopulaSynthesizer')
    synthesizer = build(spec, dataset, seed=0)
    synthesizer.fit(dataset.train)
    assert len(synthesizer.sample(7)) == 7


def test_smote_without_the_library(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'imblearn.over_sampling', None)
    with pytest.raises(ImportError, match='needs the package imbalanced-learn'):
        build(parse_spec('smote'), load_dataset(prepared, 'one'), seed=0)


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
    synthesizer = build(parse_spec('smote:neighbours=3'), dataset, seed=0)
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
        build(parse_spec('smote'), dataset, seed=0)


FAKE_PYTHON = """#!/bin/sh
# Plays the other Python: $3 is the step, $4 the folder.
cd "$4"
if [ "$3" = sample ]; then cp train.csv synthetic.csv; fi
echo '{"seconds": 1.5}' > "$3.json"
"""


def test_tabularargn_runs_in_another_python(prepared: Path, tmp_path: Path) -> None:
    python = tmp_path / 'python'
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    dataset = load_dataset(prepared, 'one')
    made: Any = build(parse_spec('tabularargn'), dataset, seed=0, argn_python=str(python))
    made.fit(dataset.train)
    pd.testing.assert_frame_equal(made.sample(60), dataset.train)
    assert made.seconds == {'fit': 1.5, 'sample': 1.5}


def test_tabularargn_without_the_engine(prepared: Path, tmp_path: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    with pytest.raises(ImportError, match='cannot start'):
        build(parse_spec('tabularargn'), dataset, seed=0, argn_python='/no/python')
    python = tmp_path / 'python'
    python.write_text('#!/bin/sh\nexit 1\n')
    python.chmod(0o755)
    with pytest.raises(ImportError, match='needs the package mostlyai-engine'):
        build(parse_spec('tabularargn'), dataset, seed=0, argn_python=str(python))


def test_tabularargn_that_fails_later_shows_why(prepared: Path, tmp_path: Path) -> None:
    python = tmp_path / 'python'
    python.write_text(FAKE_PYTHON + '[ "$3" = check ] || { echo out of luck >&2; exit 3; }\n')
    python.chmod(0o755)
    dataset = load_dataset(prepared, 'one')
    made = build(parse_spec('tabularargn'), dataset, seed=0, argn_python=str(python))
    with pytest.raises(RuntimeError, match=r'(?s)TabularARGN failed to fit.*out of luck'):
        made.fit(dataset.train)


@pytest.mark.usefixtures('ours')
def test_sdgym_gets_a_custom_synthesizer(
    monkeypatch: pytest.MonkeyPatch, table: pd.DataFrame
) -> None:
    sdgym = SimpleNamespace(create_single_table_synthesizer=lambda *parts: parts)
    monkeypatch.setitem(sys.modules, 'sdgym', sdgym)
    name, fit, sample = sdgym_synthesizer('Ours', width=8)
    columns = {column: {'sdtype': 'numerical'} for column in table.columns}
    fitted = fit(table, {'columns': columns, 'METADATA_SPEC_VERSION': 'V2'})
    assert name == 'Ours'
    assert fitted[1].settings == {'width': 8}
    pd.testing.assert_frame_equal(sample(fitted, 4), table.head(4))


def test_sdgym_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'sdgym', None)
    with pytest.raises(ImportError, match='needs the package sdgym'):
        sdgym_synthesizer()
