"""Experiments on the model itself: its parts, how likely it finds rows, how long it trains."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sdv_tabdar.benchmark.experiments import (
    attention,
    calibrated,
    held_out,
    likelihood,
    nested,
    solver,
    solver_quality,
)
from sdv_tabdar.benchmark.experiments.declared.usual import TRAINED, on_parts, on_tables
from sdv_tabdar.benchmark.experiments.experiment import (
    Experiment,
    MeasureJobs,
    OneTable,
    plan_models,
)

EXPERIMENTS: Mapping[str, Experiment] = {
    'solver': Experiment(
        'steps of the diffusion solver against its error, on known distributions',
        {
            'steps': [2, 4, 8, 16, 32],
            'sigma_max': [20.0, 80.0],
            'out': Path('benchmark_runs', 'solver'),
        },
        solver.collect,
        solver.solver_tables,
    ),
    'solver-quality': Experiment(
        'steps of the diffusion solver against the quality of tables',
        {
            **on_tables('solver_quality', 'adult', 'magic'),
            **TRAINED,
            'steps': [64, 16, 8, 4, 2, 1],
            'repeats': 2,
        },
        MeasureJobs(solver_quality.measure, plan_models, ('steps', 'repeats')),
        OneTable('Steps of the solver', ['table', 'steps'], solver_quality.NUMBERS),
        note='Draws of at most 20,000 rows.',
    ),
    'likelihood': Experiment(
        'how likely test rows are under our model, by settings, and what settings gain',
        {
            **on_parts('likelihood', 'adult', 'beijing', 'california', 'default', 'letter'),
            'named_settings': ['default'],
            'parts': [0],
        },
        MeasureJobs(likelihood.measure, held_out.jobs),
        likelihood.likelihood_tables,
        note='Of test rows where nothing else is said. Drawn: in orders in which rows are drawn, '
        'the mean of their log-likelihoods; mixture: of the mean of their densities; any order: '
        'the bound over random sets of known cells. Gains are differences seed by seed.',
    ),
    'calibration': Experiment(
        'what the correction of drawn shares at the end of training changes',
        {**on_parts('calibration'), 'named_settings': ['default'], 'parts': [0]},
        MeasureJobs(calibrated.measure, held_out.jobs),
        OneTable('Correction of drawn shares', ['table', 'rows', 'setting'], calibrated.NUMBERS),
        note='All beside test rows; trends by the edges of these. Seconds: of training, and of the '
        'correction.',
    ),
    'attention': Experiment(
        'bidirectional and causal attention after the same number of passes',
        {
            **on_tables('attention'),
            'rows': 6_000,
            'named_settings': attention.KINDS,
            'cells': 1_200_000,
        },
        MeasureJobs(attention.measure, attention.jobs, ('cells',)),
        OneTable('Attention among known cells', ['table', 'setting'], attention.NUMBERS),
        note='Likelihoods in nats per unit of each number; errors in standard deviations of the '
        'training rows.',
    ),
    'nested-diffusion': Experiment(
        'numbers placed in their bins by the nested diffusion, or evenly',
        {
            **on_tables('nested_diffusion', 'magic', nested.TIED),
            'named_settings': nested.SETTINGS,
            'cells': 1_200_000,
        },
        MeasureJobs(nested.measure, nested.jobs, ('cells',)),
        OneTable('Numbers in their bins', ['table', 'setting'], nested.NUMBERS, within='table'),
        note='After about {cells:,} cells of training rows, in whole passes; drawn rows beside as '
        "many test rows, at most 4,000. 'tied' is the law y = x + .02 e, in which the median "
        'distance of y and x is .0135.',
    ),
    'stopping': Experiment(
        'when training ends by default, and what it has learnt and memorised by then',
        {
            **on_parts('stopping'),
            'named_settings': held_out.LENGTHS,
            'parts': [300, 1_000, 3_000],
        },
        MeasureJobs(held_out.measure, held_out.jobs),
        OneTable('Length of training', ['table', 'rows', 'setting'], held_out.STOPPING),
        note='Negative log-likelihoods in nats per row, in codes and residuals. Near: the share of '
        'drawn rows that are nearer to training rows than to as many test rows.',
    ),
    'warm-start': Experiment(
        'going on from a fitted model with a tenth more rows, beside a new model',
        {**on_parts('warm_start'), 'named_settings': held_out.WARM, 'parts': [3_000]},
        MeasureJobs(held_out.measure, held_out.jobs),
        OneTable('Going on with more rows', ['table', 'rows', 'setting'], held_out.STOPPING),
        note='Negative log-likelihoods in nats per row, in codes and residuals.',
    ),
}
