"""What may be known of a row where the model has learnt one order of the columns only.

Each column was learnt from those before it. So if the first columns of a row are known, the
others can be drawn; a known cell cannot be used to draw an unknown one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np
import numpy.typing as npt
import torch

_SHOWN = 10  # column names in a message


def check_leading(names: Sequence[str], known: torch.Tensor, restricted: torch.Tensor) -> None:
    """Refuse rows of which something is given behind an unknown cell.

    Args:
        names: The C columns in order.
        known: ``(B, C)`` bool, which cells are known.
        restricted: ``(B, C)`` bool, which cells are known in part.

    Raises:
        ValueError: If there is one.
    """
    is_known = known.cpu().numpy()
    leading = np.logical_and.accumulate(is_known, axis=1)
    first_unknown = np.pad(leading, ((0, 0), (1, 0)), constant_values=True)[:, :-1]
    wrong = (is_known & ~leading) | (restricted.numpy() & ~first_unknown)
    if wrong.any():
        row, place = np.argwhere(wrong)[0].tolist()
        _refuse(names, place, is_known[row])


def check_all_before(names: Sequence[str], known: torch.Tensor, position: int) -> None:
    """Refuse to predict a column unless exactly the columns before it are known.

    Args:
        names: As in :func:`check_leading`.
        known: ``(B, C)`` bool, which cells are known; what it says of the column does not count.
        position: The column.

    Raises:
        ValueError: If others are known.
    """
    is_known = known.cpu().numpy().copy()
    is_known[:, position] = False
    wrong = is_known != (np.arange(len(names)) < position)
    if wrong.any():
        row, place = np.argwhere(wrong)[0].tolist()
        if place < position:
            _refuse(names, position, is_known[row])
        raise ValueError(
            f"Column '{names[position]}' cannot be predicted from '{names[place]}': {_why(names)} "
            "Leave the columns behind it out, or fit with column_order='random'."
        )


def _refuse(names: Sequence[str], place: int, known: npt.NDArray[np.bool_]) -> NoReturn:
    missing = [name for name, given in zip(names[:place], known[:place], strict=True) if not given]
    raise ValueError(
        f"Column '{names[place]}' is asked about where {_listed(missing)} before it is not known: "
        f"{_why(names)} Give the columns before it as well, or fit with column_order='random'."
    )


def _why(names: Sequence[str]) -> str:
    return (
        "with column_order='fixed' the model has learnt each column from those before it only, in "
        f'the order {_listed(names)}.'
    )


def _listed(names: Sequence[str]) -> str:
    text = ', '.join(repr(name) for name in names[:_SHOWN])
    return text + (' ...' if len(names) > _SHOWN else '')
