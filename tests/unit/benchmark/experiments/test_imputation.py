"""The commands that ask a fitted model something, from their arguments to the printed table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark import (
    conditional_quality,
    conditional_speed,
    conditional_truth,
    evidence,
    imputation,
    models,
    prediction,
    solver_quality,
)
from sdv_tabdar.benchmark.__main__ import build_parser
from sdv_tabdar.benchmark.datasets import load_dataset
from sdv_tabdar.benchmark.jobs import Job
from sdv_tabdar.conditions import Between, OneOf

TINY = 'width=8,num_blocks=1,num_heads=1,denoiser_width=8,head_width=8,num_steps=2'


def parsed(command: str, *arguments: object) -> argparse.Namespace:
    given = [command, *arguments, '--settings', TINY, '--epochs', 1]
    return build_parser().parse_args([str(argument) for argument in given])


@pytest.fixture
def on_one(prepared: Path, tmp_path: Path) -> list[object]:
    """Arguments for the prepared table 'one'."""
    return ['--data', prepared, '--tables', 'one', '--out', tmp_path / 'out']


def test_a_model_is_fitted_once_for_all_commands(
    on_one: list[object], launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = parsed('imputation', *on_one, '--methods', 'mean/mode', '--num-samples', 2)
    [filled] = imputation.main(asked, launch=launch_here)
    predict = parsed('prediction', *on_one)
    [predicted] = prediction.main(predict, launch=launch_here)
    steps = [step for step, *_ in launch_here.steps]
    assert steps == ['fit', 'measure', 'measure']
    printed = capsys.readouterr().out
    assert '| one, seed 0: tabdar |' in printed
    assert '| one, seed 0: mean/mode |' in printed
    assert '| one, seed 0: kind |' in printed
    # Again, and nothing is done.
    assert imputation.main(asked, launch=launch_here) == [filled]
    assert prediction.main(predict, launch=launch_here) == [predicted]
    assert len(launch_here.steps) == 3
    # With other settings it is another measurement, of the same model.
    asked.share = 0.5
    [other] = imputation.main(asked, launch=launch_here)
    assert other['hidden'] > filled['hidden']
    assert [step for step, *_ in launch_here.steps][3:] == ['measure']


def test_other_training_in_the_same_folder_is_refused(
    on_one: list[object], tmp_path: Path, launch_here: Any
) -> None:
    options = parsed('prediction', *on_one)
    prediction.main(options, launch=launch_here)
    options.epochs = 2
    with pytest.raises(ValueError, match='holds a model with other settings .*epochs=1'):
        prediction.main(options, launch=launch_here)
    # What is predicted is no part of the model.
    options.epochs, options.target = 1, ['one=code']
    [found] = prediction.main(options, launch=launch_here)
    assert found['target'] == 'code'
    assert (tmp_path / 'out' / 'prediction.html').is_file()


def test_a_model_of_older_code_is_used_with_a_note(
    on_one: list[object],
    launch_here: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = parsed('prediction', *on_one)
    prediction.main(options, launch=launch_here)
    monkeypatch.setattr(models, 'source_fingerprint', lambda: 'newer')
    options.target = ['one=code']
    prediction.main(options, launch=launch_here)
    assert 'the code has changed since the model in' in capsys.readouterr().out


def test_a_failed_measurement_is_reported_and_the_next_table_done(
    prepared: Path, tmp_path: Path, launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parsed('prediction', '--data', prepared, '--tables', 'one', 'two')
    options.out, options.target = tmp_path / 'out', ['one=age']
    [found] = prediction.main(options, launch=launch_here)
    assert found['job']['table'] == 'two'
    captured = capsys.readouterr()
    assert 'FAILED  one, tabdar, seed 0' in captured.out
    assert "The target 'age' of table 'one' is a number" in captured.err


def test_a_model_that_is_not_there_or_not_ours(tmp_path: Path, prepared: Path) -> None:
    job = Job(str(prepared), 'one', 'ctgan', 'ctgan')
    with pytest.raises(FileNotFoundError, match='There is no fitted model in'):
        models.load_model(job, tmp_path)
    synthesizer: Any = None
    with pytest.raises(ValueError, match="Only our own synthesizer can be asked.*'ctgan'"):
        models.fit_model(job, job.load(), synthesizer, tmp_path)


def test_a_prediction_needs_a_target_of_categories(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one', target='age')
    with pytest.raises(ValueError, match="The target 'age' of table 'one' is a number"):
        prediction.checked_target(dataset)
    (prepared / 'own').mkdir()
    table = dataset.train
    table.to_csv(prepared / 'own' / 'mine.csv', index=False)
    dataset.metadata.save_to_json(str(prepared / 'own' / 'mine.json'))
    with pytest.raises(ValueError, match="'mine' does not say what to predict; .*--target mine=C"):
        prediction.checked_target(load_dataset(prepared / 'own', 'mine'))


def test_mean_auc() -> None:
    truth = pd.Series(['a', 'b', 'b', None])
    guesses = pd.DataFrame({'a': [0.9, 0.2, 0.1, 0.5], 'b': [0.1, 0.8, 0.9, 0.5]})
    assert prediction.mean_auc(truth, guesses) == 1
    three = pd.Series(['a', 'b', 'c'])
    # Of 'c' nothing is known, so its AUC is one half.
    certain = pd.DataFrame({'a': [1.0, 0, 0], 'b': [0, 1.0, 0]})
    assert prediction.mean_auc(three, certain) == pytest.approx((1 + 1 + 0.5) / 3)
    with pytest.raises(ValueError, match='An AUC needs two classes'):
        prediction.mean_auc(truth.iloc[1:3], guesses.iloc[1:3])


def test_imputation_refuses_nonsense(on_one: list[object]) -> None:
    with pytest.raises(ValueError, match='--share must be above 0 and below 1, but it is 1.0'):
        imputation.main(parsed('imputation', *on_one, '--share', 1))
    with pytest.raises(ValueError, match='--baseline-rows must be at least 1, but it is 0'):
        imputation.main(parsed('imputation', *on_one, '--baseline-rows', 0))


def test_the_best_imputation_is_marked() -> None:
    methods = {
        'tabdar': {'rmse': 0.5, 'accuracy': 0.8},
        'knn': {'rmse': 0.50001, 'accuracy': 0.7},
    }
    result = {
        'job': {'table': 'one', 'seed': 0},
        'methods': {
            name: {'scores': scores, 'train_rows': 9, 'fit_seconds': 1.0, 'fill_seconds': 2.0}
            for name, scores in methods.items()
        },
    }
    rows = dict(imputation.imputation_grid([result]).rows)
    ours, other = rows['one, seed 0: tabdar'], rows['one, seed 0: knn']
    assert [cell.best for cell in ours[:3]] == [True, False, True]
    # What is printed the same is equally good; what there is not is no score.
    assert [cell.best for cell in other[:3]] == [True, False, False]
    assert [cell.text for cell in ours] == ['0.5000', '-', '0.8000', '9', '1.0', '2.0']


def test_conditional_quality_compares_with_rows_that_meet_the_condition(
    on_one: list[object], launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parsed('conditional-quality', *on_one, '--condition', 'code=2', '--repeats', 2)
    [found] = conditional_quality.main(options, launch=launch_here)
    train = load_dataset(options.data, 'one').train
    assert found['rows'] == (train['code'] == 2).sum()
    assert {name: len(scores) for name, scores in found['scores'].items()} == {
        'conditional': 2,
        'unconditional': 2,
        'kept': 2,
    }
    assert '| one, seed 0: code=2 |' in capsys.readouterr().out
    options.repeats = 0
    with pytest.raises(ValueError, match='--repeats must be at least 1, but it is 0'):
        conditional_quality.main(options, launch=launch_here)


def test_solver_quality_draws_with_each_number_of_steps(
    on_one: list[object], launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parsed('solver-quality', *on_one, '--steps', 1, 3, '--repeats', 2)
    [found] = solver_quality.main(options, launch=launch_here)
    assert [each['steps'] for each in found['found']] == [3, 1]
    assert all(0 <= each['ks'] <= 1 and 0 <= each['xgb_c2st'] <= 1 for each in found['found'])
    printed = capsys.readouterr().out
    assert '| 3 steps |' in printed
    assert 'KS to another draw of 3 steps' in printed
    options.steps = [0]
    with pytest.raises(ValueError, match='--repeats and --steps must be at least 1'):
        solver_quality.main(options, launch=launch_here)


def test_conditions_are_read_and_checked(prepared: Path) -> None:
    assert conditional_quality.read_condition(['income=>50K', 'a=b=c']) == {
        'income': '>50K',
        'a': 'b=c',
    }
    with pytest.raises(ValueError, match="must look like COLUMN=VALUE, but it is '=2'"):
        conditional_quality.read_condition(['=2'])
    dataset = load_dataset(prepared, 'one')
    assert conditional_quality.condition_of(dataset, {'code': '2'}) == {'code': 2}
    with pytest.raises(ValueError, match="Column 'code' of table 'one' never is '9'"):
        conditional_quality.condition_of(dataset, {'code': '9'})
    with pytest.raises(ValueError, match="has no column 'sex'"):
        conditional_quality.condition_of(dataset, {'sex': 'f'})


@pytest.mark.changes_random_state("SDV's GaussianCopula draws from NumPy's global generator")
@pytest.mark.filterwarnings('ignore::FutureWarning', 'ignore::RuntimeWarning')
def test_conditional_speed_completes_all_rows(
    on_one: list[object], launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parsed('conditional-speed', *on_one, '--columns', 'age', 'wage', '--known-rows', 20)
    options.repeats, options.copula_rows = 2, 2
    [found] = conditional_speed.main(options, launch=launch_here)
    assert (found['known'], found['returned']) == (20, 20)
    assert len(found['plain_seconds']) == len(found['completed_seconds']) == 2
    assert found['copula']['known'] == 2
    assert '| one, seed 0 | 20 of 20 |' in capsys.readouterr().out


def test_speeds_are_medians() -> None:
    result: dict[str, Any] = {
        'job': {'table': 'one', 'seed': 0},
        'known': 100,
        'returned': 99,
        'plain_seconds': [1.0, 2.0, 50.0],
        'completed_seconds': [4.0, 4.0, 4.0],
        'copula': {'known': 10, 'returned': 9, 'seconds': 20.0},
    }
    [(_, cells)] = conditional_speed.speed_grid([result]).rows
    texts = [cell.text for cell in cells]
    assert texts == ['99 of 100', '50', '25', '0.50', '9 of 10', '0.5', '50.0']
    result['copula'] = None
    [(_, cells)] = conditional_speed.speed_grid([result]).rows
    assert [cell.text for cell in cells][-3:] == ['-'] * 3


def test_conditional_speed_refuses_nonsense(prepared: Path, on_one: list[object]) -> None:
    with pytest.raises(ValueError, match='--copula-rows must be at least 0, but it is -1'):
        conditional_speed.main(parsed('conditional-speed', *on_one, '--copula-rows', -1))
    dataset = load_dataset(prepared, 'one')
    with pytest.raises(ValueError, match=r"has no columns \['fnlwgt'\]"):
        conditional_speed.distinct_rows(dataset, ['fnlwgt', 'age'], 10, 0)
    with pytest.raises(ValueError, match='Ask for fewer with --known-rows'):
        conditional_speed.distinct_rows(dataset, ['age'], 1_000, 0)
    rows = conditional_speed.distinct_rows(dataset, ['age', 'wage'], 10, 0)
    assert len(rows.drop_duplicates()) == 10
    assert rows.notna().all(axis=None)


def test_conditional_truth_from_tables_to_verdict(
    tmp_path: Path, launch_here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parsed('conditional-truth', '--rows', 256, '--draws', 100, '--tables', 'spiked')
    options.out = tmp_path / 'out'
    [found] = conditional_truth.main(options, launch=launch_here)
    assert {check['kind'] for check in found['checks']} == {
        'value',
        'range',
        'set',
        'null',
        'several',
    }
    assert all(0 <= check['distance'] <= 1 for check in found['checks'])
    printed = capsys.readouterr().out
    assert '| spiked, seed 0: all |' in printed
    assert '| spiked, seed 0: range, x in [15, ] |' in printed
    assert conditional_truth.main(options, launch=launch_here) == [found]
    assert len(launch_here.steps) == 2
    options.draws = 99
    with pytest.raises(ValueError, match='--draws must be at least 100, but it is 99'):
        conditional_truth.main(options, launch=launch_here)


def test_the_verdict_counts_what_is_beyond() -> None:
    checks = [
        {'kind': kind, 'distance': distance, 'bound': 0.1}
        for kind, distance in (('value', 0.05), ('value', 0.2), ('range', 0.1))
    ]
    result = {'job': {'table': 'one', 'seed': 0}, 'checks': checks}
    rows = {
        label: [cell.text for cell in cells]
        for label, cells in conditional_truth.verdict([result]).rows
    }
    assert rows['one, seed 0: value'] == ['2', '1', '1', '1.25', '2.00']
    assert rows['one, seed 0: range'] == ['1', '0', '0', '1.00', '1.00']
    assert rows['one, seed 0: all'][:2] == ['3', '1']


def test_conditions_are_told_in_short() -> None:
    given = {'x': Between(None, 2.5), 'y': np.float64(1.23456), 'g': None, 'c': OneOf(['a'])}
    told = conditional_truth._told(given)
    assert told == "x in [, 2.5], y = 1.235, g = None, c is OneOf(['a'])"
    frame = pd.DataFrame({'x': [1], 'w': [2]})
    assert conditional_truth._told(frame) == 'other values of x, w in each row'


def test_publishing_nothing_writes_nothing(tmp_path: Path) -> None:
    evidence.publish('name', tmp_path / 'out', [], [], '')
    assert not (tmp_path / 'out').exists()
