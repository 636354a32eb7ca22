"""What a run is survives a file, and other work is told apart."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.jobs.job import Job

JOB = Job('folder', 'one', 'wide', 'tabdar:width=128', metrics=('shape',), threads=2)


def test_job_survives_json() -> None:
    assert Job.from_dict(json.loads(json.dumps(JOB.to_dict()))) == JOB
    assert JOB.place.parent == Path('one/wide')


def test_where_things_lie_makes_no_difference_but_settings_do() -> None:
    same = dataclasses.replace(JOB, data='elsewhere', metrics=('trend',))
    assert same.place == JOB.place
    assert dataclasses.replace(JOB, rows=5).place != JOB.place


def test_a_halved_table_is_one_half_of_all_rows(prepared: Path) -> None:
    job = Job(str(prepared), 'one', 'tabdar', 'tabdar', halved=True)
    whole, half = load_dataset(prepared, 'one'), job.load()
    assert len(half.train) == len(half.test) == (len(whole.train) + len(whole.test)) // 2
    assert sorted([*half.train['age'], *half.test['age']]) == sorted(
        [*whole.train['age'], *whole.test['age']]
    )
    assert half.train.equals(job.load().train)
    assert len(dataclasses.replace(job, halved=False, rows=7).load().train) == 7
