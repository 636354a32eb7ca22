"""Damaged, cut off, foreign, later and harmful files are refused in words."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save_file
from sdv.cag import FixedCombinations, Inequality

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files import ModelFileError, container, describe

from ..conftest import TINY, fit_tiny, make_metadata, make_table

COLUMNS: dict[str, dict[str, Any]] = {
    'age': {'sdtype': 'numerical'},
    'income': {'sdtype': 'numerical'},
    'city': {'sdtype': 'categorical'},
    'email': {'sdtype': 'email', 'pii': True},
}


@pytest.fixture(scope='module')
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model file."""
    path = tmp_path_factory.mktemp('model') / 'model.tabdar'
    fit_tiny(make_table(80)[list(COLUMNS)], COLUMNS).save_safe(path)
    return path


@pytest.fixture
def changed(model: Path, tmp_path: Path) -> Callable[..., Path]:
    """Writes the model anew, with right digests, after something in it was changed."""

    def write(
        document: Callable[[Any], None] = lambda found: None,
        arrays: Callable[[Any], None] = lambda found: None,
        weights: Callable[[Any], None] = lambda found: None,
    ) -> Path:
        file = container.ModelFile(model)
        parts = (*file.description(), file.weights())
        for part, change in zip(parts, (document, arrays, weights), strict=True):
            change(part)
        container.write(tmp_path / 'changed.tabdar', *parts)
        return tmp_path / 'changed.tabdar'

    return write


def refused(path: Path, words: str) -> None:
    """Both readers refuse the file with these words."""
    for read in (TabDARSynthesizer.load_safe, describe):
        with pytest.raises(ModelFileError, match=words):
            read(path)


def composition(part: str, case: str = 'as it is') -> dict[str, Any]:
    """The state of a city's text that is made of a part."""
    return {'key': 'city', 'pieces': [[part, case], ['', '!']], 'is_whole': True}


def test_other_formats(tmp_path: Path) -> None:
    path = tmp_path / 'other'
    for content, words in (
        (pickle.dumps({'a': 1}), 'is a pickle, as SDV.s save'),
        (b'PK\x03\x04' + b'0' * 100, 'is a zip archive'),
        (b'\x1f\x8b' + b'0' * 100, 'is a gzip archive'),
        (b'PAR1' + b'0' * 100, 'is a Parquet file of rows'),
        (b'a,b\n1,2\n', 'is no model file'),
        (b'', 'is no model file'),
    ):
        path.write_bytes(content)
        refused(path, words)
    torch.save({'a': torch.zeros(3)}, path)
    refused(path, 'is a zip archive')
    save_file({'a': np.zeros(3)}, path)
    refused(path, 'something else than a model of sdv_tabdar')
    refused(tmp_path, 'is no file')
    with pytest.raises(FileNotFoundError):
        describe(tmp_path / 'absent')


class _Harmful:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_a_pickle_is_not_run(tmp_path: Path) -> None:
    path, mark = tmp_path / 'harmful', tmp_path / 'was run'
    path.write_bytes(pickle.dumps(_Harmful(mark)))
    refused(path, 'is a pickle')
    assert not mark.exists()
    pickle.loads(path.read_bytes())
    assert mark.exists()


def test_damage(model: Path, tmp_path: Path) -> None:
    whole, path = model.read_bytes(), tmp_path / 'damaged'
    for length in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match='cut off|no model file|damaged'):
            TabDARSynthesizer.load_safe(path)
    for place in np.random.default_rng(0).integers(8, len(whole), 40).tolist():
        flipped = bytearray(whole)
        flipped[place] ^= 4
        path.write_bytes(flipped)
        with pytest.raises(ModelFileError):
            TabDARSynthesizer.load_safe(path)
    path.write_bytes(whole + b'0')
    refused(path, 'damaged, or was cut off')


def test_later_formats(model: Path, tmp_path: Path) -> None:
    with safe_open(model, framework='numpy') as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        header = json.loads(file.metadata()[container.FORMAT])
    path = tmp_path / 'later'
    save_file(tensors, path, {container.FORMAT: json.dumps({**header, 'version': 2})})

    refused(path, 'has format 2; this version .* reads up to format 1. Install a newer sdv_tabdar')


def codec(found: Any, number: int) -> Any:
    return found['model']['encoder']['codecs'][number]


def binned(found: Any) -> Any:
    """The codec of a column of numbers that has bins."""
    codecs = found['model']['encoder']['codecs']
    return next(entry for entry in codecs if entry.get('sizes'))


def emails(found: Any) -> Any:
    transformers = found['host']['hyper_transformer']['transformers']
    return next(entry for entry in transformers if entry['class'] == 'AnonymizedFaker')


CHANGES: dict[str, tuple[Callable[[Any], None], str]] = {
    'a step of a bin too many': (
        lambda found: binned(found)['steps'].append(0.0),
        "steps' are not as many as the bins",
    ),
    'a step below all decimals': (
        lambda found: binned(found).update(steps=[1e-9] * len(binned(found)['sizes'])),
        "steps' are not numbers with multiples in their bins",
    ),
    'a step beyond the bin': (
        lambda found: binned(found).update(steps=[2.0**52] * len(binned(found)['sizes'])),
        "steps' are not numbers with multiples in their bins",
    ),
    'a class that is not on the list': (
        lambda found: emails(found).update({'class': 'os.system'}),
        "class' is 'os.system'; it must be one of",
    ),
    'a function that is none of a provider': (
        lambda found: emails(found)['parameters'].update(function_name='__init__'),
        "a plain function of Faker's provider",
    ),
    'a provider that is none': (
        lambda found: emails(found)['parameters'].update(provider_name='os'),
        "one of Faker's own providers",
    ),
    'a locale that is none': (
        lambda found: found['settings'].update(locales=['../../evil']),
        "a locale of Faker's",
    ),
    'a setting that is not known': (
        lambda found: found['settings'].update(future=1),
        'future',
    ),
    'a width of a thousand million': (
        lambda found: found['model']['model'].update(width=10**9),
        r'has the shape \[16\]; it must have \[1000000000\]',
    ),
    'too many blocks': (
        lambda found: found['model']['model'].update(num_blocks=10**12),
        'too few for 1,000,000,000,000 layers',
    ),
    'another number of codes': (
        lambda found: codec(found, 2)['column']['counts'].append(3),
        'are not as many as their counts, or fewer than codes',
    ),
    'a list in place of a text': (
        lambda found: codec(found, 0)['column'].update(name=[1]),
        "name' is of type list; it must be a text",
    ),
    'a field that is not known': (
        lambda found: found['table'].update(rows=[[1, 2]]),
        r"'table' has \['rows'\], which this version does not know",
    ),
    'a field that lacks': (lambda found: found['table'].pop('form'), 'lacks .*form'),
    'a text of itself': (
        lambda found: found['table'].update(compositions=[composition('city')]),
        'not of a column and others',
    ),
    'a text of no column': (
        lambda found: found['table'].update(compositions=[composition('street')]),
        'not of a column and others',
    ),
    'a text that is written otherwise': (
        lambda found: found['table'].update(compositions=[composition('email', 'backwards')]),
        'not written in one of the ways',
    ),
    'two texts of one column': (
        lambda found: found['table'].update(compositions=[composition('email')] * 2),
        'not behind those of its parts',
    ),
    'a tag that is not known': (
        lambda found: found['table'].update(num_rows={'$code': '1'}),
        'is of the kind .\\$code., which this version does not know',
    ),
    'a pattern that would take all memory': (
        lambda found: found['host']['metadata']['tables']['table']['columns']['city'].update(
            regex_format='(((a{1000}){1000}){1000}){1000}'
        ),
        'is a pattern of more than',
    ),
    'columns that are not those of the metadata': (
        lambda found: found['host']['metadata']['tables']['table']['columns'].pop('city'),
        'are not the columns of the metadata',
    ),
    'another version of the state': (
        lambda found: found['model'].update(version=99),
        'saved in format 99',
    ),
    'nesting': (
        lambda found: found['advised'].append(_nested(60)),
        'is nested deeper than',
    ),
    'levels that the column cannot hold': (
        lambda found: found['table']['processed']['dtypes'].update(city={'$dtype': '<f8'}),
        "dtypes.city' cannot hold the values of the model: could not convert string to float",
    ),
    'a formatter that has learnt nothing': (
        lambda found: found['host']['processor']['formatters']['age'].pop('_dtype'),
        "formatters.age' lacks .*_dtype",
    ),
    'dates that are none': (
        lambda found: found['table']['form']['columns'][0].update(dtype={'$dtype': 'O8,evil'}),
        'is no dtype of a column',
    ),
}


CONTRADICTIONS: dict[str, tuple[Callable[[Any], None], str]] = {
    'a combination that the constraint does not have': (
        lambda found: levels(found, 'city#group').__setitem__(0, 'fixed_combination#9'),
        "has 'fixed_combination#9', which its constraint cannot read",
    ),
    'missing cells in columns that are none': (
        lambda found: levels(found, 'age#income.nan_component').__setitem__(1, 'evil'),
        "has 'evil', which its constraint cannot read",
    ),
    'a column twice': (
        lambda found: found['host']['constraints'][0]['fit']['columns'].append('age'),
        r"must name each once, however twice: \['age'\]",
    ),
    'combinations that their columns cannot hold': (
        lambda found: found['host']['constraints'][1]['fit']['dtypes'].update(
            city={'$dtype': '<i8'}
        ),
        "cannot hold the cells of 'city'",
    ),
}


def levels(found: Any, name: str) -> Any:
    """The levels of a column that a constraint has made."""
    codecs = found['model']['encoder']['codecs']
    return next(codec['levels'] for codec in codecs if codec['column']['name'] == name)


def _nested(depth: int) -> Any:
    found: Any = 'x'
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize('name', CHANGES)
def test_changed_documents(name: str, changed: Callable[..., Path]) -> None:
    change, words = CHANGES[name]
    with pytest.raises(ModelFileError, match=words):
        TabDARSynthesizer.load_safe(changed(document=change))


@pytest.fixture(scope='module')
def constrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with an Inequality, some of whose cells are missing, and a FixedCombinations."""
    rows = make_table(40)[['age', 'income', 'city', 'group']]
    rows = rows.assign(age=-rows['age'].astype(float), city=rows['group'])
    rows.loc[:4, 'income'] = np.nan
    columns = {**COLUMNS, 'group': {'sdtype': 'categorical'}}
    synthesizer = TabDARSynthesizer(make_metadata({name: columns[name] for name in rows}), **TINY)
    synthesizer.add_constraints([Inequality('age', 'income'), FixedCombinations(['city', 'group'])])
    synthesizer.fit(rows)
    path = tmp_path_factory.mktemp('constrained') / 'model.tabdar'
    synthesizer.save_safe(path)
    return path


@pytest.mark.parametrize('name', CONTRADICTIONS)
def test_constraints_and_models_that_contradict_each_other(
    name: str, constrained: Path, tmp_path: Path
) -> None:
    change, words = CONTRADICTIONS[name]
    file = container.ModelFile(constrained)
    document, *rest = *file.description(), file.weights()
    container.write(tmp_path / 'same.tabdar', document, *rest)
    TabDARSynthesizer.load_safe(tmp_path / 'same.tabdar')
    change(document)
    container.write(tmp_path / 'changed.tabdar', document, *rest)
    with pytest.raises(ModelFileError, match=words):
        TabDARSynthesizer.load_safe(tmp_path / 'changed.tabdar')


def test_changed_arrays(changed: Callable[..., Path]) -> None:
    def atoms(found: Any) -> None:
        name = next(name for name in found if name.endswith('knots') and len(found[name]))
        found[name] = found[name][::-1].copy()

    refused(changed(arrays=atoms), 'are not sorted finite numbers')
    refused(
        changed(arrays=lambda found: found.update(more=np.zeros(3))), 'arrays that nothing names'
    )


def test_changed_weights(changed: Callable[..., Path]) -> None:
    def fails(change: Callable[[Any], None], words: str) -> None:
        with pytest.raises(ModelFileError, match=words):
            TabDARSynthesizer.load_safe(changed(weights=change))

    fails(lambda found: found.pop('pad'), r'are not those of the network .*pad')
    fails(lambda found: found.update(pad=np.zeros(7, np.float32)), r'has the shape \[7\]')
    fails(lambda found: found.update(pad=np.zeros(16)), 'must be an array of f4')
    fails(lambda found: found['pad'].fill(np.nan), 'not finite')


def test_a_document_may_not_ask_for_more_memory_than_the_file_has(
    changed: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = changed()
    monkeypatch.setattr(container, 'ALLOWANCE', 0)

    refused(path, 'asks for about .* MiB of memory')


def test_too_many_categories_are_said_at_saving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, 'ALLOWANCE', 0)
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    with pytest.raises(ModelFileError, match='too many categories'):
        synthesizer.save_safe(tmp_path / 'model.tabdar')
