"""Every yardstick on rows of which it is known how good they are, and on those of synthesizers.

All rows of a table are parted anew: one half to train on, a quarter held out, and a quarter that
stands in for the rows of a perfect synthesizer (``real``), which is the floor of every yardstick.
Beside it stand a ``copy`` of training rows, as true as real ones but for privacy, and the training
rows with ``independent`` columns, whose single columns are true and whose relations are gone. A
yardstick that does not put these three where they belong is none; the last table says where one
does not.

Every synthesizer draws as many rows as there are real ones, so that all scores have the same noise.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sdv.utils import load_synthesizer

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.data.grid import grid_steps
from sdv_tabdar.benchmark.experiments.core_table import core_table
from sdv_tabdar.benchmark.experiments.experiment import Rows, plan_settings, rows_of
from sdv_tabdar.benchmark.experiments.held_out import known_rows
from sdv_tabdar.benchmark.jobs.cost import measured
from sdv_tabdar.benchmark.jobs.job import SUBSAMPLE_SEED, Job
from sdv_tabdar.benchmark.jobs.measurements import measure_job
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.jobs.steps import ROWS, plain_numbers
from sdv_tabdar.benchmark.methods.exchange import read_rows, write_rows
from sdv_tabdar.benchmark.methods.spec import OURS, Request, parse_spec
from sdv_tabdar.benchmark.methods.synthesizers import build
from sdv_tabdar.benchmark.methods.tabularargn import TabularARGN
from sdv_tabdar.benchmark.methods.tree_chain import TreeChain
from sdv_tabdar.benchmark.output.rendering import Cell, Grid
from sdv_tabdar.benchmark.output.tables import Number, table
from sdv_tabdar.core.schema import ColumnKind

LIKELIHOODS = (
    Number('bits_held_out', 'held-out rows, bits a row', digits=2),
    Number('bits_train', 'training rows, bits a row', digits=2),
    Number('gap', 'gap, %', factor=100, digits=2),
    Number('bits_seconds', 'processor s', digits=0),
)
REAL, COPY, INDEPENDENT = REFERENCES = ('real', 'copy', 'independent')
SYNTHESIZERS = [
    *REFERENCES,
    'gaussian_copula',
    'ctgan=ctgan:epochs=10',
    'tabularargn=tabularargn:max_training_time=2.5',
    'tabdar',
]
METRICS = ('shape', 'trend', 'xgb_c2st', 'alpha_precision', 'utility', 'dcr')
MODEL = 'model'
ARGN = 'tabularargn'


@dataclasses.dataclass(frozen=True)
class Yardstick:
    """A score as a yardstick.

    Attributes:
        number: How it is printed.
        slack: How far two equally good tables may be apart by chance.
        relations: Whether it sees how columns depend on each other.
        copies: Whether it is meant to find copies.
    """

    number: Number
    slack: float
    relations: bool = True
    copies: bool = False


YARDSTICKS = (
    Yardstick(Number('detect_excess', 'Panel, excess', 'low', digits=3, sign='+'), 0.025),
    Yardstick(Number('detect_xgb', 'XGBoost, AUC', 0.5), 0.025),
    Yardstick(Number('detect_columns', 'columns alone', 0.5), 0.025, relations=False),
    Yardstick(Number('detect_dependency', 'dependency', 'low', sign='+'), 0.025),
    Yardstick(Number('utility', 'Utility', 'high'), 0.01),
    Yardstick(Number('utility_worst', 'worst column', 'high'), 0.08),
    Yardstick(Number('marginals_3_excess', '3 columns / floor', 'low', digits=2), 0.12),
    Yardstick(Number('marginals_4_excess', '4 columns / floor', 'low', digits=2), 0.12),
    Yardstick(Number('beta_recall', 'beta-recall', 0.5), 0.03, copies=True),
    Yardstick(Number('shape_error', 'Shape, %', 'low', 100, 2), 0.005, relations=False),
    Yardstick(Number('trend_real_edges_error', 'Trend, real edges, %', 'low', 100, 2), 0.01),
    Yardstick(Number('xgb_c2st', 'XGB-C2ST, training rows', 'high'), 0.05),
    Yardstick(Number('dcr_share', 'Near-share', 0.5), 0.03, relations=False, copies=True),
)
BITS = ('bits_held_out', 'bits_train', 'bits_seconds')
LIKELY_ROWS, LIKELY_ORDERS = 2_000, 3
COSTS = (
    Number('fit_seconds', 'Fit, processor s', digits=0),
    Number('score_seconds', 'Scores, processor s', digits=0),
)


def collect(options: argparse.Namespace) -> Rows:
    """Draw and score what is missing."""
    jobs = plan(synthesizers=options.synthesizers, **plan_settings(options))
    rows: Rows = []
    for job in jobs:
        folder = options.out / 'yardsticks' / job.place
        place = {'folder': str(folder)}
        drawn = measure_job(draw, job, folder, {**place, 'rows': options.judged_rows})
        if drawn is None:
            continue
        asked = {**place, 'judged': options.judged_rows, 'detected': options.detected_rows}
        scored = measure_job(judge, job, folder, asked)
        several = measure_job(marginals, job, folder, place)
        asks = options.likelihoods and has_likelihood(job)
        likely = measure_job(log_masses, job, folder, place) if asks else {}
        if scored is not None and several is not None:
            row = {'fit_seconds': drawn['fit'], 'sample_seconds': drawn['sample']}
            row |= scored['scores'] | several['scores']
            row |= {key: (likely or {}).get(key) for key in BITS}
            rows += rows_of(job, {**scored, 'rows': [row]})
    return _with_excess(rows)


def parts_of(job: Job) -> Dataset:
    """The table of a job in parts, one of them fresh rows."""
    return job.load().with_fresh_rows(SUBSAMPLE_SEED)


def draw(job: dict[str, Any], folder: str, rows: int) -> dict[str, Any]:
    """Fit, draw as many rows as there are fresh ones, keep them and, if it can be, the model."""
    planned = Job.from_dict(job)
    dataset = parts_of(planned)
    assert dataset.fresh is not None, 'the table was parted so'
    spec = parse_spec(planned.spec)
    synthesizer = build(
        Request(spec, dataset, planned.seed, planned.max_training_time, planned.argn_python)
    )
    with measured() as fitting:
        synthesizer.fit(dataset.train.copy())
    with measured() as sampling:
        drawn = synthesizer.sample(min(len(dataset.fresh), rows))
    Path(folder).mkdir(parents=True, exist_ok=True)
    write_rows(drawn, Path(folder, ROWS))
    if hasattr(synthesizer, 'save'):
        synthesizer.save(Path(folder, MODEL))
    return {'fit': fitting.cpu_seconds, 'sample': sampling.cpu_seconds}


def has_likelihood(job: Job) -> bool:
    """Whether rows can be asked of the model; ``real`` stands for the chain of boosted trees."""
    return parse_spec(job.spec).kind in (REAL, ARGN, *OURS)


def log_masses(job: dict[str, Any], folder: str) -> dict[str, Any]:
    """Bits a row of held-out and of training rows, on the grid of each column's values.

    Levels that training has not seen are left out with their rows, and numbers beyond its range are
    moved to its ends, so that all models are asked of the same rows.
    """
    planned = Job.from_dict(job)
    dataset = parts_of(planned)
    _, kinds = core_table(dataset)
    numbers = [name for name, kind in kinds.items() if kind is ColumnKind.NUMERICAL]
    steps = grid_steps(pd.concat([dataset.train, dataset.test]), numbers)
    ask = _asked(planned, dataset, Path(folder, MODEL), steps)
    bits = {}
    with measured() as cost:
        for part, rows in (('held_out', dataset.test), ('train', dataset.train)):
            known = known_rows(rows, dataset.train, kinds).head(LIKELY_ROWS)
            bits[f'bits_{part}'] = -float(ask(known).mean() / math.log(2))
    return {**bits, 'bits_seconds': cost.cpu_seconds}


def _asked(
    job: Job, dataset: Dataset, model: Path, steps: dict[str, float]
) -> Callable[[pd.DataFrame], np.ndarray]:
    """From rows to their log masses."""
    kind = parse_spec(job.spec).kind
    if kind == REAL:
        chain = TreeChain(steps, seed=job.seed)
        chain.fit(dataset.train)
        return chain.log_mass
    if kind == ARGN:
        argn = TabularARGN(dataset.sdtypes, python=job.argn_python, seed=job.seed)
        argn.load(model)
        return lambda rows: argn.log_mass(rows, steps)
    ours = load_synthesizer(str(model))
    return lambda rows: ours.log_likelihood(
        rows, LIKELY_ORDERS, unseen='rare', steps=steps, seed=job.seed
    ).to_numpy()


def judge(job: dict[str, Any], folder: str, judged: int, detected: int) -> dict[str, Any]:
    """Every yardstick of the rows that :func:`draw` has kept, with its processor seconds."""
    planned = Job.from_dict(job)
    dataset = parts_of(planned)
    rows = read_rows(Path(folder, ROWS), dataset.train)
    test = dataset.test.head(judged)
    scores: dict[str, float] = {}
    for metric in METRICS:
        start = time.process_time()
        scores |= evaluation.score(
            dataset.train, rows, dataset.metadata, test, metrics=[metric], seed=planned.seed
        )
        scores[f'{metric}_seconds'] = time.process_time() - start
    start = time.process_time()
    scores |= evaluation.detection_scores(
        test, rows, dataset.metadata, max_rows=detected, seed=planned.seed
    )
    scores['detectors_seconds'] = time.process_time() - start
    scores['score_seconds'] = sum(scores[f'{name}_seconds'] for name in (*METRICS, 'detectors'))
    return {'scores': plain_numbers(scores)}


def marginals(job: dict[str, Any], folder: str) -> dict[str, Any]:
    """Marginals of several columns beside held-out rows, in which a copy of training rows shows."""
    planned = Job.from_dict(job)
    dataset = parts_of(planned)
    rows = read_rows(Path(folder, ROWS), dataset.train)
    found = evaluation.score(
        dataset.test, rows, dataset.metadata, metrics=['marginals'], seed=planned.seed
    )
    excess = {
        f'{name}_excess': found[name] / found[f'{name}_real']
        for name in ('marginals_3', 'marginals_4')
    }
    return {'scores': plain_numbers(found | excess)}


def _with_excess(rows: Rows) -> Rows:
    """The panel's AUC less that of the real rows, where these are there."""
    floors = {
        (row['table'], row['seed']): row['detect_worst'] for row in rows if row['kind'] == REAL
    }
    return [
        {**row, 'detect_excess': row['detect_worst'] - floors.get(_place(row), math.nan)}
        for row in rows
    ]


def _place(row: dict[str, Any]) -> tuple[str, int]:
    return row['table'], row['seed']


def yardstick_tables(rows: pd.DataFrame) -> list[Grid]:
    """Every yardstick of every synthesizer by table; then where its order is not right."""
    numbers = [yardstick.number for yardstick in YARDSTICKS]
    by = ['table', 'synthesizer']
    # The goals tell which is worse; the best of some references is no merit.
    plain = [dataclasses.replace(number, goal=None) for number in numbers]
    main = table(rows, 'Yardsticks', by, [*plain, *COSTS], name='table: rows')
    likely = [_likelihoods(rows)] if rows['bits_held_out'].notna().any() else []
    return [main, *likely, _order_grid(rows)]


def _likelihoods(rows: pd.DataFrame) -> Grid:
    """Bits a row; what is listed with the real rows is the chain of trees fitted on them."""
    known = rows[rows['bits_held_out'].notna()]
    known = known.assign(
        model=known['synthesizer'].where(known['kind'] != REAL, 'chain of boosted trees'),
        gap=known['bits_held_out'] / known['bits_train'] - 1,
    )
    return table(known, 'Likelihood of rows', ['table', 'model'], LIKELIHOODS, name='table: model')


def _order_grid(rows: pd.DataFrame) -> Grid:
    """What each yardstick gets wrong on each table."""
    names = list(dict.fromkeys(rows['table']))
    lines = []
    for yardstick in YARDSTICKS:
        if yardstick.number.key not in rows:
            continue
        cells = [Cell(_wrong(yardstick, rows[rows['table'] == name])) for name in names]
        lines.append((yardstick.number.title, cells))
    return Grid('Where the order is not the right one', ['yardstick', *names], lines)


def _wrong(yardstick: Yardstick, rows: pd.DataFrame) -> str:
    """Which of the rules a yardstick breaks on a table, in short; a dash if none."""
    means = rows.groupby('kind', sort=False)[yardstick.number.key].mean().dropna()
    if REAL not in means:
        return 'no real rows'
    faults = {kind: _fault(yardstick, value) for kind, value in means.items()}
    limit, least = faults[REAL] + yardstick.slack, faults[REAL] - yardstick.slack
    told = []
    if COPY in faults:
        seen = faults[COPY] > limit
        if seen != yardstick.copies:
            told.append('a copy counts as worse' if seen else 'copies are not seen')
        if faults[COPY] < least:
            told.append('a copy counts as better')
    if INDEPENDENT in faults:
        apart = faults[INDEPENDENT] > limit
        if apart != yardstick.relations:
            told.append('independent columns ' + ('count as worse' if apart else 'pass'))
    better = [
        str(kind) for kind, fault in faults.items() if kind not in REFERENCES and fault < least
    ]
    if better:
        told.append(f'{", ".join(better)} better than real rows')
    return '; '.join(told) or '-'


def _fault(yardstick: Yardstick, value: float) -> float:
    """How far a score is from the best one."""
    goal = yardstick.number.goal
    if goal == 'low':
        return value
    return -value if goal == 'high' else abs(value - float(goal or 0))
