"""What one run is."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.data.datasets import Dataset, load_dataset
from sdv_tabdar.benchmark.files import digest
from sdv_tabdar.benchmark.methods.spec import parse_spec

SUBSAMPLE_SEED = 0
DEFAULT_METRICS = ('shape', 'trend', 'xgb_c2st')
# Where things lie, which makes no difference to what is done, and what is asked of its rows.
_PLACES = ('data', 'argn_python', 'metrics')


@dataclasses.dataclass(frozen=True)
class Job:
    """One synthesizer on one table with one seed.

    Attributes:
        data: The source of the table, see ``datasets``.
        table: The table's name.
        label: What the synthesizer is called.
        spec: The synthesizer and its settings, see ``methods.spec``.
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
    def place(self) -> Path:
        """The end of the path at which something about the run is kept; other settings, another."""
        name = dataclasses.replace(parse_spec(self.spec), label=self.label).folder
        return Path(self.table, name, f'seed={self.seed}-{digest(self.identity())}')

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

    def identity(self) -> dict[str, Any]:
        """What decides about the result, as JSON values."""
        return {name: value for name, value in self.to_dict().items() if name not in _PLACES}
