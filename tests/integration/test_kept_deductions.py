"""What is so much of a total, and part of another one, is so in what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 500
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'numerical'} for name in ('base', 'extra', 'gross', 'tax', 'fund', 'net')},
    'group': {'sdtype': 'categorical'},
}


def table(num_rows: int = N) -> pd.DataFrame:
    """Pay slips: a total, two shares of it, and what is left."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.gamma([20, 2], [30, 40], (num_rows, 2)), columns=['base', 'extra'])
    frame = frame.round(2)
    frame['gross'] = (frame['base'] + frame['extra']).round(2)
    frame['tax'], frame['fund'] = ((share * frame['gross']).round(2) for share in (0.12, 0.0765))
    frame['net'] = (frame['gross'] - frame['tax'] - frame['fund']).round(2)
    frame['group'] = random.choice(['a', 'b'], num_rows)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a sum or a share is off by more than rounding."""
    found = (rows['base'] + rows['extra'] - rows['gross']).abs() > 0.0001
    found |= (0.12 * rows['gross'] - rows['tax']).abs() > 0.00501
    found |= (0.0765 * rows['gross'] - rows['fund']).abs() > 0.00501
    found |= (rows['gross'] - rows['tax'] - rows['fund'] - rows['net']).abs() > 0.0001
    return int(found.sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    assert broken(synthesizer.sample(600)) == 0
    line = "'fund' is 0.0765 times 'gross' in all rows, and will be in drawn ones."
    assert line in KEPT.logged


def test_conditions(synthesizer: TabDARSynthesizer) -> None:
    KEPT.check_conditions(synthesizer, {'gross': 700.0})
    KEPT.check_conditions(synthesizer, {'base': 600.0, 'group': 'a'})


@pytest.mark.parametrize('hidden', [['fund', 'net'], ['gross', 'tax', 'fund']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str]) -> None:
    KEPT.check_gaps(synthesizer, hidden, 1)
