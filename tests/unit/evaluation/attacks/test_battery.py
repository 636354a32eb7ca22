"""All attacks, and what they reach by chance."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation.attacks.battery import (
    ATTACKS,
    battery_table,
    learnt,
    run_battery,
)
from sdv_tabdar.evaluation.attacks.rates import rates


@pytest.fixture(scope='module')
def honest_battery(honest_case):
    return run_battery(honest_case)


@pytest.fixture(scope='module')
def copied_battery(copied_case):
    return run_battery(copied_case)


def test_on_an_honest_sample_the_worst_attack_is_at_its_floor(honest_battery):
    worst = next(iter(honest_battery.found.values()))
    assert worst.auc <= np.quantile(honest_battery.worst_chance, 0.975) + 0.01
    assert 0.5 < honest_battery.worst_chance.mean() < 0.56


def test_copies_are_found_by_the_worst_attack_and_not_by_chance(copied_battery):
    worst = next(iter(copied_battery.found.values()))
    assert worst.auc > 0.65
    assert copied_battery.worst_chance.max() < worst.auc


def test_of_each_attack_the_floor_is_guessing(honest_battery):
    for name, by_chance in honest_battery.chance.items():
        assert by_chance[:, 0].mean() == pytest.approx(0.5, abs=0.06), name


def test_attacks_that_need_a_model_are_left_out_without_one(honest_battery):
    assert set(honest_battery.found) == {
        name for name, attack in ATTACKS.items() if not attack.has_model
    } & set(honest_battery.found)
    assert 'likelihood' not in honest_battery.found


def test_the_table_has_the_worst_first_with_intervals(copied_battery):
    table = battery_table(copied_battery)
    assert list(table['attack']) == list(copied_battery.found)
    for key in ('auc', 'tpr_1', 'tpr_10'):
        assert (table[f'{key}_low'] <= table[key] + 1e-9).all()
        assert (table[key] <= table[f'{key}_high'] + 1e-9).all()
    assert set(table['access']) == {'rows'}


def test_the_same_seed_gives_the_same_battery(copied_case, copied_battery):
    again = run_battery(copied_case)
    assert again.found == copied_battery.found
    assert (again.worst_chance == copied_battery.worst_chance).all()


def test_of_features_that_say_nothing_nothing_is_learnt():
    learned = learnt(np.ones((90, 3)), np.arange(30), np.arange(30, 90), np.random.default_rng(0))
    assert rates(learned[:30], learned[30:]).auc == pytest.approx(0.5, abs=0.02)
