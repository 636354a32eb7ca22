"""Tables of known distributions by name, above all the wide ones."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.benchmark.data.distributions import compare
from sdv_tabdar.benchmark.data.named_tables import NAMES, known_table, wide_table
from sdv_tabdar.benchmark.experiments.options import OPTIONS


def test_every_name_can_be_asked_for() -> None:
    assert OPTIONS['known_tables'].choices == NAMES
    assert known_table('spiked') is known_table('spiked')


def test_a_wide_table_has_its_columns_and_its_entropy() -> None:
    known = wide_table(16)
    frame = known.mixture.table(4096, seed=1)
    assert list(frame) == list(known.sdtypes)
    assert frame.shape == (4096, 16)
    assert (frame['x1'] == 0).any()
    logs = known.mixture.log_density(frame)
    assert -logs.mean() == pytest.approx(known.entropy, abs=0.1)


def test_many_known_columns_say_more_of_the_group_than_few() -> None:
    known = wide_table(30)
    by_group, few, many = known.cases(10)
    assert set(by_group.given) == {'group'}
    entropies = []
    for case in (few, many):
        masses = np.array(list(case.distributions['group'].masses.values()))
        assert masses.sum() == pytest.approx(1)
        entropies.append(-(masses * np.log(masses.clip(1e-300))).sum())
    assert entropies[1] < entropies[0]


def test_the_distribution_given_the_group_is_that_of_its_rows() -> None:
    known = wide_table(20)
    frame = known.mixture.table(2**14)
    [case] = [case for case in known.cases(10) if set(case.given) == {'group'}]
    rows = frame[frame['group'] == case.given['group']]
    for column, distribution in case.distributions.items():
        for check in compare(rows[column], distribution):
            assert check.distance < check.bound + 0.01, (column, check)
