"""Gaps filled as a step of a scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sdv.metadata import Metadata
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sdv_tabdar.adapter.parameters import check_count
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


class TabDARImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fills missing cells by what a table's other cells say of them.

    A transformer over ``TabDARSynthesizer.impute``: numbers, categories, booleans and dates
    together, without one-hot columns and without scaling. It learns from rows with gaps, and
    whatever is missing in ``transform`` is filled, in whichever columns.

    Args:
        metadata: What the columns of a frame are, as for ``TabDARSynthesizer``. By default it
            follows from the dtypes: numbers, booleans and dates are what they are, everything
            else is a category.
        categorical_features: Columns that are categories though their dtype is a number: names,
            places or a mask, as in scikit-learn. ``'auto'`` goes by the dtypes.
        num_samples: How many draws the filled cell is the mean of (numbers and dates) or the most
            frequent value among (everything else); 1 for a single draw.
        epochs: Passes over the table; None ends by the likelihood of held-out rows.
        max_training_time: Seconds after which training ends; None for no limit.
        parameters: Other arguments of ``TabDARSynthesizer`` by name.
        random_state: Seed of training and of all draws, or a ``RandomState``; None for another
            model each time.

    Attributes:
        synthesizer_ (TabDARSynthesizer): The fitted synthesizer.
        n_features_in_ (int): Columns of ``fit``.
        feature_names_in_ (numpy.ndarray): Their names, if ``fit`` was given a frame.

    A frame comes back as a frame with its index and, where gaps allow, its dtypes; an array as an
    array of its dtype. ``set_output`` is honoured. ``transform`` gives the same answer each time:
    its draws start from the same seed. A column without a single value in ``fit`` stays empty.
    """

    def __init__(
        self,
        metadata: Metadata | None = None,
        *,
        categorical_features: Any = 'auto',
        num_samples: int = 10,
        epochs: int | None = None,
        max_training_time: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.metadata = metadata
        self.categorical_features = categorical_features
        self.num_samples = num_samples
        self.epochs = epochs
        self.max_training_time = max_training_time
        self.parameters = parameters
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> TabDARImputer:
        """Learn a table.

        Args:
            X: A frame or an array-like ``(rows, columns)``, with or without gaps.
            y: Ignored.

        Returns:
            The imputer.

        Raises:
            ValueError: If a parameter or ``X`` is not allowed, or ``metadata`` is given and ``X``
                has no column names.
        """
        check_count('num_samples', self.num_samples, 1)
        table = table_of(self, X, reset=True)
        categorical = categorical_names(table, self.categorical_features)
        metadata = self.metadata
        if metadata is None:
            metadata = metadata_of(table, categorical)
        elif not isinstance(X, pd.DataFrame):
            raise ValueError(
                "With 'metadata' X must be a DataFrame with the columns that they describe, "
                f'however: {type(X).__name__}. Leave out the metadata, or give the frame.'
            )
        self._names, self._has_names = table.columns, isinstance(X, pd.DataFrame)
        self._seed = seed_of(self.random_state)
        self.synthesizer_ = fitted_synthesizer(table, metadata, self._seed, settings_of(self))
        return self

    def transform(self, X: Any) -> Any:
        """Fill the gaps of a table.

        Args:
            X: Rows with the columns of ``fit``, whether or not they were among its rows; an array,
                or any table after an array, has them in their order.

        Returns:
            The completed table, a frame or an array like ``X``.

        Raises:
            sklearn.exceptions.NotFittedError: If ``fit`` has not run.
            ValueError: If ``X`` has other columns, or a cell that its column cannot hold.
        """
        check_is_fitted(self)
        table = table_of(self, X, reset=False)
        by_name = isinstance(X, pd.DataFrame) and self._has_names
        known = table if by_name else table.set_axis(self._names, axis=1)
        filled = self.synthesizer_.impute(known, num_samples=self.num_samples, seed=self._seed)
        return as_given(filled.set_axis(table.columns, axis=1), dtype_of(X))

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: gaps and text in, rows in their order out."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = ['float64', 'float32']
        return tags
