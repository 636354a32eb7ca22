"""The mixture of normal distributions that RDT's ClusterBasedNormalizer fits, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.mixture import BayesianGaussianMixture

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Unfit

_NUMBERS = checked.items(checked.number())
# What fitting sets and its predictions need: one number for each component.
_FIELDS = ('weights_', 'mean_precision_', 'degrees_of_freedom_')
_MATRICES = ('means_', 'covariances_', 'precisions_cholesky_')
_CONCENTRATIONS = ('concentration_low', 'concentration_high')
_POSITIVE = ('covariances_', 'precisions_cholesky_', *_FIELDS[1:], *_CONCENTRATIONS)
_STATE = checked.record(dict.fromkeys((*_FIELDS, *_MATRICES, *_CONCENTRATIONS), _NUMBERS))


def written(mixture: Any) -> dict[str, Any]:
    """A fitted mixture of one column as plain values."""
    found = {name: getattr(mixture, name).reshape(-1).tolist() for name in (*_FIELDS, *_MATRICES)}
    parts = zip(_CONCENTRATIONS, mixture.weight_concentration_, strict=True)
    return {**found, **{name: part.tolist() for name, part in parts}}


def read(state: Any, place: str) -> Any:
    """The mixture that :func:`written` described.

    Raises:
        Unfit: If it cannot be one.
    """
    _STATE(state, place)
    lengths = {len(numbers) for numbers in state.values()}
    if len(lengths) > 1 or not lengths - {0}:
        raise Unfit(place, 'has not one number of each kind for each component.')
    if any(min(state[name]) <= 0 for name in _POSITIVE):
        raise Unfit(place, f'has numbers of {list(_POSITIVE)} that are not positive.')
    (count,) = lengths
    mixture = BayesianGaussianMixture(
        n_components=count, weight_concentration_prior_type='dirichlet_process'
    )
    for name in _FIELDS:
        setattr(mixture, name, np.array(state[name], dtype=np.float64))
    mixture.means_ = np.array(state['means_'], dtype=np.float64).reshape(count, 1)
    for name in _MATRICES[1:]:
        setattr(mixture, name, np.array(state[name], dtype=np.float64).reshape(count, 1, 1))
    mixture.weight_concentration_ = tuple(
        np.array(state[name], dtype=np.float64) for name in _CONCENTRATIONS
    )
    mixture.n_features_in_ = 1
    return mixture


def check_valid(fitted: Mapping[str, Any], max_clusters: int, place: str) -> None:
    """Refuse a mixture of another size than its transformer says, or without valid components.

    Raises:
        Unfit: If it is one.
    """
    valid, mixture = fitted.get('valid_component_indicator'), fitted.get('_bgm_transformer')
    if valid is None or mixture is None:
        return
    if not len(valid) == len(mixture.weights_) == max_clusters or not valid.any():
        raise Unfit(place, f'has not {max_clusters} components, of which some are valid.')
