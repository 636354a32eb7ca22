"""Our synthesizer for SDGym's benchmark.

SDGym hands over a frame and a metadata dictionary; SDV 2 wants ``{table: frame}`` and a metadata
object. SDGym's own wrapper for SDV synthesizers still calls them the old way, so ours is passed as
a custom synthesizer::

    from sdgym import benchmark_single_table
    from sdv_tabdar.benchmark.methods.sdgym import sdgym_synthesizer

    benchmark_single_table(custom_synthesizers=[sdgym_synthesizer()])
"""

from __future__ import annotations

import importlib
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

TABLE = 'table'


def sdgym_synthesizer(display_name: str = 'TabDAR', **hyperparameters: Any) -> Any:
    """A class that ``benchmark_single_table(custom_synthesizers=[...])`` takes.

    Args:
        display_name: What SDGym's results call it; a valid Python name.
        **hyperparameters: Arguments for ``TabDARSynthesizer``.

    Raises:
        ImportError: If SDGym is not installed.
    """
    try:
        library = importlib.import_module('sdgym')
    except ImportError as error:
        raise ImportError(
            'Registering a synthesizer in SDGym needs the package sdgym, which is not installed. '
            'Install it with: pip install sdgym.'
        ) from error

    def fit(data: pd.DataFrame, metadata: Any) -> Any:
        from sdv_tabdar import TabDARSynthesizer

        described = metadata if isinstance(metadata, dict) else metadata.to_dict()
        known = Metadata.load_from_dict(described, TABLE)
        name = next(iter(known.tables))
        synthesizer = TabDARSynthesizer(known, **hyperparameters)
        synthesizer.fit({name: data})
        return name, synthesizer

    def sample(fitted: Any, num_rows: int) -> pd.DataFrame:
        name, synthesizer = fitted
        rows: pd.DataFrame = synthesizer.sample(num_rows)[name]
        return rows

    return library.create_single_table_synthesizer(display_name, fit, sample)
