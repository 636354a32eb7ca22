"""Settings refuse what cannot work, and say what can."""

from __future__ import annotations

import dataclasses
import datetime
import math
from typing import Any

import numpy as np
import pytest

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.presets import PAPER

CONFIGS = (ModelConfig, TrainingConfig, SamplingConfig)
INTEGERS = {
    ModelConfig: [
        ('width', 2),
        ('num_blocks', 1),
        ('num_heads', 1),
        ('feedforward_factor', 1),
        ('head_width', 1),
        ('head_layers', 1),
        ('denoiser_width', 2),
        ('denoiser_blocks', 1),
        ('max_atoms', 0),
        ('num_bins', 1),
        ('max_categories', 2),
    ],
    TrainingConfig: [('epochs', 1), ('batch_size', 1), ('noise_draws', 1)],
    SamplingConfig: [('num_steps', 1), ('sampling_batch_size', 1), ('num_particles', 1)],
}
INTEGER_FIELDS = [(config, *entry) for config, fields in INTEGERS.items() for entry in fields]
NUMBER_FIELDS = [
    (TrainingConfig, 'max_training_time', 0.0),
    (TrainingConfig, 'learning_rate', 0.0),
    (TrainingConfig, 'weight_decay', -0.1),
    (TrainingConfig, 'ema_decay', 1.1),
    (SamplingConfig, 'sigma_max', 0.05),
]


@pytest.mark.parametrize('config', CONFIGS)
def test_defaults_are_valid_and_frozen(config: Any) -> None:
    settings = config()
    field = dataclasses.fields(settings)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(settings, field, 1)


def test_field_names_are_unique_across_the_three() -> None:
    names = [field.name for config in CONFIGS for field in dataclasses.fields(config)]
    assert len(names) == len(set(names))


def test_every_paper_setting_is_a_field_with_a_valid_value() -> None:
    left = dict(PAPER)
    for config in CONFIGS:
        names = [field.name for field in dataclasses.fields(config) if field.name in left]
        config(**{name: left.pop(name) for name in names})
    assert not left


def test_the_papers_settings_leave_out_what_the_paper_does_not_have() -> None:
    off = {'ema_decay': 0.0, 'max_atoms': 0, 'num_bins': 1, 'max_crosses': 0, 'noise_draws': 1}
    assert {**off, 'num_scales': 0}.items() <= PAPER.items()


@pytest.mark.parametrize(('config', 'field', 'least'), INTEGER_FIELDS)
def test_whole_numbers_have_a_least_value(config: Any, field: str, least: int) -> None:
    with pytest.raises(
        ValueError, match=f'{field} must be at least {least}, however: {field}={least - 1}'
    ):
        config(**{field: least - 1})


@pytest.mark.parametrize('value', [-1, 5])
def test_there_are_at_most_four_scales(value: int) -> None:
    with pytest.raises(ValueError, match='num_scales must be at least 0 and at most 4, however:'):
        ModelConfig(num_scales=value)


def test_numbers_of_numpy_become_plain_ones() -> None:
    config = TrainingConfig(epochs=np.int64(3), learning_rate=np.float32(0.5))
    assert (config.epochs, config.learning_rate) == (3, 0.5)
    assert (type(config.epochs), type(config.learning_rate)) == (int, float)


@pytest.mark.parametrize(
    ('config', 'field'),
    [(ModelConfig, 'num_scales'), *[(config, field) for config, field, _ in INTEGER_FIELDS]],
)
@pytest.mark.parametrize('value', [2.0, '2', True, math.nan])
def test_whole_numbers_are_no_other_type(config: Any, field: str, value: object) -> None:
    with pytest.raises(TypeError, match=f'{field} must be a whole number, however: {field}='):
        config(**{field: value})


@pytest.mark.parametrize(('config', 'field', 'value'), NUMBER_FIELDS)
def test_numbers_have_a_range(config: Any, field: str, value: float) -> None:
    with pytest.raises(ValueError, match=f'{field} must be .* however: {field}={value}'):
        config(**{field: value})


@pytest.mark.parametrize(('config', 'field', '_'), NUMBER_FIELDS)
@pytest.mark.parametrize('value', [math.nan, math.inf, 10**400])
def test_numbers_are_finite(config: Any, field: str, _: float, value: float) -> None:
    with pytest.raises(ValueError, match=f'{field} must be'):
        config(**{field: value})


@pytest.mark.parametrize(('config', 'field', '_'), NUMBER_FIELDS)
@pytest.mark.parametrize('value', ['1', True])
def test_numbers_are_no_other_type(config: Any, field: str, _: float, value: object) -> None:
    with pytest.raises(TypeError, match=f'{field} must be a number, however: {field}='):
        config(**{field: value})


@pytest.mark.parametrize(
    ('field', 'allowed'),
    [('scheduler', r"\['cosine', 'plateau'\]"), ('loss_weighting', r"\['order', 'sum'\]")],
)
def test_choices_are_listed(field: str, allowed: str) -> None:
    with pytest.raises(ValueError, match=f"{field} must be one of {allowed}, .* {field}='other'"):
        TrainingConfig(**{field: 'other'})  # type: ignore[arg-type]


def test_precisions_are_listed() -> None:
    with pytest.raises(ValueError, match=r"precision must be one of \['auto', .*='float16'"):
        ModelConfig(precision='float16')


def test_width_is_a_multiple_of_the_heads() -> None:
    with pytest.raises(ValueError, match='multiple of num_heads, however: width=30, num_heads=4'):
        ModelConfig(width=30, num_heads=4)


def test_none_leaves_epochs_and_time_open() -> None:
    settings = TrainingConfig(epochs=None, max_training_time=None)
    assert settings.epochs is None
    assert settings.max_training_time is None


def test_a_timedelta_is_so_many_seconds() -> None:
    limit = datetime.timedelta(minutes=2)
    assert TrainingConfig(max_training_time=limit).max_training_time == 120.0  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='max_training_time must be more than 0'):
        TrainingConfig(max_training_time=-limit)  # type: ignore[arg-type]


def test_attention_follows_the_number_of_columns_where_it_is_left_open() -> None:
    assert [ModelConfig().is_causal(columns) for columns in (1, 63, 64, 300)] == [0, 0, 1, 1]
    assert ModelConfig(attention='causal').is_causal(1)
    assert not ModelConfig(attention='bidirectional').is_causal(300)


def test_small_tables_learn_rows_of_a_copula_first_where_epochs_are_open() -> None:
    assert TrainingConfig().learns_copula_rows(399, 10)
    assert TrainingConfig(max_training_time=9).learns_copula_rows(3_999, 200)
    assert not TrainingConfig().learns_copula_rows(400, 10)
    assert not TrainingConfig().learns_copula_rows(4_000, 200)
    assert not TrainingConfig(epochs=3).learns_copula_rows(10, 10)
    assert not TrainingConfig(copula_rows=False).learns_copula_rows(10, 10)
