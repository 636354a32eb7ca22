"""Experiments on quality: synthesizers compared by every score, after given or equal times."""

from __future__ import annotations

from collections.abc import Mapping

from sdv_tabdar.benchmark.experiments import (
    comparison,
    full_report,
    paper,
    time_quality,
    yardsticks,
)
from sdv_tabdar.benchmark.experiments.comparison import Compare
from sdv_tabdar.benchmark.experiments.declared.usual import SCORED, on_tables
from sdv_tabdar.benchmark.experiments.experiment import Experiment
from sdv_tabdar.benchmark.experiments.options import REQUIRED
from sdv_tabdar.benchmark.output import tables

EXPERIMENTS: Mapping[str, Experiment] = {
    'run': Experiment(
        'run synthesizers on tables and print the results',
        {
            **on_tables('run'),
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
            **on_tables('quality', 'adult'),
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
            **on_tables('time_quality', 'adult', 'shoppers', 'default'),
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
            **on_tables('tenth', 'adult', 'shoppers', 'magic', 'beijing', 'nursery'),
            'share_of_ctgan': 0.1,
            'reserve': 2.0,
        },
        comparison.share_of_reference,
        comparison.share_tables,
    ),
    'settings': Experiment(
        'training settings of our synthesizer at equal time',
        {
            **on_tables('settings', 'adult', 'default', 'shoppers', 'beijing'),
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
            **on_tables('paper'),
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
            **on_tables('time_quality', 'adult'),
            'synthesizers': None,
            'fit_seconds': 300.0,
            'evaluation_threads': None,
        },
        full_report.collect,
        full_report.report_tables,
    ),
    'yardsticks': Experiment(
        'every score on rows that are known to be good or bad, and on those of synthesizers',
        {
            **on_tables('yardsticks', 'adult', 'default', 'magic', 'beijing'),
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
}
