"""Settings that belong together, in the flat form of keyword arguments.

:data:`PAPER` holds those of the paper's table 'Default hyperparameter setting'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig

WITHOUT_RELATIONS: dict[str, Any] = {
    'echoes': False,
    'inequalities': False,
    'dependencies': False,
    'sums': False,
    'products': False,
    'structural_zeros': False,
    'copula': False,
}
"""Nothing that columns have to do with each other is looked for, or kept."""

PAPER: dict[str, Any] = {
    'width': 32,
    'num_blocks': 6,
    'num_heads': 4,
    'feedforward_factor': 4,
    'feedforward': 'relu',
    'head_width': 32,
    'head_layers': 4,
    'head_activation': 'relu',
    'num_scales': 0,
    'ordered_levels': False,
    'num_members': 1,
    'denoiser_width': 32,
    'denoiser_blocks': 4,
    'max_atoms': 0,
    'num_bins': 1,
    'max_crosses': 0,
    **WITHOUT_RELATIONS,
    'column_order': 'random',
    'attention': 'bidirectional',
    'precision': 'float32',
    'epochs': 5000,
    'max_training_time': None,
    'batch_size': 4096,
    'learning_rate': 1e-3,
    'optimizer': 'adamw',
    'weight_decay': 1e-6,
    'dropout': 0.0,
    'scheduler': 'plateau',
    'ema_decay': 0.0,
    'noise_draws': 1,
    'loss_weighting': 'sum',
    'calibration': False,
    'copula_rows': False,
    'num_steps': 50,
    'sigma_max': 80.0,
}

PRIVATE: dict[str, Any] = {
    'width': 32,
    'head_width': 32,
    'head_activation': 'relu',
    'num_scales': 1,
    'ordered_levels': False,
    'max_atoms': 64,
    'num_bins': 16,
    'max_crosses': 0,
    **WITHOUT_RELATIONS,
    'column_order': 'random',
    'attention': 'bidirectional',
    'precision': 'float32',
    'numerical_head': 'bins',
    'epochs': 15,
    'max_training_time': None,
    'learning_rate': 3e-3,
    'ema_decay': 0.99,
}
"""What takes the place of defaults where rows are learnt under a privacy budget."""

_BEFORE: Mapping[type, Mapping[str, Any]] = {
    ModelConfig: {
        'feedforward': 'relu',
        'head_activation': 'relu',
        'num_scales': 1,
        'ordered_levels': False,
        'num_members': 1,
        'attention': 'bidirectional',
        **WITHOUT_RELATIONS,
    },
    TrainingConfig: {'calibration': False, 'copula_rows': False, 'dropout': 0.0},
    SamplingConfig: {},
}


def with_former_settings(settings: Mapping[str, Any], *kinds: type) -> dict[str, Any]:
    """Saved settings of one or all kinds, with those that there were none of when they were saved.

    Args:
        settings: By name.
        kinds: :class:`ModelConfig`, :class:`TrainingConfig` or :class:`SamplingConfig`; all if none
            is given.
    """
    former = [_BEFORE[kind] for kind in kinds or _BEFORE]
    return {name: value for part in (*former, settings) for name, value in part.items()}
