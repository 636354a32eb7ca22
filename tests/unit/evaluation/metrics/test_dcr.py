"""Distances to the closest record."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import score
from sdv_tabdar.evaluation.columns import resolve_columns
from sdv_tabdar.evaluation.metric import Reading
from sdv_tabdar.evaluation.metrics import dcr as dcr_module
from sdv_tabdar.evaluation.metrics.dcr import closer_share
from sdv_tabdar.evaluation.neighbours import Points, to_points


@pytest.fixture
def points_of(real, types):
    def build(*frames):
        columns = resolve_columns(types)
        return to_points(
            real.assign(**{c: real[c].astype(str) for c in columns.categories}),
            columns,
            *(f.assign(**{c: f[c].astype(str) for c in columns.categories}) for f in frames),
        )

    return build


def test_honest_rows_are_no_closer_to_train(real, honest, holdout, types):
    ours = score(real, honest, types, holdout, metrics=['dcr'])
    assert ours['dcr_share_low'] < 0.5 < ours['dcr_share_high']
    assert ours['dcr_share_low'] < ours['dcr_share'] < ours['dcr_share_high']
    assert ours['copies'] == ours['copies_holdout'] == 0
    assert ours['dcr_median'] == pytest.approx(ours['dcr_median_holdout'], rel=0.1)


def test_copy_of_train_is_caught_by_all(real, holdout, types):
    copy = real.sample(frac=1, random_state=0)
    ours = score(real, copy, types, real_test=holdout.iloc[:400], metrics=['dcr'])
    equal = score(real[:600], real[:600], types, real_test=holdout, metrics=['dcr'])
    assert equal['dcr_share'] == 1
    # A third of the training rows is in each draw; the other copies toss a coin.
    assert ours['dcr_share'] > 0.6
    assert ours['copies'] == 1


def test_what_columns_have_by_themselves_stands_beside_it(real, honest, holdout, types):
    ours = score(real, honest, types, holdout, metrics=['dcr'])
    assert 0.45 < ours['dcr_share_columns'] < 0.6
    # of one column nothing is lost by shuffling it
    numbers = pd.DataFrame({'x': np.random.default_rng(0).random(200)})
    alone = score(numbers, numbers + 0.5, {'x': 'numerical'}, numbers + 1e-3, metrics=['dcr'])
    assert alone['dcr_share_columns'] > 0.9


def test_the_verdict_says_if_shuffled_columns_are_as_close():
    def words(low, columns):
        scores = {'dcr_share_low': low, 'dcr_share_columns': columns}
        return dcr_module.closeness(Reading(low + 0.02, 0.5, 'floor', scores)).words

    assert words(0.49, 0.52) == 'no sign of copying'
    assert words(0.51, 0.516) == (
        'slightly closer to the rows trained on; shuffled columns are as close (0.516)'
    )
    assert words(0.53, 0.516) == 'slightly closer to the rows trained on'
    assert words(0.56, 0.57).startswith('clearly closer to the rows trained on; shuffled')
    assert words(0.53, float('nan')) == 'slightly closer to the rows trained on'


def test_copy_of_the_holdout_is_on_the_other_side(real, holdout, types):
    assert score(real, holdout, types, holdout, metrics=['dcr'])['dcr_share'] < 0.3


def test_ties_are_split_and_the_published_count_leaves_them_out():
    types = {'k': 'categorical'}
    table = pd.DataFrame({'k': ['a', 'b'] * 20})
    ours = score(table, table, types, table, metrics=['dcr'], paper_compatible=True)
    assert ours['dcr_share'] == 0.5
    assert ours['dcr_share_paper'] == 0


def test_holdout_of_another_size_is_no_bias(real, honest, types, points_of):
    small = honest.iloc[:150]
    rest = honest.iloc[150:]
    synthetic = points_of(rest)[1]
    real_points, holdout_points = points_of(small)
    found = closer_share(synthetic, real_points, holdout_points, seed=0)
    assert found.share == pytest.approx(0.5, abs=0.08)
    assert found.to_real.shape == found.to_holdout.shape == (len(rest),)
    swapped = closer_share(synthetic, holdout_points, real_points, seed=0)
    assert found.share + swapped.share == pytest.approx(1, abs=0.03)


def test_the_interval_knows_that_which_rows_were_held_out_is_chance():
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        # Rows in a dense middle are the nearest of many: the share varies more than a coin's.
        rows = rng.standard_normal((400, 12)) * rng.exponential(size=(400, 1))
        parts = [Points(part, np.zeros((0, len(part)), np.uint8)) for part in np.split(rows, 4)]
        synthetic = Points(np.concatenate([p.numbers for p in parts[:2]]), np.zeros((0, 200)))
        found.append(closer_share(synthetic, parts[2], parts[3], seed=seed))
    covered = [one.low <= 0.5 <= one.high for one in found]
    spread, width = (
        np.std([one.share for one in found]),
        np.mean([(one.high - one.low) / 2 / 1.96 for one in found]),
    )
    assert spread > 1.2 * 0.5 / 200**0.5
    assert width == pytest.approx(spread, rel=0.25)
    assert np.mean(covered) >= 0.9


def test_a_small_holdout_uses_part_of_train(real, honest, types, monkeypatch):
    expected = score(real, honest[:300], types, honest[300:320], metrics=['dcr'])
    monkeypatch.setattr(dcr_module, 'MAX_GROUPS', 20)
    ours = score(real, honest[:300], types, honest[300:320], metrics=['dcr'])
    assert ours['dcr_share'] == pytest.approx(expected['dcr_share'], abs=0.15)
    assert ours['dcr_median'] == expected['dcr_median']


def test_without_a_holdout_copies_are_still_counted(real, types):
    ours = score(real, real, types, metrics=['dcr'])
    assert ours == {'copies': 1.0, 'dcr_median': 0.0}
