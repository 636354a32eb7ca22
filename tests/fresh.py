"""Code in processes that have imported neither SDV nor this package.

Most of the time that importing the two takes goes into what they import from others. On Linux one
process does that once, and a copy of it runs each piece of code; elsewhere each has an interpreter.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_OTHERS = ('torch', 'pandas', 'scipy.stats', 'sklearn.ensemble', 'plotly.express', 'faker', 'tqdm')
_PATIENCE = 300  # seconds
_HASH_SEED = '7'  # sets have another order than in the process of the tests


class FreshProcesses:
    """Runs code in processes of its own."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {
            'cwd': _ROOT,
            'env': {**os.environ, 'PYTHONHASHSEED': _HASH_SEED},
            'text': True,
        }
        self._process: subprocess.Popen[str] | None = None
        if sys.platform == 'linux':
            command = [sys.executable, '-m', 'tests.fresh']
            pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE}
            self._process = subprocess.Popen(command, **pipes, **self._options)

    def run(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What ``python -c code arguments`` would print, in the root folder of the project.

        Raises:
            RuntimeError: If the process to copy has ended.
        """
        if self._process is None:
            command = [sys.executable, '-c', code, *arguments]
            return subprocess.run(
                command, capture_output=True, timeout=_PATIENCE, check=False, **self._options
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            order = {'code': code, 'arguments': arguments, 'folder': folder}
            self._process.stdin.write(json.dumps(order) + '\n')
            self._process.stdin.flush()
            status = self._process.stdout.readline()
            if not status:
                raise RuntimeError(f'The process to copy has ended: {self._process.wait()}.')
            printed, said = ((Path(folder) / name).read_text() for name in ('out', 'err'))
        return subprocess.CompletedProcess(['-c', *arguments], int(status), printed, said)

    def close(self) -> None:
        """End the process that is copied."""
        if self._process is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.communicate()


def _serve() -> None:
    """Run each piece of code that standard input names in a copy of this process."""
    for name in _OTHERS:
        importlib.import_module(name)
    assert not [name for name in sys.modules if name.split('.')[0] in ('sdv', 'rdt', 'sdv_tabdar')]
    for line in sys.stdin:
        process = os.fork()
        if not process:
            _run(**json.loads(line))
        _, status = os.waitpid(process, 0)
        sys.stdout.write(f'{os.waitstatus_to_exitcode(status)}\n')
        sys.stdout.flush()


def _run(code: str, arguments: list[str], folder: str) -> None:
    """Run the code, its output in two files of a folder, and end."""
    signal.alarm(_PATIENCE)
    for number, name in ((1, 'out'), (2, 'err')):
        file = os.open(Path(folder) / name, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
    sys.argv = ['-c', *arguments]
    status, names = 0, {'__name__': '__main__'}
    try:
        exec(compile(code, '<code>', 'exec'), names)
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == '__main__':
    _serve()
