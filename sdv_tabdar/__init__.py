"""TabDAR for SDV: one trained model that samples, conditions and imputes mixed tables.

`TabDARSynthesizer` is used like SDV's own synthesizers; `PAPER` holds the hyperparameters of the
paper, for ``TabDARSynthesizer(metadata, **PAPER)``. `Between`, `OneOf` and `NotNull` are
conditions that are not a single value.

SDV and torch, which take seconds to import, are imported with the first of these names that is
used, so that the command line answers `--help` at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdv_tabdar.adapter.fixed_sum import FixedSum
    from sdv_tabdar.conditions import Between, NotNull, OneOf
    from sdv_tabdar.core.presets import PAPER
    from sdv_tabdar.synthesizer import TabDARSynthesizer
else:
    _MODULES = {
        'PAPER': 'core.presets',
        'Between': 'conditions',
        'FixedSum': 'adapter.fixed_sum',
        'NotNull': 'conditions',
        'OneOf': 'conditions',
        'TabDARSynthesizer': 'synthesizer',
    }

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        return getattr(import_module(f'{__name__}.{_MODULES[name]}'), name)


__version__ = '0.1.0'

__all__ = ['PAPER', 'Between', 'FixedSum', 'NotNull', 'OneOf', 'TabDARSynthesizer', '__version__']


def __dir__() -> list[str]:
    return sorted(__all__)
