"""Who is attacked."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation.attacks.case import MEMBERS
from sdv_tabdar.evaluation.context import NotComputableError


def test_nobody_is_attacked_whom_the_attacker_has(honest_case, holdout):
    both = np.concatenate([honest_case.others, honest_case.reference])
    assert sorted(both) == list(range(len(holdout)))
    assert len(honest_case.members) == 400
    assert len(honest_case.rows) == len(honest_case.points) == len(honest_case)


def test_large_tables_are_attacked_in_part(make_case, real, honest, holdout, types):
    large = real.sample(MEMBERS + 50, replace=True, random_state=0)
    case = make_case(large, honest, holdout, types)
    assert len(case.members) == len(set(case.members)) == MEMBERS


def test_outliers_are_a_tenth_of_both(honest_case):
    count = len(honest_case.members)
    assert honest_case.is_outlier[:count].mean() == pytest.approx(0.1, abs=0.06)
    assert honest_case.is_outlier[count:].mean() == pytest.approx(0.1, abs=0.06)


def test_a_few_rows_are_not_enough(make_case, real, honest, holdout, types):
    with pytest.raises(NotComputableError, match='need 20 training rows and 40 unseen ones, but'):
        make_case(real[:30], honest, holdout[:39], types)
