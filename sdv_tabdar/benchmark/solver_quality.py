"""What the steps of the diffusion's solver do to tables drawn from a fitted model.

The same model draws with few and with many steps. Beside the scores against the real rows stands
the greatest distance between the distribution functions of a numerical column drawn so and drawn
with the most steps (KS, the mean over columns); the draws differ by chance as well, and a second
draw with the most steps shows how much.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp

from sdv_tabdar import evaluation
from sdv_tabdar.adapter import private_names
from sdv_tabdar.benchmark.evidence import (
    add_model_options,
    collect,
    plan_models,
    publish,
    run_label,
)
from sdv_tabdar.benchmark.models import Fitted
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.runner import Launch

HELP = 'steps of the diffusion solver against the quality of tables'
NAME = 'solver_quality'
METRICS = ('shape', 'trend', 'xgb_c2st')
MOST_ROWS = 20_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_model_options(parser, tables=['adult', 'magic'])
    parser.add_argument(
        '--steps',
        type=int,
        nargs='+',
        default=[64, 16, 8, 4, 2, 1],
        metavar='N',
        help='numbers of steps (default: %(default)s)',
    )
    parser.add_argument(
        '--repeats',
        type=int,
        default=2,
        metavar='N',
        help='how often to draw and to score (default: %(default)s)',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Draw, score, print the table, keep it as ``solver_quality.md``.

    Raises:
        ValueError: If nothing is to be repeated, or a number of steps is below 1.
    """
    if options.repeats < 1 or min(options.steps) < 1:
        raise ValueError(
            f'--repeats and --steps must be at least 1, but they are {options.repeats} and '
            f'{options.steps}.'
        )
    settings = {'steps': sorted(options.steps, reverse=True), 'repeats': options.repeats}
    results = collect(NAME, plan_models(options), options.out, settings, launch=launch)
    note = f'Means of {options.repeats} draws of at most {MOST_ROWS:,} rows.'
    publish(NAME, options.out, [steps_grid(result) for result in results], results, note)
    return results


def measure(fitted: Fitted, *, steps: Sequence[int], repeats: int) -> dict[str, Any]:
    """Draw and score for each number of steps; the first is what the others are compared with."""
    rows = min(len(fitted.dataset.train), MOST_ROWS)
    reference = _drawn(fitted, steps[0], rows, seed=repeats)
    found = []
    for number in steps:
        scores: dict[str, list[float]] = {}
        for seed in range(repeats):
            start = time.process_time()
            drawn = _drawn(fitted, number, rows, seed=seed)
            seconds = time.process_time() - start
            values = evaluation.score(
                fitted.dataset.train.head(rows),
                drawn,
                fitted.dataset.sdtypes,
                metrics=list(METRICS),
                seed=seed,
            )
            values['ks'] = distance(drawn, reference, fitted.dataset.sdtypes)
            values['rows_per_cpu_second'] = rows / seconds
            for name, value in values.items():
                scores.setdefault(name, []).append(float(value))
        means = {name: statistics.fmean(values) for name, values in scores.items()}
        found.append({'steps': number, **means})
    return {'rows': rows, 'found': found}


def _drawn(fitted: Fitted, steps: int, rows: int, *, seed: int) -> pd.DataFrame:
    model = private_names.model(fitted.synthesizer)
    assert model is not None
    before = model.sampling
    model.sampling = dataclasses.replace(before, num_steps=steps)
    model.set_random_state(seed)
    try:
        return fitted.synthesizer.sample(rows)
    finally:
        model.sampling = before


def distance(first: pd.DataFrame, second: pd.DataFrame, sdtypes: Mapping[str, str]) -> float:
    """Mean KS distance of the numerical columns; 0 if there are none."""
    found = [
        ks_2samp(first[name].dropna(), second[name].dropna()).statistic
        for name, sdtype in sdtypes.items()
        if sdtype == 'numerical'
    ]
    return float(np.mean(found)) if found else 0.0


def steps_grid(result: Mapping[str, Any]) -> Grid:
    """One row for each number of steps."""
    rows = []
    for found in result['found']:
        cells = [
            f'{found["rows_per_cpu_second"]:,.0f}',
            f'{100 * found["shape_error"]:.2f}',
            f'{100 * found["trend_error"]:.2f}',
            f'{found["xgb_c2st"]:.3f}',
            f'{found["ks"]:.4f}',
        ]
        rows.append((f'{found["steps"]} steps', [Cell(text) for text in cells]))
    most = result['found'][0]['steps']
    header = ['solver', 'rows per processor second', 'Shape error, %', 'Trend error, %']
    header += ['XGB-C2ST', f'KS to another draw of {most} steps']
    return Grid(run_label(result), header, rows)
