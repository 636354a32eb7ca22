"""The steps of a run, each in a process of its own: fit and sample, score, floor, keep a model.

Every function takes and gives JSON values; see ``process``.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.utils import load_synthesizer

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.jobs.cost import Cost, measured
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.methods.exchange import read_rows, write_rows
from sdv_tabdar.benchmark.methods.spec import OURS, Request, parse_spec
from sdv_tabdar.benchmark.methods.synthesizers import SingleTable, Synthesizer, build
from sdv_tabdar.evaluation.registry import METRICS
from sdv_tabdar.synthesizer import TabDARSynthesizer

ROWS = 'synthetic.csv.gz'
PICKLE = 'synthesizer.pkl'


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A fitted synthesizer with the table it was fitted on.

    Attributes:
        job: What was fitted.
        dataset: Its table.
        synthesizer: Gives frames, as it was given one.
        fit_seconds: How long fitting took.
    """

    job: Job
    dataset: Dataset
    synthesizer: TabDARSynthesizer
    fit_seconds: float


def prepare(job: Job) -> tuple[Dataset, Synthesizer]:
    """The table and an unfitted synthesizer: what is not to be measured."""
    dataset = job.load()
    spec = parse_spec(job.spec)
    request = Request(spec, dataset, job.seed, job.max_training_time, job.argn_python)
    return dataset, build(request)


def generate(job: dict[str, Any], folder: str) -> dict[str, Any]:
    """Fit, sample as many rows as there are training rows, keep them and what it took."""
    dataset, synthesizer = prepare(Job.from_dict(job))
    with measured() as fitting:
        synthesizer.fit(dataset.train.copy())
    with measured() as sampling:
        rows = synthesizer.sample(len(dataset.train))
    Path(folder).mkdir(parents=True, exist_ok=True)
    write_rows(rows, Path(folder) / ROWS)
    timed = getattr(synthesizer, 'timed', True)
    own_seconds: Mapping[str, float] = getattr(synthesizer, 'seconds', {})
    return {
        'data': {
            'fingerprint': dataset.fingerprint(),
            'train_rows': len(dataset.train),
            'test_rows': len(dataset.test),
            'columns': dataset.train.shape[1],
            'target': dataset.target,
            'task': dataset.task,
        },
        'synthetic_rows': len(rows),
        'fit': _cost(fitting, own_seconds.get('fit')) if timed else None,
        'sample': _cost(sampling, own_seconds.get('sample')) if timed else None,
    }


def score(job: dict[str, Any], folder: str, metrics: Sequence[str]) -> dict[str, Any]:
    """Metrics of the rows that ``generate`` has kept."""
    planned = Job.from_dict(job)
    dataset = planned.load()
    train, settings = dataset.train, _scoring(planned, dataset, metrics)
    rows = read_rows(Path(folder) / ROWS, train)
    scores = evaluation.score(train, rows, dataset.metadata, dataset.test, **settings)
    return {'scores': plain_numbers(scores)}


def floor(job: dict[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """What one half of the training rows scores against the other, scaled to all of them."""
    planned = Job.from_dict(job)
    dataset = planned.load()
    settings = _scoring(planned, dataset, metrics)
    floors = evaluation.floor_scores(dataset.train, dataset.metadata, dataset.test, **settings)
    return {'scores': plain_numbers(floors)}


def _scoring(job: Job, dataset: Dataset, metrics: Sequence[str]) -> dict[str, Any]:
    """Settings of the evaluation; without a target there is nothing to predict."""
    can_predict = dataset.target is not None
    return {
        'target': dataset.target,
        'metrics': [
            name
            for name in metrics
            if can_predict or name not in METRICS or not METRICS[name].needs_target
        ],
        'seed': job.seed,
        'paper_compatible': job.paper_compatible,
    }


def fit(job: dict[str, Any], folder: str) -> dict[str, Any]:
    """Fit our synthesizer and keep it.

    Raises:
        ValueError: If the job is for another synthesizer than ours.
    """
    planned = Job.from_dict(job)
    if parse_spec(planned.spec).kind not in OURS:
        raise ValueError(
            f"Only our own synthesizer can be asked, but the job has '{planned.spec}'."
        )
    dataset, synthesizer = prepare(planned)
    assert isinstance(synthesizer, SingleTable), 'ours is an SDV synthesizer'
    # It gets a frame, and so it gives frames.
    with measured() as fitting:
        synthesizer.synthesizer.fit(dataset.train.copy())
    partial = Path(folder) / f'.{PICKLE}.partial'
    partial.parent.mkdir(parents=True, exist_ok=True)
    synthesizer.synthesizer.save(str(partial))
    os.replace(partial, Path(folder) / PICKLE)
    return {'fit': dataclasses.asdict(fitting)}


def load_model(job: Job, folder: Path, fit_seconds: float) -> Fitted:
    """The kept model of a job."""
    return Fitted(job, job.load(), load_synthesizer(str(folder / PICKLE)), fit_seconds)


def plain_numbers(scores: Mapping[str, float]) -> dict[str, float | None]:
    """Floats that JSON can hold; what is not a number becomes None."""
    return {
        name: float(value) if pd.notna(value) and math.isfinite(value) else None
        for name, value in scores.items()
    }


def _cost(cost: Cost, own_seconds: float | None) -> dict[str, float]:
    """A synthesizer that works in another process may know better how long it took."""
    values: dict[str, float] = dataclasses.asdict(cost)
    return values if own_seconds is None else {**values, 'seconds': own_seconds}
