"""Options come from what experiments declare; numbers without sense are refused."""

from __future__ import annotations

import argparse

import pytest

from sdv_tabdar.benchmark.experiments.declared import EXPERIMENTS
from sdv_tabdar.benchmark.experiments.options import (
    OPTIONS,
    REQUIRED,
    add_options,
    whole,
)


def parsed(defaults: dict[str, object], *arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser, defaults)
    return parser.parse_args(arguments)


def test_options_have_their_flags_kinds_and_defaults() -> None:
    defaults = {'data': REQUIRED, 'table_rows': 100, 'seeds': [0], 'floors': False, 'others': []}
    options = parsed(defaults, '--data', 'd', '--rows', '1e3', '--seeds', '1', '2', '--others')
    assert vars(options) == {
        'data': 'd',
        'table_rows': 1000,
        'seeds': [1, 2],
        'floors': False,
        'others': [],
    }
    with pytest.raises(SystemExit):
        parsed(defaults)
    with pytest.raises(SystemExit):
        parsed({'methods': ['knn']}, '--methods', 'nonsense')


def test_every_option_is_used_and_every_used_one_is_there() -> None:
    used = {name for experiment in EXPERIMENTS.values() for name in experiment.options}
    assert used == set(OPTIONS)


def test_every_experiment_has_seeds_but_the_one_without_chance() -> None:
    without = [name for name, found in EXPERIMENTS.items() if 'seeds' not in found.options]
    assert without == ['solver']


@pytest.mark.parametrize(
    ('option', 'value', 'message'),
    [
        ('repeats', '0', '--repeats: must be at least 1, but it is 0'),
        ('share', '1', '--share: must be below 1, but it is 1'),
        ('share_of_ctgan', '0', '--share: must be above 0, but it is 0'),
        ('table_rows', '99', '--rows: must be at least 100, but it is 99'),
    ],
)
def test_numbers_without_sense_are_refused(
    option: str, value: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parsed({option: 1}, message.partition(':')[0], value)
    assert message in capsys.readouterr().err


def test_bounds_themselves_may_be_allowed() -> None:
    options = parsed({'repeats': 5, 'reserve': 2.0}, '--repeats', '1', '--reserve', '0')
    assert vars(options) == {'repeats': 1, 'reserve': 0.0}


@pytest.mark.parametrize('text', ['', 'many', '1.5', 'inf'])
def test_a_whole_number_is_one(text: str) -> None:
    assert whole('1e6') == 1_000_000
    with pytest.raises(argparse.ArgumentTypeError, match=f"whole number, but it is '{text}'"):
        whole(text)
