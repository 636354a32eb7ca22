"""What an experiment is: options, raw rows, tables; how one is carried out and printed again."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from sdv_tabdar.benchmark.experiments.options import ALL
from sdv_tabdar.benchmark.jobs.environment import summary
from sdv_tabdar.benchmark.jobs.job import DEFAULT_METRICS, Job
from sdv_tabdar.benchmark.jobs.measurements import ask_models, measure_job
from sdv_tabdar.benchmark.jobs.process import Measure
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.methods.spec import our_spec, parse_options, parse_spec
from sdv_tabdar.benchmark.output import raw
from sdv_tabdar.benchmark.output.rendering import Grid, to_markdown
from sdv_tabdar.benchmark.output.tables import Number, footer, table
from sdv_tabdar.evaluation.registry import METRICS

Rows = list[dict[str, Any]]
Tables = Callable[[pd.DataFrame], list[Grid]]


@dataclasses.dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        help: What it shows, one line.
        options: The default of each of its options, by their names in ``options.OPTIONS``.
        collect: From the options to raw rows; does what is missing.
        tables: From raw rows to tables.
        note: Stands below the tables; ``{name}`` is the value of an option.
        picture: Draws the raw rows: a plotly figure, kept as HTML, or the text of an SVG.
    """

    help: str
    options: Mapping[str, Any]
    collect: Callable[[argparse.Namespace], Rows]
    tables: Tables
    note: str = ''
    picture: Callable[[pd.DataFrame], go.Figure | str] | None = None


@dataclasses.dataclass(frozen=True)
class OneTable:
    """Tables of an experiment that are one; the attributes are arguments of ``output.table``."""

    title: str
    by: Sequence[str]
    numbers: Sequence[Number]
    within: str | None = None
    name: str | None = None

    def __call__(self, rows: pd.DataFrame) -> list[Grid]:
        """The table."""
        return [table(rows, self.title, self.by, self.numbers, within=self.within, name=self.name)]


@dataclasses.dataclass(frozen=True)
class AskModels:
    """Raw rows from models of ours that are fitted once for all experiments that ask them.

    Attributes:
        measure: ``measure(fitted, **settings)`` gives ``{'rows': [...]}``.
        settings: The options that are handed on to it.
    """

    measure: Measure
    settings: Sequence[str] = ()

    def __call__(self, options: argparse.Namespace) -> Rows:
        """Fit and ask what is missing."""
        settings = {name: getattr(options, name) for name in self.settings}
        found = ask_models(self.measure, plan_models(options), options.out, settings)
        return [row for job, answer in found for row in rows_of(job, answer)]


@dataclasses.dataclass(frozen=True)
class MeasureJobs:
    """Raw rows from measurements of jobs, each with the model that it makes.

    Attributes:
        measure: ``measure(job, **settings)`` gives ``{'rows': [...]}``.
        jobs: The jobs that options ask for.
        settings: The options that are handed on to it.
    """

    measure: Measure
    jobs: Callable[[argparse.Namespace], Sequence[Job]]
    settings: Sequence[str] = ()

    def __call__(self, options: argparse.Namespace) -> Rows:
        """Measure what is missing."""
        settings = {name: getattr(options, name) for name in self.settings}
        rows: Rows = []
        for job in self.jobs(options):
            folder = options.out / 'measured' / job.place
            answer = measure_job(self.measure, job, folder, settings)
            rows += rows_of(job, answer) if answer is not None else []
        return rows


def carry_out(name: str, experiment: Experiment, options: argparse.Namespace) -> int:
    """Collect raw rows, keep them, print tables; 1 if there are none."""
    rows = experiment.collect(options)
    if not rows:
        return 1
    stem = name.replace('-', '_')
    used = {key: value for key, value in vars(options).items() if key in experiment.options}
    raw.save(options.out, stem, rows, {**used, 'out': str(options.out)})
    print('\n' + print_again(stem, experiment, options.out))
    return 0


def print_again(stem: str, experiment: Experiment, out: Path) -> str:
    """Write ``STEM.md`` and perhaps a picture beside it from raw rows; the Markdown."""
    rows, options = raw.load(out, stem)
    note = ' '.join(filter(None, [experiment.note.format(**options), footer(rows)]))
    text = to_markdown(experiment.tables(rows), note)
    (out / f'{stem}.md').write_text(text, encoding='utf-8')
    if experiment.picture is not None:
        _keep(experiment.picture(rows), out / stem)
    return text


def _keep(picture: go.Figure | str, place: Path) -> None:
    """Write a picture to ``place`` and the ending of its kind."""
    if isinstance(picture, str):
        place.with_suffix('.svg').write_text(picture, encoding='utf-8')
    else:
        as_svg = {'toImageButtonOptions': {'format': 'svg'}}
        picture.write_html(place.with_suffix('.html'), config=as_svg)


def facts(job: Job, environment: Mapping[str, Any]) -> dict[str, Any]:
    """What every raw row of a run begins with."""
    return {
        'table': job.table,
        'synthesizer': job.label,
        'kind': parse_spec(job.spec).kind,
        'seed': job.seed,
        'threads': job.threads,
        'limit': job.rows,
        'machine': summary(environment),
    }


def rows_of(job: Job, answer: Mapping[str, Any]) -> Rows:
    """The raw rows of a measurement that gave ``{'rows': [...]}``."""
    begin = facts(job, answer['environment'])
    return [{**begin, **row} for row in answer['rows']]


def plan_settings(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of ``jobs.runs.plan`` that options say.

    Raises:
        ValueError: If a target is no ``TABLE=COLUMN``.
    """
    given = vars(options)
    targets = dict(split_pair(text, 'target', 'TABLE=COLUMN') for text in given.get('target') or [])
    metrics = given.get('metrics', list(DEFAULT_METRICS))
    names = ('data', 'tables', 'seeds', 'rows', 'threads', 'max_training_time', 'argn_python')
    return {
        **{name: given[name] for name in names if name in given},
        'metrics': list(METRICS) if ALL in metrics else metrics,
        'targets': targets,
    }


def plan_models(options: argparse.Namespace, **changes: Any) -> list[Job]:
    """Our synthesizer for each table and seed.

    Args:
        options: With ``settings``, ``epochs`` and ``max_training_time``.
        changes: Arguments of ``plan`` in place of what the options say.
    """
    overrides = parse_options(options.settings, options.settings)
    if options.epochs is not None:
        overrides['epochs'] = options.epochs
    specs = [our_spec('tabdar', overrides)]
    return plan(synthesizers=specs, **{**plan_settings(options), **changes})


def split_pair(text: str, what: str, form: str) -> tuple[str, str]:
    """Read ``NAME=VALUE``.

    Args:
        text: What is read.
        what: What it is, for the message.
        form: How it must look, for the message.

    Raises:
        ValueError: If it does not look so.
    """
    name, equals, value = text.partition('=')
    if not equals or not name:
        raise ValueError(f"A {what} must look like {form}, but it is '{text}'.")
    return name, value
