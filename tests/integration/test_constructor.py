"""The constructor: arguments, defaults, attributes, validation."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.presets import PAPER
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY, make_metadata

CONFIGS = (ModelConfig, TrainingConfig, SamplingConfig)
HOST = ['metadata', 'enforce_min_max_values', 'enforce_rounding', 'locales']
OWN = ['protect_values', 'rare_token', 'epsilon', 'delta', 'public_values', 'random_state']
OWN += ['verbose', 'enable_gpu']


def test_arguments_are_the_hosts_then_every_setting_then_ours() -> None:
    fields = [field.name for config in CONFIGS for field in dataclasses.fields(config)]

    assert list(inspect.signature(TabDARSynthesizer).parameters) == [*HOST, *fields, *OWN]


def test_defaults_equal_those_of_the_settings_classes() -> None:
    parameters = inspect.signature(TabDARSynthesizer).parameters

    for config in CONFIGS:
        for field in dataclasses.fields(config):
            assert parameters[field.name].default == getattr(config(), field.name), field.name


def test_host_arguments_have_the_hosts_defaults() -> None:
    host = inspect.signature(BaseSingleTableSynthesizer).parameters
    own = inspect.signature(TabDARSynthesizer).parameters

    assert {name: own[name].default for name in HOST} == {name: host[name].default for name in HOST}


def test_get_parameters_returns_every_argument(metadata: Metadata) -> None:
    settings: dict[str, Any] = {'width': 8, 'epochs': 7, 'random_state': 3, 'locales': 'de_DE'}

    parameters = TabDARSynthesizer(metadata, **settings).get_parameters()

    assert list(parameters) == [*inspect.signature(TabDARSynthesizer).parameters][1:]
    assert settings.items() <= parameters.items()


def test_paper_settings_are_arguments(metadata: Metadata) -> None:
    parameters = TabDARSynthesizer(metadata, **PAPER).get_parameters()

    assert PAPER.items() <= parameters.items()


@pytest.mark.parametrize(
    ('name', 'value', 'allowed'),
    [
        ('epochs', 0, 'at least 1'),
        ('epochs', 1.5, 'whole number'),
        ('width', 'wide', 'whole number'),
        ('width', 5, 'multiple of num_heads'),
        ('learning_rate', -1.0, 'more than 0'),
        ('scheduler', 'step', 'cosine'),
        ('max_training_time', 0, 'more than 0'),
        ('num_steps', 0, 'at least 1'),
        ('random_state', -1, 'whole number from 0'),
        ('random_state', 'seed', 'whole number from 0'),
        ('random_state', True, 'whole number from 0'),
        ('verbose', 1, 'True or False'),
        ('enable_gpu', 'yes', 'True or False'),
        ('enforce_rounding', None, 'True or False'),
        ('enforce_min_max_values', 'no', 'True or False'),
        ('locales', 5, 'list of locale names'),
        ('locales', [], 'at least one'),
    ],
)
def test_bad_values_are_refused_at_once(
    new: Callable[..., TabDARSynthesizer], name: str, value: Any, allowed: str
) -> None:
    with pytest.raises(SynthesizerInputError) as error:
        new(**{name: value})

    text = str(error.value)
    assert name in text
    assert str(value) in text
    assert allowed in text


def test_unknown_argument_is_refused(new: Callable[..., TabDARSynthesizer]) -> None:
    with pytest.raises(TypeError, match='learning_rat'):
        new(learning_rat=1e-3)


def test_a_primary_key_without_a_name_is_refused() -> None:
    columns = {'': {'sdtype': 'id'}, 'x': {'sdtype': 'numerical'}}
    metadata = make_metadata(columns)
    metadata.set_primary_key('')
    with pytest.raises(SynthesizerInputError, match='empty name.*alternate key'):
        TabDARSynthesizer(metadata, **TINY)
    TabDARSynthesizer(make_metadata(columns, alternate_keys=['']), **TINY)
