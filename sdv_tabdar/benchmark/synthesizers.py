"""Generators by name: a short text says which synthesizer to build and with what settings.

``[LABEL=]KIND[:OPTIONS]``: ``tabdar``, ``tabdar:width=32,num_blocks=6``,
``wide=tabdar:width=128``, ``ctgan:epochs=100``, ``tabsyn=csv:results/{table}_{seed}.csv``,
``mine=object:package.module:MySynthesizer,epochs=3``. ``KINDS`` lists the kinds.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import pandas as pd
import sdv.single_table
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_tabdar.adapter import private_names
from sdv_tabdar.benchmark.baselines import RowsFromFile, Smote, TabularARGN
from sdv_tabdar.benchmark.datasets import Dataset

KINDS = {
    'tabdar': 'this package, default settings',
    'tabdar-paper': 'this package, the hyperparameters of the paper',
    'gaussian_copula': "SDV's GaussianCopulaSynthesizer",
    'ctgan': "SDV's CTGANSynthesizer",
    'tvae': "SDV's TVAESynthesizer",
    'copulagan': "SDV's CopulaGANSynthesizer",
    'smote': 'interpolation between neighbours (needs imbalanced-learn)',
    'tabularargn': 'TabularARGN (needs mostlyai-engine, here or in the Python of --argn-python)',
    'csv': 'csv:PATH, rows made elsewhere; {table} and {seed} in PATH are filled in',
    'object': 'object:MODULE:NAME, a class or function of yours that takes SDV metadata and '
    'returns an object with fit(frame) and sample(num_rows), or an SDV synthesizer',
}
SDV_CLASSES = {
    'gaussian_copula': 'GaussianCopulaSynthesizer',
    'ctgan': 'CTGANSynthesizer',
    'tvae': 'TVAESynthesizer',
    'copulagan': 'CopulaGANSynthesizer',
}
OURS = ('tabdar', 'tabdar-paper')
# The rest of the text is a place, not a list of options.
PLACES = ('csv', 'object')


class Synthesizer(Protocol):
    """What the benchmark asks of a generator: frames in, frames out."""

    def fit(self, data: pd.DataFrame) -> object:
        """Learn from a table."""
        ...

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw rows."""
        ...


@dataclasses.dataclass(frozen=True)
class Spec:
    """A synthesizer and its settings, as read from a text.

    Attributes:
        label: What tables and folders call it.
        kind: One of ``KINDS``.
        options: Arguments for the constructor.
        place: For ``csv`` a path, for ``object`` a module and a name; else empty.
    """

    label: str
    kind: str
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)
    place: str = ''

    def __str__(self) -> str:
        """The text without its label; ``parse_spec`` reads it back."""
        options = ','.join(f'{name}={value!r}' for name, value in self.options.items())
        if not self.place:
            return f'{self.kind}:{options}' if options else self.kind
        return f'{self.kind}:{self.place}' + (f',{options}' if options else '')

    @property
    def folder(self) -> str:
        """The label as a folder name; labels that differ have names that differ."""
        name = re.sub(r'[^\w.=,-]+', '_', self.label)[:80]
        if name == self.label:
            return name
        return f'{name}-{hashlib.sha256(self.label.encode()).hexdigest()[:6]}'


def parse_spec(text: str) -> Spec:
    """Read ``[LABEL=]KIND[:OPTIONS]``.

    Raises:
        ValueError: If the kind is unknown, an option is no ``name=value``, or a place is missing.
    """
    label, body = text, text
    named = re.match(r'([^=:,]+)=(.+)', text, flags=re.DOTALL)
    if named:
        label, body = named.groups()
    kind, _, rest = body.partition(':')
    if kind not in KINDS:
        raise ValueError(
            f"There is no synthesizer '{kind}' (in '{text}'). Known are {list(KINDS)}, with "
            "options as in 'tabdar:width=32' and a label as in 'wide=tabdar:width=128'."
        )
    if kind not in PLACES:
        return Spec(label, kind, parse_options(rest, text))
    if not rest:
        raise ValueError(f"'{text}' must say where: {KINDS[kind]}.")
    if kind == 'csv':
        return Spec(label, kind, {}, rest)
    place, _, options = rest.partition(',')
    return Spec(label, kind, parse_options(options, text), place)


def parse_options(text: str, whole: str) -> dict[str, object]:
    """Read ``name=value,name=value``; values are Python literals, anything else is a string.

    Args:
        text: The options.
        whole: The text they are part of, for the message.

    Raises:
        ValueError: If a part is no ``name=value``.
    """
    # A comma inside brackets belongs to a value, as in sizes=(256,256).
    parts = re.split(r',(?![^(\[{]*[)\]}])', text) if text else []
    options: dict[str, object] = {}
    for part in parts:
        name, equals, value = part.partition('=')
        if not equals or not name.strip().isidentifier():
            raise ValueError(
                f"The option '{part}' in '{whole}' must look like 'name=value', several of them "
                'separated by commas.'
            )
        options[name.strip()] = _literal(value.strip())
    return options


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def build(
    spec: Spec,
    dataset: Dataset,
    *,
    seed: int,
    max_training_time: float | None = None,
    argn_python: str | None = None,
) -> Synthesizer:
    """Make an unfitted synthesizer.

    Args:
        spec: Which one.
        dataset: The table it will be fitted on; metadata and target come from there.
        seed: Decides about fitting and sampling.
        max_training_time: Seconds that our own synthesizer may train, unless its options say
            otherwise. The others have no such setting.
        argn_python: Another Python that has mostlyai-engine.

    Raises:
        ImportError: If the synthesizer needs a package that is not installed.
        TypeError: If an option is unknown, or an object has no ``fit`` and ``sample``.
    """
    options: dict[str, Any] = dict(spec.options)
    if spec.kind in OURS:
        options.setdefault('random_state', seed)
        if max_training_time is not None:
            options.setdefault('max_training_time', max_training_time)
        # Its random_state decides about sampling as well.
        return SingleTable(_build_ours(spec.kind, dataset, options), dataset.name)
    if spec.kind in SDV_CLASSES:
        factory = getattr(sdv.single_table, SDV_CLASSES[spec.kind])
        return SingleTable(factory(dataset.metadata, **options), dataset.name, seed=seed)
    if spec.kind == 'csv':
        path = spec.place.replace('{table}', dataset.name).replace('{seed}', str(seed))
        return RowsFromFile(path)
    if spec.kind == 'object':
        made = _load_factory(spec.place)(dataset.metadata, **options)
        return as_synthesizer(made, dataset.name, seed)
    if spec.kind == 'smote':
        return Smote(dataset.discrete, dataset.target, seed=seed, **options)
    return TabularARGN(dataset.sdtypes, python=argn_python, seed=seed, options=options)


def as_synthesizer(made: Any, table_name: str, seed: int) -> Synthesizer:
    """Anything with ``fit`` and ``sample``; SDV synthesizers learn to take and give frames.

    Raises:
        TypeError: If there is no ``fit`` or no ``sample``.
    """
    if isinstance(made, BaseSingleTableSynthesizer):
        return SingleTable(made, table_name, seed=seed)
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
        # SDV seeds every synthesizer with one fixed number.
        if self.seed is not None:
            private_names.set_sampling_seed(self.synthesizer, self.seed)

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw one frame."""
        rows: pd.DataFrame = self.synthesizer.sample(num_rows)[self.table_name]
        return rows


def seed_globals(seed: int) -> None:
    """Seed NumPy's and torch's global generators, which SDV's own synthesizers train with.

    Only for a process that does one run and ends; nothing else should touch them.
    """
    import torch

    np.random.seed(seed)
    torch.manual_seed(seed)


def _build_ours(kind: str, dataset: Dataset, options: dict[str, Any]) -> BaseSingleTableSynthesizer:
    from sdv_tabdar import PAPER, TabDARSynthesizer

    if kind == 'tabdar-paper':
        options = {**PAPER, **options}
    return TabDARSynthesizer(dataset.metadata, **options)


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
