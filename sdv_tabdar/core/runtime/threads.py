"""Independent work side by side, one processor core each.

The operations of this network are small. Threads within an operation wait for each other at the
end of every one; threads that each take a share of the rows through all of them wait once.
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
    """Runs tasks, as many at a time as there are threads; made by :func:`workers`.

    Attributes:
        number: How many tasks run at a time.
    """

    def __init__(self, number: int, pool: ThreadPoolExecutor | None) -> None:
        self.number, self._pool = number, pool

    def run(self, tasks: Sequence[Callable[[], Result]]) -> Iterator[Result]:
        """Results of all tasks in their order.

        If a task fails, its error is raised and the tasks that have not begun are dropped.
        """
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
def workers(most: int, device: torch.device, *, single: bool = False) -> Iterator[Workers]:
    """Threads for work on ``device``, put away at the end.

    Args:
        most: How many there is work for.
        device: On a CPU there is a thread for each core that torch may use, up to ``most``; on
            a GPU tasks run one after the other in the calling thread.
        single: Whether each operation has one thread, also where there are more cores than tasks,
            so that what it rounds does not depend on their number.
    """
    cores = torch_threads()
    number = min(cores, most) if device.type == 'cpu' else 1
    if number <= 1:
        alone = single and device.type == 'cpu' and cores > 1
        with _torch_threads.limited_to(1) if alone else contextlib.nullcontext():
            yield Workers(1, None)
        return
    with _torch_threads.limited_to(1 if single else max(cores // number, 1)) as share:
        pool = ThreadPoolExecutor(number, 'sdv_tabdar', torch.set_num_threads, (share,))
        try:
            yield Workers(number, pool)
        finally:
            pool.shutdown(cancel_futures=True)


class TorchThreads:
    """Limits torch's number of threads: a setting of each thread, and one for those to come.

    Several threads may do so at once. What they start from, and put back, is the number that was
    set before the first of them came.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0

    def unlimited(self) -> int:
        """The number of threads but for the limits of those who are working."""
        with self._lock:
            return self._before if self._users else torch.get_num_threads()

    @contextlib.contextmanager
    def limited_to(self, number: int) -> Iterator[int]:
        """Within it operations of this thread use ``number`` threads."""
        with self._lock:
            if not self._users:
                self._before = torch.get_num_threads()
            self._users += 1
            torch.set_num_threads(number)
        try:
            yield number
        finally:
            with self._lock:
                self._users -= 1
                torch.set_num_threads(self._before)


_torch_threads = TorchThreads()


def torch_threads() -> int:
    """How many threads the user lets torch have, also while :func:`workers` limits them.

    So that what is trained beside another training is trained as it would be alone.
    """
    return _torch_threads.unlimited()
