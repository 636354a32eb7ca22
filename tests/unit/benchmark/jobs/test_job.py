"""What a run is survives a file, and other work is told apart."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.files import write_json
from sdv_tabdar.benchmark.jobs.job import Job

JOB = Job('folder', 'one', 'wide', 'tabdar:width=128', metrics=('shape',), threads=2)


def test_job_survives_json() -> None:
    assert Job.from_dict(json.loads(json.dumps(JOB.to_dict()))) == JOB
    assert JOB.place == Path('one/wide/seed=0')


def test_where_things_lie_makes_no_difference_but_settings_do(tmp_path: Path) -> None:
    path = tmp_path / 'result.json'
    JOB.require_same(path)
    write_json({'job': JOB.to_dict()}, path)
    dataclasses.replace(JOB, data='elsewhere', metrics=('trend',)).require_same(path)
    other = dataclasses.replace(JOB, rows=5)
    with pytest.raises(ValueError, match=r'other settings \(rows: None there, 5 now\)'):
        other.require_same(path)
    other.require_same(path, ignored=['rows'])


def test_a_halved_table_is_one_half_of_all_rows(prepared: Path) -> None:
    job = Job(str(prepared), 'one', 'tabdar', 'tabdar', halved=True)
    whole, half = load_dataset(prepared, 'one'), job.load()
    assert len(half.train) == len(half.test) == (len(whole.train) + len(whole.test)) // 2
    assert sorted([*half.train['age'], *half.test['age']]) == sorted(
        [*whole.train['age'], *whole.test['age']]
    )
    assert half.train.equals(job.load().train)
    assert len(dataclasses.replace(job, halved=False, rows=7).load().train) == 7
