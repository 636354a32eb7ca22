"""What is said beside the rows, on standard error, and how the standard streams are written."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Iterator

import click


def say(text: str) -> None:
    """A line on standard error, unless the user wants quiet."""
    if not _is_quiet():
        click.echo(text, err=True)


def shows_progress() -> bool:
    """Whether bars are shown: only to somebody who looks on."""
    return not _is_quiet() and sys.stderr.isatty()


def _is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.params.get('quiet'))


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Each warning is a line that begins with 'Note', without the place in the code."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        say(f'Note: {message}')

    with warnings.catch_warnings():
        warnings.simplefilter('default')
        # The metadata are in the model file.
        warnings.filterwarnings('ignore', 'We strongly recommend saving the metadata', UserWarning)
        for kind in (DeprecationWarning, FutureWarning):  # for those who write code
            warnings.simplefilter('ignore', kind)
        warnings.showwarning = show
        yield


def use_utf8() -> None:
    """Standard input and output are UTF-8, as files are, whatever the locale says.

    A terminal shows what it can in an encoding of its own.
    """
    for stream, encoding in ((sys.stdin, 'utf-8-sig'), (sys.stdout, 'utf-8')):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty():
            stream.reconfigure(errors='replace')
        else:
            stream.reconfigure(encoding=encoding, errors='strict')
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(newline='')  # Pandas writes the ends of lines of the system


def leave_standard_output() -> None:
    """Whoever read the rows has seen enough: what is still to be written goes nowhere."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
