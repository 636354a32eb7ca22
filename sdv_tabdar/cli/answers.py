"""``impute`` and ``predict``: what a model says of rows that are known in part."""

from __future__ import annotations

import click

from sdv_tabdar.cli import options
from sdv_tabdar.cli.conditions import named_column
from sdv_tabdar.cli.models import opened, readings_as_in_training
from sdv_tabdar.cli.tables import TableName, check_free, read_table, write_table
from sdv_tabdar.cli.terminal import say

_MISSING = '(missing)'
_QUANTILES = '0.05,0.5,0.95'


@click.command(
    epilog="""Examples:

\b
  sdv-tabdar impute people.tabdar gaps.csv -o filled.csv
  sdv-tabdar impute people.tabdar gaps.csv | head -3
  # who never smoked has no year of stopping
  sdv-tabdar impute people.tabdar gaps.csv --keep-structural -o filled.csv
"""
)
@options.model
@options.data
@options.output
@click.option(
    '--keep-structural',
    is_flag=True,
    help='Leave cells that are missing in all training rows with such known cells.',
)
@options.seed('The same seed fills the gaps with the same values.')
@options.force
@options.quiet
def impute(
    model: str,
    data: str,
    output: str,
    keep_structural: bool,
    seed: int | None,
    force: bool,
    quiet: bool,
) -> None:
    """Fill the missing cells of DATA.

    The known cells of a row say with what, and stay as they are. Columns may be absent altogether.
    """
    TableName.of(output)
    check_free(output, force=force, read=(model,))
    synthesizer, description = opened(model)
    rows = read_table(data, readings_as_in_training(description))
    gaps = int(rows.isna().to_numpy().sum())
    filled = synthesizer.impute(rows, keep_structural=keep_structural, seed=seed)
    write_table(filled, output)
    gaps -= int(filled[list(rows.columns)].isna().to_numpy().sum())
    absent = filled.shape[1] - rows.shape[1]
    say(
        f'Missing cells filled: {gaps:,}'
        + (f', absent columns: {absent}' if absent else '')
        + ('' if output == '-' else f'; wrote {len(filled):,} rows to {output}')
    )


@click.command(
    epilog="""Examples:

\b
  # a column of categories: the probability of each
  sdv-tabdar predict people.tabdar rows.csv income -o probabilities.csv
  # a column of numbers or dates: quantiles
  sdv-tabdar predict people.tabdar rows.csv age --quantiles 0.1,0.5,0.9
"""
)
@options.model
@options.data
@click.argument('column')
@click.option(
    '--quantiles',
    metavar='LIST',
    help=f'For numbers and dates: levels from 0 to 1.  [default: {_QUANTILES}]',
)
@options.output
@options.force
@options.quiet
def predict(
    model: str, data: str, column: str, quantiles: str | None, output: str, force: bool, quiet: bool
) -> None:
    """Tell the distribution of COLUMN in each row of DATA.

    It is that given the other known cells of the row: probabilities for categories, quantiles for
    numbers and dates.
    """
    asked_levels = _QUANTILES if quantiles is None else quantiles
    try:
        levels = [float(level) for level in asked_levels.split(',')]
    except ValueError:
        raise click.BadParameter(
            f'{quantiles!r} is no list of numbers like 0.05,0.5,0.95.', param_hint='--quantiles'
        ) from None
    TableName.of(output)
    check_free(output, force=force, read=(model, data))
    synthesizer, description = opened(model)
    asked = named_column(column, description)
    if quantiles is not None and asked.role == 'discrete':
        raise click.UsageError(
            f"Column '{asked.name}' has levels, of which the probabilities are told and no "
            'quantiles. Leave out --quantiles, or name a column of numbers or dates.'
        )
    rows = read_table(data, readings_as_in_training(description))
    if asked.role in ('number', 'date'):
        found = synthesizer.predict_quantiles(rows, asked.name, levels)
    else:
        found = synthesizer.predict_proba(rows, asked.name)
        found = found.rename(columns=lambda level: _MISSING if level is None else level)
    write_table(found, output)
    if output != '-':
        say(f'Wrote {len(found):,} rows to {output}')
