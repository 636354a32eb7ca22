"""Rows of rare classes, in the place of imbalanced-learn's SMOTENC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.values import with_columns
from sdv_tabdar.estimators.tables import (
    as_given,
    categorical_names,
    dtype_of,
    fitted_synthesizer,
    metadata_of,
    seed_of,
    settings_of,
    table_of,
)

try:
    from imblearn.over_sampling.base import BaseOverSampler
    from imblearn.utils import check_target_type
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'TabDAROversampler needs imbalanced-learn. Run '
        "`pip install 'sdv_tabdar[imbalanced-learn]'`."
    ) from error


class TabDAROversampler(BaseOverSampler):
    """Draws rows of classes that are too few, given the class.

    A sampler over ``TabDARSynthesizer``, with the interface of imbalanced-learn's ``SMOTENC``: it
    learns the table of features and class, and draws the missing rows of each class on the
    condition that they are of it. Unlike ``SMOTENC`` it needs neither numbers nor categories to
    be there, and takes missing cells, booleans and dates.

    Args:
        categorical_features: Columns that are categories though their dtype is a number: names,
            places or a mask. ``'auto'`` goes by the dtypes: numbers, booleans and dates are what
            they are, everything else is a category.
        sampling_strategy: Which classes are to have how many rows, as in imbalanced-learn.
        epochs: Passes over the table; None ends by the likelihood of held-out rows.
        max_training_time: Seconds after which training ends; None for no limit.
        parameters: Other arguments of ``TabDARSynthesizer`` by name.
        random_state: Seed of training and of all draws, or a ``RandomState``; None for another
            model each time.

    Attributes:
        synthesizer_ (TabDARSynthesizer): The fitted synthesizer.
        sampling_strategy_ (dict): How many rows are drawn of each class.
        n_features_in_ (int): Columns of the features.
        feature_names_in_ (numpy.ndarray): Their names, if they came as a frame.

    ``fit_resample(X, y)`` returns the given rows, and after them the drawn ones.
    """

    def __init__(
        self,
        categorical_features: Any = 'auto',
        *,
        sampling_strategy: Any = 'auto',
        epochs: int | None = None,
        max_training_time: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(sampling_strategy=sampling_strategy)
        self.categorical_features = categorical_features
        self.epochs = epochs
        self.max_training_time = max_training_time
        self.parameters = parameters
        self.random_state = random_state

    def fit_resample(self, X: Any, y: Any, **params: Any) -> Any:
        """Learn a table and add the rows that are too few.

        Args:
            X: Features, a frame or an array-like ``(rows, columns)``, with or without gaps.
            y: The class of each row ``(rows,)``, without gaps.
            **params: None; imbalanced-learn's interface has them.

        Returns:
            Features and classes in the forms of ``X`` and ``y``, the given rows first.

        Raises:
            ValueError: If a parameter, ``X`` or ``y`` is not allowed.
        """
        classes = np.asarray(y, dtype=object)
        gaps = np.count_nonzero(pd.isna(classes))
        if y is not None and gaps:
            raise ValueError(
                f'Input y contains NaN or None in {gaps} places. Each row must have a class; drop '
                'the rows without one, or give them a class of their own.'
            )
        texts = np.count_nonzero([isinstance(label, str) for label in classes.ravel()])
        if 0 < texts < classes.size:
            raise ValueError(
                f'Input y has text in {texts} places and other values in {classes.size - texts}. '
                'Classes must be of one type; write all of them as text.'
            )
        return super().fit_resample(X, y, **params)

    def _check_X_y(self, X: Any, y: Any) -> tuple[pd.DataFrame, Any, bool]:
        """What the base class learns from; features become a table."""
        self._dtype = dtype_of(X)
        target, is_binarized = check_target_type(y, indicate_one_vs_all=True)
        table = table_of(self, X, reset=True)
        if len(target) != len(table):
            raise ValueError(
                f'X has {len(table)} rows, but y has {len(target)}. y must have the class of each '
                'row of X, in the same order.'
            )
        return table, np.asarray(target), is_binarized

    def _fit_resample(self, X: pd.DataFrame, y: Any) -> tuple[Any, Any]:
        """The rows and their classes, the drawn ones last."""
        wanted = np.repeat(
            np.array(list(self.sampling_strategy_), dtype=y.dtype),
            list(self.sampling_strategy_.values()),
        )
        categorical = categorical_names(X, self.categorical_features)
        # Levels of column names would give the class a name of several parts.
        flat = pd.Index(list(X.columns), tupleize_cols=False)
        given = X.reset_index(drop=True).set_axis(flat, axis=1)
        if not len(wanted):
            return as_given(given.set_axis(X.columns, axis=1), self._dtype), y
        target = _free_name(X)
        table = with_columns(given, {target: y})
        seed = seed_of(self.random_state)
        metadata = metadata_of(table, [*categorical, target])
        self.synthesizer_ = fitted_synthesizer(table, metadata, seed, settings_of(self))
        known = pd.DataFrame({target: wanted})
        drawn = self.synthesizer_.sample_remaining_columns(known, seed=seed)
        rows = pd.concat([table, drawn[table.columns]], ignore_index=True)
        features = rows.drop(columns=target).set_axis(X.columns, axis=1)
        return as_given(features, self._dtype), np.concatenate([y, wanted])

    def __sklearn_tags__(self) -> Any:
        """What may be expected: gaps and text in features, no sparse ones."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def _free_name(table: pd.DataFrame) -> str:
    """A name for the column of classes that no feature has."""
    name, taken = 'target', {str(column) for column in table.columns}
    while name in taken:
        name += '_'
    return name
