"""Arguments and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar('Command', bound=Callable[..., Any])

quiet = click.option(
    '-q', '--quiet', is_flag=True, help='Say nothing on standard error but errors.'
)
output = click.option(
    '-o',
    '--output',
    metavar='FILE',
    default='-',
    help='File for the rows; - or none: CSV on standard output.',
)
force = click.option('--force', is_flag=True, help='Replace a file that exists.')
model = click.argument('model')
data = click.argument('data')
metadata = click.option(
    '--metadata',
    'metadata_file',
    metavar='FILE.json',
    help='SDV metadata of the table; without it they are detected, and shown.',
)


def seed(help_text: str) -> Callable[[Command], Command]:
    """The option ``--seed``."""
    return click.option('--seed', type=click.IntRange(min=0), metavar='N', help=help_text)
