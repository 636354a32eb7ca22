"""Commands on the table 'one', some of a tiny model, and what stands in for a synthesizer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

TINY = 'width=8,num_blocks=1,num_heads=1,denoiser_width=8,head_width=8,num_steps=2'


class Repeated:
    """Stands in for our synthesizer and those of SDV: rows of the table again."""

    def fit(self, data: pd.DataFrame) -> None:
        self.data = data

    def sample(self, num_rows: int) -> pd.DataFrame:
        rows = self.data.sample(num_rows, replace=True, random_state=0)
        return rows.reset_index(drop=True)


@pytest.fixture
def on_one(
    prepared: Path, tmp_path: Path, command: Callable[..., str], called: list[dict[str, Any]]
) -> Callable[..., str]:
    """Runs a command on the table 'one', in this process, results in 'out'."""

    def run(name: str, *arguments: object, code: int = 0) -> str:
        given = [name, '--data', prepared, '--tables', 'one', '--out', tmp_path / 'out']
        return command(*given, *arguments, code=code)

    return run


@pytest.fixture
def ask_tiny(on_one: Callable[..., str]) -> Callable[..., str]:
    """The same with a command that asks a tiny model."""

    def ask(name: str, *arguments: object, code: int = 0) -> str:
        return on_one(name, '--settings', TINY, '--epochs', 1, *arguments, code=code)

    return ask
