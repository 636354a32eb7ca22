"""What is measured once is kept; models are fitted once for all that ask them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sdv_tabdar.benchmark.jobs.environment import thread_settings
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.measurements import ask_models, measure_once
from sdv_tabdar.benchmark.jobs.steps import Fitted, fit

TINY = 'tabdar:width=8,num_blocks=1,num_heads=1,denoiser_width=8,head_width=8,epochs=1'


def count_rows(fitted: Fitted, *, times: int) -> dict[str, Any]:
    """A measurement."""
    return {'rows': [{'count': times * len(fitted.synthesizer.sample(5))}]}


def refuse(fitted: Fitted) -> dict[str, Any]:
    """A measurement that fails."""
    raise ValueError('out of luck')


def test_a_measurement_is_kept_and_other_settings_are_another(
    tmp_path: Path, called: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(threads: int) -> dict[str, Any] | None:
        return measure_once(thread_settings, {'threads': threads}, tmp_path)

    first = ask(1)
    assert ask(1) == first
    assert len(called) == 1
    assert ask(2) != first
    assert ask(0) is None
    assert 'FAILED  threads 0: The number of threads must be at least 1' in capsys.readouterr().out
    assert len(list(tmp_path.iterdir())) == 2


def test_a_model_is_fitted_once(
    prepared: Path,
    tmp_path: Path,
    called: list[dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    job = Job(str(prepared), 'one', 'tabdar', TINY)
    [(asked, found)] = ask_models(count_rows, [job], tmp_path, {'times': 2})
    assert (asked, found['rows']) == (job, [{'count': 10}])
    ask_models(count_rows, [job], tmp_path, {'times': 2})
    [(_, other)] = ask_models(count_rows, [job], tmp_path, {'times': 3})
    assert other['rows'] == [{'count': 15}]
    assert [call['function'].rpartition(':')[2] for call in called] == [
        'fit',
        'count_rows',
        'count_rows',
    ]
    # What is predicted is no part of the model, its training is.
    target = Job(str(prepared), 'one', 'tabdar', TINY, target='code')
    assert len(ask_models(count_rows, [target], tmp_path, {'times': 2})) == 1
    longer = Job(str(prepared), 'one', 'tabdar', TINY, max_training_time=5.0)
    assert len(ask_models(count_rows, [longer], tmp_path, {'times': 2})) == 1
    assert sum(call['function'] == 'fit' for call in called) == 2
    assert ask_models(refuse, [job], tmp_path, {}) == []
    assert 'out of luck' in capsys.readouterr().out


def test_a_model_that_is_not_ours(tmp_path: Path, prepared: Path) -> None:
    job = Job(str(prepared), 'one', 'ctgan', 'ctgan')
    with pytest.raises(ValueError, match="Only our own synthesizer can be asked.*'ctgan'"):
        fit(job.to_dict(), str(tmp_path))
