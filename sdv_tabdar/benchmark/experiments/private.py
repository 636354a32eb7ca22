"""Synthesizers with one privacy budget each, beside each other.

Each is given the same epsilon and delta as a whole. TabularARGN asks for ranges and levels before
training with a budget of its own, which is taken off; dpmm takes a part for the bins of numbers,
and levels and limits from the rows, which it does not pay for. Ours is there twice: as it is, and
with these as public values.
"""

from __future__ import annotations

import argparse

from sdv_tabdar.benchmark.methods.spec import Spec, parse_options
from sdv_tabdar.benchmark.methods.synthesizers import OF_ROWS
from sdv_tabdar.benchmark.output.tables import METRICS, Number

DELTA = 1e-6
_RANGES_SHARE = 0.25  # of epsilon, of TabularARGN's ranges and levels; at most its default
_RANGES_MOST = 1.0

_SCORES = ('mle', 'trend_error', 'xgb_c2st', 'shape_error')
NUMBERS = (
    *(number for number in METRICS if number.key in _SCORES),
    Number('fit_cpu_seconds', 'Fit, processor s', 'low', 1, 0),
    Number('fit_seconds', 'Fit, s', 'low', 1, 0),
)


def specs(options: argparse.Namespace) -> list[str]:
    """Ours, and those whose Python is given, once for each of ``--epsilons``."""
    overrides = parse_options(options.settings, options.settings)
    found = []
    for epsilon in options.epsilons:
        budget = {'epsilon': epsilon, 'delta': DELTA}
        own = {**budget, **overrides}
        asked = [
            ('tabdar', Spec('', 'tabdar', own)),
            ('tabdar public', Spec('', 'tabdar', {**own, 'public_values': OF_ROWS})),
        ]
        if options.argn_python:
            ranges = min(_RANGES_SHARE * epsilon, _RANGES_MOST)
            theirs = {
                'max_epsilon': epsilon - ranges,
                'value_protection_epsilon': ranges,
                'delta': DELTA,
            }
            asked.append(('tabularargn', Spec('', 'tabularargn', {'differential_privacy': theirs})))
        if options.dpmm_python:
            for method in options.dpmm_methods:
                place = {'python': options.dpmm_python, 'method': method}
                asked.append((method, Spec('', 'dpmm', {**place, **budget})))
        found += [f'{name} epsilon {epsilon:g}={spec}' for name, spec in asked]
    return found
