"""The whole report on the rows of a run: every score, what they took, and the page.

Rows come from a run of the same directory if there is one, else the synthesizer is run first.
Evaluating them is a process of its own.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.arguments import add_data_options, add_fitted_options, plan_settings
from sdv_tabdar.benchmark.environment import describe_environment, summary
from sdv_tabdar.benchmark.exchange import read_rows
from sdv_tabdar.benchmark.fresh import Ask, answer, ask
from sdv_tabdar.benchmark.jobs import ROWS, Job
from sdv_tabdar.benchmark.measurement import measured
from sdv_tabdar.benchmark.rendering import Cell, Grid, to_markdown
from sdv_tabdar.benchmark.runner import Launch, plan, run_all
from sdv_tabdar.benchmark.time_quality import budget_spec

HELP = 'every score of a synthesizer, and the report as a page'
NAME = 'full_report'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data_options(parser, out='benchmark_runs/time_quality', tables=['adult'])
    add_fitted_options(parser, fit_seconds=300.0)
    parser.add_argument(
        '--evaluation-threads',
        type=int,
        metavar='N',
        help='threads of the evaluation (default: as the libraries choose)',
    )


def main(
    options: argparse.Namespace, *, launch: Launch | None = None, ask_for: Ask = ask
) -> list[dict[str, Any]]:
    """Run what is missing, evaluate, print the scores, keep ``full_report.md`` and the pages."""
    specs = options.synthesizers or [budget_spec(options.fit_seconds)]
    results = run_all(
        plan(synthesizers=specs, **plan_settings(options)), options.out, launch=launch
    )
    found = []
    for job in (Job.from_dict(result['job']) for result in results):
        print(f'evaluate {job}')
        question = {'job': job.to_dict(), 'folder': str(options.out / job.folder)}
        answered = ask_for(__name__, question, threads=options.evaluation_threads)
        found.append({'job': job.to_dict(), **answered})
    text = to_markdown(
        [grid(run) for run in found], f'Made with {summary(describe_environment())}.'
    )
    (options.out / f'{NAME}.md').write_text(text, encoding='utf-8')
    print('\n' + text)
    return found


def measure(question: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate the rows of a job's folder; the page goes there as well.

    Args:
        question: ``job`` and ``folder``.

    Returns:
        ``cost`` (see ``measurement.Cost``), ``rows`` (train, synthetic, test) and ``scores``,
        records with key, score, floor and goal.
    """
    from sdv_tabdar.evaluation import evaluate

    job, folder = Job.from_dict(question['job']), Path(question['folder'])
    dataset = job.load()
    synthetic = read_rows(folder / ROWS, dataset.train)
    with measured() as cost:
        report = evaluate(
            dataset.train,
            synthetic,
            dataset.metadata,
            dataset.test,
            target=dataset.target,
            seed=job.seed,
            title=f'{job.label} on {job.table}',
        )
        page = report.to_html()
    (folder / f'{NAME}.html').write_text(page, encoding='utf-8')
    frame = report.to_frame()
    scores = frame[frame['level'] == 'table'].astype(object)
    return {
        'cost': dataclasses.asdict(cost),
        'rows': [len(dataset.train), len(synthetic), len(dataset.test)],
        'scores': scores.where(scores.notna(), None).to_dict('records'),
    }


def grid(run: Mapping[str, Any]) -> Grid:
    """The scores of one run beside their floors."""
    rows = [
        (record['metric'], [Cell(_number(record['score'])), Cell(_number(record['floor']))])
        for record in run['scores']
    ]
    train, synthetic, test = run['rows']
    cost, job = run['cost'], run['job']
    note = (
        f'{train:,} training, {synthetic:,} synthetic and {test:,} test rows; '
        f'{cost["seconds"]:.0f} s, {cost["cpu_seconds"]:.0f} s of processor time, '
        f'{cost["peak_memory_mib"]:,.0f} MiB.'
    )
    title = f'{job["table"]}, {job["label"]}, seed {job["seed"]}'
    return Grid(title, ['score', 'value', 'floor'], rows, note)


def _number(value: float | None) -> str:
    return '-' if value is None else f'{value:.4f}'


if __name__ == '__main__':
    answer(measure)
