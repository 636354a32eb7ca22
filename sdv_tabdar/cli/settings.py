"""Hyperparameters as ``--set name=value`` gives them."""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from sdv_tabdar.cli.refusal import Refusal

# What other options say, or what is not a setting of the model.
_ELSEWHERE = {
    'metadata': '--metadata',
    'epochs': '--epochs',
    'max_training_time': '--max-training-time',
    'random_state': '--seed',
    'verbose': '--quiet',
}


def settings(assigned: Sequence[str], others: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the synthesizer.

    Args:
        assigned: Texts like ``'width=64'``.
        others: Arguments that other options give, None where they were not used.

    Raises:
        Refusal: If a text is no assignment, or its name no hyperparameter.
    """
    from sdv_tabdar import TabDARSynthesizer

    parameters = inspect.signature(TabDARSynthesizer).parameters
    names = [name for name in parameters if name not in _ELSEWHERE]
    found = {name: value for name, value in others.items() if value is not None}
    for text in assigned:
        name, sign, value = (part.strip() for part in text.partition('='))
        if name in _ELSEWHERE:
            raise Refusal(f'--set {text}: {name} is said with {_ELSEWHERE[name]}.')
        if not sign or name not in names:
            close = difflib.get_close_matches(name, names, 1)
            hint = f'Did you mean {close[0]}? ' if close and sign else ''
            raise Refusal(
                f'--set {text} sets no hyperparameter. {hint}Write name=value; the names are '
                f'{", ".join(names)}.'
            )
        found[name] = _read(value)
    return found


def _read(value: str) -> Any:
    """A number, None, True, False or a list as in Python; anything else is text."""
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value
