"""All experiments: options with defaults, where raw rows come from, which tables they become."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark.experiments import (
    attacked,
    attention,
    calibrated,
    comparison,
    conditional_quality,
    conditional_skill,
    conditional_speed,
    conditional_truth,
    engines,
    full_report,
    held_out,
    imputation,
    known_entropy,
    latency,
    likelihood,
    likelihood_speed,
    nested,
    out_of_core,
    paper,
    prediction,
    private,
    protection,
    ranks,
    sampling_speed,
    scaling,
    solver,
    solver_quality,
    time_quality,
    training_speed,
    yardsticks,
)
from sdv_tabdar.benchmark.experiments.comparison import Compare
from sdv_tabdar.benchmark.experiments.experiment import (
    AskModels,
    Experiment,
    MeasureJobs,
    OneTable,
    plan_models,
)
from sdv_tabdar.benchmark.experiments.options import REQUIRED
from sdv_tabdar.benchmark.jobs.job import DEFAULT_METRICS
from sdv_tabdar.benchmark.methods.imputers import IMPUTERS
from sdv_tabdar.benchmark.output import tables


def _on_tables(out: str, *names: str) -> dict[str, Any]:
    """Options of an experiment on tables; without names it takes all of the source."""
    return {
        'data': REQUIRED,
        'tables': list(names) or None,
        'out': Path('benchmark_runs', out),
        'seeds': [0],
        'rows': None,
        'threads': None,
    }


def _on_parts(out: str, *names: str) -> dict[str, Any]:
    """Options of an experiment on tables that takes several numbers of rows, in place of one."""
    options = {**_on_tables(out, *names), 'max_training_time': None}
    del options['rows']
    return options


SCORED: Mapping[str, Any] = {'metrics': list(DEFAULT_METRICS), 'floors': False, 'target': []}
TRAINED: Mapping[str, Any] = {'max_training_time': None, 'epochs': None, 'settings': ''}
ASKED = 'conditions'
"""The run directory of the experiments that ask a fitted model, which is fitted once for all."""

EXPERIMENTS: Mapping[str, Experiment] = {
    'run': Experiment(
        'run synthesizers on tables and print the results',
        {
            **_on_tables('run'),
            **SCORED,
            'synthesizers': ['tabdar', 'gaussian_copula', 'ctgan', 'tvae'],
            'max_training_time': None,
            'argn_python': None,
        },
        Compare(comparison.named),
        tables.comparison,
    ),
    'quality': Experiment(
        'our synthesizer after given times of fitting',
        {
            **_on_tables('quality', 'adult'),
            **SCORED,
            'budgets': [300.0, 900.0],
            'settings': '',
            'others': [],
        },
        Compare(comparison.budgets),
        tables.comparison,
    ),
    'time-quality': Experiment(
        'our synthesizer after given times of fitting beside others at their defaults, with a plot',
        {
            **_on_tables('time_quality', 'adult', 'shoppers', 'default'),
            'budgets': [60.0, 120.0, 300.0, 900.0],
            'settings': '',
            'others': ['gaussian_copula', 'tvae', 'ctgan'],
            'argn_python': None,
        },
        Compare(comparison.budgets, floors=True),
        tables.comparison,
        note=time_quality.EXPLANATION,
        picture=time_quality.plot,
    ),
    'tenth': Experiment(
        "our synthesizer in a tenth of CTGAN's time, against CTGAN, TVAE and GaussianCopula",
        {
            **_on_tables('tenth', 'adult', 'shoppers', 'magic', 'beijing', 'nursery'),
            'share_of_ctgan': 0.1,
            'reserve': 2.0,
        },
        comparison.share_of_reference,
        comparison.share_tables,
    ),
    'settings': Experiment(
        'training settings of our synthesizer at equal time',
        {
            **_on_tables('settings', 'adult', 'default', 'shoppers', 'beijing'),
            **SCORED,
            'named_settings': REQUIRED,
            'budget': 120.0,
        },
        Compare(comparison.settings),
        comparison.setting_tables,
    ),
    'paper': Experiment(
        "the paper's tables for the methods that run here, beside the published numbers",
        {
            **_on_tables('paper'),
            'only': list(paper.TABLES),
            'synthesizers': paper.METHODS,
            'base': 'tabdar',
            'max_training_time': None,
            'floors': False,
            'argn_python': None,
        },
        paper.collect,
        paper.paper_tables,
        note="The paper's figure of imputation errors is printed by the command 'imputation'.",
    ),
    'full-report': Experiment(
        'every score of a synthesizer, and the report as a page',
        {
            **_on_tables('time_quality', 'adult'),
            'synthesizers': None,
            'fit_seconds': 300.0,
            'evaluation_threads': None,
        },
        full_report.collect,
        full_report.report_tables,
    ),
    'sampling-speed': Experiment(
        'rows sampled per second',
        {
            **_on_tables('sampling_speed', 'adult'),
            'synthesizers': None,
            'fit_seconds': 20.0,
            'sample_rows': None,
            'repeats': 5,
        },
        MeasureJobs(sampling_speed.measure, sampling_speed.planned, ('sample_rows', 'repeats')),
        OneTable('Sampling speed', ['table', 'synthesizer'], sampling_speed.NUMBERS, name='run'),
        note='Medians [lowest, highest].',
    ),
    'engines': Experiment(
        'rows drawn per second to Parquet by one process and by two workers of an engine',
        {
            **_on_tables(ASKED, 'adult'),
            **TRAINED,
            'engines': ['process', 'dask'],
            'sample_rows': 200_000,
            'repeats': 3,
        },
        AskModels(engines.measure, ('engines', 'sample_rows', 'repeats')),
        OneTable('Engines', ['table', 'engine'], engines.NUMBERS, within='table'),
        note='Medians [lowest, highest] of {repeats} turns, in each of which one draws after the '
        'other; memory is the highest so far.',
    ),
    'latency': Experiment(
        'how long calls for a few rows take',
        {
            **_on_tables('latency', 'adult'),
            'named_settings': attention.KINDS,
            'fit_seconds': 20.0,
            'repeats': 100,
        },
        MeasureJobs(latency.measure, latency.jobs, ('repeats',)),
        OneTable('Calls for a few rows', ['table', 'setting', 'call'], latency.NUMBERS),
        note='After one call of each that is not counted; the calls take turns.',
    ),
    'training-speed': Experiment(
        'training rows per second beside a plain implementation of the same network',
        {
            **_on_tables('training_speed', 'adult'),
            'settings': '',
            'seconds': 15.0,
            'warm_up': 3.0,
            'repeats': 5,
        },
        training_speed.collect,
        training_speed.speed_tables,
        note='Medians of the turns [lowest, highest]. Operations are those of the matrix products, '
        'forwards and backwards, multiplications and additions counted one each.',
    ),
    'ranks': Experiment(
        'training by several processes together: rows per second, and what is learnt of as many',
        {
            **_on_tables('ranks', 'adult'),
            'arrangements': ranks.ARRANGEMENTS,
            'settings': '',
            'seconds': 15.0,
            'warm_up': 3.0,
            'repeats': 5,
            'epochs': 10,
        },
        ranks.collect,
        OneTable('Training by ranks', ['table', 'arrangement'], ranks.NUMBERS),
        note='Medians [lowest, highest] of {repeats} turns of {seconds} s, each rank with one '
        'thread unless --threads says more; nats are a bound on the negative log-likelihood of '
        'test rows after {epochs} epochs, a mean over seeds.',
    ),
    'scaling': Experiment(
        'time and memory of fitting and sampling against the size of the table',
        {
            'sweeps': list(scaling.SIZES),
            'sizes': None,
            'up_to': [],
            'sample_rows': 1_000_000,
            'settings': '',
            'seeds': [0],
            'threads': None,
            'out': Path('benchmark_runs', 'scaling'),
        },
        scaling.collect,
        scaling.scaling_tables,
        note='One epoch; fitting includes the encoding of the table, and memory added is the '
        'highest resident memory less that before.',
    ),
    'out-of-core': Experiment(
        'fitting rows from Parquet: both passes, memory over time, fidelity beside a frame',
        {
            'stored_rows': [1_000_000, 3_000_000, 10_000_000],
            'frame_rows': 1_000_000,
            'fit_seconds': 300.0,
            'sample_rows': 50_000,
            'settings': '',
            'seeds': [0],
            'threads': None,
            'out': Path('benchmark_runs', 'out_of_core'),
        },
        out_of_core.collect,
        OneTable('Rows from Parquet', ['form', 'size'], out_of_core.NUMBERS, name='rows'),
        note='Ten columns. All train for {fit_seconds:g} s; memory is that of the process alone, '
        'above what it was before.',
        picture=out_of_core.over_time,
    ),
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
            **_on_tables('solver_quality', 'adult', 'magic'),
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
            **_on_parts('likelihood', 'adult', 'beijing', 'california', 'default', 'letter'),
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
        {**_on_parts('calibration'), 'named_settings': ['default'], 'parts': [0]},
        MeasureJobs(calibrated.measure, held_out.jobs),
        OneTable('Correction of drawn shares', ['table', 'rows', 'setting'], calibrated.NUMBERS),
        note='All beside test rows; trends by the edges of these. Seconds: of training, and of the '
        'correction.',
    ),
    'attention': Experiment(
        'bidirectional and causal attention after the same number of passes',
        {
            **_on_tables('attention'),
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
            **_on_tables('nested_diffusion', 'magic', nested.TIED),
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
            **_on_parts('stopping'),
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
        {**_on_parts('warm_start'), 'named_settings': held_out.WARM, 'parts': [3_000]},
        MeasureJobs(held_out.measure, held_out.jobs),
        OneTable('Going on with more rows', ['table', 'rows', 'setting'], held_out.STOPPING),
        note='Negative log-likelihoods in nats per row, in codes and residuals.',
    ),
    'yardsticks': Experiment(
        'every score on rows that are known to be good or bad, and on those of synthesizers',
        {
            **_on_tables('yardsticks', 'adult', 'default', 'magic', 'beijing'),
            'synthesizers': yardsticks.SYNTHESIZERS,
            'max_training_time': 150.0,
            'argn_python': None,
            'likelihoods': False,
            'judged_rows': 10_000,
            'detected_rows': 5_000,
        },
        yardsticks.collect,
        yardsticks.yardstick_tables,
        note='Half of all rows to train on, a quarter held out, a quarter as the real rows; at '
        'most {judged_rows} rows to judge, {detected_rows} of either for the detectors.',
    ),
    'protection': Experiment(
        'what the protection of rare values costs, beside no protection',
        {
            **_on_parts('protection', 'adult', 'default', 'shoppers', 'news'),
            'named_settings': protection.SETTINGS,
            'parts': [2_000],
        },
        MeasureJobs(protection.measure, held_out.jobs),
        OneTable('Protection of rare values', ['table', 'rows', 'setting'], protection.NUMBERS),
        note='Of rows drawn, against as many test rows. Rare: of fewer than five training rows. '
        'Encoding: of columns of numbers, without a network.',
    ),
    'differential-privacy': Experiment(
        'our synthesizer and others under a privacy budget, judged on test rows',
        {
            **_on_tables('differential_privacy', 'adult', 'shoppers', 'default'),
            'metrics': ['mle', 'trend', 'xgb_c2st', 'shape'],
            'epsilons': [1.0, 3.0, 10.0],
            'settings': '',
            'argn_python': None,
            'dpmm_python': None,
            'dpmm_methods': ['aim', 'mst'],
        },
        Compare(private.specs),
        OneTable('Differential privacy', ['table', 'synthesizer'], private.NUMBERS, within='table'),
        note='Of a whole budget of that epsilon and delta 1e-6. MLE: the AUC of boosted trees '
        'trained on drawn rows, on real test rows.',
    ),
    'attacks': Experiment(
        'what attackers learn of the rows that our synthesizer was fitted on, by settings',
        {
            **_on_parts('attacks', 'adult', 'default', 'news', attacked.UNIQUE),
            'named_settings': ['default'],
            'parts': [500, 2_000],
        },
        MeasureJobs(attacked.measure, attacked.jobs),
        attacked.attack_tables,
        note='Found: % of the rows fitted on that the worst attack finds while it accuses 1 % or '
        '10 % of others. By chance: the AUC of the worst attack on rows that played no part. Near: '
        'the share of drawn rows that are nearer to rows fitted on than to as many unseen ones.',
    ),
    'conditional-speed': Experiment(
        'completing rows with other known numbers in each, beside plain sampling',
        {
            **_on_tables(ASKED, 'adult'),
            **TRAINED,
            'columns': ['fnlwgt', 'age'],
            'known_rows': 10_000,
            'copula_rows': 500,
            'repeats': 5,
        },
        AskModels(conditional_speed.measure, ('columns', 'known_rows', 'copula_rows', 'repeats')),
        OneTable('Completing rows with distinct known cells', ['table'], conditional_speed.NUMBERS),
        note='Medians of {repeats} turns [lowest, highest]; known: {columns}.',
    ),
    'conditional-quality': Experiment(
        'rows drawn under a condition against the real rows that meet it',
        {
            **_on_tables(ASKED, 'adult'),
            **TRAINED,
            'condition': ['income=>50K'],
            'repeats': 3,
        },
        AskModels(conditional_quality.measure, ('condition', 'repeats')),
        OneTable(
            'XGB-C2ST of rows drawn under a condition', ['table'], conditional_quality.NUMBERS
        ),
        note='XGB-C2ST, 1 = indistinguishable; means over draws.',
    ),
    'conditional-skill': Experiment(
        'every column given the others, beside XGBoost trained for that one question',
        {
            **_on_parts('conditional_skill', 'beijing', 'magic', 'default'),
            'named_settings': ['default'],
            'parts': [0],
            'test_rows': 1_000,
        },
        MeasureJobs(conditional_skill.measure, held_out.jobs, ('test_rows',)),
        conditional_skill.skill_tables,
        note='At most {test_rows} test rows. Means over columns of the ratio of our error to that '
        'of the trees; errors below a hundredth of those of a guess count as that.',
    ),
    'conditional-truth': Experiment(
        'completed cells against exact conditional distributions',
        {
            **TRAINED,
            'known_tables': ['gaussian', 'discrete', 'spiked'],
            'table_rows': 16_384,
            'draws': 1_000,
            'out': Path('benchmark_runs', ASKED),
            'seeds': [0],
            'threads': None,
        },
        conditional_truth.collect,
        conditional_truth.truth_tables,
        note='{draws} draws for each condition; training tables of about {table_rows} rows that '
        'lie evenly on their distribution.',
    ),
    'known-entropy': Experiment(
        'how likely rows of known distributions are under our model and under the truth',
        {
            **TRAINED,
            'known_tables': ['gaussian', 'discrete', 'spiked'],
            'table_rows': 16_384,
            'scored_rows': 8_192,
            'out': Path('benchmark_runs', ASKED),
            'seeds': [0],
            'threads': None,
        },
        known_entropy.collect,
        OneTable('Likelihood and entropy', ['table'], known_entropy.NUMBERS),
        note='Negative log-likelihoods in nats a row, of {scored_rows} rows that lie evenly on the '
        'distribution; training tables of about {table_rows} others.',
    ),
    'likelihood-speed': Experiment(
        'what log-likelihoods take beside drawing, and how far they spread, by orders',
        {
            **_on_tables(ASKED, 'adult'),
            **TRAINED,
            'known_rows': 10_000,
            'orders': [1, 2, 5, 10],
        },
        AskModels(likelihood_speed.measure, ('known_rows', 'orders')),
        OneTable('Log-likelihoods', ['table', 'orders'], likelihood_speed.NUMBERS),
        note='{known_rows} rows drawn and scored; the spread is that of the first 2,000.',
    ),
    'imputation': Experiment(
        "hidden cells filled again, beside scikit-learn's imputers",
        {
            **_on_tables(ASKED, 'letter', 'adult', 'default', 'shoppers'),
            **TRAINED,
            'share': 0.3,
            'methods': list(IMPUTERS),
            'baseline_rows': 5_000,
            'test_rows': None,
            'num_samples': 10,
            'gaps': None,
        },
        AskModels(
            imputation.measure,
            ('share', 'methods', 'baseline_rows', 'test_rows', 'num_samples', 'gaps'),
        ),
        OneTable('Filling hidden cells', ['table', 'method'], imputation.NUMBERS, within='table'),
        note='{share:.0%} of the cells of the test rows hidden at random. Errors in standard '
        'deviations of the training rows; ours: mean or vote of {num_samples} draws.',
    ),
    'prediction': Experiment(
        "the target's probabilities, beside XGBoost trained on the real rows",
        {
            **_on_tables(ASKED, 'adult', 'magic', 'shoppers', 'default'),
            **TRAINED,
            'target': [],
        },
        AskModels(prediction.measure),
        OneTable("The target's probabilities", ['table'], prediction.NUMBERS),
        note='Trained on the training rows, tested on the test rows.',
    ),
}
