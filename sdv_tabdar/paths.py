"""Files and folders that are to be written: why one cannot be, in words."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


def why_no_file(path: Path, *, replaced: bool = True) -> str:
    """Why there can be no file of ours at a path, as far as its place tells; empty if there can.

    Args:
        path: The path.
        replaced: Whether a new file takes the place of what is there, which a pipe or a device
            cannot give.
    """
    if _is_no_name(path):
        return 'that is no name of a file'
    if path.is_dir():
        return 'it is a folder'
    if replaced and path.exists() and not path.is_file():
        return 'it is no file that can be replaced'
    folder = path.absolute().parent
    return why_no_folder(folder) or ('' if folder.is_dir() else f"there is no folder '{folder}'")


def why_no_folder(path: Path) -> str:
    """Why there can be no folder at a path, whether or not there is one; empty if there can."""
    if _is_no_name(path):
        return 'that is no name of a folder'
    path = path.absolute()
    found = next(place for place in (path, *path.parents) if place.exists())
    return '' if found.is_dir() else f"'{found}' is a file and no folder"


def check_file(path: str | os.PathLike[str], *, replaced: bool = True) -> Path:
    """The path of a file that is to be written.

    Args:
        path: The path.
        replaced: As of :func:`why_no_file`.

    Raises:
        OSError: If it cannot be.
    """
    reason = why_no_file(Path(path), replaced=replaced)
    if reason:
        raise OSError(
            f"'{path}' cannot be written, as {reason}. Give the name of a file in a folder that "
            'exists.'
        )
    return Path(path)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file it is that cannot be written, where the system does not: a disk that is full.

    Raises:
        OSError: What the system said, with the name of the file.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _is_no_name(path: Path) -> bool:
    """Whether the system has no such names, with a null in them or the like."""
    try:
        path.lstat()
    except ValueError:
        return True
    except OSError:
        return False
    return False
