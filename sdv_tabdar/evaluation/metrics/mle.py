"""Machine-learning efficiency: train on synthetic rows, test on real ones (TSTR).

Boosted trees learn to predict the target column from synthetic rows and are tested on the holdout;
beside it stands the same with real training rows. The score is the AUC (one against the rest, mean
over the classes of the holdout) of a target that is a category, and the RMSE, in the target's
units, of a target that is a number (outliers beyond 2**64 of its `units` count as that).

Of a target with more than `MAX_CLASSES` classes the rarest among the real rows are one class: trees
are grown for each class by itself, and from a class of a few rows there is nothing to learn.

`mle` and `mle_real` stop adding trees when a tenth of the training rows, held back, says so; they
are means over seeds. `mle_paper` follows the published script with its quirks; see `paper_mle`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context, NotComputableError
from sdv_tabdar.evaluation.features import TableFeatures, level_codes
from sdv_tabdar.evaluation.metric import Beside, Goal, Metric, MetricResult, Reading, Score, Verdict
from sdv_tabdar.evaluation.trees import fit_classifier, fit_regressor
from sdv_tabdar.evaluation.verdicts import below_real, multiple

SEEDS = 3
TREES: dict[str, float] = {
    'n_estimators': 300,
    'learning_rate': 0.1,
    'max_depth': 6,
    'min_child_weight': 5,
}
MAX_CLASSES = 50
"""Classes of the target that are told apart at most; where there are more, the rarest are one."""
PAPER_GRID: dict[str, list[float]] = {
    'n_estimators': [10, 50, 100],
    'min_child_weight': [1, 10],
    'max_depth': [5, 10, 20],
    'gamma': [0.0, 1.0],
}


def mle(context: Context) -> MetricResult:
    """`mle` and `mle_real`; with `paper_compatible` also `mle_paper`."""
    if context.target is None:
        raise NotComputableError('it predicts one column; pass its name as target.')
    holdout = context.needed_holdout('Machine-learning efficiency')
    target, columns = context.target, context.columns
    if len(columns.names) < 2:
        raise NotComputableError('there is no other column to predict the target from.')
    frames = [context.real, context.synthetic, holdout]
    if not columns.is_number(target):
        frames = _with_few_classes(frames, target)
    real, synthetic, holdout = frames
    scores: dict[str, float] = {}
    notes: dict[str, str] = {}
    for key, frame in (('mle', synthetic), ('mle_real', real)):
        values = [
            _train_and_test(frame, holdout, real, columns, target, context.seed + draw)
            for draw in range(SEEDS)
        ]
        unit = context.units.get(target, 1.0)
        scores[key] = unit * float(np.mean(values))
        scores[f'{key}_std'] = unit * float(np.std(values))
    if context.paper_compatible:
        try:
            scores['mle_paper'] = paper_mle(
                synthetic, holdout, real, columns, target, seed=context.seed
            )
        except NotComputableError as error:
            notes['mle_paper'] = str(error)
    # An RMSE is an error, an AUC is not.
    goal: Goal = 'lower' if columns.is_number(target) else 'higher'
    return MetricResult(scores, goals={'mle': goal, 'mle_paper': goal}, notes=notes)


def paper_mle(
    train: pd.DataFrame,
    test: pd.DataFrame,
    real: pd.DataFrame,
    columns: ColumnTypes,
    target: str,
    *,
    seed: int = 0,
) -> float:
    """The published protocol (TabSyn's script, followed by TabDiff and TabDAR), quirks included.

    A grid of 36 boosted-tree settings; 8/9 of the rows to train, 1/9 to choose. The range of the
    first number decides for all numbers whether they are replaced by their logarithms. A target
    that is a number becomes log(clip(y, 1, 20000)) for training and testing, but not for choosing,
    which makes the choice one of chance.

    Args:
        train: Canonical rows to train on, synthetic or real.
        test: Canonical real rows to test on.
        real: Canonical real rows, which decide the features.
        columns: The measured columns.
        target: The column to predict.
        seed: Decides the split.

    Returns:
        AUC or RMSE of the log target.

    Raises:
        NotComputableError: If the rows to choose by, or to test on, have one class only.
    """
    inputs = columns.without([target])
    train, test, real = (_with_target(frame, target) for frame in (train, test, real))
    order = np.random.default_rng(seed).permutation(len(train))
    cut = max(1, len(train) // 9)
    parts = [train.iloc[order[cut:]], train.iloc[order[:cut]], test]
    logarithmic = _first_number_is_large(parts[0], inputs)
    features = TableFeatures.fit(real, inputs, flag_missing=False)
    xs = []
    for matrix in features.transform(*parts):
        x = matrix.values
        if logarithmic:
            numbers = len(inputs.numbers)
            x[:, :numbers] = np.log(np.maximum(x[:, :numbers], 1e-2))
        xs.append(x)
    regression = columns.is_number(target)
    levels: list[str | None] = []
    if regression:
        ys = [part[target].to_numpy(dtype=float) for part in parts]
        ys = [np.log(np.clip(ys[0], 1, 20000)), ys[1], np.log(np.clip(ys[2], 1, 20000))]
    else:
        levels = sorted(pd.concat([real[target], train[target], test[target]]).unique())
        ys = [level_codes(part[target], levels) for part in parts]
    best, chosen = -np.inf, np.nan
    for setting in _grid():
        predict = (
            fit_regressor(xs[0], ys[0], None, setting, seed)
            if regression
            else fit_classifier(xs[0], ys[0], None, setting, seed, len(levels))
        )
        quality = _quality(ys[1], predict(xs[1]), regression)
        if quality > best or np.isnan(chosen):
            best, chosen = quality, abs(_quality(ys[2], predict(xs[2]), regression))
    return chosen


def _train_and_test(
    train: pd.DataFrame,
    test: pd.DataFrame,
    real: pd.DataFrame,
    columns: ColumnTypes,
    target: str,
    seed: int,
) -> float:
    """AUC or RMSE on `test` of trees trained on `train`."""
    inputs = columns.without([target])
    train, test = _with_target(train, target), _with_target(test, target)
    if len(train) < 10 or len(test) < 2:
        raise NotComputableError(
            'it needs at least 10 rows with a known target to train on and 2 to test on.'
        )
    order = np.random.default_rng(seed).permutation(len(train))
    held, used = np.split(order, [max(1, len(order) // 10)])
    train_x, test_x = (m.values for m in TableFeatures.fit(real, inputs).transform(train, test))
    if columns.is_number(target):
        y = train[target].to_numpy(dtype=float)
        predict = fit_regressor(train_x[used], y[used], (train_x[held], y[held]), TREES, seed)
        return -_quality(test[target].to_numpy(dtype=float), predict(test_x), True)
    levels = sorted(pd.concat([train[target], test[target]]).unique())
    y = level_codes(train[target], levels)
    held_rows = (train_x[held], y[held])
    predict = fit_classifier(train_x[used], y[used], held_rows, TREES, seed, len(levels))
    return _quality(level_codes(test[target], levels), predict(test_x), False)


def _with_few_classes(frames: list[pd.DataFrame], target: str) -> list[pd.DataFrame]:
    """The frames, the real training rows first, with at most `MAX_CLASSES` classes of a target.

    Those that are rarest among the real rows, or not there, are one.
    """
    classes = set().union(*(frame[target].dropna().unique() for frame in frames))
    if len(classes) <= MAX_CLASSES:
        return frames
    counts = frames[0][target].value_counts().rename_axis('label').reset_index(name='rows')
    # The labels sort ties, so that the order of rows decides nothing.
    by_count = counts.sort_values(['rows', 'label'], ascending=[False, True])['label']
    kept = by_count[: MAX_CLASSES - 1]
    other = 'other'
    while other in classes:
        other += '_'
    merged = []
    for frame in frames:
        labels = frame[target]
        merged.append(frame.copy(deep=False))
        merged[-1][target] = labels.where(labels.isin(kept) | labels.isna(), other)
    return merged


def _with_target(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    """The rows whose target is known."""
    return frame[frame[target].notna()]


def _quality(truth: np.ndarray, predicted: np.ndarray, regression: bool) -> float:
    """Minus the RMSE, or the mean AUC over the classes that `truth` has."""
    if regression:
        return -float(np.sqrt(np.mean((truth - predicted) ** 2)))
    present = [code for code in np.unique(truth) if (truth != code).any()]
    if not present:
        raise NotComputableError(
            'the target has one value only in the rows to test on, or to choose a model by.'
        )
    if len(present) == 2:
        present = present[1:]
    return float(np.mean([roc_auc_score(truth == code, predicted[:, code]) for code in present]))


def _grid() -> Iterator[dict[str, float]]:
    """The settings of the published grid."""
    for values in itertools.product(*PAPER_GRID.values()):
        yield dict(zip(PAPER_GRID, values, strict=True))


def _first_number_is_large(frame: pd.DataFrame, inputs: ColumnTypes) -> bool:
    """The published test for taking logarithms, which looks at the first number alone."""
    if not inputs.numbers:
        return False
    first = frame[inputs.numbers[0]]
    return bool(first.min() >= 0 and first.max() >= 1e3)


def beside_real(reading: Reading) -> Verdict | None:
    """An AUC below, or an RMSE in multiples of, that of the model trained on real rows."""
    if reading.goal == 'lower':
        return multiple(reading, 'that of real rows', fair=1.05, poor=1.2)
    return below_real(reading)


METRIC = Metric(
    'mle',
    mle,
    (
        Score(
            'mle',
            'Trained on synthetic',
            'AUC (or RMSE) on real test rows of a model trained on synthetic rows; the floor is '
            'the same model trained on real rows. Of more than 50 classes the rarest are one.',
            'use',
            'higher',
            floor=Beside('mle_real', 'trained on real rows'),
            verdict=beside_real,
        ),
        Score(
            'mle_paper',
            'MLE as published',
            'The same by the published protocol with its grid of 36 models.',
            'use',
            'higher',
        ),
    ),
    needs_holdout=True,
    needs_target=True,
)
