"""``sample``: rows from a model, with or without conditions."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sdv_tabdar.cli import options
from sdv_tabdar.cli.conditions import conditions
from sdv_tabdar.cli.models import one_table, opened
from sdv_tabdar.cli.tables import TableName, check_free, write_table
from sdv_tabdar.cli.terminal import say
from sdv_tabdar.cli.where import Where, read_wheres


@click.command(
    epilog="""Examples:

\b
  sdv-tabdar sample people.tabdar -n 1000 -o rows.parquet
  sdv-tabdar sample people.tabdar -n 5 | head -3
  # all conditions hold in every row
  sdv-tabdar sample people.tabdar -n 100 --where 'age between 30 and 40' \\
      --where 'sex = Female' --where 'job in [nurse, clerk]' --where 'income is known'

Conditions:

\b
  COLUMN = VALUE                 the value
  COLUMN between LOW and HIGH    from LOW to HIGH, both included; numbers and dates
  COLUMN >= LOW, COLUMN <= HIGH  one end only
  COLUMN in [A, B, missing]      one of these; 'missing' allows the cell to be so
  COLUMN is known                anything but missing
  COLUMN is missing              missing

Dates are written as in the column, or as 2026-01-31. Quotes go around a value with a comma in it
and around a column with spaces or signs: '"hours per week" = 40'.
"""
)
@options.model
@click.option(
    '-n',
    '--rows',
    'num_rows',
    type=click.IntRange(min=1),
    metavar='N',
    help='How many rows; without it as many as the model was trained on.',
)
@click.option(
    '--where',
    'wheres',
    callback=read_wheres,
    multiple=True,
    metavar='CONDITION',
    help='What every row must meet; may be given again.',
)
@options.output
@options.seed('The same seed draws the same rows.')
@options.force
@options.quiet
def sample(
    model: str,
    num_rows: int | None,
    wheres: Sequence[Where],
    output: str,
    seed: int | None,
    force: bool,
    quiet: bool,
) -> None:
    """Draw rows from MODEL, all or such as you ask for."""
    TableName.of(output)
    check_free(output, force=force, read=(model,))
    synthesizer, description = opened(model)
    count = num_rows or int(description.training.get('rows', 1))
    asked = conditions(wheres, description)
    if asked:
        from sdv.sampling import Condition

        drawn = synthesizer.sample_from_conditions([Condition(asked, count)], seed=seed)
    else:
        drawn = synthesizer.sample(count, seed=seed)
    rows = one_table(drawn)
    write_table(rows, output)
    if output != '-':
        say(f'Wrote {len(rows):,} rows to {output}')
