"""What the model knows of every column given others, beside XGBoost trained for that one question.

Each column is asked for twice: given all others, and given a random half of them, which the seed
chooses. Both learn from the same training rows and answer for the same test rows: the mean of a
number, the probabilities of a category. Our mean is that of a hundred quantiles of the cell, as
``predict_quantiles`` tells them. The trees are those of the evaluation's
machine-learning efficiency, which stop by a held-back tenth; they see a category as its place among
the sorted levels, and with few levels also as one indicator each, and so know levels that are
numbers.

An error below a hundredth of what guessing by the column's own distribution makes (its standard
deviation; its entropy) counts as that hundredth: where one column follows from another, ratios of
errors close to zero would say nothing. Columns with one value or more than ``_MOST_LEVELS`` levels
are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.benchmark.experiments.core_table import part_facts, settings_of, timed_fit
from sdv_tabdar.benchmark.experiments.held_out import known_rows, shuffled_test, training_part
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.output.rendering import Cell, Grid
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.evaluation.metrics.mle import TREES
from sdv_tabdar.evaluation.trees import fit_classifier, fit_regressor

_MOST_LEVELS = 100  # of a column that is asked for
_INDICATORS = 32  # levels of a column, at most, that have one each
_LEAST_ERROR = 0.01  # of the error of a guess
_QUANTILES = 100  # of which a mean is made
_QUESTIONS = {'all others': 1.0, 'half of the others': 0.5}

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]


def measure(job: dict[str, Any], *, test_rows: int) -> dict[str, Any]:
    """Fit rows that the seed chooses; ask for every column of test rows.

    Args:
        job: The job.
        test_rows: At most so many test rows.
    """
    planned = Job.from_dict(job)
    dataset, train, kinds = training_part(planned)
    model, _ = timed_fit(settings_of(planned), planned.seed, train, kinds)
    test = known_rows(shuffled_test(dataset, kinds), train, kinds).head(test_rows)
    test = test.reset_index(drop=True)
    generator = np.random.default_rng(planned.seed)
    rows = []
    for column in [name for name in kinds if _is_asked_for(train[name], kinds[name])]:
        others = [name for name in kinds if name != column]
        for question, share in _QUESTIONS.items():
            known = list(generator.permutation(others)[: max(round(share * len(others)), 1)])
            errors = _errors(model, train, test, kinds, column, known, planned.seed)
            rows.append(
                {
                    **part_facts(planned, train),
                    'question': question,
                    'column': column,
                    'is_number': kinds[column] is ColumnKind.NUMERICAL,
                    **errors,
                }
            )
    return {'rows': rows}


def skill_tables(rows: pd.DataFrame) -> list[Grid]:
    """Mean ratios of each table, setting and question over columns and seeds, and the worst."""
    lines = []
    by = ['table', 'rows', 'setting', 'question']
    for key, part in rows.groupby(by, sort=False):
        by_column = part.groupby('column', sort=False)['ratio'].mean()
        worst = by_column.idxmax()
        cells = [_average(part['ratio'])]
        cells += [
            _average(part.loc[part['is_number'] == wanted, 'ratio']) for wanted in (True, False)
        ]
        lines.append((': '.join(map(str, key)), [*cells, Cell(f'{worst}, {by_column[worst]:.2f}')]))
    header = ['question', 'all columns', 'numbers, RMSE', 'categories, log loss', 'worst column']
    return [Grid("Errors as multiples of XGBoost's", header, lines)]


def _average(ratios: pd.Series) -> Cell:
    return Cell(f'{ratios.mean():.3f}' if len(ratios) else '-')


def _is_asked_for(values: pd.Series, kind: ColumnKind) -> bool:
    distinct = values.nunique()
    return distinct > 1 and (kind is ColumnKind.NUMERICAL or distinct <= _MOST_LEVELS)


def _errors(
    model: TabDAR,
    train: pd.DataFrame,
    test: pd.DataFrame,
    kinds: Mapping[str, ColumnKind],
    column: str,
    known: Sequence[str],
    seed: int,
) -> dict[str, float]:
    """RMSE or log loss of both, what a guess makes, and the ratio of the first two."""
    train, test = train[train[column].notna()], test[test[column].notna()]
    x, test_x = _features(train, test, kinds, known)
    observed = np.tile(np.isin(list(kinds), list(known)), (len(test), 1))
    order = np.random.default_rng(seed).permutation(len(train))
    held, used = np.split(order, [max(1, len(order) // 10)])
    if kinds[column] is ColumnKind.NUMERICAL:
        y, truth = (part[column].to_numpy(dtype=float) for part in (train, test))
        predict = fit_regressor(x[used], y[used], (x[held], y[held]), TREES, seed)
        mean = _mean(model, test, observed, column)
        ours, trees = (_rmse(truth, found) for found in (mean, predict(test_x)))
        guess = _rmse(truth, np.full(len(truth), y.mean()))
    else:
        levels = sorted(train[column].unique().tolist(), key=str)
        y, truth = (pd.Index(levels).get_indexer(part[column]) for part in (train, test))
        predict = fit_classifier(x[used], y[used], (x[held], y[held]), TREES, seed, len(levels))
        shares = np.bincount(y, minlength=len(levels)) / len(y)
        # By their labels: a list of truth values would be taken for a mask.
        answers = model.predict_proba(test, observed, column).reindex(columns=levels)
        probabilities = answers.to_numpy()
        least = 1 / (len(train) + 1)
        ours, trees, guess = (
            _log_loss(truth, found, least)
            for found in (probabilities, predict(test_x), np.tile(shares, (len(truth), 1)))
        )
    ratio = max(ours, _LEAST_ERROR * guess) / max(trees, _LEAST_ERROR * guess)
    return {'ours': ours, 'trees': trees, 'guess': guess, 'ratio': ratio}


def _mean(model: TabDAR, test: pd.DataFrame, observed: Marks, column: str) -> Floats:
    """The mean of a number that is not missing ``(B,)``, given the observed cells."""
    levels = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    found = model.predict_quantiles(test, observed, column, levels.tolist())
    means: Floats = found.to_numpy().mean(axis=1)
    return means


def _rmse(truth: Floats, found: Floats) -> float:
    return float(np.sqrt(np.mean((truth - found) ** 2)))


def _log_loss(truth: npt.NDArray[np.int64], found: Floats, least: float) -> float:
    """Mean over rows of -log of the probability of the true level, which is taken as ``least``."""
    chosen = found[np.arange(len(truth)), truth] / found.sum(axis=1)
    return float(-np.log(np.maximum(chosen, least)).mean())


def _features(
    train: pd.DataFrame,
    test: pd.DataFrame,
    kinds: Mapping[str, ColumnKind],
    names: Sequence[str],
) -> tuple[Floats, Floats]:
    """What the trees see of some columns; a missing number is NaN."""
    parts: tuple[list[Floats], list[Floats]] = ([], [])
    for name in names:
        if kinds[name] is ColumnKind.NUMERICAL:
            for part, frame in zip(parts, (train, test), strict=True):
                part.append(frame[name].to_numpy(dtype=float)[:, None])
            continue
        levels = pd.Index(_sorted_levels(train[name]))
        for part, frame in zip(parts, (train, test), strict=True):
            codes = levels.get_indexer(frame[name])
            part.append(codes[:, None].astype(float))
            if len(levels) <= _INDICATORS:
                part.append((codes[:, None] == np.arange(len(levels))).astype(float))
    train_x, test_x = (np.concatenate(part, axis=1) for part in parts)
    return train_x, test_x


def _sorted_levels(values: pd.Series) -> list[Any]:
    """Levels that are numbers by size, others by their text."""
    levels = values.dropna().unique().tolist()
    numbers = pd.to_numeric(pd.Series(levels, dtype=object), errors='coerce')
    if numbers.notna().all():
        return [levels[place] for place in numbers.argsort()]
    return sorted(levels, key=str)
