"""A training's state on disk, so that it survives its process."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import enum
import functools
import hashlib
import json
import logging
import os
import tempfile
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import torch

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.runtime.ranks import ALONE, Ranks
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.paths import why_no_file

_VERSION = 5
_SECONDS = 30.0  # between two checkpoints, or ...
_SHARE = 0.02  # ... this share of the time, in which they are written, whichever is longer
_DIFFERENT = {
    'table': 'another table',
    'model': 'other settings of the model',
    'training': 'other training settings',
    'seed': 'another random_state',
    'steps': 'steps of another number of rows or threads (see torch.set_num_threads) or on '
    'another device',
    'start': 'other weights to go on from (see warm_start)',
    'versions': 'another version of sdv_tabdar or torch',
}

_logger = logging.getLogger(__name__)


class Then(enum.Enum):
    """What becomes of a training after its state was to be written."""

    GOES_ON = 'Training goes on, and the next checkpoint is tried at its time.'
    IS_KEPT = 'What training has learnt is kept in the model.'
    IS_LOST = 'What training has learnt since then is lost.'


def fingerprint(
    table: EncodedTable,
    schema: TableSchema,
    model: ModelConfig,
    config: TrainingConfig,
    batch_size: int,
    num_threads: int,
    start: torch.nn.Module | None = None,
    random_state: int | None = None,
) -> dict[str, str]:
    """What a training must have in common with a checkpoint that it goes on from.

    ``num_threads`` are those of all ranks; ``random_state`` is None where the operating system gave
    the seed, and then the seed of the first training is gone on with.
    """
    digest = hashlib.sha256(repr(schema).encode())
    for part in (table.codes, table.residuals):
        digest.update(str((part.dtype, tuple(part.shape))).encode())
        digest.update(part.cpu().contiguous().numpy().data)
    weights = hashlib.sha256()
    for weight in () if start is None else start.parameters():
        weights.update(weight.detach().cpu().contiguous().numpy().data)
    settings = dataclasses.asdict(config)
    del settings['max_training_time']  # more time is a reason to go on
    return {
        'table': digest.hexdigest(),
        'model': json.dumps(dataclasses.asdict(model), sort_keys=True),
        'training': json.dumps(settings, sort_keys=True),
        'seed': str(random_state),
        'steps': f'{batch_size} {num_threads} {table.codes.device.type}',
        'start': '' if start is None else weights.hexdigest(),
        'versions': f'{_VERSION} {torch.__version__}',
    }


def differences(
    other: Mapping[str, str], own: Mapping[str, str], words: Mapping[str, str] = _DIFFERENT
) -> list[str]:
    """What is different between two fingerprints, in ``words`` or our own."""
    return [
        {**_DIFFERENT, **words}[name]
        for name in _DIFFERENT
        if name in other and other[name] != own[name]
    ]


def why_unwritable(path: Path) -> str:
    """Why a training could not keep its state in a file, found out by trying; empty if it can."""
    try:
        reason = why_no_file(path)
        if reason:
            return reason
        if path.exists():
            with path.open('rb'):
                pass
        with tempfile.NamedTemporaryFile(prefix=f'{path.name}.', dir=path.parent):
            return ''
    except OSError as error:
        return f'it cannot be used ({error.strerror})'


class CheckpointFile:
    """The file that a training keeps its state in; all ranks call its methods, the first has it.

    Args:
        path: Where; its folder must exist and be one to write to.
        made_of: From :func:`fingerprint`.
        generator: Of the training, before anything is drawn from it; :meth:`read` sets it to
            where the first training began.
        ranks: Of the training.
    """

    def __init__(
        self,
        path: Path,
        made_of: dict[str, str],
        generator: torch.Generator,
        ranks: Ranks = ALONE,
    ) -> None:
        reason = ranks.told(lambda: why_unwritable(path))
        if reason:
            raise ValueError(
                'checkpoint_path must be a file in a folder that exists and can be written to, '
                f'however: {str(path)!r}, as {reason}.'
            )
        self.path, self._made_of, self._generator, self._ranks = path, made_of, generator, ranks
        self._start = generator.get_state()
        self._written = time.perf_counter()
        self._cost = 0.0
        self._fails = False

    @property
    def due(self) -> bool:
        """Whether it is time to write; the first rank's clock counts."""
        if not self._ranks.leads:
            return False
        return time.perf_counter() - self._written >= max(_SECONDS, self._cost / _SHARE)

    def read(self) -> dict[str, Any] | None:
        """The state to go on from; None if there is no file.

        Raises:
            ValueError: If the file is no checkpoint, or of another training.
        """
        content = self._ranks.told(self._content)
        if content is None:
            return None
        self._start = content['start']
        self._generator.set_state(self._start)
        state: dict[str, Any] = content['state']
        return state

    def _content(self) -> dict[str, Any] | None:
        """What the file holds, if it is that of this training."""
        if not self.path.exists():
            return None
        try:
            content = torch.load(self.path, map_location='cpu', weights_only=True)
            made_of = content['made_of']
        except Exception as error:
            raise ValueError(
                f'The file {str(self.path)!r} is not a checkpoint of a training. Give another '
                'checkpoint_path, or remove it to begin anew.'
            ) from error
        different = differences(made_of, self._made_of)
        if different:
            what = ', '.join(different)
            raise ValueError(
                f'The checkpoint {str(self.path)!r} was made with {what}. Train with what it was '
                'made with, give another checkpoint_path, or remove it to begin anew.'
            )
        return dict(content)

    def write(self, state: dict[str, Any], then: Then = Then.GOES_ON) -> None:
        """Replace the file: at every moment it is the old one or the new one as a whole.

        Where that fails, as on a full disk, the old one stays and a warning says so: a training
        of hours is worth more than its checkpoint. The next call tries again.

        Args:
            state: From ``Trainer.state``.
            then: What becomes of the training.
        """
        self._ranks.told(functools.partial(self._try_to_write, state, then))

    def remove(self) -> None:
        """Delete the file; where that fails, a warning says so."""
        self._ranks.told(self._try_to_remove)

    def _try_to_write(self, state: dict[str, Any], then: Then) -> None:
        before = time.perf_counter()
        try:
            self._write(state)
        except OSError as error:
            _warn(
                f'The checkpoint {str(self.path)!r} could not be written ({_reason(error)}). '
                f'{then.value} {self._what_is_left()} Make room on its disk, or let it be '
                'written to again.',
                aloud=then is not Then.GOES_ON or not self._fails,
            )
            self._fails = True
        else:
            if self._fails:
                _logger.info('The checkpoint %s is written again.', self.path)
            self._fails = False
        self._written = time.perf_counter()
        self._cost = self._written - before

    def _write(self, state: dict[str, Any]) -> None:
        part = self.path.with_name(self.path.name + '.part')
        content = {
            'made_of': self._made_of,
            'start': self._start,
            'state': state,
        }
        try:
            with part.open('wb') as file:
                _save(content, file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()
            raise

    def _what_is_left(self) -> str:
        """What the same call could go on from after a write that failed."""
        try:
            written = datetime.datetime.fromtimestamp(self.path.stat().st_mtime)
        except OSError:
            return 'There is none that the same call could go on from.'
        return (
            f'That of {written:%Y-%m-%d %H:%M:%S} is still there, for the same call to go on from.'
        )

    def _try_to_remove(self) -> None:
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            _warn(
                f'The checkpoint {str(self.path)!r} of a training that has ended could not be '
                f'deleted ({_reason(error)}). Delete it yourself.',
                aloud=True,
            )


def _save(content: dict[str, Any], file: BinaryIO) -> None:
    """As torch writes it, whose own error of a file that was cut short hides the first one.

    Raises:
        OSError: If the file cannot hold it.
    """
    try:
        torch.save(content, file)
    except RuntimeError as error:
        first: BaseException | None = error
        while first is not None and not isinstance(first, OSError):
            first = first.__context__
        if first is None:
            raise
        raise first from None


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _warn(message: str, *, aloud: bool) -> None:
    """Log a warning, and if ``aloud`` show it to whoever does not read the log."""
    _logger.warning(message)
    if aloud:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
