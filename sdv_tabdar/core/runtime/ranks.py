"""Several processes that train one network together: the ranks of ``torch.distributed``.

Whoever started them has made a process group; nothing here knows who that was. What is exchanged
on a CPU goes through a group of its own, which is closed when the work ends: by an error as well,
so that ranks that wait for one that failed are told at once.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import torch
from torch import distributed

Answer = TypeVar('Answer')


class Ranks:
    """What the ranks do together; each of these calls is made by all of them in the same order.

    Args:
        group: Of all ranks, for tensors on a CPU; None for a process alone.

    Attributes:
        number: How many there are.
        rank: The place of this one, from 0.
    """

    def __init__(self, group: Any = None) -> None:
        self._group = group
        self.number = 1 if group is None else distributed.get_world_size(group)
        self.rank = 0 if group is None else distributed.get_rank(group)

    @property
    def leads(self) -> bool:
        """Whether this rank writes files and says things."""
        return self.rank == 0

    def share(self, rows: torch.Tensor) -> torch.Tensor:
        """This rank's part of some rows, a piece of about the same length as the others'."""
        return rows.tensor_split(self.number)[self.rank]

    def add_up(self, tensors: Sequence[torch.Tensor]) -> None:
        """Put the sums over ranks in place of tensors of one type; the same bits on all ranks."""
        if self.number == 1:
            return
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        self.add_up_in_place(flat)
        pieces = flat.split([tensor.numel() for tensor in tensors])
        torch._foreach_copy_(
            list(tensors),
            [piece.view_as(tensor) for piece, tensor in zip(pieces, tensors, strict=True)],
        )

    def add_up_in_place(self, flat: torch.Tensor) -> None:
        """As :meth:`add_up` for numbers that lie one behind the other, ``(N,)``."""
        with _said_in_words():
            if flat.device.type == 'cuda':  # by the group that knows GPUs
                distributed.all_reduce(flat)
            else:
                through = flat.cpu()  # itself, if it is there
                distributed.all_reduce(through, group=self._group)
                if through is not flat:
                    flat.copy_(through)

    def told(self, ask: Callable[[], Answer]) -> Answer:
        """What the first rank finds, on all ranks; so is its error if it fails."""
        if self.number == 1:
            return ask()
        found: list[Any] = [None, None]
        if self.leads:
            try:
                found = [ask(), None]
            except Exception as error:
                found = [None, error]
        self._from_first(found)
        answer, failed = found
        if failed is not None:
            raise failed
        return answer

    def gathered(self, value: Answer) -> list[Answer]:
        """What each rank has, in their order."""
        if self.number == 1:
            return [value]
        found: list[Any] = [None] * self.number
        with _said_in_words():
            distributed.all_gather_object(found, value, group=self._group)
        return found

    def close(self) -> None:
        """Leave the group; ranks that wait for this one get an error."""
        if self._group is not None:
            distributed.destroy_process_group(self._group)
            self._group = None

    def _from_first(self, found: list[Any]) -> None:
        """Fill a list with the first rank's."""
        if self.leads and found[1] is not None and not _travels(found[1]):
            found[1] = RuntimeError(f'{type(found[1]).__name__}: {found[1]}')
        with _said_in_words():
            distributed.broadcast_object_list(found, src=0, group=self._group)


ALONE = Ranks()


@contextlib.contextmanager
def present_ranks() -> Iterator[Ranks]:
    """The ranks of the process group that there is, or a process alone."""
    if not (distributed.is_available() and distributed.is_initialized()):
        yield ALONE
        return
    if distributed.get_world_size() == 1:
        yield ALONE
        return
    ranks = Ranks(distributed.new_group(backend='gloo'))
    try:
        yield ranks
    finally:
        ranks.close()


@contextlib.contextmanager
def _said_in_words() -> Iterator[None]:
    """What fails if another rank has gone says so."""
    try:
        yield
    except RuntimeError as error:
        raise RuntimeError(
            'Another rank of this training no longer answers: it has failed, was stopped, or '
            'does something else. Its own message says why. Start all ranks again; with a '
            f'checkpoint_path training goes on from there. (torch.distributed: {error})'
        ) from error


def _travels(error: Exception) -> bool:
    """Whether an error comes out of a pickle as it went in."""
    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)
    except Exception:
        return False
