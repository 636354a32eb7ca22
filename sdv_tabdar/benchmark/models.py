"""Our synthesizer fitted once for all commands that ask it something, and kept with its job.

A model's folder has ``synthesizer.pkl``, ``model.json`` (the job, the environment, what fitting
took), one file for each measurement made with it, and ``log.txt``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdv.utils import load_synthesizer

from sdv_tabdar.benchmark.datasets import Dataset
from sdv_tabdar.benchmark.environment import describe_environment, source_fingerprint
from sdv_tabdar.benchmark.jobs import Job, write_json
from sdv_tabdar.benchmark.measurement import measured
from sdv_tabdar.benchmark.synthesizers import OURS, parse_spec
from sdv_tabdar.synthesizer import TabDARSynthesizer

PICKLE = 'synthesizer.pkl'
MODEL = 'model.json'
# Which column is predicted does not change what is learnt.
_BESIDE_THE_POINT = ('target',)


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


def model_folder(job: Job) -> Path:
    """Where in a run directory the model of a job is kept."""
    return Path('models', *job.folder.parts[1:])


def fit_model(job: Job, dataset: Dataset, synthesizer: TabDARSynthesizer, folder: Path) -> None:
    """Fit and keep; a folder has both files, or the model counts as missing.

    Raises:
        ValueError: If the job is for another synthesizer than ours.
    """
    if parse_spec(job.spec).kind not in OURS:
        raise ValueError(f"Only our own synthesizer can be asked, but the job has '{job.spec}'.")
    with measured() as fitting:
        synthesizer.fit(dataset.train.copy())
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f'.{PICKLE}.partial'
    synthesizer.save(str(partial))
    os.replace(partial, folder / PICKLE)
    facts = {
        'job': job.to_dict(),
        'environment': describe_environment(),
        'fit': dataclasses.asdict(fitting),
    }
    write_json(facts, folder / MODEL)


def read_model(folder: Path) -> dict[str, Any] | None:
    """The facts about a kept model, or None if there is none."""
    path = folder / MODEL
    if not path.is_file() or not (folder / PICKLE).is_file():
        return None
    facts: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return facts


def require_same(job: Job, folder: Path) -> None:
    """Refuse a folder that has the model of another job.

    Raises:
        ValueError: If it has.
    """
    facts = read_model(folder)
    differences = job.differences(Job.from_dict(facts['job'])) if facts is not None else {}
    listed = ', '.join(
        f'{name}: {theirs!r} there, {mine!r} now'
        for name, (mine, theirs) in differences.items()
        if name not in _BESIDE_THE_POINT
    )
    if listed:
        raise ValueError(
            f"'{folder}' holds a model with other settings ({listed}). Choose another --out, or "
            'remove that folder.'
        )


def is_of_this_code(folder: Path) -> bool:
    """Whether the kept model was fitted by the code that is running now."""
    facts = read_model(folder)
    return facts is not None and facts['environment'].get('source') == source_fingerprint()


def load_model(job: Job, folder: Path) -> Fitted:
    """The kept model of a job.

    Raises:
        FileNotFoundError: If there is none.
    """
    facts = read_model(folder)
    if facts is None:
        raise FileNotFoundError(f"There is no fitted model in '{folder}'.")
    synthesizer = load_synthesizer(str(folder / PICKLE))
    return Fitted(job, job.load(), synthesizer, facts['fit']['seconds'])


def measurement_file(name: str, settings: Mapping[str, object]) -> str:
    """The file of a measurement; other settings make another file."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]
    return f'{name}-{digest}.json'


def keep_measurement(
    job: Job, folder: Path, file: str, found: Mapping[str, object], settings: Mapping[str, object]
) -> None:
    """Write what was measured, with what it was measured on."""
    environment = describe_environment()
    values = {'job': job.to_dict(), 'environment': environment, 'settings': dict(settings)}
    write_json({**values, **found}, folder / file)
