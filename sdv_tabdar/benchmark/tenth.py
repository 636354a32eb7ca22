"""A tenth of CTGAN's time: is our synthesizer better than SDV's own ones even then?

On each table CTGAN, TVAE and GaussianCopula are fitted at SDV's defaults; then ours gets a tenth
of the seconds that CTGAN took on that table, on this machine, with these threads. The table says
what share it took in the end, encoding of the data included.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from sdv_tabdar.benchmark.arguments import add_data_options, plan_settings, timed_spec
from sdv_tabdar.benchmark.rendering import Cell, Grid
from sdv_tabdar.benchmark.results import print_tables
from sdv_tabdar.benchmark.runner import Launch, plan, run_all

HELP = "our synthesizer in a tenth of CTGAN's time, against CTGAN, TVAE and GaussianCopula"
TABLES = ('adult', 'shoppers', 'magic', 'beijing', 'nursery')
REFERENCE = 'ctgan'
OTHERS = (REFERENCE, 'tvae', 'gaussian_copula')
OURS = 'tabdar'
# The metrics of the claim, and whether more is better.
CLAIM = {'shape_error': False, 'trend_error': False, 'xgb_c2st': True}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data_options(parser, out='benchmark_runs/tenth', tables=list(TABLES))
    parser.add_argument(
        '--share',
        type=float,
        default=0.1,
        help="our share of CTGAN's seconds (default: %(default)s)",
    )
    parser.add_argument(
        '--reserve',
        type=float,
        default=2.0,
        metavar='SECONDS',
        help='kept back from that share, for what fitting does besides training; at most half of '
        'the share (default: %(default)s)',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Run, print the tables, keep them as ``tenth.md`` and ``tenth.html``.

    Raises:
        ValueError: If the share is not between 0 and 1, or the reserve is below 0.
    """
    if not 0 < options.share <= 1:
        raise ValueError(f'--share must be above 0 and at most 1, but it is {options.share}.')
    if options.reserve < 0:
        raise ValueError(f'--reserve must be at least 0, but it is {options.reserve}.')
    settings = plan_settings(options)
    results = run_all(plan(synthesizers=OTHERS, **settings), options.out, launch=launch)
    # The job's own order: our run follows from a result, so it cannot be planned before.
    for reference in [result for result in results if result['job']['label'] == REFERENCE]:
        job = reference['job']
        given = options.share * reference['fit']['seconds']
        spec = timed_spec(OURS, given - min(options.reserve, given / 2))
        ours = {**settings, 'tables': [job['table']], 'seeds': [job['seed']]}
        results += run_all(plan(synthesizers=[spec], **ours), options.out, launch=launch)
    if results:
        verdicts = [verdict(results)]
        print('\n' + print_tables(options.out, results, name='tenth', first=verdicts))
    return results


def verdict(results: Sequence[Mapping[str, Any]]) -> Grid:
    """For each table and seed: the seconds of both, and which comparisons are not won."""
    runs = {
        (result['job']['table'], result['job']['seed'], result['job']['label']): result
        for result in results
    }
    rows = []
    for (table, seed, label), ours in runs.items():
        if label != OURS:
            continue
        reference = runs[table, seed, REFERENCE]['fit']['seconds']
        seconds = ours['fit']['seconds']
        rivals = {
            other: runs[table, seed, other] for other in OTHERS if (table, seed, other) in runs
        }
        lost = [f'{key} against {other}' for other in rivals for key in losses(ours, rivals[other])]
        cells = [f'{reference:.1f}', f'{seconds:.1f}', f'{seconds / reference:.3f}']
        complete = len(rivals) == len(OTHERS)
        cells.append(', '.join(lost) if lost else ('yes' if complete else 'runs are missing'))
        rows.append((f'{table}, seed {seed}', [Cell(text) for text in cells]))
    header = ['table', 'CTGAN fit, s', 'our fit, s', 'ratio', 'better on all three metrics']
    return Grid("A share of CTGAN's time", header, rows)


def losses(ours: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The metrics of the claim on which ours is not strictly better."""
    lost = []
    for key, more_is_better in CLAIM.items():
        mine, theirs = ours['scores'].get(key), other['scores'].get(key)
        if (
            mine is None
            or theirs is None
            or not (mine > theirs if more_is_better else mine < theirs)
        ):
            lost.append(key)
    return lost
