"""The synthesizer where scikit-learn and imbalanced-learn expect an estimator.

`TabDARImputer` fills gaps in a pipeline; `TabDAROversampler` draws rows of rare classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdv_tabdar.estimators.imputer import TabDARImputer

if TYPE_CHECKING:
    from sdv_tabdar.estimators.oversampler import TabDAROversampler

__all__ = ['TabDARImputer', 'TabDAROversampler']


def __getattr__(name: str) -> Any:
    """The oversampler, whose base class is in a library that not everybody has installed."""
    if name == 'TabDAROversampler':
        from sdv_tabdar.estimators.oversampler import TabDAROversampler

        return TabDAROversampler
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
