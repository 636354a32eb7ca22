"""A measurement in a process of its own: a question in, an answer out, both JSON.

Memory, threads, the allocator and what is loaded are then those of one measurement alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sdv_tabdar.benchmark.runner import LAST_LINES, RunFailed, process_environment


class Ask(Protocol):
    """Answers a question; ``ask`` does it in a process of its own."""

    def __call__(
        self, module: str, question: Mapping[str, Any], *, threads: int | None = None
    ) -> dict[str, Any]:
        """Answer, or raise ``RunFailed``."""
        ...


def ask(module: str, question: Mapping[str, Any], *, threads: int | None = None) -> dict[str, Any]:
    """Run a module that ends with :func:`answer`.

    Args:
        module: Its full name.
        question: JSON values.
        threads: Of the numerical libraries; None leaves it to them.

    Raises:
        RunFailed: If it ended with an error.
    """
    done = subprocess.run(
        [sys.executable, '-m', module],
        input=json.dumps({**question, 'threads': threads}),
        capture_output=True,
        text=True,
        env=process_environment(threads),
        check=False,
    )
    if done.returncode:
        lines = (done.stdout + done.stderr).splitlines()
        raise RunFailed(
            f'{module} ended with code {done.returncode} when asked {dict(question)}. Its end:\n'
            + '\n'.join(lines[-LAST_LINES:])
        )
    # What libraries print comes before.
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def answer(measure: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """Read a question from standard input, write the answer to standard output."""
    question: dict[str, Any] = json.load(sys.stdin)
    threads = question.pop('threads', None)
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    print(json.dumps(measure(question)))
