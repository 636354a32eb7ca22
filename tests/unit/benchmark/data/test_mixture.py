"""Conditional distributions of mixed numbers in groups."""

from __future__ import annotations

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.distributions import compare
from sdv_tabdar.benchmark.data.known_tables import SPIKED, spiked_table
from sdv_tabdar.conditions import OneOf


def test_a_set_of_spikes_has_the_masses_of_the_spikes() -> None:
    distribution = SPIKED.distribution({'x': OneOf([0.0, 20.0])}, 'x')
    assert distribution.masses == pytest.approx({0.0: 0.6 / 0.9, 20.0: 0.3 / 0.9})
    frame = spiked_table(2**16).frame
    share = (frame['x'] == 0).sum() / frame['x'].isin([0, 20]).sum()
    assert distribution.masses[0.0] == pytest.approx(share, abs=1e-3)
    # No value within the set is anything else.
    [check] = compare(pd.DataFrame({'x': [0.0, 0.0, 20.0]}), 'x', distribution)
    assert check.distance == pytest.approx(0, abs=1e-9)
