"""A text names a synthesizer and its settings."""

from __future__ import annotations

import importlib

import pytest

from sdv_tabdar.benchmark.methods.spec import KINDS, parse_spec, timed_spec, without_python


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


def test_a_timed_spec_reads_back() -> None:
    spec = parse_spec(timed_spec('tabdar 300 s', 300, {'width': 8, 'epochs': 3}))
    assert spec.label == 'tabdar 300 s'
    assert spec.options == {'epochs': 3, 'max_training_time': 300.0, 'width': 8}


@pytest.mark.parametrize('kind', KINDS.values(), ids=KINDS)
def test_every_kind_has_a_builder(kind: object) -> None:
    module, _, name = kind.builder.partition(':')  # type: ignore[attr-defined]
    found = importlib.import_module(f'sdv_tabdar.benchmark.methods.{module}')
    assert callable(getattr(found, name))


def test_what_is_kept_does_not_say_where_a_python_is() -> None:
    kept = without_python("dpmm:python='/home/me/bin/python',method='aim'")
    assert kept == "dpmm:python='PYTHON',method='aim'"
    assert without_python('tvae:epochs=3') == 'tvae:epochs=3'
