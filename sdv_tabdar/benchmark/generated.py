"""Generated tables of any size, and the process that fits one and samples from it.

``python -m sdv_tabdar.benchmark.generated`` reads a question from standard input, see
:func:`measure`.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.adapter import private_names
from sdv_tabdar.benchmark.fresh import answer
from sdv_tabdar.benchmark.measurement import MIB, measured

TABLE = 'generated'
FEW_LEVELS = 8
WARM_UP_ROWS = 100
NUMBER, CATEGORY, LEVELS = 'number', 'category', 'levels'


def make_table(rows: int, columns: int, levels: int | None = None, seed: int = 0) -> pd.DataFrame:
    """Numbers and categories in turns, all related to one hidden number.

    Args:
        rows: How many.
        columns: How many, besides the one of many levels.
        levels: If given, a column ``'levels'`` of texts comes first, in which each of so many
            levels occurs at least once.
        seed: The same seed makes the same table.

    Raises:
        ValueError: If there are more levels than rows.
    """
    if levels is not None and levels > rows:
        raise ValueError(
            f'Each of the {levels:,} levels must occur, which {rows:,} rows have no room for. Ask '
            'for more rows or fewer levels.'
        )
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=rows)
    found: dict[str, Any] = {}
    if levels is not None:
        codes = np.arange(rows) % levels
        codes[levels:] = generator.integers(0, levels, rows - levels)
        found[LEVELS] = pd.Series(np.char.add('level ', codes.astype(str)), dtype=object)
    for number in range(columns):
        noisy = hidden + generator.normal(size=rows)
        if number % 2:
            edges = np.linspace(-2, 2, FEW_LEVELS - 1)
            names = np.array([f'kind {level}' for level in range(FEW_LEVELS)], dtype=object)
            found[f'{CATEGORY}_{number}'] = names[np.searchsorted(edges, noisy)]
        else:
            found[f'{NUMBER}_{number}'] = noisy
    return pd.DataFrame(found)


def metadata_of(table: pd.DataFrame) -> Metadata:
    """SDV metadata of a generated table."""
    columns = {
        name: {'sdtype': 'numerical' if name.startswith(NUMBER) else 'categorical'}
        for name in table.columns
    }
    return Metadata.load_from_dict({'tables': {TABLE: {'columns': columns}}})


def measure(question: Mapping[str, Any]) -> dict[str, Any]:
    """Fit one epoch and sample.

    Args:
        question: ``rows``, ``columns`` and ``levels`` of :func:`make_table`, ``sample_rows``,
            ``streamed`` (whether these are written to disk as they are drawn and not kept),
            ``settings`` (hyperparameters in place of the defaults) and ``seed``.

    Returns:
        ``fit`` and ``sample`` (seconds and memory, see ``measurement.Cost``), ``epoch_seconds``
        (the training alone), and the table's own ``rows``, ``columns`` and ``table_mib``.
    """
    seed = question['seed']
    settings = {'random_state': seed, **question['settings']}
    # What torch and others load on first use is not the table's time and memory.
    first = make_table(WARM_UP_ROWS, 2)
    warm = _synthesizer(first, settings)
    warm.fit(first)
    warm.sample(WARM_UP_ROWS)
    table = make_table(question['rows'], question['columns'], question['levels'], seed)
    synthesizer = _synthesizer(table, settings)
    with measured() as fitting:
        synthesizer.fit(table)
    model = private_names.model(synthesizer)
    assert model is not None, 'a table of numbers and categories has a model'
    with measured() as sampling:
        _draw(synthesizer, question)
    return {
        'fit': dataclasses.asdict(fitting),
        'sample': dataclasses.asdict(sampling),
        'epoch_seconds': model.training_seconds,
        'rows': table.shape[0],
        'columns': table.shape[1],
        'table_mib': float(table.memory_usage(deep=True).sum()) / MIB,
    }


def _draw(synthesizer: TabDARSynthesizer, question: Mapping[str, Any]) -> None:
    if not question['streamed']:
        synthesizer.sample(question['sample_rows'])
        return
    with tempfile.TemporaryDirectory() as folder:
        synthesizer.sample(question['sample_rows'], output_folder_path=folder, return_rows=False)


def _synthesizer(table: pd.DataFrame, settings: Mapping[str, Any]) -> TabDARSynthesizer:
    once = {'epochs': 1, 'max_training_time': None, 'enable_gpu': False}
    return TabDARSynthesizer(metadata_of(table), **{**once, **settings})


if __name__ == '__main__':
    answer(measure)
