"""Numbers become bins and come back as numbers of their bins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.methods import binned
from sdv_tabdar.benchmark.methods.binned import Binned
from sdv_tabdar.benchmark.methods.spec import Request, parse_spec


class Repeated:
    """Stands in for our synthesizer: the rows it was given."""

    def fit(self, data: pd.DataFrame) -> None:
        self.data = data

    def sample(self, num_rows: int) -> pd.DataFrame:
        return self.data.head(num_rows).copy()


@pytest.mark.parametrize('edges', ['width', 'kmeans'])
def test_drawn_numbers_lie_in_the_bins_of_the_given_ones(edges: str) -> None:
    numbers = np.random.default_rng(0).normal(size=300) ** 3
    table = pd.DataFrame({'whole': range(300), 'number': numbers, 'constant': 2.0, 'kind': 'a'})
    table.loc[5, 'number'] = np.nan
    synthesizer = Binned(Repeated(), ['whole', 'number', 'constant'], edges=edges, bins=10)
    synthesizer.fit(table)
    drawn = synthesizer.sample(300)
    assert list(drawn.columns) == list(table.columns)
    assert drawn.dtypes.equals(table.dtypes)
    assert drawn['number'].isna().equals(table['number'].isna())
    assert (drawn['constant'] == 2).all()
    cut = synthesizer.inner.data  # type: ignore[attr-defined]
    assert cut['number'].nunique() <= 10
    # In the same bin, and the bins are in the order of the numbers.
    for name in ('whole', 'number'):
        ends = table.groupby(cut[name])[name].agg(['min', 'max']).sort_values('min')
        assert (ends['max'].to_numpy()[:-1] <= ends['min'].to_numpy()[1:]).all()
        places = pd.cut(drawn[name].dropna(), [-np.inf, *ends['max'][:-1], np.inf], labels=False)
        known = cut[name].dropna().map({level: place for place, level in enumerate(ends.index)})
        assert (places - known).abs().max() <= 1
    if edges == 'width':
        assert cut['whole'].value_counts().between(29, 31).all()


def test_unknown_edges_are_refused() -> None:
    with pytest.raises(ValueError, match=r"edges must be one of \['width', 'kmeans'\]"):
        Binned(Repeated(), [], edges='mass')


def test_the_synthesizer_inside_sees_categories_only(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def build_ours(request: Request) -> Repeated:
        asked.append(request)
        return Repeated()

    monkeypatch.setattr(binned, 'build_ours', build_ours)
    text = 'tabdar-binned:edges=width,bins=5,width=8'
    made = binned.build(Request(parse_spec(text), load_dataset(prepared, 'one'), seed=0))
    [request] = asked
    assert request.spec.options == {'width': 8}
    assert set(request.dataset.sdtypes.values()) == {'categorical'}
    assert made.numerical == ['age', 'wage']
