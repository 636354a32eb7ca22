"""Experiments on privacy: what it costs, and what attackers learn."""

from __future__ import annotations

from collections.abc import Mapping

from sdv_tabdar.benchmark.experiments import attacked, held_out, private, protection
from sdv_tabdar.benchmark.experiments.comparison import Compare
from sdv_tabdar.benchmark.experiments.declared.usual import on_parts, on_tables
from sdv_tabdar.benchmark.experiments.experiment import Experiment, MeasureJobs, OneTable

EXPERIMENTS: Mapping[str, Experiment] = {
    'protection': Experiment(
        'what the protection of rare values costs, beside no protection',
        {
            **on_parts('protection', 'adult', 'default', 'shoppers', 'news'),
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
            **on_tables('differential_privacy', 'adult', 'shoppers', 'default'),
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
            **on_parts('attacks', 'adult', 'default', 'news', attacked.UNIQUE),
            'named_settings': ['default'],
            'parts': [500, 2_000],
        },
        MeasureJobs(attacked.measure, attacked.jobs),
        attacked.attack_tables,
        note='Found: % of the rows fitted on that the worst attack finds while it accuses 1 % or '
        '10 % of others. By chance: the AUC of the worst attack on rows that played no part. Near: '
        'the share of drawn rows that are nearer to rows fitted on than to as many unseen ones.',
    ),
}
