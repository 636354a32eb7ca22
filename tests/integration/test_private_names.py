"""SDV's and RDT's private names that this package relies on are still there.

Each failure names what has gone and where it is used: ``adapter/private_names/``, or a method of
the synthesizer that overrides SDV's.
"""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from rdt import HyperTransformer
from rdt.transformers import (
    AnonymizedFaker,
    BaseTransformer,
    FloatFormatter,
    IndexGenerator,
    LabelEncoder,
    RegexGenerator,
)
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.cag.base import BaseConstraint
from sdv.cag.programmable_constraint import ProgrammableConstraintHarness
from sdv.data_processing.data_processor import DataProcessor
from sdv.data_processing.numerical_formatter import NumericalFormatter
from sdv.metadata import _single_table
from sdv.single_table import base
from sdv.single_table.base import BaseSingleTableSynthesizer, BaseSynthesizer

import sdv_tabdar
from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.private_names.saved_kinds import KINDS
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import COLUMNS, make_metadata, make_table

PACKAGE = Path(sdv_tabdar.__file__).parent
OVERRIDDEN = {
    '_fit': ['self', 'processed_table_data'],
    '_preprocess': ['self', 'table_data'],
    '_sample_rows': [
        'self',
        'num_rows',
        'conditions',
        'transformed_conditions',
        'float_rtol',
        'previous_rows',
        'keep_extra_columns',
    ],
    '_sample_with_progress_bar': [
        'self',
        'num_rows',
        'max_tries_per_batch',
        'batch_size',
        'output_file_path',
        'show_progress_bar',
    ],
    '_validate_conditions_unseen_columns': ['self', 'conditions'],
    '_sample_with_conditions': [
        'self',
        'conditions',
        'max_tries_per_batch',
        'batch_size',
        'progress_bar',
        'output_file_path',
        'keep_extra_columns',
    ],
    'reverse_transform_constraints': ['self', 'sampled'],
    '_validate_fit_before_sample': ['self'],
    '_validate_table_name': ['self', 'table_name'],
    '_check_input_metadata_updated': ['self'],
    '_update_default_transformers': ['self'],
    '_set_random_state': ['self', 'random_state'],
}
SYNTHESIZER_ATTRIBUTES = [
    '_chained_constraints',
    '_constraints_fitted',
    '_data_processor',
    '_fitted',
    '_original_metadata',
    '_random_state_set',
    '_reject_sampling_constraints',
    '_table_name',
    'metadata',
]


@pytest.mark.parametrize(('name', 'parameters'), OVERRIDDEN.items())
def test_methods_of_the_host(name: str, parameters: list[str]) -> None:
    method = getattr(BaseSingleTableSynthesizer, name, None)

    assert method is not None, f'SDV has renamed BaseSingleTableSynthesizer.{name}'
    found = list(inspect.signature(method).parameters)
    assert found == parameters, f'SDV has changed the arguments of {name}'


@pytest.mark.parametrize('name', SYNTHESIZER_ATTRIBUTES)
def test_attributes_of_the_host(name: str) -> None:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS))

    assert name in vars(synthesizer), f'SDV has renamed the attribute {name} of synthesizers'


def test_the_host_still_calls_what_is_overridden() -> None:
    source = inspect.getsource(base)

    for name in OVERRIDDEN:
        used = source.count(f'.{name}(')
        assert used or name == '_update_default_transformers', f'SDV does not call {name} any more'
    assert '.reverse_transform(raw_sampled, conditions=' in source, (
        'gaps are laid over what is given'
    )
    assert 'FIXED_RNG_SEED' in vars(base), 'SDV has renamed FIXED_RNG_SEED'
    assert hasattr(BaseSynthesizer, '_model_sdtype_transformers'), (
        'SDV has renamed _model_sdtype_transformers'
    )


def test_data_processor() -> None:
    processor = DataProcessor(make_metadata(COLUMNS)._convert_to_single_table())

    for name in ('_keys', '_primary_key', '_hyper_transformer', 'fitted', 'metadata'):
        assert name in vars(processor), f'SDV has renamed DataProcessor.{name}'
    for name, wanted in (
        ('fit', ['self', 'data']),
        ('transform', ['self', 'data', 'is_condition']),
        ('reverse_transform', ['self', 'data', 'reset_keys', 'conditions']),
        ('_update_transformers_by_sdtypes', ['self', 'sdtype', 'transformer']),
    ):
        method = getattr(DataProcessor, name, None)
        assert method is not None, f'SDV has renamed DataProcessor.{name}'
        assert list(inspect.signature(method).parameters) == wanted, f'arguments of {name}'


def test_what_batches_are_held_against() -> None:
    metadata = make_metadata(COLUMNS, primary_key='key')
    found = metadata.tables['table']
    rows = pd.DataFrame({'key': [1, 1], 'age': ['x', 2]})
    assert found._get_primary_and_alternate_keys() == {'key'}
    assert found._validate_key_values_are_unique(rows), 'SDV lets keys repeat'
    assert found._validate_column_data(rows['age'], defaultdict(list)), 'SDV lets text be numbers'
    for name in ('_validate_transform_constraints',):
        assert hasattr(BaseSingleTableSynthesizer, name), f'SDV has renamed {name}'
    assert 'self.validate(data)' in inspect.getsource(BaseConstraint.transform)
    source = inspect.getsource(FloatFormatter)
    for name in ('enforce_min_max_values', '_min_value', '_max_value'):
        assert f'self.{name}' in source, f'RDT has renamed FloatFormatter.{name}'
    assert 'data_length' in vars(RegexGenerator()), 'RDT has renamed RegexGenerator.data_length'
    assert 'data.head(5)' in inspect.getsource(BaseTransformer._set_seed), 'seeds of other rows'


def test_programmable_constraints() -> None:
    harness = ProgrammableConstraintHarness(SingleTableProgrammableConstraint())

    for name in ('programmable_constraint', '_formatters'):
        assert name in vars(harness), f'SDV has renamed {name} of ProgrammableConstraintHarness'
    formatter = NumericalFormatter(enforce_min_max_values=True)
    formatter.learn_format(pd.Series([1.0, 2.0]))
    formatter.enforce_min_max_values = False
    assert list(formatter.format_data(pd.Series([3.0]))) == [3.0], 'SDV cuts totals all the same'


def test_hyper_transformer_and_transformers() -> None:
    hyper_transformer = HyperTransformer()

    for name in (
        'field_transformers',
        '_multi_column_fields',
        '_output_columns',
        '_transformers_sequence',
    ):
        assert name in vars(hyper_transformer), f'RDT has renamed HyperTransformer.{name}'
    fit_field = getattr(HyperTransformer, '_fit_field_transformer', None)
    assert fit_field is not None, 'RDT has renamed HyperTransformer._fit_field_transformer'
    parameters = list(inspect.signature(fit_field).parameters)
    assert parameters == ['self', 'data', 'field', 'transformer']
    assert '._fit_field_transformer(' in inspect.getsource(HyperTransformer.fit)
    assert hasattr(hyper_transformer, 'create_anonymized_columns')
    for name in ('get_output_columns', 'get_output_sdtypes', 'get_supported_sdtypes'):
        assert hasattr(BaseTransformer, name), f'RDT has renamed BaseTransformer.{name}'
    assert hasattr(LabelEncoder(), 'add_noise'), 'RDT has renamed LabelEncoder.add_noise'
    for transformer, names in (
        (
            AnonymizedFaker(),
            [
                'random_seed',
                '_faker_random_seed',
                '_unique_categories',
                '_data_cardinality',
                '_nan_frequency',
                '_get_unique_categories',
                '_reverse_transform',
                '_fallback_function',
            ],
        ),
        (
            RegexGenerator(),
            [
                'random_seed',
                '_unique_regex_values',
                '_generate_unique_regexes',
                'generator',
                'generator_size',
                'generated',
            ],
        ),
        (IndexGenerator(), ['_counter']),
    ):
        for name in names:
            kind = type(transformer).__name__
            assert hasattr(transformer, name), f'RDT has renamed {kind}.{name}'


def test_transformers_have_no_successors(table: pd.DataFrame) -> None:
    transformer = FloatFormatter()
    transformer.fit(table, 'age')

    assert set(transformer.get_next_transformers().values()) == {None}


def test_constraints() -> None:
    data = pd.DataFrame({'a': [1.0, 2.0], 'b': [2.0, 3.0], 'c': [3.0, 5.0], 'x': ['p', 'q']})
    entries = {name: {'sdtype': 'numerical'} for name in 'abcpq'}
    metadata = make_metadata(
        {
            **entries,
            'x': {'sdtype': 'categorical'},
            'y': {'sdtype': 'categorical'},
        }
    )
    data['y'] = data['x']
    data = data.assign(p=[0, 1], q=[1, 0])
    wanted: list[tuple[Any, list[str]]] = [
        (
            Inequality('a', 'b'),
            [
                '_low_column_name',
                '_high_column_name',
                '_fillna_low_column_name',
                '_diff_column_name',
                '_nan_column_name',
                '_operator',
                '_dtype',
                '_is_datetime',
                '_format_error_message_constraint',
            ],
        ),
        (
            Range('a', 'b', 'c'),
            [
                '_low_column_name',
                '_middle_column_name',
                '_high_column_name',
                '_fillna_low_column_name',
                '_low_diff_column_name',
                '_high_diff_column_name',
                '_nan_column_name',
                '_operator',
            ],
        ),
        (FixedIncrements('a', 1), ['column_name', 'increment_value']),
        (OneHotEncoding(['p', 'q']), ['_column_names', 'learning_strategy']),
        (FixedCombinations(['x', 'y']), ['column_names', '_joint_column', '_ids_to_combinations']),
    ]
    for constraint, names in wanted:
        constraint.fit(data, metadata)
        for name in names:
            assert hasattr(constraint, name), f'SDV has renamed {type(constraint).__name__}.{name}'
    for name in ('get_updated_metadata', 'transform', 'is_valid'):
        assert hasattr(BaseConstraint, name)


def test_null_patterns_are_written_as_this_package_expects() -> None:
    data = pd.DataFrame({'a': [1.0, None, 3.0], 'b': [2.0, 3.0, None]})
    metadata = make_metadata({name: {'sdtype': 'numerical'} for name in 'ab'})
    constraint = Inequality('a', 'b')
    constraint.fit(data, metadata)

    assert list(constraint.transform(data)['a#b.nan_component']) == ['None', 'a', 'b']


def test_differences_are_written_as_this_package_expects() -> None:
    data = pd.DataFrame({'a': [1.0, 4.0], 'b': [2.0, 9.0]})
    constraint = Inequality('a', 'b')
    constraint.fit(data, make_metadata({name: {'sdtype': 'numerical'} for name in 'ab'}))

    found = constraint.transform(data)['a#b']
    assert found.tolist() == pytest.approx([0.6931471805599453, 1.791759469228055])


def test_saved_state_of_hosts() -> None:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS))
    processor = synthesizer._data_processor
    for owner, names in (
        (synthesizer, ['_constraints_fitted', '_creation_date', '_fitted_date', '_synthesizer_id']),
        (processor, ['_prepared_for_fitting', '_warned_overflow', '_dtypes', 'formatters']),
        (processor._hyper_transformer, ['_fitted_fields', '_input_columns', '_modified_config']),
    ):
        for name in names:
            assert name in vars(owner), f'SDV has renamed {type(owner).__name__}.{name}'


@pytest.mark.parametrize('name', KINDS)
def test_saved_state_of_transformers(name: str) -> None:
    """A transformer is made by its arguments, which it keeps under their names."""
    kind = KINDS[name]
    arguments = set(inspect.signature(kind.make).parameters) - {'distribution'}
    transformer = kind.make()

    assert set(kind.parameters) - {'distribution'} <= arguments, f'RDT: arguments of {name}'
    for key in (*arguments, *kind.remade):
        assert hasattr(transformer, key), f'RDT has renamed {name}.{key}'


def test_private_names_stay_in_one_folder() -> None:
    """Only ``adapter/private_names`` reads a private attribute of anything but its own class.

    The core, which cannot import SDV, uses some of torch.
    """
    private = PACKAGE / 'adapter' / 'private_names'
    files = sorted(PACKAGE.rglob('*.py'))
    assert private.is_dir()
    assert {'adapter', 'benchmark', 'core', 'evaluation'} <= {path.parent.name for path in files}
    for path in files:
        if private in path.parents:
            continue
        owners = [torch, torch.nn.Module()] if (PACKAGE / 'core') in path.parents else []
        for node in ast.walk(ast.parse(path.read_text())):
            is_private = isinstance(node, ast.Attribute) and node.attr.startswith('_')
            if not is_private or node.attr.endswith('__'):
                continue
            is_own = isinstance(node.value, ast.Name) and node.value.id in ('self', 'cls')
            is_super = isinstance(node.value, ast.Call)
            is_torch = any(hasattr(owner, node.attr) for owner in owners)
            assert is_own or is_super or is_torch, f'{path.relative_to(PACKAGE)}: {node.attr}'


def test_the_table_has_every_sdtype_that_sdv_treats_differently() -> None:
    assert set(make_table(5).columns) == set(COLUMNS)


def test_sdv_takes_timestamps_for_dates_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def slow(value: object) -> bool:
        asked.append(value)
        return value == '2020-01-01'

    monkeypatch.setattr(_single_table, '_is_datetime_type', slow)
    with private_names.quick_dates():
        with private_names.quick_dates():
            assert _single_table._is_datetime_type(pd.Timestamp('2020-01-01'))
            assert _single_table._is_datetime_type('2020-01-01')
            assert not _single_table._is_datetime_type('no date')
        assert asked == ['2020-01-01', 'no date']
    assert _single_table._is_datetime_type is slow
