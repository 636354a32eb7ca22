"""``sdv-tabdar``: the commands, and how they end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from sdv_tabdar import __version__
from sdv_tabdar.cli.answers import impute, predict
from sdv_tabdar.cli.benchmark import benchmark
from sdv_tabdar.cli.describe import describe
from sdv_tabdar.cli.evaluate import evaluate
from sdv_tabdar.cli.fit import detect, fit
from sdv_tabdar.cli.refusal import refusal_of
from sdv_tabdar.cli.sample import sample
from sdv_tabdar.cli.terminal import leave_standard_output, use_utf8, warnings_as_notes

_INTERRUPTED = 130  # as shells have it


class _Commands(click.Group):
    """Commands that end in a sentence and a code, whatever happens in them."""

    def invoke(self, context: click.Context) -> Any:
        """Carry out the command.

        Raises:
            click.ClickException: Code 1 for a refusal, 2 for wrong usage.
        """
        try:
            with warnings_as_notes():
                return super().invoke(context)
        except BrokenPipeError:
            leave_standard_output()
            context.exit(0)
        except KeyboardInterrupt:
            click.echo('Stopped.', err=True)
            context.exit(_INTERRUPTED)
        except click.ClickException:
            raise
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None or context.params['traceback']:
                raise
            raise refusal from error


@click.group(
    cls=_Commands,
    context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 100},
    epilog="""From a table to rows that one may pass on:

\b
  sdv-tabdar fit people.csv -o people.tabdar
  sdv-tabdar sample people.tabdar -n 1000 -o rows.csv
  sdv-tabdar evaluate people.csv rows.csv --report report.html

COMMAND --help has more examples. Rows come on standard output, everything else on standard
error. Codes: 0 done, 1 refused, 2 wrong usage, 130 stopped.
""",
)
@click.version_option(__version__, prog_name='sdv-tabdar')
@click.option('--traceback', is_flag=True, help='Show where in the code an error came from.')
def cli(traceback: bool) -> None:
    """TabDAR: learn a table; draw rows, fill gaps and predict from the one model."""


for _command in (fit, sample, impute, predict, evaluate, describe, detect, benchmark):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """The console program."""
    use_utf8()
    cli.main(arguments, prog_name='sdv-tabdar')


if __name__ == '__main__':
    main()
