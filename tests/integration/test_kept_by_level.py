"""What holds in the rows of one level alone is so in what comes out: loans that were paid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 800
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'numerical'} for name in ('rate', 'term', 'paid')},
    **{name: {'sdtype': 'categorical'} for name in ('status', 'grade')},
}


def table(num_rows: int = N) -> pd.DataFrame:
    """Loans of which half were paid, all rates of them, and of the others some rates."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'rate': random.gamma(9, 30, num_rows).round(2)})
    frame['term'] = random.choice([24, 36, 48, 60], num_rows)
    frame['status'] = random.choice(['paid', 'running', 'lost'], num_rows, p=[0.5, 0.4, 0.1])
    so_far = (random.random(num_rows) * frame['term'] * frame['rate'] * 0.9).round(2)
    whole = (frame['term'] * frame['rate']).round(2)
    frame['paid'] = np.where(frame['status'] == 'paid', whole, so_far)
    frame['grade'] = random.choice(['a', 'b'], num_rows)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows of loans that were paid something else was."""
    found = (rows['term'] * rows['rate'] - rows['paid']).abs() > 0.00501
    return int((found & (rows['status'] == 'paid')).sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def holds(rows: pd.DataFrame) -> pd.Series:
    return (rows['term'] * rows['rate'] - rows['paid']).abs() < 0.00501


def test_it_holds_in_the_rows_of_the_level_and_in_no_others(
    synthesizer: TabDARSynthesizer,
) -> None:
    rows = synthesizer.sample(900)
    is_paid = rows['status'] == 'paid'
    assert holds(rows)[is_paid].mean() > 0.98
    assert holds(rows)[~is_paid].mean() < 0.03


@pytest.mark.parametrize('status', ['paid', 'lost'])
def test_conditions(synthesizer: TabDARSynthesizer, status: str) -> None:
    given = {'status': status, 'term': 36}
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=100)])
    assert (rows[[*given]] == [*given.values()]).all(axis=None)
    assert (holds(rows).mean() > 0.95) == (status == 'paid')


@pytest.mark.parametrize('num_samples', [1, 4])
def test_gaps(synthesizer: TabDARSynthesizer, num_samples: int) -> None:
    gaps = table().head(300).assign(paid=np.nan)
    filled = synthesizer.impute(gaps, num_samples=num_samples)
    is_paid = filled['status'] == 'paid'
    assert holds(filled)[is_paid].mean() > 0.98
    assert holds(filled)[~is_paid].mean() < 0.03


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    rows = TabDARSynthesizer.load_safe(path).sample(100, seed=1)
    pd.testing.assert_frame_equal(rows, synthesizer.sample(100, seed=1))
    assert any("'rate' * 'term'" in line or "'term' * 'rate'" in line for line in KEPT.logged)
