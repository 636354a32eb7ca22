"""``describe``: what is in a model file."""

from __future__ import annotations

import click

from sdv_tabdar.cli import options


@click.command(
    epilog="""Example:

\b
  sdv-tabdar describe people.tabdar
"""
)
@options.model
def describe(model: str) -> None:
    """Tell what is in MODEL: columns, settings, traces of data."""
    from sdv_tabdar.files import describe as described

    click.echo(str(described(model)))
