"""What the user is told in a sentence when a command cannot be carried out."""

from __future__ import annotations

import click

# SDV and RDT have exceptions of their own for wrong input, which are no ValueErrors.
_HOSTS = ('sdv', 'rdt')


class Refusal(click.ClickException):
    """A command that cannot be carried out, in a sentence; it ends with code 1."""


def refusal_of(error: BaseException) -> Refusal | None:
    """The refusal that an exception of the library amounts to; None for what is a fault of ours."""
    if isinstance(error, OSError):
        what = error.strerror or str(error)
        return Refusal(f'{error.filename}: {what}.' if error.filename else f'{what}.')
    is_host = type(error).__module__.split('.')[0] in _HOSTS
    if is_host or isinstance(error, (ValueError, FloatingPointError)):
        return Refusal(str(error).strip() or type(error).__name__)
    return None
