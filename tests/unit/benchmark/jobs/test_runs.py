"""Runs are planned, done once, taken up again, and kept with what made them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.jobs.runs import finished, plan, run_all, run_floors, run_one


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


@pytest.mark.usefixtures('called')
def test_a_run_keeps_rows_costs_scores_and_surroundings(
    prepared: Path, tmp_path: Path, bootstrap: str, scored: list[Any]
) -> None:
    [job] = plan(data=prepared, synthesizers=[f'boot={bootstrap}'], tables=['one'], rows=40)
    result = run_one(job, tmp_path / 'out', report=quiet)
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


def steps(called: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What was done, to which synthesizer."""
    return [(found['function'], found['job']['label']) for found in called]


@pytest.mark.usefixtures('scored')
def test_what_is_done_is_not_done_again_and_new_metrics_are_added(
    prepared: Path, tmp_path: Path, bootstrap: str, called: list[dict[str, Any]]
) -> None:
    settings: dict[str, Any] = {'data': prepared, 'synthesizers': [f'boot={bootstrap}']}
    first = plan(**settings, tables=['one'], metrics=['shape'])
    run_all(first, tmp_path, report=quiet)
    assert steps(called) == [('generate', 'boot'), ('score', 'boot')]
    assert {(found['threads'], found['seed']) for found in called} == {(None, 0)}
    run_all(first, tmp_path, report=quiet)
    assert len(called) == 2
    more = plan(**settings, tables=['one'], metrics=['shape', 'trend'])
    [result] = run_all(more, tmp_path, report=quiet)
    assert steps(called)[2:] == [('score', 'boot')]
    assert set(result['scores']) == {'shape_error', 'trend_error'}
    assert finished(tmp_path) == ([result], {})


@pytest.mark.usefixtures('scored')
def test_other_settings_under_the_same_label_are_refused_before_anything_is_done(
    prepared: Path, tmp_path: Path, bootstrap: str, called: list[dict[str, Any]]
) -> None:
    settings: dict[str, Any] = {'data': prepared, 'synthesizers': [f'boot={bootstrap}']}
    run_all(plan(**settings, tables=['two']), tmp_path, report=quiet)
    done = len(called)
    with pytest.raises(ValueError, match=r'other settings \(rows: None there, 30 now\)'):
        run_all(plan(**settings, rows=30), tmp_path, report=quiet)
    assert len(called) == done


@pytest.mark.usefixtures('scored')
def test_a_failed_run_does_not_stop_the_others_and_is_tried_again(
    prepared: Path, tmp_path: Path, bootstrap: str, called: list[dict[str, Any]]
) -> None:
    specs = [f'bad={bootstrap},fails=True', f'good={bootstrap}']
    jobs = plan(data=prepared, synthesizers=specs, tables=['one'])
    lines: list[str] = []
    results = run_all(jobs, tmp_path, report=lines.append)
    assert [result['job']['label'] for result in results] == ['good']
    assert any(line.startswith('FAILED  one, bad') for line in lines)
    called.clear()
    run_all(jobs, tmp_path, report=quiet)
    assert steps(called) == [('generate', 'bad')]


@pytest.mark.usefixtures('called')
def test_floor_is_that_of_the_evaluation_and_computed_once(
    prepared: Path, tmp_path: Path, scored: list[dict[str, Any]]
) -> None:
    jobs = plan(data=prepared, synthesizers=['tabdar', 'ctgan'], tables=['one'])
    floors = run_floors(jobs, tmp_path, report=quiet)
    assert set(floors['one']) == {'shape_error', 'trend_error', 'xgb_c2st'}
    assert run_floors(jobs, tmp_path, report=quiet) == floors
    assert len(scored) == 1
    assert scored[0]['metrics'] == list(jobs[0].metrics)


def test_an_empty_run_directory_says_how_to_fill_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match='There is nothing to print in'):
        finished(tmp_path)
