"""What the protection of rare values costs, and what is drawn and kept without it and with it.

Rows are drawn by models of the same training rows with each setting and compared with rows that no
model has seen. Beside that stands what protection is about: the share of drawn categorical cells
with a level that fewer than five training rows have, and how many of the numbers that a single
training row has the model keeps, a mean over the columns of numbers.
"""

from __future__ import annotations

import dataclasses
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import ks_2samp

from sdv_tabdar import evaluation
from sdv_tabdar.adapter import private_names
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.experiments.core_table import part_facts, settings_of
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.output.tables import Number
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.diffusion import SIGMA_DATA

SETTINGS = ['off', 'on:protect_values=True', "token:protect_values=True,rare_token='_RARE_'"]

_RARE = 5  # rows
_JUDGED_ROWS = 5_000  # drawn, to be judged beside as many test rows

NUMBERS = (
    Number('shape_error', 'Shape error, %', factor=100, digits=2),
    Number('trend_error', 'Trend error, %', factor=100, digits=2),
    Number('xgb_c2st', 'XGB-C2ST, test rows', digits=3),
    Number('rare_drawn', 'rare levels drawn, % of cells', digits=3),
    Number('kept', 'numbers of single rows kept', digits=1),
    Number('encoding', 'error of encoding alone, %', digits=3),
    Number('fit_seconds', 'fit, processor s', digits=0),
)


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Fit rows that the seed chooses, with the job's settings; judge what is drawn."""
    from sdv_tabdar import TabDARSynthesizer

    planned = Job.from_dict(job)
    dataset = dataclasses.replace(planned, rows=None).load()
    dataset = dataset.subsample(planned.rows or len(dataset.train), planned.seed)
    settings = settings_of(planned)
    synthesizer = TabDARSynthesizer(dataset.metadata, random_state=planned.seed, **settings)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit(dataset.train)
    seconds = time.process_time() - start
    test = dataset.test.sample(frac=1.0, random_state=planned.seed).head(_JUDGED_ROWS)
    drawn = synthesizer.sample(len(test))
    scores = evaluation.score(
        test.reset_index(drop=True),
        drawn,
        dataset.sdtypes,
        metrics=['shape', 'trend', 'xgb_c2st'],
        seed=planned.seed,
    )
    codecs = private_names.model(synthesizer).trained.encoder.codecs
    numerical = [codec for codec in codecs if isinstance(codec, NumericalCodec)]
    row = {
        **part_facts(planned, dataset.train),
        'fit_seconds': seconds,
        'rare_drawn': 100 * rare_share(dataset, drawn),
        'kept': np.mean([_kept(codec, dataset.train) for codec in numerical] or [0]),
        'encoding': 100 * np.mean([_encoding_error(dataset.train[n]) for n in _numbers(dataset)]),
        **{name: scores[name] for name in ('shape_error', 'trend_error', 'xgb_c2st')},
    }
    return {'rows': [row]}


def rare_share(dataset: Dataset, drawn: pd.DataFrame) -> float:
    """The share of drawn categorical cells whose level fewer than five training rows have."""
    found = []
    for name in dataset.discrete:
        counts = dataset.train[name].value_counts()
        rare = counts.index[(counts < _RARE) & (counts > 0)]
        found.append(drawn[name].isin(rare).mean())
    return float(np.mean(found)) if found else 0.0


def _kept(codec: NumericalCodec, train: pd.DataFrame) -> int:
    """How many numbers of a column that one row has are among the codec's atoms and knots."""
    name = codec.column.name
    if name not in train or not pd.api.types.is_numeric_dtype(train[name]):
        return 0
    counts = train[name].value_counts()
    single = counts.index[counts == 1].to_numpy(dtype=float)
    held = np.concatenate([codec.atoms, *(part.knots for part in codec.bins)])
    return int(np.isin(single, held).sum())


def _numbers(dataset: Dataset) -> list[str]:
    return [name for name, sdtype in dataset.sdtypes.items() if sdtype == 'numerical']


def _encoding_error(values: pd.Series) -> float:
    """Kolmogorov-Smirnov distance of a column to what its codec draws without a network."""
    codec = NumericalCodec.fit(str(values.name), values, ModelConfig())
    counts = np.array(codec.column.counts)
    codes = np.repeat(np.arange(len(counts)), counts)
    ranks = np.concatenate([(np.arange(count) + 0.5) / count for count in counts])
    found = codec.decode(codes, SIGMA_DATA * ndtri(ranks), ranks)
    present = values.dropna().to_numpy(dtype=np.float64)
    found = found[~np.isnan(found)]
    if len(present) and (present == np.rint(present)).all():
        found = np.rint(found)
    return float(ks_2samp(present, found).statistic) if len(present) else 0.0
