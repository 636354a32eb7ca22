"""The small model files that the cases begin with."""

from __future__ import annotations

import dataclasses
import functools
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rdt.transformers import ClusterBasedNormalizer
from safetensors import numpy as safe_numpy
from sdv.cag import FixedCombinations, Inequality
from sdv.metadata import Metadata

from sdv_tabdar import FixedSum, TabDARSynthesizer
from sdv_tabdar.files import container

Arrays = dict[str, npt.NDArray[Any]]
SETTINGS: dict[str, Any] = {
    'width': 4,
    'num_blocks': 1,
    'num_heads': 1,
    'head_width': 4,
    'denoiser_width': 4,
    'denoiser_blocks': 1,
    'epochs': 1,
    'num_steps': 1,
    'precision': 'float32',
    'random_state': 0,
    'enable_gpu': False,
}


@dataclasses.dataclass(frozen=True)
class Model:
    """A model file in its parts.

    Attributes:
        content: The whole file.
        document: Its document, as JSON text.
        arrays: Its arrays.
        weights: Its weights.
    """

    content: bytes
    document: str
    arrays: Arrays
    weights: Arrays


def packed(document: Any, arrays: Arrays, weights: Arrays, version: Any = 1) -> bytes:
    """A file with these parts and right digests."""
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    described = {'document': np.frombuffer(text, dtype=np.uint8)}
    described.update({f'array/{name}': array for name, array in arrays.items()})
    kept = {f'weight/{name}': array for name, array in weights.items()}
    header = {
        'version': version,
        'description': container.digest(described),
        'weights': container.digest(kept),
    }
    found = safe_numpy.save({**described, **kept}, {container.FORMAT: json.dumps(header)})
    return bytes(found)


@functools.cache
def models() -> tuple[Model, ...]:
    """Tables of numbers and categories, with constraints, with personal data, and protected."""
    random = np.random.default_rng(0)
    low = random.integers(0, 9, 60)
    plain = pd.DataFrame(
        {
            'x': random.normal(size=60).round(2),
            'c': random.choice(np.array(['u', 'v', None], dtype=object), 60),
            'd': pd.Timestamp('2020-01-01') + pd.to_timedelta(low, 'D'),
            'i': pd.array(low, dtype='Int64'),
        }
    )
    kinds = {'x': 'numerical', 'c': 'categorical', 'd': 'datetime', 'i': 'numerical'}
    pairs = pd.DataFrame({'low': low, 'high': low + 1 + low % 3, 'a': low % 2, 'b': low % 2})
    pair_kinds = {'low': 'numerical', 'high': 'numerical', 'a': 'categorical', 'b': 'categorical'}
    people = pd.DataFrame({'key': [f'K{n}' for n in range(60)], 'mail': ['m'] * 60, 'x': low})
    people_kinds = {'key': 'id', 'mail': 'email', 'x': 'numerical'}
    rules = [Inequality('low', 'high'), FixedCombinations(['a', 'b'])]
    sums = pd.DataFrame({'net': low, 'tax': low % 4, 'x': plain['x'], 'y': plain['x'] + 1})
    sums['gross'] = sums['net'] + sums['tax']
    sums['p'], sums['q'] = random.integers(0, 50, (2, 60))
    sums['r'] = 100 - sums['p'] - sums['q']
    sums['duty'] = sums['x'] * sums['net']
    kept = np.arange(90) % 3 > 0
    gaps = pd.DataFrame({'kept': np.where(kept, 'yes', 'no'), 'z': random.normal(size=90)})
    gaps['z'] = gaps['z'].where(kept)
    return (
        _model(plain, kinds, []),
        _model(pairs, pair_kinds, rules),
        _model(people, people_kinds, [], primary_key='key'),
        _model(
            sums,
            dict.fromkeys(sums, 'numerical'),
            [FixedSum(['net', 'tax'], total_column='gross')],
            transformers={'y': ClusterBasedNormalizer(True, max_clusters=2)},
            settings={'protect_values': True},
        ),
        _model(gaps, {'kept': 'categorical', 'z': 'numerical'}, []),
    )


def _model(
    table: pd.DataFrame,
    kinds: dict[str, str],
    rules: list[Any],
    transformers: dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    **entry: Any,
) -> Model:
    columns = {name: {'sdtype': kind} for name, kind in kinds.items()}
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter('ignore')
        metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns, **entry}}})
        synthesizer = TabDARSynthesizer(metadata, **SETTINGS, **(settings or {}))
        synthesizer.add_constraints(rules)
        if transformers:
            synthesizer.auto_assign_transformers(table)
            synthesizer.update_transformers(transformers)
        synthesizer.fit(table)
        synthesizer.sample(3)
        path = Path(folder) / 'model'
        synthesizer.save_safe(path)
        file = container.ModelFile(path)
        document, arrays = file.description()
        return Model(path.read_bytes(), json.dumps(document), arrays, file.weights())
