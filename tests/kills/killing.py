"""A training in a process of its own, killed at any moment, and what it ends with."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
import random
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.training import checkpoints, trainer

_SMALL = ModelConfig(
    width=16, num_blocks=1, num_heads=2, head_width=16, denoiser_width=16, denoiser_blocks=1
)
_WHOLE_STEPS = 250  # of the table's training, if it has its default length
_CHECKPOINT_SECONDS = 0.4  # of these, so that many are half written when it is killed
_PATIENCE = 20.0  # times the length of an undisturbed training, for a single one


@dataclasses.dataclass
class Killed:
    """What came of trainings that were killed.

    Attributes:
        kills: How often a process was killed.
        resumed: How often a checkpoint was there to go on from.
        finished: Trainings that came to their end.
        different: Those of them that ended with another model.
    """

    kills: int = 0
    resumed: int = 0
    finished: int = 0
    different: int = 0

    def text(self) -> str:
        """The counts for a person to read."""
        return (
            f'{self.kills} kills, after {self.resumed} of which there was a checkpoint; '
            f'{self.finished} trainings came to their end, {self.different} of them with another '
            'model than an undisturbed one.'
        )


def kill_trainings(
    kills: int,
    seed: int,
    folder: Path,
    *,
    steps: int = _WHOLE_STEPS,
    progress: Callable[[Killed], None] = lambda _: None,
) -> Killed:
    """Kill trainings so often, each at random moments; the last one comes to its end.

    Args:
        kills: How often.
        seed: Of the moments.
        folder: An empty folder to work in.
        steps: Most steps of a training; the fewer there are, the sooner a checkpoint is due.
        progress: Called after each process.
    """
    moments, found = random.Random(seed), Killed()
    begin = functools.partial(_begin, steps)
    checkpoint, answer = folder / 'training.ckpt', folder / 'hash'
    start = time.perf_counter()
    _wait(begin(folder / 'other.ckpt', answer))
    whole = time.perf_counter() - start
    expected = answer.read_text()
    while found.kills < kills or checkpoint.exists() or not found.finished:
        answer.unlink(missing_ok=True)
        found.resumed += checkpoint.exists()
        process = begin(checkpoint, answer)
        if found.kills < kills:
            _wait(process, moments.uniform(0, whole))
        else:
            _wait(process, _PATIENCE * whole)
        if answer.exists():
            found.finished += 1
            found.different += answer.read_text() != expected
        else:
            found.kills += 1
        progress(found)
    return found


def _begin(steps: int, checkpoint: Path, answer: Path) -> int:
    """Start a training in a copy of this process; its number."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        _train(steps, checkpoint, answer)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _wait(process: int, seconds: float = 600.0) -> None:
    """Until a process has ended, or kill it after some seconds.

    Raises:
        RuntimeError: If it ended by an error.
    """
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            if status:
                raise RuntimeError(f'The training ended with status {status}; see above.')
            return
        time.sleep(0.002)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def _train(steps: int, checkpoint: Path, answer: Path) -> None:
    """Fit a table, and write down a hash of the weights and of drawn rows."""
    checkpoints._SECONDS, checkpoints._SHARE = _CHECKPOINT_SECONDS * steps / _WHOLE_STEPS, 1.0
    trainer.longest_training = lambda *_: steps
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    colour = rng.choice(['red', 'green', 'blue'], 120)
    size = np.where(colour == 'red', 5.0, 1.0) + rng.normal(size=120)
    table = pd.DataFrame({'colour': colour, 'size': size, 'count': rng.poisson(3, 120) * 1.0})
    kinds = dict.fromkeys(table, ColumnKind.NUMERICAL) | {'colour': ColumnKind.CATEGORICAL}
    model = TabDAR(_SMALL, random_state=1).fit(table, kinds, checkpoint_path=checkpoint)
    digest = hashlib.sha256(model.sample(50).to_csv().encode())
    for weight in model.trained.network.state_dict().values():
        digest.update(weight.contiguous().numpy().data)
    part = answer.with_suffix('.part')
    part.write_text(digest.hexdigest())
    part.replace(answer)
