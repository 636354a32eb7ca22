"""Experiments on time and memory: drawing, short calls, training, tables of many sizes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sdv_tabdar.benchmark.experiments import (
    attention,
    engines,
    latency,
    out_of_core,
    ranks,
    sampling_speed,
    scaling,
    training_speed,
)
from sdv_tabdar.benchmark.experiments.declared.usual import ASKED, TRAINED, on_tables
from sdv_tabdar.benchmark.experiments.experiment import AskModels, Experiment, MeasureJobs, OneTable

EXPERIMENTS: Mapping[str, Experiment] = {
    'sampling-speed': Experiment(
        'rows sampled per second',
        {
            **on_tables('sampling_speed', 'adult'),
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
            **on_tables(ASKED, 'adult'),
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
            **on_tables('latency', 'adult'),
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
            **on_tables('training_speed', 'adult'),
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
            **on_tables('ranks', 'adult'),
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
}
