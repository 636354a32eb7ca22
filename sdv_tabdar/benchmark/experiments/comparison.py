"""Experiments that run synthesizers on tables and score what they draw."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from sdv_tabdar.benchmark.experiments.experiment import Rows, facts, plan_settings
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan, run_all, run_floors
from sdv_tabdar.benchmark.methods.spec import (
    ENDLESS,
    our_spec,
    parse_options,
    parse_spec,
    timed_spec,
    without_python,
)
from sdv_tabdar.benchmark.output.rendering import Cell, Grid
from sdv_tabdar.benchmark.output.tables import FLOOR_LABEL, comparison
from sdv_tabdar.evaluation.registry import REAL_BESIDE

OURS = 'tabdar'
ARGN = 'tabularargn'
REFERENCE = 'ctgan'
RIVALS = (REFERENCE, 'tvae', 'gaussian_copula')
# The metrics of the claim against CTGAN's time, and whether more is better.
CLAIM = {'shape_error': False, 'trend_error': False, 'xgb_c2st': True}

Results = Sequence[Mapping[str, Any]]
Floors = Mapping[str, Mapping[str, float | None]]


@dataclasses.dataclass(frozen=True)
class Compare:
    """Raw rows of synthesizers x tables x seeds, floors among them.

    Attributes:
        specs: The synthesizers, as texts of ``methods.spec``, that options ask for.
        floors: Whether there are always floors, or only if the option says so.
    """

    specs: Callable[[argparse.Namespace], Sequence[str]]
    floors: bool = False

    def __call__(self, options: argparse.Namespace) -> Rows:
        """Run and score what is missing."""
        jobs = plan(synthesizers=self.specs(options), **plan_settings(options))
        results = run_all(jobs, options.out)
        wants = self.floors or getattr(options, 'floors', False)
        return run_rows(results, run_floors(jobs, options.out) if wants and results else {})


def run_rows(results: Results, floors: Floors) -> Rows:
    """Raw rows of runs, with what real rows score as one more synthesizer.

    What real rows score in the place of synthetic ones (a model trained on real rows, distances of
    unseen rows) stands beside some scores of a run, and is their floor.
    """
    rows: Rows = []
    beside: dict[tuple[str, int], dict[str, Any]] = {}
    tasks: dict[str, str | None] = {}
    for result in results:
        job = Job.from_dict(result['job'])
        scores = result['scores']
        tasks[job.table] = result['data']['task']
        found = {key: scores[real] for key, real in REAL_BESIDE.items() if {key, real} <= {*scores}}
        beside.setdefault((job.table, job.seed), {}).update(found)
        begin = {**facts(job, result['environment']), 'task': tasks[job.table]}
        rows.append({**begin, 'spec': without_python(job.spec), **_costs(result), **scores})
    rows += [
        {'table': table, 'synthesizer': FLOOR_LABEL, 'task': tasks[table], **scores}
        for table, scores in [
            *((table, scores) for (table, _), scores in beside.items()),
            *((table, scores) for table, scores in floors.items() if table in tasks),
        ]
        if scores
    ]
    return rows


def _costs(result: Mapping[str, Any]) -> dict[str, float]:
    fit, sample = result['fit'], result['sample']
    if fit is None or sample is None:
        return {}
    return {
        'fit_seconds': fit['seconds'],
        'fit_cpu_seconds': fit['cpu_seconds'],
        'fit_peak_memory': fit['peak_memory_mib'],
        'sample_seconds': sample['seconds'],
        'rows_per_second': result['synthetic_rows'] / max(sample['seconds'], 1e-9),
        'sample_peak_memory': sample['peak_memory_mib'],
    }


# Which synthesizers.


def named(options: argparse.Namespace) -> list[str]:
    """Those of ``--synthesizers``."""
    return list(options.synthesizers)


def budgets(options: argparse.Namespace) -> list[str]:
    """The others, and ours once for each of ``--budgets``."""
    others = list(options.others)
    is_there = any(parse_spec(text).kind == ARGN for text in others)
    if getattr(options, 'argn_python', None) and not is_there:
        others.append(ARGN)
    overrides = parse_options(options.settings, options.settings)
    return others + [budget_spec(seconds, overrides) for seconds in options.budgets]


def budget_spec(seconds: float, overrides: Mapping[str, object] | None = None) -> str:
    """Our synthesizer trained for some seconds, called ``'tabdar 1 min'`` or ``'tabdar 90 s'``."""
    in_minutes = seconds >= 60 and seconds % 60 == 0
    time = f'{seconds / 60:g} min' if in_minutes else f'{seconds:g} s'
    return timed_spec(f'{OURS} {time}', seconds, overrides)


def fitted_for(options: argparse.Namespace) -> list[str]:
    """Those of ``--synthesizers``, or ours fitted for ``--fit-seconds``."""
    return options.synthesizers or [budget_spec(options.fit_seconds)]


def settings(options: argparse.Namespace) -> list[str]:
    """Ours with each of the named settings, for the same time."""
    named = read_settings(options.named_settings)
    return [timed_spec(name, options.budget, overrides) for name, overrides in named.items()]


def named_specs(options: argparse.Namespace) -> list[str]:
    """Ours with each of the named settings, as long as these say."""
    return [our_spec(*named) for named in read_settings(options.named_settings).items()]


def read_settings(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    """Named overrides from ``'NAME:key=value,...'``.

    Raises:
        ValueError: If a name occurs twice, or cannot be a label.
    """
    parts = [text.partition(':') for text in texts]
    names = [name for name, _, _ in parts]
    for name in names:
        if names.count(name) > 1 or not name or set(name) & set('=,'):
            raise ValueError(
                f"The setting's name '{name}' must occur once, and must not be empty or hold any "
                f"of '=' and ','. The names are {names}."
            )
    return {name: parse_options(overrides, name) for name, _, overrides in parts}


def setting_tables(rows: pd.DataFrame) -> list[Grid]:
    """What each setting is, then every score."""
    first = rows.drop_duplicates('synthesizer').dropna(subset='spec')
    explained = []
    for label, spec in zip(first['synthesizer'], first['spec'], strict=True):
        told = ', '.join(
            f'{name}={value!r}'
            for name, value in parse_spec(spec).options.items()
            if name != 'max_training_time' and (name, value) != ('epochs', ENDLESS)
        )
        explained.append((label, [Cell(told or 'the defaults')]))
    return [
        Grid('Settings', ['setting', 'differs from the defaults in'], explained),
        *comparison(rows),
    ]


# A share of CTGAN's time.


def share_of_reference(options: argparse.Namespace) -> Rows:
    """CTGAN, TVAE and GaussianCopula; then ours in a share of the seconds that CTGAN took."""
    settings = plan_settings(options)
    results = run_all(plan(synthesizers=RIVALS, **settings), options.out)
    # Our run follows from a result, so it cannot be planned before.
    for reference in [found for found in results if found['job']['label'] == REFERENCE]:
        job = reference['job']
        given = options.share_of_ctgan * reference['fit']['seconds']
        spec = timed_spec(OURS, given - min(options.reserve, given / 2))
        ours = {**settings, 'tables': [job['table']], 'seeds': [job['seed']]}
        results += run_all(plan(synthesizers=[spec], **ours), options.out)
    return run_rows(results, {})


def share_tables(rows: pd.DataFrame) -> list[Grid]:
    """For each table and seed the seconds of both and what is not won; then every score."""
    lines = []
    for (name, seed), part in rows.groupby(['table', 'seed'], sort=False):
        runs = {run['synthesizer']: run for run in part.to_dict('records')}
        if not {OURS, REFERENCE} <= {*runs}:
            continue
        ours, rivals = runs[OURS], [rival for rival in RIVALS if rival in runs]
        lost = [f'{key} against {rival}' for rival in rivals for key in losses(ours, runs[rival])]
        won = 'yes' if len(rivals) == len(RIVALS) else 'runs are missing'
        reference = runs[REFERENCE]['fit_seconds']
        cells = [f'{reference:.1f}', f'{ours["fit_seconds"]:.1f}']
        cells += [f'{ours["fit_seconds"] / reference:.3f}', ', '.join(lost) or won]
        lines.append((f'{name}, seed {seed:.0f}', [Cell(text) for text in cells]))
    header = ['table', 'CTGAN fit, s', 'our fit, s', 'ratio', 'better on all three metrics']
    return [Grid("A share of CTGAN's time", header, lines), *comparison(rows)]


def losses(ours: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The metrics of the claim on which ours is not strictly better; NaN never is."""
    return [
        key
        for key, more_is_better in CLAIM.items()
        if not (ours[key] > other[key] if more_is_better else ours[key] < other[key])
    ]
