"""A command that asks a tiny model of the prepared table 'one'."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TINY = 'width=8,num_blocks=1,num_heads=1,denoiser_width=8,head_width=8,num_steps=2'


@pytest.fixture
def ask_tiny(
    prepared: Path, tmp_path: Path, command: Callable[..., str], called: list[dict[str, Any]]
) -> Callable[..., str]:
    """Runs a command on the table 'one', results in 'out'."""

    def ask(name: str, *arguments: object, code: int = 0) -> str:
        given = [name, '--data', prepared, '--tables', 'one', '--out', tmp_path / 'out']
        return command(*given, '--settings', TINY, '--epochs', 1, *arguments, code=code)

    return ask
