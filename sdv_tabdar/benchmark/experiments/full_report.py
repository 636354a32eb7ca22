"""The whole report on the rows of a run: every score, what they took, and the page.

Rows come from a run of the same directory if there is one, else the synthesizer is run first.
Evaluating them is a process of its own.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_tabdar.benchmark.experiments.comparison import fitted_for
from sdv_tabdar.benchmark.experiments.experiment import Rows, plan_settings, rows_of
from sdv_tabdar.benchmark.jobs.cost import measured
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.measurements import measure_job
from sdv_tabdar.benchmark.jobs.runs import RUNS, plan, run_all
from sdv_tabdar.benchmark.jobs.steps import ROWS
from sdv_tabdar.benchmark.methods.exchange import read_rows
from sdv_tabdar.benchmark.output.rendering import Grid
from sdv_tabdar.benchmark.output.tables import Number, table
from sdv_tabdar.evaluation import evaluate

PAGE = 'full_report.html'
NUMBERS = (Number('score', 'value', digits=4), Number('floor', 'floor', digits=4))


def collect(options: argparse.Namespace) -> Rows:
    """Run and evaluate what is missing."""
    jobs = plan(synthesizers=fitted_for(options), **plan_settings(options))
    rows: Rows = []
    for job in (Job.from_dict(result['job']) for result in run_all(jobs, options.out)):
        folder = options.out / RUNS / job.place
        threads = options.evaluation_threads
        answer = measure_job(measure, job, folder, {'folder': str(folder)}, threads=threads)
        rows += rows_of(job, answer) if answer is not None else []
    return rows


def measure(job: dict[str, Any], folder: str) -> dict[str, Any]:
    """Evaluate the rows of a run's folder; the page goes there as well."""
    planned = Job.from_dict(job)
    dataset = planned.load()
    synthetic = read_rows(Path(folder, ROWS), dataset.train)
    with measured() as cost:
        report = evaluate(
            dataset.train,
            synthetic,
            dataset.metadata,
            dataset.test,
            target=dataset.target,
            seed=planned.seed,
            title=f'{planned.label} on {planned.table}',
        )
        page = report.to_html()
    Path(folder, PAGE).write_text(page, encoding='utf-8')
    frame = report.to_frame()
    scores = frame[frame['level'] == 'table'].astype(object)
    took = (
        f'{len(dataset.train):,} training, {len(synthetic):,} synthetic and '
        f'{len(dataset.test):,} test rows; {cost.seconds:.0f} s, {cost.cpu_seconds:.0f} s of '
        f'processor time, {cost.peak_memory_mib:,.0f} MiB.'
    )
    known = scores.where(scores.notna(), None)[['metric', 'score', 'floor']].to_dict('records')
    return {'rows': [{**row, 'took': took} for row in known]}


def report_tables(rows: pd.DataFrame) -> list[Grid]:
    """The scores of each synthesizer on each table beside their floors."""
    return [
        table(
            part,
            ', '.join(map(str, key)),
            ['metric'],
            NUMBERS,
            name='score',
            note=' '.join(dict.fromkeys(part['took'])),
        )
        for key, part in rows.groupby(['table', 'synthesizer'], sort=False)
    ]
