"""Our synthesizer on numbers cut into bins, which it takes for categories: no diffusion at all."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from sklearn.preprocessing import KBinsDiscretizer

from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.methods.spec import Request
from sdv_tabdar.benchmark.methods.synthesizers import Synthesizer, build_ours

BINS = 100
EDGES = {'width': 'uniform', 'kmeans': 'kmeans'}


class Binned:
    """A synthesizer of categories for a table with numbers.

    Each number is replaced by the name of its bin, and a drawn bin by a number that lies evenly
    between its edges, rounded where the column has whole numbers.

    Args:
        inner: The synthesizer, of a table all of whose columns are categories.
        numerical: The columns to cut.
        edges: 'width' for bins of equal width, 'kmeans' for those of a one-dimensional k-means.
        bins: How many bins a column has; fewer where it has fewer values.
        seed: Decides about the numbers in their bins.

    Raises:
        ValueError: If there are no such edges.

    Source:
        The paper's section 'Ablation Studies' and, of k-means, its account of DP-TBART. They do
        not say which number of a bin is drawn.
    """

    def __init__(
        self,
        inner: Synthesizer,
        numerical: list[str],
        *,
        edges: str = 'width',
        bins: int = BINS,
        seed: int = 0,
    ) -> None:
        if edges not in EDGES:
            raise ValueError(f"edges must be one of {list(EDGES)}, but it is '{edges}'.")
        self.inner, self.numerical, self.seed = inner, numerical, seed
        self._strategy, self._bins = EDGES[edges], bins

    def fit(self, data: pd.DataFrame) -> None:
        """Find the bins and learn the table of their names."""
        self._like = data.dtypes
        cut = data.copy()
        self._edges: dict[str, np.ndarray] = {}
        for name in self.numerical:
            known = data[name].notna()
            self._edges[name] = self._find_edges(data.loc[known, name].to_numpy(dtype=float))
            places = np.searchsorted(self._edges[name][1:-1], data.loc[known, name], side='right')
            cut[name] = pd.Series(places.astype(str), index=data.index[known], dtype=object)
            cut[name] = cut[name].where(known, None)
        self.inner.fit(cut)

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw rows."""
        generator = np.random.default_rng(self.seed)
        rows = self.inner.sample(num_rows)
        for name, edges in self._edges.items():
            known = rows[name].notna()
            places = rows.loc[known, name].astype(int).to_numpy()
            numbers = generator.uniform(edges[places], edges[places + 1])
            is_whole = self._like[name].kind in 'iu'
            drawn = pd.Series(np.nan, index=rows.index)
            drawn[known] = numbers.round() if is_whole else numbers
            rows[name] = drawn.astype(self._like[name])
        return rows

    def _find_edges(self, numbers: np.ndarray) -> np.ndarray:
        """Ends of the bins, one more than there are bins."""
        if numbers.min() == numbers.max():
            return np.array([numbers[0], numbers[0]])
        cutter = KBinsDiscretizer(
            min(self._bins, len(np.unique(numbers))),
            strategy=self._strategy,
            encode='ordinal',
            subsample=None,
            random_state=self.seed,
        )
        edges: np.ndarray = cutter.fit(numbers[:, None]).bin_edges_[0]
        return edges


def build(request: Request) -> Binned:
    """Ours for the table of a request with its numbers cut.

    The options of the text may have ``edges`` and ``bins``; the others are our synthesizer's.
    """
    options: dict[str, Any] = dict(request.spec.options)
    own = {name: options.pop(name) for name in ('edges', 'bins') if name in options}
    dataset = request.dataset
    numerical = [name for name, sdtype in dataset.sdtypes.items() if sdtype == 'numerical']
    spec = dataclasses.replace(request.spec, options=options)
    inner = dataclasses.replace(request, spec=spec, dataset=_discrete(dataset, numerical))
    return Binned(build_ours(inner), numerical, seed=request.seed, **own)


def _discrete(dataset: Dataset, numerical: list[str]) -> Dataset:
    """The same table with metadata in which these columns are categories."""
    description = dataset.metadata.to_dict()
    for name in numerical:
        description['tables'][dataset.name]['columns'][name] = {'sdtype': 'categorical'}
    return dataclasses.replace(dataset, metadata=Metadata.load_from_dict(description))
