"""``fit(..., warm_start=True)``: training goes on with other rows, levels and limits."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from sdv.utils import load_synthesizer

from sdv_tabdar import TabDARSynthesizer


def _table(num_rows: int, seed: int, *, shift: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    low = rng.normal(10, 2, num_rows).round(2)
    limit = 11 + rng.normal(0, 0.5, num_rows)  # else a new model knows at once what never meets
    return pd.DataFrame(
        {
            'plan': np.where(low > limit, 'plus', 'basic'),
            'low': low,
            'high': low + rng.exponential(3, num_rows).round(2) + 0.01 + shift,
            'since': pd.Timestamp('2024-01-01')
            + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D'),
            'visits': pd.array(np.where(rng.random(num_rows) < 0.1, None, 3), dtype='Int64'),
        }
    )


METADATA = Metadata.load_from_dict(
    {
        'tables': {
            'people': {
                'columns': {
                    'plan': {'sdtype': 'categorical'},
                    'low': {'sdtype': 'numerical'},
                    'high': {'sdtype': 'numerical'},
                    'since': {'sdtype': 'datetime'},
                    'visits': {'sdtype': 'numerical'},
                }
            }
        }
    }
)


SMALL = {'width': 32, 'num_blocks': 1, 'num_heads': 2, 'head_width': 32, 'denoiser_width': 32}


@pytest.fixture(scope='module')
def first() -> TabDARSynthesizer:
    synth = TabDARSynthesizer(METADATA, **SMALL, epochs=20, random_state=0)
    synth.add_constraints([Inequality('low', 'high', table_name='people')])
    synth.fit(_table(300, 0))
    return synth


def _copy(synth: TabDARSynthesizer, tmp_path: object) -> TabDARSynthesizer:
    path = f'{tmp_path}/synth.pkl'
    synth.save(path)
    return load_synthesizer(path)


def test_new_levels_and_limits_are_learnt(first: TabDARSynthesizer, tmp_path: object) -> None:
    synth = _copy(first, tmp_path)
    new = _table(100, 1, shift=40).assign(plan='family')
    synth.fit(pd.concat([_table(300, 0), new], ignore_index=True), warm_start=True)
    rows = synth.sample(500, seed=0)
    assert set(rows['plan']) == {'basic', 'plus', 'family'}
    assert rows['high'].max() > 40
    assert (rows['high'] > rows['low']).all()
    assert rows['visits'].dtype == 'Int64'
    share = synth.predict_proba(pd.DataFrame({'low': [10.0, 10.0], 'high': [53.0, 12.0]}), 'plan')
    assert share['family'].iloc[0] > share['family'].iloc[1]


def test_rows_of_a_narrower_range_cut_nothing(first: TabDARSynthesizer, tmp_path: object) -> None:
    synth, before = _copy(first, tmp_path), _table(300, 0)
    new = before[before['since'].between(*before['since'].quantile([0.1, 0.9]))]
    synth.fit(new, warm_start=True)
    dates, ends = synth.sample(500, seed=0)['since'], (new['since'].min(), new['since'].max())
    assert dates.between(before['since'].min(), before['since'].max()).all()
    assert (~dates.between(*ends)).mean() > 0.02
    assert dates.isin(ends).mean() < 0.05


def test_a_checkpoint_goes_on_with_new_levels_and_no_seed(
    first: TabDARSynthesizer, tmp_path: Path
) -> None:
    synth, path = _copy(first, tmp_path), tmp_path / 'fit.ckpt'
    synth.random_state = None
    new = pd.concat([_table(300, 0), _table(100, 1).assign(plan='family')], ignore_index=True)
    synth.epochs = 3
    again = copy.deepcopy(synth)
    synth.fit(new, warm_start=True, on_epoch_end=lambda _: True, checkpoint_path=path)
    again.fit(new, warm_start=True, checkpoint_path=path)
    assert len(again.get_loss_values()) == 3
    assert not path.exists()


def test_it_knows_more_than_a_new_model_after_one_pass(
    first: TabDARSynthesizer, tmp_path: object
) -> None:
    table = _table(330, 0)
    synth = _copy(first, tmp_path)
    fresh = TabDARSynthesizer(METADATA, **SMALL, epochs=1, random_state=0)
    fresh.add_constraints([Inequality('low', 'high', table_name='people')])
    synth.epochs = 1
    synth.fit(table, warm_start=True)
    fresh.fit(table)
    test = _table(200, 9)
    likelihoods = [
        model.log_likelihood(test, num_orders=2, unseen='rare', seed=0).mean()
        for model in (synth, fresh)
    ]
    assert likelihoods[0] > likelihoods[1]


def test_what_was_lost_is_still_possible(first: TabDARSynthesizer, tmp_path: object) -> None:
    synth = _copy(first, tmp_path)
    synth.fit(_table(200, 3).query("plan == 'basic'"), warm_start=True)
    assert 'plus' in synth.predict_proba(_table(2, 0), 'plan')


def test_without_anything_fitted_it_is_a_fit() -> None:
    rows = []
    for warm_start in (False, True):
        synth = TabDARSynthesizer(METADATA, **SMALL, epochs=1, random_state=0)
        synth.fit(_table(60, 0), warm_start=warm_start)
        rows.append(synth.sample(20, seed=1))
    pd.testing.assert_frame_equal(*rows)


def test_other_settings_of_the_network_are_refused(
    first: TabDARSynthesizer, tmp_path: object
) -> None:
    synth = _copy(first, tmp_path)
    before = synth.sample(10, seed=0)
    synth.width = 16
    with pytest.raises(ValueError, match='architecture that it began with'):
        synth.fit(_table(60, 0), warm_start=True)
    pd.testing.assert_frame_equal(synth.sample(10, seed=0), before)


def test_anything_but_a_flag_is_refused(first: TabDARSynthesizer) -> None:
    with pytest.raises(SynthesizerInputError, match="'warm_start' must be True or False"):
        first.fit(_table(60, 0), warm_start='yes')  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ('before', 'now', 'dtype'),
    [
        ([1.0, 2.0, None], [1, 2, 3], 'float64'),
        (['a', 'b', None], [1, 2, 3], 'object'),
        ([0.5, 1.5, 2.5], [1, 2, 3], 'float64'),
        (['1', '2', '3'], pd.array([1, 2, 3], dtype='Int64'), 'object'),
        ([True, False, None], [True, False, True], 'object'),
        ([1, 2, 3], [3, 4, 5], 'int64'),
    ],
)
def test_levels_of_before_come_back_as_they_were(before: list, now: list, dtype: str) -> None:
    tables = [pd.DataFrame({'level': pd.Series(cells).repeat(20)}) for cells in (before, now)]
    metadata = Metadata.load_from_dict(
        {'tables': {'table': {'columns': {'level': {'sdtype': 'categorical'}}}}}
    )
    synth = TabDARSynthesizer(metadata, epochs=1, random_state=0, verbose=False)
    for table in tables:
        synth.fit(table, warm_start=True)
    drawn = synth.sample(400, seed=0)['level']
    assert drawn.dtype == dtype
    known = {None if pd.isna(level) else level for level in [*before, *now]}
    assert {None if pd.isna(level) else level for level in drawn} == known
