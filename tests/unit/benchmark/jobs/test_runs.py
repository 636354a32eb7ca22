"""Runs are planned, done once, taken up again, and kept with what made them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.jobs.runs import plan, run_all, run_floors


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
    with pytest.raises(ValueError, match=r"no metrics called \['beauty'\]\. There are"):
        plan(data=prepared, synthesizers=['tabdar'], metrics=['shape', 'beauty'])
    with pytest.raises(ValueError, match=r"no tables .* \['six'\]\. .* are \['one', 'two'\]"):
        plan(data=prepared, synthesizers=['tabdar'], tables=['one', 'six'])


@pytest.mark.usefixtures('called')
def test_a_run_keeps_rows_costs_scores_and_surroundings(
    prepared: Path, tmp_path: Path, bootstrap: str, scored: list[Any]
) -> None:
    [job] = plan(data=prepared, synthesizers=[f'boot={bootstrap}'], tables=['one'], rows=40)
    [result] = run_all([job], tmp_path / 'out')
    folder = tmp_path / 'out' / 'runs' / job.place
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
    run_all(first, tmp_path)
    assert steps(called) == [('generate', 'boot'), ('score', 'boot')]
    assert {(found['threads'], found['seed']) for found in called} == {(None, 0)}
    run_all(first, tmp_path)
    assert len(called) == 2
    more = plan(**settings, tables=['one'], metrics=['shape', 'trend'])
    [result] = run_all(more, tmp_path)
    assert steps(called)[2:] == [('score', 'boot')]
    assert set(result['scores']) == {'shape_error', 'trend_error'}
    # Other settings are another run.
    run_all(plan(**settings, tables=['one'], metrics=['shape'], rows=30), tmp_path)
    assert steps(called)[3:] == [('generate', 'boot'), ('score', 'boot')]


@pytest.mark.usefixtures('scored')
def test_a_failed_run_does_not_stop_the_others_and_is_tried_again(
    prepared: Path,
    tmp_path: Path,
    bootstrap: str,
    called: list[dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    specs = [f'bad={bootstrap},fails=True', f'good={bootstrap}']
    jobs = plan(data=prepared, synthesizers=specs, tables=['one'])
    results = run_all(jobs, tmp_path)
    assert [result['job']['label'] for result in results] == ['good']
    assert 'FAILED  one, bad' in capsys.readouterr().out
    called.clear()
    run_all(jobs, tmp_path)
    assert steps(called) == [('generate', 'bad')]


@pytest.mark.usefixtures('called')
def test_floor_is_that_of_the_evaluation_and_computed_once(
    prepared: Path, tmp_path: Path, scored: list[dict[str, Any]]
) -> None:
    jobs = plan(data=prepared, synthesizers=['tabdar', 'ctgan'], tables=['one'])
    floors = run_floors(jobs, tmp_path)
    assert set(floors['one']) == {'shape_error', 'trend_error', 'xgb_c2st'}
    assert run_floors(jobs, tmp_path) == floors
    assert len(scored) == 1
    assert scored[0]['metrics'] == list(jobs[0].metrics)
