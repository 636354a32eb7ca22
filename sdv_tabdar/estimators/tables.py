"""What estimators share: arrays and frames as tables, and a synthesizer fitted on one."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Hashable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sdv_tabdar.synthesizer import TabDARSynthesizer

TABLE = 'table'


def table_of(estimator: Any, features: Any, *, reset: bool) -> pd.DataFrame:
    """Features as a table, after scikit-learn's checks.

    Args:
        estimator: The estimator that is given them.
        features: A frame, which stays as it is, or an array-like ``(rows, columns)``, whose
            columns are named ``x0``, ``x1``, ... and get dtypes of their own.
        reset: Whether the estimator is to remember their names and their number (``fit``), or
            they must be those that it remembers.

    Raises:
        ValueError: If they are no table, have no rows, or are not those of ``fit``.
    """
    if isinstance(features, pd.DataFrame):
        if not features.columns.is_unique:
            twice = list(features.columns[features.columns.duplicated()].unique())
            raise ValueError(
                f'X has several columns of the same name: {twice}. Column names must be unique; '
                'rename or drop some.'
            )
        validate_data(estimator, features, reset=reset, skip_check_array=True)
        if not len(features) or not len(features.columns):
            raise ValueError(
                f'Found array with {len(features)} sample(s) and {len(features.columns)} '
                f'feature(s) (shape={features.shape}) while a minimum of 1 is required.'
            )
        return features
    array = validate_data(
        estimator, features, reset=reset, dtype=None, ensure_all_finite='allow-nan'
    )
    frame = pd.DataFrame(array, columns=[f'x{place}' for place in range(array.shape[1])])
    return frame.infer_objects() if array.dtype == object else frame


def dtype_of(features: Any) -> Any:
    """The dtype of an array-like; None for a frame, whose columns have their own."""
    return None if isinstance(features, pd.DataFrame) else np.asarray(features).dtype


def as_given(table: pd.DataFrame, dtype: Any) -> Any:
    """A table in the form in which features were given, as :func:`dtype_of` has noted it.

    Floats keep their width; other dtypes are what the cells of the table need.
    """
    if dtype is None:
        return table
    return table.to_numpy(dtype=dtype if dtype.kind in 'fO' else None)


def categorical_names(table: pd.DataFrame, categorical_features: Any) -> list[Any]:
    """The columns that are categories, whatever their dtype.

    Args:
        table: The table.
        categorical_features: ``'auto'`` for none, or names, places or a mask of columns.

    Raises:
        ValueError: If they are none of that.
    """
    if isinstance(categorical_features, str) and categorical_features == 'auto':
        return []
    allowed = (
        f"'auto', names among {list(table.columns)}, places from 0 to {table.shape[1] - 1}, or a "
        f'mask of {table.shape[1]} True and False'
    )
    wrong = ValueError(
        f"Parameter 'categorical_features' must be {allowed}, however: {categorical_features!r}."
    )
    if isinstance(categorical_features, str) or not isinstance(
        categorical_features, (Sequence, np.ndarray, pd.Index)
    ):
        raise wrong
    given = np.asarray(categorical_features)
    try:
        if given.dtype.kind in 'biu' or not len(given):
            mask_fits = given.dtype != bool or len(given) == table.shape[1]
            if not mask_fits:
                raise wrong
            return list(table.columns[given if len(given) else []])
    except IndexError:
        raise wrong from None
    names = list(categorical_features)
    if not all(isinstance(name, Hashable) and name in table.columns for name in names):
        raise wrong
    return names


def metadata_of(table: pd.DataFrame, categorical: Sequence[Any] = ()) -> Metadata:
    """Metadata by dtype: numbers, booleans and dates are what they are, the rest categories.

    A table of features has neither keys nor personal data, which SDV's own detection looks for.

    Args:
        table: The table.
        categorical: Columns that are categories, whatever their dtype.
    """
    columns = {
        str(name): {'sdtype': 'categorical' if name in categorical else _sdtype(table[name])}
        for name in table.columns
    }
    return Metadata.load_from_dict({'tables': {TABLE: {'columns': columns}}})


def _sdtype(values: pd.Series) -> str:
    """What a column is by its dtype."""
    dtype = values.infer_objects().dtype
    if pd.api.types.is_bool_dtype(dtype):
        return 'boolean'
    if pd.api.types.is_numeric_dtype(dtype):
        return 'numerical'
    is_day = isinstance(dtype, pd.ArrowDtype) and dtype.type is datetime.date
    is_date = is_day or isinstance(dtype, pd.PeriodDtype)
    return 'datetime' if is_date or pd.api.types.is_datetime64_any_dtype(dtype) else 'categorical'


def fitted_synthesizer(
    table: pd.DataFrame, metadata: Metadata, seed: int, settings: Mapping[str, Any]
) -> TabDARSynthesizer:
    """A synthesizer that has learnt a table.

    Args:
        table: The table.
        metadata: What its columns are.
        seed: Seed of training.
        settings: Other arguments of :class:`TabDARSynthesizer`.
    """
    with warnings.catch_warnings():
        # Metadata that are found anew at every fit need not be saved.
        message = 'We strongly recommend saving the metadata'
        warnings.filterwarnings('ignore', message=message, category=UserWarning)
        synthesizer = TabDARSynthesizer(metadata, random_state=seed, **settings)
        synthesizer.fit(table)
    return synthesizer


def seed_of(random_state: Any) -> int:
    """A seed by scikit-learn's rules, without touching NumPy's global generator.

    Args:
        random_state: A seed, a ``RandomState`` to draw one from, or None for any.

    Raises:
        ValueError: If it is none of these.
    """
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def settings_of(estimator: Any) -> dict[str, Any]:
    """The synthesizer's settings that an estimator was given.

    Raises:
        TypeError: If its ``parameters`` are no mapping.
        ValueError: If they name none of the synthesizer's arguments, or one that the estimator
            takes itself; a length of training may be either's.
    """
    parameters = {} if estimator.parameters is None else estimator.parameters
    if not isinstance(parameters, Mapping):
        raise TypeError(
            "Parameter 'parameters' must map names of arguments of TabDARSynthesizer to values, "
            f"such as {{'width': 32}}, however: {parameters!r}."
        )
    settings = {'epochs': estimator.epochs, 'max_training_time': estimator.max_training_time}
    free = [name for name, value in settings.items() if value is None]
    own = [name for name in parameters if name in estimator.get_params(deep=False)]
    own = [name for name in own if name not in free]
    if own:
        raise ValueError(
            f"Parameter 'parameters' names {own}, which {type(estimator).__name__} takes itself: "
            f'write {type(estimator).__name__}({own[0]}=...).'
        )
    allowed = [name for name in signature(TabDARSynthesizer).parameters if name != 'metadata']
    unknown = [name for name in parameters if name not in allowed]
    if unknown:
        raise ValueError(
            f"Parameter 'parameters' names {unknown}, which TabDARSynthesizer does not take. It "
            f'takes {allowed}.'
        )
    return {**settings, **parameters}
