"""``evaluate``: how good synthetic rows are, as numbers and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdv_tabdar.cli import options
from sdv_tabdar.cli.metadata import read_described
from sdv_tabdar.cli.models import budget_of, likelihood_of, readings_of
from sdv_tabdar.cli.tables import check_free, read_table, readings_as_in, whole_file
from sdv_tabdar.cli.terminal import say, shows_progress

if TYPE_CHECKING:
    from sdv_tabdar.evaluation import Report


@click.command(
    epilog="""Examples:

\b
  sdv-tabdar evaluate people.csv rows.parquet
  # rows that the model has not seen, for privacy; a column to predict; a page to look at
  sdv-tabdar evaluate people.csv rows.parquet --test unseen.csv --target income \\
      --report report.html
  sdv-tabdar evaluate people.csv rows.parquet --json > scores.json
  # attackers who have the model as well, and one that was trained on other people
  sdv-tabdar evaluate people.csv rows.parquet --test unseen.csv --model people.tabdar \\
      --reference-model others.tabdar

Draw as many rows as the table has. The floor of a score is what real rows reach in the place of
the synthetic ones.
"""
)
@click.argument('real')
@click.argument('synthetic')
@click.option('--test', metavar='FILE', help='Real rows that the model was not trained on.')
@click.option('--target', metavar='COLUMN', help='The column to predict from the others.')
@click.option('--report', 'page', metavar='PAGE.html', help='File for the report as a page.')
@click.option('--model', metavar='MODEL', help='The model, for attackers who have it.')
@click.option(
    '--reference-model',
    metavar='MODEL',
    help='A model of other rows of the same kind, to compare with.',
)
@click.option('--json', 'as_json', is_flag=True, help='Everything as JSON on standard output.')
@options.metadata
@options.seed('Seed of folds and subsamples.')
@options.force
@options.quiet
def evaluate(
    real: str,
    synthetic: str,
    test: str | None,
    target: str | None,
    page: str | None,
    model: str | None,
    reference_model: str | None,
    as_json: bool,
    metadata_file: str | None,
    seed: int | None,
    force: bool,
    quiet: bool,
) -> None:
    """Score the rows of SYNTHETIC beside those of REAL.

    REAL are the rows that the model was trained on.
    """
    if (model or reference_model) and not (model and test):
        raise click.UsageError(
            'Attackers who have models compare rows trained on with others: --reference-model '
            'needs --model, and --model needs --test.'
        )
    if page:
        files = (real, synthetic, test, metadata_file, model, reference_model)
        check_free(page, force=force, read=files)
    rows, metadata = read_described(real, metadata_file, readings_of(model) if model else None)
    readings = readings_as_in(rows)
    drawn = read_table(synthetic, readings)
    unseen = read_table(test, readings) if test else None
    from sdv_tabdar.evaluation import evaluate as evaluated

    report = evaluated(
        rows,
        drawn,
        metadata,
        unseen,
        target=target,
        seed=seed or 0,
        log_likelihood=likelihood_of(model) if model else None,
        reference_log_likelihood=likelihood_of(reference_model) if reference_model else None,
        privacy_budget=budget_of(model) if model else None,
        verbose=shows_progress(),
    )
    if page:
        with whole_file(page) as part:
            report.to_html(part)
        say(f'Wrote {page}')
    click.echo(report.to_json().rstrip() if as_json else _lines(report))


def _lines(report: Report) -> str:
    """The scores of the whole table, each with its floor and what that says."""
    scores = report.to_frame().query('level == "table" and goal != ""')
    words = [report.verdict(key) for key in scores['metric']]
    table = scores[['metric', 'goal', 'score', 'floor']].assign(
        verdict=['' if verdict is None else verdict.words for verdict in words]
    )
    return str(table.to_string(index=False, float_format='{:.4f}'.format, na_rep=''))
