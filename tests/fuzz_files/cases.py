"""Run a case: make a hostile file, load it, and see what comes of it."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import re
import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files import ModelFileError, container, describe

from ..fuzz.outcome import OutOfTime, restored_random_states
from ..processor_time import time_limit
from .changes import CHANGES, RAN
from .models import models

SECONDS = 10.0
DRAWN = 20  # one loaded synthesizer of so many draws a row
_MEMORY = Path('/dev/shm')
# What Python announces when code is read, run, or another program is started.
_FORBIDDEN = ('pickle.find_class', 'os.system', 'os.exec', 'os.posix_spawn', 'subprocess.Popen')


@dataclasses.dataclass(frozen=True)
class Result:
    """What came of a case.

    Attributes:
        change: What was done to the file.
        kind: ``'refused'``, ``'loaded'``, ``'drew'``, or what was wrong.
        detail: The message.
        is_finding: Whether something was wrong.
    """

    change: str
    kind: str
    detail: str = ''
    is_finding: bool = False


_heard: list[str] = []
_listening = False


def _listen(event: str, arguments: Any) -> None:
    if _listening and (event in _FORBIDDEN or event.startswith('socket.')):
        _heard.append(event)


sys.addaudithook(_listen)


@contextlib.contextmanager
def _heard_while_loading() -> Iterator[None]:
    global _listening
    _heard.clear()
    RAN.clear()
    _listening = True
    try:
        yield
    finally:
        _listening = False


def run_case(place: int, seed: int, drawn: int = DRAWN) -> Result:
    """Make case ``place`` of a seed and load it; one model of ``drawn`` draws rows."""
    draw = random.Random(1_000_003 * seed + place)
    names, shares = zip(*((name, share) for name, (_, share) in CHANGES.items()), strict=True)
    change = draw.choices(names, shares)[0]
    model = draw.choice(models())
    content = CHANGES[change][0](model, draw)
    folder = _MEMORY if _MEMORY.is_dir() else Path(tempfile.gettempdir())
    with tempfile.NamedTemporaryFile(dir=folder, suffix='.tabdar') as file:
        file.write(content)
        file.flush()
        return _loaded(Path(file.name), change, len(content), draws=draw.randrange(drawn) == 0)


def _loaded(path: Path, change: str, size: int, *, draws: bool) -> Result:
    before = _peak()
    step = 'load'
    try:
        with _quiet(), _heard_while_loading(), time_limit(SECONDS, OutOfTime()):
            try:
                loaded = TabDARSynthesizer.load_safe(path)
            finally:
                step = 'describe' if draws else 'load'
                if draws:
                    _described(path)
            result = Result(change, 'loaded')
            if draws:
                step = 'draw'
                loaded.sample(2)
                result = Result(change, 'drew')
    except ModelFileError as error:
        result = Result(change, 'refused', str(error))
    except OutOfTime:
        result = Result(change, f'{step}: more than {SECONDS:g} seconds', is_finding=True)
    except (Exception, MemoryError) as error:
        result = _finding(change, step, error)
    grown = _peak() - before
    if _heard or RAN:
        result = Result(change, f'code was run: {[*_heard, *RAN][:3]}', is_finding=True)
    elif grown > 2 * size + container.ALLOWANCE:
        result = Result(change, 'took too much memory', f'{grown:,} bytes', is_finding=True)
    return result


def _described(path: Path) -> None:
    with contextlib.suppress(ModelFileError):
        str(describe(path))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), restored_random_states():
        warnings.simplefilter('ignore')
        yield


def _finding(change: str, step: str, error: BaseException) -> Result:
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = [f for f in traceback.extract_tb(error.__traceback__) if '/sdv_tabdar/' in f.filename]
    where = ours[-1] if ours else last
    file = re.sub(r'.*/(?=sdv_tabdar/)', '', where.filename)
    kind = f'{step}: {type(error).__name__} in {file} {where.name}'
    detail = f'{str(error)[:200]} (from {last.filename.rsplit("/", 1)[-1]}:{last.lineno})'
    return Result(change, kind, detail, is_finding=True)


def _peak() -> int:
    """Most bytes that the process has had so far."""
    unit = 1 if sys.platform == 'darwin' else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
