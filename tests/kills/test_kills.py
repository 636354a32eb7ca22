"""A training that is killed goes on from its checkpoint and ends with the same model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .killing import kill_trainings


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='processes are killed and copied')
def test_a_killed_training_ends_with_the_same_model(tmp_path: Path) -> None:
    killed = kill_trainings(4, 0, tmp_path, steps=50)
    assert killed.kills == 4
    assert killed.finished >= 1
    assert not killed.different
