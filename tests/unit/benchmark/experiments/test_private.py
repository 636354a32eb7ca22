"""Synthesizers with one privacy budget each."""

from __future__ import annotations

import argparse

from sdv_tabdar.benchmark.experiments.private import DELTA, specs
from sdv_tabdar.benchmark.methods.spec import parse_spec


def options(**given: object) -> argparse.Namespace:
    empty = {'settings': '', 'argn_python': None, 'dpmm_python': None, 'dpmm_methods': ['mst']}
    return argparse.Namespace(**{**empty, 'epsilons': [1.0, 10.0], **given})


def test_ours_alone_with_and_without_public_values_for_each_budget() -> None:
    found = [parse_spec(text) for text in specs(options(settings='epochs=2'))]
    assert [spec.label for spec in found[:2]] == ['tabdar epsilon 1', 'tabdar public epsilon 1']
    assert found[2].options == {'epsilon': 10.0, 'delta': DELTA, 'epochs': 2}
    assert found[3].options == {**found[2].options, 'public_values': 'rows'}


def test_each_method_gets_the_same_budget_as_a_whole() -> None:
    texts = specs(options(argn_python='/a/python', dpmm_python='/b/python', dpmm_methods=['aim']))
    ours, _, argn, aim, *_ = (parse_spec(text) for text in texts)
    parts = argn.options['differential_privacy']
    assert isinstance(parts, dict)
    assert parts['max_epsilon'] + parts['value_protection_epsilon'] == ours.options['epsilon']
    assert parts['delta'] == aim.options['delta'] == DELTA
    assert aim.options['python'] == '/b/python'
    assert (aim.kind, aim.options['method'], aim.options['epsilon']) == ('dpmm', 'aim', 1.0)
