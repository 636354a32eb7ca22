"""Hyperparameters as text."""

from __future__ import annotations

import pytest

from sdv_tabdar.cli.refusal import Refusal
from sdv_tabdar.cli.settings import settings


def test_values_are_read_as_in_python_and_others_as_text() -> None:
    assigned = ['width=64', 'sigma_max = 20.5', 'batch_size=None', 'optimizer=adamw', 'locales=[]']
    assert settings(assigned, {'epochs': 3, 'random_state': None}) == {
        'epochs': 3,
        'width': 64,
        'sigma_max': 20.5,
        'batch_size': None,
        'optimizer': 'adamw',
        'locales': [],
    }


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('widht=3', r'Did you mean width\? .*the names are enforce_min_max_values'),
        ('width', 'Write name=value'),
        ('epochs=3', 'epochs is said with --epochs'),
        ('random_state=3', 'random_state is said with --seed'),
    ],
)
def test_what_is_no_setting_is_refused(text: str, message: str) -> None:
    with pytest.raises(Refusal, match=message):
        settings([text], {})
