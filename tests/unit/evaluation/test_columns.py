"""Which columns are measured, and as what."""

from __future__ import annotations

import pytest
from sdv.metadata import Metadata

from sdv_tabdar.evaluation.columns import resolve_columns


def test_metadata_of_sdv_with_a_word_that_is_no_sdtype_are_refused():
    columns = {'a': {'sdtype': 'numeric'}, 'b': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns}}})
    with pytest.raises(ValueError, match="'numeric', which is no sdtype of SDV. Write 'numerical'"):
        resolve_columns(metadata)


def test_all_forms_of_metadata_give_the_same_columns(mixed_metadata):
    table = mixed_metadata['tables']['people']
    expected = resolve_columns(table)
    assert expected.numbers == ('age', 'income', 'savings', 'since')
    assert expected.categories == ('job', 'member')
    assert expected.datetime_formats == {'since': '%Y-%m-%d'}
    assert resolve_columns(mixed_metadata) == expected
    assert resolve_columns(Metadata.load_from_dict(mixed_metadata)) == expected
    plain = {name: facts['sdtype'] for name, facts in table['columns'].items()}
    assert resolve_columns(plain).sdtypes == expected.sdtypes


def test_keys_ids_and_personal_data_are_left_out():
    columns = resolve_columns(
        {
            'primary_key': 'key',
            'alternate_keys': ['other_key'],
            'columns': {
                'key': {'sdtype': 'numerical'},
                'other_key': {'sdtype': 'categorical'},
                'number': {'sdtype': 'id'},
                'mail': {'sdtype': 'email', 'pii': True},
                'secret': {'sdtype': 'categorical', 'pii': True},
                'age': {'sdtype': 'numerical'},
            },
        }
    )
    assert columns.names == ('age',)
    assert set(columns.ignored) == {'key', 'other_key', 'number', 'mail', 'secret'}


@pytest.mark.parametrize('sdtype', ['unknown', 'phone_number', 'ipv4_address', 'street_name'])
def test_personal_data_have_many_names(sdtype):
    assert resolve_columns({'a': 'numerical', 'b': sdtype}).ignored == ('b',)


def test_keys_need_not_be_text():
    columns = resolve_columns(
        {'primary_key': 0, 'columns': {name: {'sdtype': 'categorical'} for name in (0, 1)}}
    )
    assert columns.names == (1,)


def test_composite_key_is_left_out():
    columns = resolve_columns(
        {
            'primary_key': ['a', 'b'],
            'columns': {name: {'sdtype': 'categorical'} for name in 'abc'},
        }
    )
    assert columns.names == ('c',)


@pytest.mark.parametrize(
    ('metadata', 'error', 'message'),
    [
        (3, TypeError, 'metadata must be SDV metadata, its dict, or a mapping .* but it is a int'),
        ({'a': 3}, TypeError, r"metadata\['a'\] must be an sdtype .* but it is 3"),
        ({'a': 'numeric', 'b': 'id'}, ValueError, "metadata.'a'. is 'numeric', .*'numerical'"),
        ({'a': 'numerical', 'b': 'bool'}, ValueError, "no sdtype of SDV. Write 'boolean'. What is"),
        (
            {'columns': {'a': {'sdtype': 'numerical'}, 'b': {'sdtype': 'categoric'}}},
            ValueError,
            r"metadata\['b'\] is 'categoric', which is no sdtype of SDV. What is measured is one of"
            " 'numerical', 'datetime', 'categorical', 'boolean', 'ordinal'; 'id', 'unknown' and",
        ),
        ({'a': 'numerical', 'b': {}}, ValueError, r"metadata\['b'\] is None, which is no sdtype"),
        ({'a': 'numerical', 'b': 'seed'}, ValueError, r"metadata\['b'\] is 'seed', which is no"),
        ({'a': 'id'}, ValueError, "no column that can be measured.*'a'.*must be one of"),
        (
            {'tables': {'x': {'columns': {}}, 'y': {'columns': {}}}},
            ValueError,
            "describes 2 tables \\('x', 'y'\\).*pass the metadata of that table alone",
        ),
    ],
)
def test_bad_metadata_is_refused(metadata, error, message):
    with pytest.raises(error, match=message):
        resolve_columns(metadata)
