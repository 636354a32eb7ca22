"""``benchmark``: the experiments, whose own command line takes all that follows."""

from __future__ import annotations

import click


@click.command(
    add_help_option=False,
    context_settings={'ignore_unknown_options': True, 'allow_extra_args': True},
)
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def benchmark(context: click.Context, arguments: tuple[str, ...]) -> None:
    """Compare synthesizers in experiments (benchmark --help)."""
    from sdv_tabdar.benchmark.__main__ import main

    context.exit(main(arguments, program='sdv-tabdar benchmark'))
