"""Synthesizers built from a ``spec``; whatever they are, frames go in and come out."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import sdv.single_table
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_tabdar.adapter.private_names import seed_sampling
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.methods.spec import KINDS, Request

OF_ROWS = 'rows'  # in place of public values: those of the training rows
SDV_CLASSES = {
    'gaussian_copula': 'GaussianCopulaSynthesizer',
    'ctgan': 'CTGANSynthesizer',
    'tvae': 'TVAESynthesizer',
    'copulagan': 'CopulaGANSynthesizer',
}


class Synthesizer(Protocol):
    """What the benchmark asks of a generator: frames in, frames out."""

    def fit(self, data: pd.DataFrame) -> object:
        """Learn from a table."""
        ...

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw rows."""
        ...


def build(request: Request) -> Synthesizer:
    """Make an unfitted synthesizer.

    Raises:
        ImportError: If the synthesizer needs a package that is not installed.
        TypeError: If an option is unknown, or an object has no ``fit`` and ``sample``.
    """
    module, _, name = KINDS[request.spec.kind].builder.partition(':')
    builder = getattr(importlib.import_module(f'{__package__}.{module}'), name)
    made: Synthesizer = builder(request)
    return made


def build_ours(request: Request) -> Synthesizer:
    """``TabDARSynthesizer``; its random_state decides about sampling as well."""
    from sdv_tabdar import PAPER, TabDARSynthesizer

    options: dict[str, Any] = dict(PAPER) if request.spec.kind == 'tabdar-paper' else {}
    options |= {'random_state': request.seed}
    if request.max_training_time is not None:
        options |= {'max_training_time': request.max_training_time}
    options |= request.spec.options
    if options.get('public_values') == OF_ROWS:
        options['public_values'] = ends_and_levels(request.dataset)
    return SingleTable(TabDARSynthesizer(request.dataset.metadata, **options), request.dataset.name)


def ends_and_levels(dataset: Dataset) -> dict[str, Any]:
    """Ends of columns of numbers and levels of categories, read off the training rows.

    They count as known, as they do in papers on privacy budgets, and for ``dpmm_script``. Nothing
    is said of a column of a single number, or of none.
    """
    found: dict[str, Any] = {}
    for name, column in dataset.train.items():
        distinct, sdtype = column.dropna().unique(), dataset.sdtypes[str(name)]
        if sdtype == 'numerical' and len(distinct) > 1:
            found[str(name)] = (distinct.min().item(), distinct.max().item())
        elif sdtype in ('categorical', 'boolean', 'ordinal') and len(distinct):
            found[str(name)] = distinct.tolist()
    return found


def build_of_sdv(request: Request) -> Synthesizer:
    """One of SDV's own synthesizers."""
    factory = getattr(sdv.single_table, SDV_CLASSES[request.spec.kind])
    made = factory(request.dataset.metadata, **request.spec.options)
    return SingleTable(made, request.dataset.name, seed=request.seed)


def build_object(request: Request) -> Synthesizer:
    """Anything with ``fit`` and ``sample``; SDV synthesizers learn to take and give frames.

    Raises:
        TypeError: If there is no ``fit`` or no ``sample``.
    """
    made = _load_factory(request.spec.place)(request.dataset.metadata, **request.spec.options)
    if isinstance(made, BaseSingleTableSynthesizer):
        return SingleTable(made, request.dataset.name, seed=request.seed)
    if not callable(getattr(made, 'fit', None)) or not callable(getattr(made, 'sample', None)):
        raise TypeError(
            f'A synthesizer must have the methods fit(frame) and sample(num_rows), but '
            f'{type(made).__name__} has not. An SDV synthesizer is fine too.'
        )
    synthesizer: Synthesizer = made
    return synthesizer


class SingleTable:
    """An SDV synthesizer for one table, with frames in place of ``{table: frame}``.

    Args:
        synthesizer: Of SDV 2 or derived from its classes.
        table_name: The table's name in the metadata.
        seed: Decides about sampling, where SDV itself would give every run the same draws; None
            leaves it to the synthesizer.
    """

    def __init__(
        self, synthesizer: BaseSingleTableSynthesizer, table_name: str, *, seed: int | None = None
    ) -> None:
        self.synthesizer = synthesizer
        self.table_name = table_name
        self.seed = seed

    def fit(self, data: pd.DataFrame) -> None:
        """Fit on one frame."""
        self.synthesizer.fit({self.table_name: data})
        # SDV would seed every synthesizer with one fixed number.
        if self.seed is not None:
            seed_sampling(self.synthesizer, self.seed)

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw one frame."""
        rows: pd.DataFrame = self.synthesizer.sample(num_rows)[self.table_name]
        return rows

    def save(self, path: Path) -> None:
        """Keep the fitted synthesizer as a file."""
        self.synthesizer.save(str(path))


def _load_factory(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(':')
    try:
        factory: Callable[..., Any] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ImportError(
            f"'object:{place}' could not be loaded ({error}). It must name a module that Python "
            "can import from here and something in it, as in 'object:package.module:MyClass'."
        ) from error
    return factory
