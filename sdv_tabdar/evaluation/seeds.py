"""Seeds of an evaluation: as given, or a new one."""

from __future__ import annotations

import secrets

import numpy as np

MOST = 2**31 - 1
"""The largest seed that every generator and classifier takes."""


def seed_of(seed: object) -> int:
    """The seed itself; a new one for None.

    Args:
        seed: What a user gave.

    Raises:
        ValueError: If it is no seed of every generator and classifier.
    """
    if seed is None:
        return secrets.randbelow(MOST + 1)
    is_whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if not (is_whole and 0 <= int(seed) <= MOST):  # type: ignore[call-overload]
        raise ValueError(
            f'seed must be a whole number from 0 to {MOST}, or None for a new one each time, '
            f'however: {seed!r}.'
        )
    return int(seed)  # type: ignore[call-overload]
