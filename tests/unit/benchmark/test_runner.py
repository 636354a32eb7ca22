"""Runs are planned, done once, taken up again, and kept with what made them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.jobs import Job
from sdv_tabdar.benchmark.runner import (
    RunFailed,
    launch_process,
    plan,
    read_config,
    run_all,
    run_floor,
    run_one,
)


def quiet(_: str) -> None:
    """No progress lines in tests."""


def test_plan_mixes_synthesizers_within_tables_within_seeds(prepared: Path) -> None:
    jobs = plan(data=prepared, synthesizers=['tabdar', 'ctgan'], seeds=[0, 1])
    assert [(job.seed, job.table, job.label) for job in jobs] == [
        (seed, table, label)
        for seed in (0, 1)
        for table in ('one', 'two')
        for label in ('tabdar', 'ctgan')
    ]


def test_training_time_is_only_for_ours(prepared: Path) -> None:
    jobs = plan(data=prepared, synthesizers=['tabdar', 'ctgan'], max_training_time=9.0)
    assert {job.label: job.max_training_time for job in jobs} == {'tabdar': 9.0, 'ctgan': None}


def test_plan_of_equal_labels_or_unknown_names_is_refused(prepared: Path) -> None:
    with pytest.raises(ValueError, match='needs a label of its own'):
        plan(data=prepared, synthesizers=['tabdar', 'tabdar'])
    with pytest.raises(ValueError, match=r"no metrics \['beauty'\]\. The metrics are"):
        plan(data=prepared, synthesizers=['tabdar'], metrics=['shape', 'beauty'])
    with pytest.raises(ValueError, match=r"no tables \['six'\] .* are \['one', 'two'\]"):
        plan(data=prepared, synthesizers=['tabdar'], tables=['one', 'six'])


def test_job_survives_json() -> None:
    job = Job('folder', 'one', 'wide', 'tabdar:width=128', metrics=('shape',), threads=2)
    assert Job.from_dict(json.loads(json.dumps(job.to_dict()))) == job


def test_a_run_keeps_rows_costs_scores_and_surroundings(
    prepared: Path, tmp_path: Path, bootstrap: str, launch_here: Any, scored: list[dict[str, Any]]
) -> None:
    [job] = plan(data=prepared, synthesizers=[f'boot={bootstrap}'], tables=['one'], rows=40)
    result = run_one(job, tmp_path / 'out', launch=launch_here, report=quiet)
    folder = tmp_path / 'out' / 'runs' / 'one' / 'boot' / 'seed=0'
    assert result == json.loads((folder / 'result.json').read_text())
    assert result['job'] == job.to_dict()
    assert result['data']['train_rows'] == result['synthetic_rows'] == 40
    assert result['data']['task'] == 'binclass'
    assert result['fit']['seconds'] > 0
    assert result['sample']['peak_memory_mib'] > 10
    assert set(result['scores']) == {'shape_error', 'trend_error', 'xgb_c2st'}
    assert len(pd.read_csv(folder / 'synthetic.csv.gz')) == 40
    assert len(scored[0]['train']) == 40
    assert (scored[0]['target'], scored[0]['seed']) == ('kind', 0)


def test_what_is_done_is_not_done_again_and_new_metrics_are_added(
    prepared: Path, tmp_path: Path, bootstrap: str, launch_here: Any
) -> None:
    settings: dict[str, Any] = {'data': prepared, 'synthesizers': [f'boot={bootstrap}']}
    first = plan(**settings, tables=['one'], metrics=['shape'])
    run_all(first, tmp_path, launch=launch_here, report=quiet)
    assert launch_here.steps == [('generate', 'one', 'boot', 0), ('score', 'one', 'boot', 0)]
    run_all(first, tmp_path, launch=launch_here, report=quiet)
    assert len(launch_here.steps) == 2
    more = plan(**settings, tables=['one'], metrics=['shape', 'trend'])
    [result] = run_all(more, tmp_path, launch=launch_here, report=quiet)
    assert launch_here.steps[2:] == [('score', 'one', 'boot', 0)]
    assert set(result['scores']) == {'shape_error', 'trend_error'}


def test_other_settings_under_the_same_label_are_refused_before_anything_is_done(
    prepared: Path, tmp_path: Path, bootstrap: str, launch_here: Any
) -> None:
    settings: dict[str, Any] = {'data': prepared, 'synthesizers': [f'boot={bootstrap}']}
    run_all(plan(**settings, tables=['two']), tmp_path, launch=launch_here, report=quiet)
    done = len(launch_here.steps)
    with pytest.raises(ValueError, match=r'other settings \(rows: None there, 30 now\)'):
        run_all(plan(**settings, rows=30), tmp_path, launch=launch_here, report=quiet)
    assert len(launch_here.steps) == done


def test_a_failed_run_does_not_stop_the_others_and_is_tried_again(
    prepared: Path, tmp_path: Path, bootstrap: str, launch_here: Any
) -> None:
    specs = [f'bad={bootstrap},fails=True', f'good={bootstrap}']
    jobs = plan(data=prepared, synthesizers=specs, tables=['one'])
    lines: list[str] = []
    results = run_all(jobs, tmp_path, launch=launch_here, report=lines.append)
    assert [result['job']['label'] for result in results] == ['good']
    assert any(line.startswith('FAILED  one, bad') for line in lines)
    launch_here.steps.clear()
    run_all(jobs, tmp_path, launch=launch_here, report=quiet)
    assert launch_here.steps == [('generate', 'one', 'bad', 0)]


def test_config_remembers_the_order_of_what_was_asked_for(
    prepared: Path, tmp_path: Path, bootstrap: str, launch_here: Any
) -> None:
    for label in ('z', 'a'):
        jobs = plan(data=prepared, synthesizers=[f'{label}={bootstrap}'], tables=['two'])
        run_all(jobs, tmp_path, launch=launch_here, report=quiet)
    config = read_config(tmp_path)
    assert list(config['synthesizers']) == ['z', 'a']
    assert config['tables'] == ['two']
    assert (tmp_path / 'environment.json').is_file()


def test_floor_is_that_of_the_evaluation_and_computed_once(
    prepared: Path, tmp_path: Path, launch_here: Any, scored: list[dict[str, Any]]
) -> None:
    [job] = plan(data=prepared, synthesizers=['tabdar'], tables=['one'])
    floor = run_floor(job, tmp_path, launch=launch_here, report=quiet)
    assert set(floor) == {'shape_error', 'trend_error', 'xgb_c2st'}
    assert run_floor(job, tmp_path, launch=launch_here, report=quiet) == floor
    assert len(scored) == 1
    assert scored[0]['metrics'] == list(job.metrics)


def test_a_process_of_its_own_with_its_threads(prepared: Path, tmp_path: Path) -> None:
    [job] = plan(data=prepared, synthesizers=['gaussian_copula'], tables=['one'], threads=1)
    launch_process('generate', tmp_path / 'run', job)
    result = json.loads((tmp_path / 'run' / 'result.json').read_text())
    assert result['environment']['omp_num_threads'] == '1'
    assert result['synthetic_rows'] == 60


def test_a_failed_process_shows_the_end_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / 'python'
    python.write_text('#!/bin/sh\necho out of luck >&2\nexit 3\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, 'executable', str(python))
    job = Job(str(tmp_path), 'one', 'tabdar', 'tabdar')
    with pytest.raises(RunFailed, match=r'(?s)generate ended with code 3.*out of luck'):
        launch_process('generate', tmp_path / 'run', job)
