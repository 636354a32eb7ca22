"""Two processes with a process group, in copies of the test's own process."""

from __future__ import annotations

import datetime
import os
import pickle
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import distributed

_PATIENCE = 120.0  # seconds


def in_ranks(work: Callable[[int], Any], folder: Path, number: int = 2) -> list[Any]:
    """What ``work(rank)`` gives in each of some processes, or the exception that it raises.

    Args:
        work: Called in each.
        folder: An empty folder to work in.
        number: How many processes.

    Returns:
        An answer a rank; None of one that was killed.
    """
    folder.mkdir(exist_ok=True)
    processes = [_begin(work, folder, rank, number) for rank in range(number)]
    end = time.monotonic() + _PATIENCE
    for process in processes:
        while not os.waitpid(process, os.WNOHANG)[0]:
            if time.monotonic() > end:
                for each in processes:
                    os.kill(each, signal.SIGKILL)
                raise TimeoutError('The ranks have not come to an end.')
            time.sleep(0.005)
    found = [folder / f'answer_{rank}' for rank in range(number)]
    return [pickle.loads(path.read_bytes()) if path.exists() else None for path in found]


def _begin(work: Callable[[int], Any], folder: Path, rank: int, number: int) -> int:
    """Start a rank in a copy of this process; its number."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)  # of threads, which wait
        process = os.fork()
    if process:
        return process
    try:
        torch.set_num_threads(1)
        distributed.init_process_group(
            'gloo',
            init_method=f'file://{folder}/store',
            rank=rank,
            world_size=number,
            timeout=datetime.timedelta(seconds=_PATIENCE),
        )
        try:
            answer = work(rank)
        except Exception as error:
            answer = error
        part = folder / f'part_{rank}'
        part.write_bytes(pickle.dumps(answer))
        part.replace(folder / f'answer_{rank}')
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
