"""Training speed: steps are counted, and the arithmetic of the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import training_speed
from sdv_tabdar.benchmark.experiments.training_speed import FAST, PLAIN
from sdv_tabdar.benchmark.jobs import process
from sdv_tabdar.benchmark.jobs.job import Job

SMALL = {'width': 8, 'num_heads': 2, 'denoiser_width': 8, 'head_width': 8, 'batch_size': 16}


@pytest.mark.parametrize('is_plain', [False, True])
def test_steps_are_counted(prepared: Path, is_plain: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_speed, 'ENDLESS', 3)  # so that no clock ends it
    job = Job(str(prepared), 'one', 'tabdar', 'tabdar').to_dict()
    found = training_speed.measure(job, SMALL, is_plain, warm_up=0.0, seconds=600.0)
    assert found['batch_size'] == 16
    assert found['steps'] >= 1
    assert found['rows_per_second'] > 0
    assert found['rows_per_cpu_second'] > 0
    # Twice the weights, for forwards, and at least as much again for backwards.
    assert found['flops_per_row'] > 4 * 4 * SMALL['width'] ** 2
    json.dumps(found)


def test_too_little_time_is_refused(prepared: Path) -> None:
    job = Job(str(prepared), 'one', 'tabdar', 'tabdar').to_dict()
    with pytest.raises(ValueError, match='are not enough for two training steps'):
        training_speed.measure(job, SMALL, is_plain=False, warm_up=0.0, seconds=1e-9)


def test_matrix_products_have_a_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_speed, 'MATRIX_SIZES', (64,))
    found = training_speed.measure_matrix(0.003)
    assert set(found) == {'float32', 'bfloat16'}
    assert all(speed > 1e6 for speed in found.values())


def test_the_command_takes_turns_and_prints_medians(
    prepared: Path,
    tmp_path: Path,
    command: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, int | None]] = []
    speeds = {PLAIN: [100.0, 200.0, 100.0], FAST: [300.0, 500.0, 500.0]}

    def answered(measure: Any, arguments: Any, *, threads: int | None, **_: Any) -> dict[str, Any]:
        if measure is training_speed.measure_matrix:
            asked.append(('peak', threads))
            return {'float32': 2e9, 'bfloat16': 4e9, 'environment': {}}
        assert arguments['settings'] == {'width': 8}
        name = PLAIN if arguments['is_plain'] else FAST
        asked.append((name, threads))
        return {
            'rows_per_second': speeds[name].pop(0),
            'rows_per_cpu_second': 50.0,
            'flops_per_row': 2e6,
            'batch_size': 128,
            'environment': {},
        }

    monkeypatch.setattr(process, 'call', answered)
    text = command(
        *('training-speed', '--data', prepared, '--tables', 'one', '--out', tmp_path),
        *('--repeats', 3, '--settings', 'width=8', '--threads', 2),
    )
    assert asked == [(PLAIN, 2), (FAST, 2), ('peak', 2)] * 3
    assert (
        '| this package | 500 [300, 500] | 50 | 1.0 [0.6, 1.0] | 50.0 [30.0, 50.0] '
        '| 25.0 [15.0, 25.0] | 3.00 [2.50, 5.00] | 1.00 |'
    ) in text
    assert '| matrix products, bfloat16 | - | - | 4.0 | - | - | - | - |' in text
    assert 'Steps of 128 rows; 2.0 million operations a row in the plain' in text
    assert len(pd.read_csv(tmp_path / 'training_speed.csv')) == 12


def test_senseless_numbers_are_refused(prepared: Path, command: Callable[..., str]) -> None:
    asked = ('training-speed', '--data', prepared)
    assert '--repeats: must be at least 1, but it is 0' in command(*asked, '--repeats', 0, code=2)
    assert '--seconds: must be above 0, but it is 0' in command(*asked, '--seconds', 0, code=2)
