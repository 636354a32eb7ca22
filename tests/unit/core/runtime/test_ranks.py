"""Ranks: what they do together, and what they are told when one of them fails."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import distributed

from sdv_tabdar.core.runtime.ranks import ALONE, present_ranks

from ....ranks import in_ranks

pytestmark = pytest.mark.skipif(not hasattr(os, 'fork'), reason='processes are copied')


def test_a_process_alone_does_without_the_others() -> None:
    with present_ranks() as ranks:
        assert ranks is ALONE
    tensor = torch.arange(3.0)
    ranks.add_up([tensor])
    assert tensor.tolist() == [0, 1, 2]
    assert ranks.share(tensor) is not None
    assert torch.equal(ranks.share(tensor), tensor)
    assert ranks.told(lambda: 4) == 4
    assert ranks.gathered('a') == ['a']
    assert ranks.leads


def _together(rank: int) -> list[Any]:
    with present_ranks() as ranks:
        sums = [torch.full((2, 2), float(rank + 1)), torch.tensor(0.1 * (rank + 1))]
        ranks.add_up(sums)
        return [
            ranks.number,
            ranks.leads,
            ranks.share(torch.arange(5)).tolist(),
            [tensor.tolist() for tensor in sums],
            ranks.told(lambda: f'from {rank}'),
            ranks.gathered(rank * 10),
            _error_of(lambda: ranks.told(_fail)),
            _error_of(lambda: ranks.told(_fail_with_what_no_pickle_holds)),
            ranks.told(lambda: 'goes on'),
        ]


def _fail() -> None:
    raise ValueError('no')


def _fail_with_what_no_pickle_holds() -> None:
    class LocalError(Exception):
        pass

    raise LocalError('no')


def _error_of(work: Any) -> str:
    try:
        work()
    except Exception as error:
        return f'{type(error).__name__}: {error}'
    return ''


def test_ranks_add_up_tell_and_gather(tmp_path: Path) -> None:
    first, second = in_ranks(_together, tmp_path)
    assert [first[0], second[0]] == [2, 2]
    assert [first[1], second[1]] == [True, False]
    assert [first[2], second[2]] == [[0, 1, 2], [3, 4]]
    assert first[3:] == second[3:]
    (matrix, number), told, gathered, failed, other, after = first[3:]
    assert matrix == [[3, 3], [3, 3]]
    assert number == pytest.approx(0.3)
    assert told == 'from 0'
    assert gathered == [0, 10]
    assert failed == 'ValueError: no'
    assert other == 'RuntimeError: LocalError: no'
    assert after == 'goes on'


@pytest.mark.parametrize('killed', [False, True])
def test_a_rank_that_fails_does_not_keep_the_others_waiting(tmp_path: Path, killed: bool) -> None:
    def work(rank: int) -> Iterator[Any] | None:
        with present_ranks() as ranks:
            ranks.add_up([torch.ones(3)])
            if rank == 1:
                if killed:
                    os.kill(os.getpid(), signal.SIGKILL)
                raise KeyError('mine')
            ranks.add_up([torch.ones(3)])
        return None

    first, second = in_ranks(work, tmp_path)
    assert isinstance(first, RuntimeError)
    assert 'Another rank of this training no longer answers' in str(first)
    assert second is None if killed else isinstance(second, KeyError)


def test_the_user_s_group_stays(tmp_path: Path) -> None:
    def work(rank: int) -> float:
        with present_ranks() as ranks:
            ranks.add_up([torch.ones(1)])
        tensor = torch.ones(1)
        distributed.all_reduce(tensor)
        return float(tensor)

    assert in_ranks(work, tmp_path) == [2, 2]
