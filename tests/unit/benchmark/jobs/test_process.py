"""A function is called in a process of its own, with its threads, seeds and log."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sdv_tabdar.benchmark.jobs import process
from sdv_tabdar.benchmark.jobs.cost import Cost
from sdv_tabdar.benchmark.jobs.environment import thread_settings
from sdv_tabdar.benchmark.jobs.process import RunFailed


def test_a_function_is_called_in_a_process_of_its_own(tmp_path: Path) -> None:
    log = tmp_path / 'deep' / 'log.txt'
    found = process.call(thread_settings, {'threads': 3}, threads=1, seed=4, log=log)
    environment = found.pop('environment')
    assert set(found.values()) == {'3'}
    assert environment['omp_num_threads'] == '1'
    assert log.read_text().startswith('--- thread_settings')


def test_a_failed_process_shows_the_end_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(RunFailed, match=r'(?s)ended with code 1.*must be at least 1, but it is 0'):
        process.call(thread_settings, {'threads': 0}, log=tmp_path / 'log.txt')


def test_threads_and_seeds_are_set_before_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(process, 'set_up', lambda threads, seed: given.append((threads, seed)))
    request: Mapping[str, Any] = {
        'function': f'{thread_settings.__module__}:thread_settings',
        'arguments': {'threads': 1},
        'threads': 2,
        'seed': 3,
    }
    assert 'environment' in process.perform(request)
    assert given == [(2, 3)]


@pytest.mark.changes_random_state('a process that ends after one call seeds the global generators')
def test_the_global_generators_follow_the_seed() -> None:
    import numpy as np
    import torch

    drawn = []
    for seed in (1, 1, 2):
        process.set_up(None, seed)
        drawn.append((np.random.random(), torch.rand(1).item()))
    assert drawn[0] == drawn[1] != drawn[2]
    assert Cost().seconds == 0
