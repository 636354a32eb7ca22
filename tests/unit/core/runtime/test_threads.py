"""Workers: results in order, torch's threads shared and put back, errors passed on."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator

import pytest
import torch

from sdv_tabdar.core.runtime.threads import TorchThreads, workers

CPU = torch.device('cpu')


@pytest.fixture
def four_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize('most', [0, 1, 2, 9])
def test_results_come_in_order(four_threads: None, most: int) -> None:
    with workers(most, CPU) as team:
        assert team.number == min(max(most, 1), 4)
        tasks = [functools.partial(pow, number, 2) for number in range(7)]
        assert list(team.run(tasks)) == [0, 1, 4, 9, 16, 25, 36]
        assert list(team.run(tasks[:1])) == [0]
        assert list(team.run([])) == []


@pytest.mark.parametrize(('most', 'share'), [(1, 4), (2, 2), (3, 1), (4, 1)])
def test_torchs_threads_are_shared_and_put_back(four_threads: None, most: int, share: int) -> None:
    with workers(most, CPU) as team:
        assert list(team.run([torch.get_num_threads] * most)) == [share] * most
    assert torch.get_num_threads() == 4


@pytest.mark.parametrize('most', [1, 2, 4])
def test_operations_may_be_held_to_one_thread(four_threads: None, most: int) -> None:
    """So that what they round does not depend on how many there are."""
    with workers(most, CPU, single=True) as team:
        assert list(team.run([torch.get_num_threads] * most)) == [1] * most
    assert torch.get_num_threads() == 4


def test_threads_that_work_at_once_start_from_the_same_number(four_threads: None) -> None:
    """A second user is limited like the first one, and afterwards each thread is as it was."""
    threads, found = TorchThreads(), []

    def second() -> None:
        found.append(threads.unlimited())
        with threads.limited_to(2):
            found.append(torch.get_num_threads())
        found.append(torch.get_num_threads())

    with threads.limited_to(1):
        other = threading.Thread(target=second)
        other.start()
        other.join()
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 4
    assert found == [4, 2, 4]


def test_an_error_in_a_task_is_raised(four_threads: None) -> None:
    with pytest.raises(ZeroDivisionError), workers(2, CPU) as team:
        list(team.run([functools.partial(divmod, 1, 0), functools.partial(divmod, 1, 1)]))
    assert torch.get_num_threads() == 4


def test_a_gpu_is_worked_for_by_the_calling_thread(four_threads: None) -> None:
    with workers(4, torch.device('cuda')) as team:
        assert list(team.run([threading.current_thread] * 2)) == [threading.current_thread()] * 2
