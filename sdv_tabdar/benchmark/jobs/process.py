"""The one way to start a measured process: a function of this package in a fresh Python.

Memory, threads, random numbers, the allocator and what is loaded are then those of one measurement
alone. Arguments and result are JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sdv_tabdar.benchmark.files import read_json, write_json
from sdv_tabdar.benchmark.jobs.environment import describe_environment, thread_settings

PACKAGE_ROOT = Path(__file__).resolve().parents[3]
MODULE = 'sdv_tabdar.benchmark.jobs.process'
LAST_LINES = 12

Measure = Callable[..., Mapping[str, Any]]


class RunFailed(RuntimeError):
    """A process ended with an error; the message has the end of its log."""


def call(
    measure: Measure,
    arguments: Mapping[str, Any],
    *,
    threads: int | None = None,
    seed: int = 0,
    log: Path | None = None,
) -> dict[str, Any]:
    """Call a function in a process of its own.

    Args:
        measure: A function of a module, with a mapping of JSON values as its result.
        arguments: Its arguments by name, JSON values.
        threads: Of torch and of the numerical libraries; None leaves it to them.
        seed: Of NumPy's and torch's global generators, which SDV's synthesizers draw from.
        log: Where the output goes, at the end of what is there; by default it is not kept.

    Returns:
        The result, with the ``environment`` of the process.

    Raises:
        RunFailed: If the process ended with an error.
    """
    with tempfile.TemporaryDirectory() as scratch:
        request, answer = Path(scratch, 'request.json'), Path(scratch, 'answer.json')
        log = log or Path(scratch, 'log.txt')
        log.parent.mkdir(parents=True, exist_ok=True)
        function = f'{measure.__module__}:{measure.__name__}'
        settings = {'threads': threads, 'seed': seed}
        asked = {'function': function, 'arguments': dict(arguments), **settings}
        write_json(asked, request)
        with log.open('a', encoding='utf-8') as output:
            output.write(f'--- {measure.__name__}, {time.strftime("%Y-%m-%d %H:%M:%S")}\n')
            output.flush()
            code = subprocess.run(
                [sys.executable, '-m', MODULE, str(request), str(answer)],
                stdout=output,
                stderr=output,
                env=_process_environment(threads),
                check=False,
            ).returncode
        found = read_json(answer)
        if code or found is None:
            lines = log.read_text(encoding='utf-8', errors='replace').splitlines()
            raise RunFailed(
                f"{measure.__name__} ended with code {code}; the end of its log, '{log}':\n"
                + '\n'.join(lines[-LAST_LINES:])
            )
        return found


def perform(request: Mapping[str, Any]) -> dict[str, Any]:
    """What the process does: set threads and seeds, call the function."""
    set_up(request['threads'], request['seed'])
    module, _, name = request['function'].partition(':')
    found = getattr(importlib.import_module(module), name)(**request['arguments'])
    return {**found, 'environment': describe_environment()}


def set_up(threads: int | None, seed: int) -> None:
    """Threads and seeds of the whole process; only for one that does this and ends."""
    import torch

    if threads is not None:
        torch.set_num_threads(threads)
    np.random.seed(seed)
    torch.manual_seed(seed)


def _process_environment(threads: int | None) -> dict[str, str]:
    # The process finds this package wherever the caller found it.
    paths = [str(PACKAGE_ROOT), os.environ.get('PYTHONPATH', '')]
    return {
        **os.environ,
        'PYTHONPATH': os.pathsep.join(filter(None, paths)),
        **thread_settings(threads),
    }


def main(request: str, answer: str) -> int:
    """Read the request, write the answer; the reason of a failure goes to standard error."""
    try:
        write_json(perform(json.loads(Path(request).read_text(encoding='utf-8'))), Path(answer))
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
