"""Training by ranks: arrangements take turns, and the arithmetic of the table."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from sdv_tabdar.benchmark.experiments import ranks
from sdv_tabdar.benchmark.jobs import process
from sdv_tabdar.benchmark.jobs.job import Job

SMALL = 'width=8,num_heads=2,denoiser_width=8,head_width=8'


def _job(prepared: Path) -> dict[str, Any]:
    return Job(str(prepared), 'one', 'tabdar', f'tabdar:{SMALL}').to_dict()


def test_a_rank_counts_its_rows(prepared: Path) -> None:
    found = ranks.measure_speed(_job(prepared), 1, 16, warm_up=0.0, seconds=1.5, turn=0)
    assert found['batch_size'] == 16
    assert found['rows_per_second'] > 0
    assert found['exchanged'] > 0
    assert found['rows_per_cpu_second'] == found['rows_per_busiest'] > 0
    json.dumps(found)
    with pytest.raises(ValueError, match='are not enough for two training steps'):
        ranks.measure_speed(_job(prepared), 1, 16, warm_up=0.0, seconds=1e-9, turn=0)


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='a copy begins sooner than a new process')
def test_several_ranks_learn_what_one_does(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = multiprocessing.get_context('fork')
    monkeypatch.setattr(ranks.multiprocessing, 'get_context', lambda _: copies)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        alone, together = (
            ranks.measure_learnt(_job(prepared), number, 16, epochs=1) for number in (1, 2)
        )
    finally:
        torch.set_num_threads(before)
    assert together['test'] == pytest.approx(alone['test'], rel=0.3)
    assert together['fit_seconds'] > 0


def test_trainings_that_are_apart_add_up(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamps = [[(0.0, 0.0), (1.0, 1.0), (2.0, 3.0)], [(5.0, 0.0), (5.5, 0.5), (6.0, 1.0)]]
    found = [{'stamps': each, 'batch_size': 10, 'exchanged': 1.0} for each in stamps]
    monkeypatch.setattr(ranks, '_in_ranks', lambda *_, **__: found)
    asked = {'warm_up': 0.1, 'seconds': 1.0, 'turn': 0}
    together = ranks.measure_speed(_job(prepared), 2, 10, **asked)
    apart = ranks.measure_speed(_job(prepared), 2, 10, apart=True, **asked)
    assert (together['rows_per_second'], apart['rows_per_second']) == (10, 10 + 20)
    assert (together['rows_per_busiest'], apart['rows_per_busiest']) == (5, 10)


def test_arrangements_are_read_and_shown() -> None:
    texts = {'1': '1 rank', '2:': '2 ranks', '2:256:apart': '2 trainings apart, 256 rows'}
    assert {text: str(ranks.read_arrangement(text)) for text in texts} == texts


@pytest.mark.parametrize('text', ['0', 'two', '2:x', '-1', '2:256:alone', '2:256:apart:1'])
def test_an_arrangement_is_a_number_of_ranks(text: str) -> None:
    with pytest.raises(ValueError, match="a number of ranks, as '2'"):
        ranks.read_arrangement(text)


def test_the_command_takes_turns_and_prints_medians(
    prepared: Path,
    tmp_path: Path,
    command: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, int, int | None]] = []

    def answered(measure: Any, arguments: Any, *, threads: int | None, **_: Any) -> dict[str, Any]:
        assert threads == 1
        number = arguments['number']
        asked.append((measure.__name__, number, arguments['batch_size']))
        if measure is ranks.measure_learnt:
            return {'test': 3.0 + number, 'fit_seconds': 2.0, 'environment': {}}
        return {
            'batch_size': 256 * number,
            'exchanged': 2.0,
            'rows_per_second': 100.0 * number,
            'rows_per_cpu_second': 90.0,
            'rows_per_busiest': 95.0 * number,
            'environment': {},
        }

    monkeypatch.setattr(process, 'call', answered)
    text = command(
        *('ranks', '--data', prepared, '--tables', 'one', '--out', tmp_path, '--repeats', 2),
        *('--seeds', 0, 1, '--arrangements', '1', '2:512'),
    )
    turn = [('measure_speed', 1, None), ('measure_speed', 2, 512)]
    learnt = [('measure_learnt', 1, None), ('measure_learnt', 2, 512)]
    assert asked == [*turn, *turn, *learnt, *learnt]
    assert '| one: 1 rank | 256 | 2.0 | 100 | 1.00 | 90 | 95 | 1.00 | 4.000 ± 0.000 |' in text
    assert '| one: 2 ranks, 512 rows | 512 | 2.0 | 200 | 2.00 | 90 | 190 | 2.00 | 5.000' in text
    assert len(pd.read_csv(tmp_path / 'ranks.csv')) == 8
