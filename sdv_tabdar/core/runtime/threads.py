"""Independent work side by side, one processor core each.

The operations of this network are small. Threads within an operation meet at the end of every one;
threads that each take a share of the rows through all of them meet once.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Result = TypeVar('Result')


class Workers:
    """Runs tasks, as many at a time as there are threads; made by :func:`workers`."""

    def __init__(self, number: int, pool: ThreadPoolExecutor | None) -> None:
        self.number, self._pool = number, pool

    def run(self, tasks: Sequence[Callable[[], Result]]) -> Iterator[Result]:
        """Results of all tasks in their order; raises what the first failing one raises."""
        if self._pool is None or len(tasks) == 1:
            yield from (task() for task in tasks)
            return
        futures = [self._pool.submit(task) for task in tasks]
        try:
            yield from (future.result() for future in futures)
        finally:
            for future in futures:
                future.cancel()


@contextlib.contextmanager
def workers(most: int, device: torch.device) -> Iterator[Workers]:
    """Threads for work on ``device``: one of each core that torch may use, and no more than asked.

    On a GPU, and where there is work for one only, that is the calling thread itself.
    """
    number = min(torch.get_num_threads(), most) if device.type == 'cpu' else 1
    if number <= 1:
        yield Workers(1, None)
        return
    with _torch_threads.limited_to(max(torch.get_num_threads() // number, 1)) as share:
        pool = ThreadPoolExecutor(number, 'sdv_tabdar', torch.set_num_threads, (share,))
        try:
            yield Workers(number, pool)
        finally:
            pool.shutdown(cancel_futures=True)


class TorchThreads:
    """torch's number of threads, which is the whole process's: put back when all are done."""

    def __init__(self) -> None:
        """Nobody limits them yet."""
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0

    @contextlib.contextmanager
    def limited_to(self, number: int) -> Iterator[int]:
        """So many threads within it, or as many as who came first asked for."""
        with self._lock:
            if not self._users:
                self._before = torch.get_num_threads()
                torch.set_num_threads(number)
            self._users += 1
        try:
            yield number
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    torch.set_num_threads(self._before)


_torch_threads = TorchThreads()
