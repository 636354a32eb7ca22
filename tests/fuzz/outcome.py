"""What comes of a case: what was refused, which promises were broken."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import re
import traceback
import warnings
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import torch

# Errors that a user may get, by the name of the type: not subclasses of pandas or NumPy.
ALLOWED = (
    'ConstraintNotMetError',
    'InvalidDataError',
    'InvalidDataTypeError',
    'InvalidMetadataError',
    'SamplingError',
    'SynthesizerInputError',
    'TypeError',
    'ValueError',
)
# What is wrong with a table as a whole, so that there is no column to name.
WHOLE_TABLE = re.compile('All columns are generated|column names .* occur more than once')
_HEADING = 'The provided data does not match the metadata:'  # SDV's, of every such error
_INTERNAL = (RuntimeWarning, FutureWarning, DeprecationWarning, PendingDeprecationWarning)


class OutOfTime(BaseException):
    """The case takes too long; not an Exception, so that nothing in between handles it."""


class Stopped(Exception):
    """The next steps make no sense."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """A refusal or a broken promise.

    Attributes:
        kind: What findings of one cause have in common.
        detail: What was seen in this case.
    """

    kind: str
    detail: str


@dataclasses.dataclass
class Outcome:
    """All that came of a case.

    Attributes:
        labels: The user's column labels, one of which an error has to name.
        step: The step under way.
        asked: What it was asked for.
        done: Steps that were gone through.
        refused: Errors of an allowed type that name a column.
        broken: Broken promises.
    """

    labels: list[Hashable]
    step: str = ''
    asked: str = ''
    done: list[str] = dataclasses.field(default_factory=list)
    refused: list[Finding] = dataclasses.field(default_factory=list)
    broken: list[Finding] = dataclasses.field(default_factory=list)

    def promise(self, kind: str, kept: Any, detail: str = '') -> None:
        """Note a promise that was not kept."""
        if not kept:
            self.broken.append(Finding(kind, detail))

    def attempt(
        self, step: str, action: Callable[[], Any], *, must: str = '', asked: str = ''
    ) -> Any:
        """Run a step and judge its error, its warnings and the global random states.

        Args:
            step: Name of the step.
            action: Runs it.
            must: Why it has to work; an error is then a broken promise whatever it says.
            asked: What the report of an error or of lost time has to say besides.

        Raises:
            Stopped: If it raised an error.
        """
        self.step, self.asked, before = step, asked, _random_states()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            try:
                result = action()
            except Exception as error:
                self._judge(step, error, must, asked)
                raise Stopped(step) from error
            finally:
                changed = [k for k, state in _random_states().items() if state != before[k]]
                self.promise(f'{step}: changes global random states', not changed, str(changed))
        for warning in caught:
            ours = '/sdv_tabdar/' in warning.filename and '/core/' not in warning.filename
            if ours and issubclass(warning.category, _INTERNAL):
                place = warning.filename.rsplit('/sdv_tabdar/', 1)[-1]
                kind = f'{step}: {warning.category.__name__} from {place}'
                self.broken.append(Finding(kind, f'line {warning.lineno}: {warning.message}'))
        self.done.append(step)
        return result

    def _judge(self, step: str, error: Exception, must: str, asked: str) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        name, message = type(error).__name__, str(error)
        ours = [frame for frame in frames if '/sdv_tabdar/' in frame.filename]
        place = _place(ours[-1]) if ours else _place(frames[-1])
        detail = f'{name}: {message[:400]} (from {_place(frames[-1])} by way of {place}) {asked}'
        raised = re.search('/(sdv_tabdar|sdv)/', frames[-1].filename)
        named = any(str(label) in message for label in self.labels)
        if name not in ALLOWED or not raised:
            self.broken.append(
                Finding(f'{step}: {name} at {_place(frames[-1], line=False)}', detail)
            )
        elif not named and not WHOLE_TABLE.search(message):
            self.broken.append(Finding(f'{step}: {name} names no column', detail))
        elif must:
            self.broken.append(Finding(f'{step}: refuses {must}: {_plain(message)}', detail))
        else:
            self.refused.append(Finding(f'{step}: {name}: {_plain(message)}', detail))


def _plain(message: str) -> str:
    """A message without its heading, values, names and numbers."""
    message = message.replace(_HEADING, '')
    message = re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}", '_', message)
    return ' '.join(re.sub(r'[\d.+-]+', '0', message).split())[:110]


def _place(frame: traceback.FrameSummary, *, line: bool = True) -> str:
    file = re.sub(r'.*/(site-packages|lib/python[\d.]+)/', '', frame.filename)
    file = re.sub(r'.*/(?=sdv_tabdar/)', '', file)
    return f'{file}{f":{frame.lineno}" if line else ""} {frame.name}'


def _random_states() -> dict[str, object]:
    name, keys, *rest = np.random.get_state()
    return {
        'random': random.getstate(),
        'numpy.random': (name, np.asarray(keys).tobytes(), *rest),
        'torch': torch.get_rng_state().numpy().tobytes(),
    }


@contextlib.contextmanager
def restored_random_states() -> Iterator[None]:
    """Put the global random states back after code that draws from them."""
    python, numpy, pytorch = random.getstate(), np.random.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(pytorch)
