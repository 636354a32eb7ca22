"""TabDAR for SDV: one trained model that samples, conditions and imputes mixed tables.

`TabDARSynthesizer` is used like SDV's own synthesizers; `PAPER` holds the hyperparameters of the
paper, for ``TabDARSynthesizer(metadata, **PAPER)``. `Between`, `OneOf` and `NotNull` are
conditions that are not a single value.
"""

from __future__ import annotations

# SDV loads its add-ons, this package among them, while it is imported itself. It must be the first
# import here: otherwise SDV would find this package half imported, and not register it.
import sdv  # noqa: F401

from sdv_tabdar.adapter.fixed_sum import FixedSum
from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.core.config import PAPER
from sdv_tabdar.synthesizer import TabDARSynthesizer

__version__ = '0.1.0'

__all__ = ['PAPER', 'Between', 'FixedSum', 'NotNull', 'OneOf', 'TabDARSynthesizer', '__version__']
