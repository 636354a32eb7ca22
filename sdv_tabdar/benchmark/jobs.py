"""What one run is, and the file that keeps its result.

A run has a folder of its own with ``result.json`` (the job, the environment, what it took and
what it scored), ``synthetic.csv.gz`` and ``log.txt``. The result is written in one go when a
step is done, so that an interrupted run leaves none and is simply done again.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.datasets import Dataset, load_dataset
from sdv_tabdar.benchmark.synthesizers import parse_spec

RESULT = 'result.json'
ROWS = 'synthetic.csv.gz'
LOG = 'log.txt'
SUBSAMPLE_SEED = 0
DEFAULT_METRICS = ('shape', 'trend', 'xgb_c2st')
# What may differ between a finished run and the one asked for: where things lie, not what is done.
_PLACES = ('data', 'argn_python', 'metrics')


@dataclasses.dataclass(frozen=True)
class Job:
    """One synthesizer on one table with one seed.

    Attributes:
        data: The source of the table, see ``datasets``.
        table: The table's name.
        label: What the synthesizer is called.
        spec: The synthesizer and its settings, see ``synthesizers``.
        seed: Decides about fitting, sampling and scoring.
        rows: At most so many training rows; None takes all.
        threads: Threads of the numerical libraries; None leaves it to them.
        max_training_time: Seconds that our own synthesizer may train.
        target: The column to predict, for sources that do not say it.
        metrics: Names that ``evaluation.score`` knows.
        argn_python: Another Python that has mostlyai-engine.
        halved: Whether to train on one half of all real rows and keep the other one to compare
            with, in place of the table's own training and test part.
        paper_compatible: Whether to add the scores of published protocols with their faults.
    """

    data: str
    table: str
    label: str
    spec: str
    seed: int = 0
    rows: int | None = None
    threads: int | None = None
    max_training_time: float | None = None
    target: str | None = None
    metrics: tuple[str, ...] = DEFAULT_METRICS
    argn_python: str | None = None
    halved: bool = False
    paper_compatible: bool = False

    @property
    def folder(self) -> Path:
        """Where in a run directory the run is kept."""
        name = dataclasses.replace(parse_spec(self.spec), label=self.label).folder
        return Path('runs') / self.table / name / f'seed={self.seed}'

    def __str__(self) -> str:
        """How progress lines name the run."""
        return f'{self.table}, {self.label}, seed {self.seed}'

    def load(self) -> Dataset:
        """The table, cut down if the job says so."""
        dataset = load_dataset(self.data, self.table, target=self.target)
        if self.halved:
            dataset = dataset.halved(SUBSAMPLE_SEED)
        return dataset if self.rows is None else dataset.subsample(self.rows, SUBSAMPLE_SEED)

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {**dataclasses.asdict(self), 'metrics': list(self.metrics)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Job:
        """The inverse of ``to_dict``."""
        return cls(**{**values, 'metrics': tuple(values['metrics'])})

    def differences(self, other: Job) -> dict[str, tuple[object, object]]:
        """The settings that make the two jobs different work: ``{name: (mine, other's)}``."""
        mine, theirs = self.to_dict(), other.to_dict()
        return {
            name: (mine[name], theirs[name])
            for name in mine
            if name not in _PLACES and mine[name] != theirs[name]
        }


def read_result(folder: Path) -> dict[str, Any] | None:
    """The result in a run's folder, or None if there is none yet."""
    path = folder / RESULT
    if not path.is_file():
        return None
    result: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return result


def write_json(values: object, path: Path) -> None:
    """Write a JSON file in one go: whoever finds it, finds all of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f'.{path.name}.partial')
    partial.write_text(json.dumps(values, indent=1) + '\n', encoding='utf-8')
    os.replace(partial, path)
