"""What columns are made of, by way of others as well: no relation may close a circle."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Key = TypeVar('Key', bound=Hashable)


def all_below(columns: Iterable[Key], made: Mapping[Key, Iterable[Key]]) -> set[Key]:
    """Some columns, what these are made of, and so on.

    Args:
        columns: By position or name.
        made: Of columns that others make these others.
    """
    found, new = set[Key](), {*columns}
    while new:
        found |= new
        new = {part for one in new for part in made.get(one, ())} - found
    return found
