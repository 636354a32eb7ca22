"""``fit``: from a file of rows to a model file; ``detect``: what its columns are taken for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from sdv_tabdar.cli import options
from sdv_tabdar.cli.metadata import read_described
from sdv_tabdar.cli.refusal import Refusal
from sdv_tabdar.cli.settings import settings
from sdv_tabdar.cli.tables import check_free, whole_file
from sdv_tabdar.cli.terminal import say, shows_progress


@click.command(
    epilog="""Examples:

\b
  sdv-tabdar fit people.csv -o people.tabdar
  # two minutes of training at most; the same seed gives the same model
  sdv-tabdar fit people.csv.gz -o people.tabdar --max-training-time 120 --seed 1
  # columns as you say, another size of the network
  sdv-tabdar fit people.parquet -o people.tabdar --metadata people.json --set width=64

DATA is CSV, Parquet or JSON lines, by its name (- for CSV on standard input). Ctrl-C ends training
with what has been learnt by then.
"""
)
@options.data
@click.option('-o', '--output', required=True, metavar='MODEL', help='File for the model.')
@options.metadata
@click.option(
    '--epochs',
    type=click.IntRange(min=1),
    metavar='N',
    help='Passes over the table; without it training ends when held-out rows gain nothing more.',
)
@click.option(
    '--max-training-time',
    type=click.FloatRange(min=0, min_open=True),
    metavar='SECONDS',
    help='When training ends at the latest.',
)
@options.seed('Seed of training.')
@click.option(
    '--set',
    'assigned',
    multiple=True,
    metavar='NAME=VALUE',
    help='A hyperparameter of TabDARSynthesizer; may be given again.',
)
@options.force
@options.quiet
def fit(
    data: str,
    output: str,
    metadata_file: str | None,
    epochs: int | None,
    max_training_time: float | None,
    seed: int | None,
    assigned: tuple[str, ...],
    force: bool,
    quiet: bool,
) -> None:
    """Learn the rows of DATA and write a model file."""
    if output == '-':
        raise Refusal('A model is no text for standard output; give -o the name of a file.')
    check_free(output, force=force, read=(data, metadata_file))
    from sdv_tabdar import TabDARSynthesizer
    from sdv_tabdar.files import describe

    given = {'epochs': epochs, 'max_training_time': max_training_time, 'random_state': seed}
    arguments = settings(assigned, given)
    rows, metadata = read_described(data, metadata_file)
    synthesizer = TabDARSynthesizer(metadata, verbose=shows_progress(), **arguments)
    synthesizer.fit(rows)
    synthesizer.verbose = False
    synthesizer.save_safe(output)
    trained = describe(output).training
    if trained:
        say(f'Trained on {_course(trained)}. {trained["reason"]}')
    say(f'Wrote {output}')


def _course(trained: Mapping[str, Any]) -> str:
    """How many rows were learnt, and what that took: time, or of a privacy budget."""
    if 'epsilon' in trained:
        return (
            f'about {trained["rows"]:,} rows with epsilon {trained["epsilon"]:.3g} and delta '
            f'{trained["delta"]:.3g}'
        )
    epochs = f'{trained["epochs"]} epoch' + 's' * (trained['epochs'] != 1)
    return f'{trained["rows"]:,} rows: {epochs} in {trained["seconds"]:.0f} s'


@click.command(
    epilog="""Examples:

\b
  sdv-tabdar detect people.csv
  sdv-tabdar detect people.csv -o people.json   # correct it, and give it to fit --metadata
"""
)
@options.data
@click.option('-o', '--output', metavar='FILE.json', help='File for the metadata.')
@options.force
def detect(data: str, output: str | None, force: bool) -> None:
    """Show what the columns of DATA are taken for, or write it down.

    The file is SDV metadata.
    """
    if output:
        check_free(output, force=force, read=(data,))
    _, metadata = read_described(data, None)
    if output:
        with whole_file(output) as part:
            metadata.save_to_json(part)
        say(f'Wrote {output}')
