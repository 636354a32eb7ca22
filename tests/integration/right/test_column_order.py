"""What a model that has learnt one order of the columns can be asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Range
from sdv.sampling import Condition

from sdv_tabdar import Between, OneOf, TabDARSynthesizer

from ..conftest import TINY, fit_tiny, make_metadata

RANDOM = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        'first': RANDOM.integers(0, 100, 120),
        'second': RANDOM.random(120).round(2),
        'third': RANDOM.choice(list('abc'), 120),
    }
)
COLUMNS = {
    'first': {'sdtype': 'numerical'},
    'second': {'sdtype': 'numerical'},
    'third': {'sdtype': 'categorical'},
}


@pytest.fixture(scope='module')
def fixed() -> TabDARSynthesizer:
    return fit_tiny(DATA, COLUMNS, column_order='fixed')


def test_leading_columns_can_be_given(fixed: TabDARSynthesizer) -> None:
    known = DATA[['first', 'second']].head(4)

    pd.testing.assert_frame_equal(fixed.sample_remaining_columns(known)[list(known)], known)
    ranged = fixed.sample_from_conditions([Condition({'first': Between(20, 40)}, num_rows=5)])
    assert ranged['first'].between(20, 40).all()
    gaps = DATA.head(4).assign(third=[None, 'a', None, 'b'])
    assert fixed.impute(gaps)['third'].notna().all()
    assert np.isfinite(fixed.log_likelihood(DATA.head(3))).all()
    assert fixed.predict_proba(DATA.head(3), 'third').shape == (3, 3)


@pytest.mark.parametrize(
    'known', [{'third': 'a'}, {'second': 0.5}, {'third': 'a', 'first': 5}], ids=str
)
def test_columns_behind_unknown_ones_cannot_be_given(
    fixed: TabDARSynthesizer, known: dict[str, object]
) -> None:
    """Left to right, a column says nothing of those before it: the model never learnt that."""
    with pytest.raises(ValueError, match=r"column_order='fixed'"):
        fixed.sample_from_conditions([Condition(known, num_rows=2)])
    with pytest.raises(ValueError, match=r"column_order='fixed'"):
        fixed.sample_remaining_columns(pd.DataFrame([known]))


def test_ranges_behind_unknown_columns_cannot_be_given(fixed: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match=r"'second'.*column_order='fixed'"):
        fixed.sample_from_conditions([Condition({'second': Between(0.2, 0.3)}, num_rows=2)])


def test_gaps_before_known_cells_cannot_be_filled(fixed: TabDARSynthesizer) -> None:
    gaps = DATA.head(4).astype({'first': float})
    gaps.loc[1, 'first'] = np.nan

    with pytest.raises(ValueError, match=r"column_order='fixed'"):
        fixed.impute(gaps)


def test_a_column_cannot_be_predicted_from_later_ones(fixed: TabDARSynthesizer) -> None:
    with pytest.raises(ValueError, match=r"column_order='fixed'"):
        fixed.predict_quantiles(DATA.head(2), 'first')


def test_trailing_gaps_are_filled_where_cells_may_be_missing() -> None:
    """That a cell must not stay missing is no knowledge of it, and may be asked of any column."""
    data = DATA.astype({'first': float})
    data.loc[::3, ['second', 'third']] = None
    synthesizer = fit_tiny(data, COLUMNS, column_order='fixed')

    assert synthesizer.impute(data).notna().all(axis=None)
    assert synthesizer.impute(data[['first']], num_draws=2)[1].notna().all(axis=None)


@pytest.fixture(scope='module')
def ordered() -> TabDARSynthesizer:
    low = RANDOM.integers(0, 100, 120)
    data = pd.DataFrame({'lo': low, 'mid': low + 3, 'hi': low + 9, 'x': RANDOM.random(120)})
    data[['mid', 'hi']] += RANDOM.integers(0, 6, (120, 1))
    synthesizer = TabDARSynthesizer(
        make_metadata({name: {'sdtype': 'numerical'} for name in data}),
        **{**TINY, 'column_order': 'fixed'},
    )
    synthesizer.add_constraints([Range('lo', 'mid', 'hi')])
    synthesizer.fit(data)
    return synthesizer


@pytest.mark.parametrize('known', [OneOf([50]), OneOf([50, 60]), Between(50, 60)], ids=repr)
def test_columns_that_a_constraint_makes_are_named_by_those_of_the_user(
    ordered: TabDARSynthesizer, known: object
) -> None:
    order = r"in the order 'lo', 'x', 'mid' - 'lo', 'hi' - 'mid', which of 'lo', 'mid', 'hi' are"
    with pytest.raises(ValueError, match=order) as refused:
        ordered.sample_from_conditions([Condition({'mid': known}, num_rows=2)])
    assert '#' not in str(refused.value)
    with pytest.raises(ValueError, match=f"'lo' cannot be predicted from 'x'.*{order}"):
        ordered.predict_quantiles(pd.DataFrame({'x': [0.5]}), 'lo')
