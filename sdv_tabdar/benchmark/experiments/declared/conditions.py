"""Experiments on given cells: rows under conditions, gaps, probabilities, likelihoods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sdv_tabdar.benchmark.experiments import (
    conditional_quality,
    conditional_skill,
    conditional_speed,
    conditional_truth,
    held_out,
    imputation,
    known_entropy,
    likelihood_speed,
    prediction,
)
from sdv_tabdar.benchmark.experiments.declared.usual import ASKED, TRAINED, on_parts, on_tables
from sdv_tabdar.benchmark.experiments.experiment import AskModels, Experiment, MeasureJobs, OneTable
from sdv_tabdar.benchmark.methods.imputers import IMPUTERS

EXPERIMENTS: Mapping[str, Experiment] = {
    'conditional-speed': Experiment(
        'completing rows with other known numbers in each, beside plain sampling',
        {
            **on_tables(ASKED, 'adult'),
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
            **on_tables(ASKED, 'adult'),
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
            **on_parts('conditional_skill', 'beijing', 'magic', 'default'),
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
            **on_tables(ASKED, 'adult'),
            **TRAINED,
            'known_rows': 10_000,
            'orders': [1, 2, 5, 10],
        },
        AskModels(likelihood_speed.measure, ('known_rows', 'orders')),
        OneTable('Log-likelihoods', ['table', 'orders'], likelihood_speed.NUMBERS),
        note='{known_rows} rows drawn and scored; the spread is that of the first 2,000.',
    ),
    'imputation': Experiment(
        'hidden cells filled again, beside other imputers',
        {
            **on_tables(ASKED, 'letter', 'adult', 'default', 'shoppers'),
            **TRAINED,
            'share': 0.3,
            'methods': list(IMPUTERS),
            'baseline_rows': 5_000,
            'test_rows': None,
            'num_samples': 10,
            'gaps': None,
            'hyperimpute_python': None,
        },
        AskModels(
            imputation.measure,
            (
                'share',
                'methods',
                'baseline_rows',
                'test_rows',
                'num_samples',
                'gaps',
                'hyperimpute_python',
            ),
        ),
        OneTable('Filling hidden cells', ['table', 'method'], imputation.NUMBERS, within='table'),
        note='{share:.0%} of the cells of the test rows hidden at random. Errors in standard '
        'deviations of the training rows; ours: mean or vote of {num_samples} draws.',
    ),
    'prediction': Experiment(
        "the target's probabilities, beside XGBoost trained on the real rows",
        {
            **on_tables(ASKED, 'adult', 'magic', 'shoppers', 'default'),
            **TRAINED,
            'target': [],
        },
        AskModels(prediction.measure),
        OneTable("The target's probabilities", ['table'], prediction.NUMBERS),
        note='Trained on the training rows, tested on the test rows.',
    ),
}
