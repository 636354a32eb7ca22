"""Every yardstick on references and on synthesizers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import yardsticks
from sdv_tabdar.benchmark.experiments.yardsticks import yardstick_tables
from sdv_tabdar.evaluation.metrics import detectors

from .conftest import TINY


def test_from_references_to_tables(
    tmp_path: Path,
    on_one: Callable[..., str],
    called: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detectors, 'PANEL', {'detect_xgb': detectors.PANEL['detect_xgb']})
    monkeypatch.setattr(detectors, 'TREES', 3)
    monkeypatch.setattr(yardsticks, 'METRICS', ('shape', 'trend', 'dcr'))
    given = ['--likelihoods', '--synthesizers', 'real', 'copy', f'tabdar:{TINY},epochs=1']
    printed = on_one('yardsticks', *given)
    assert '| one: real |' in printed
    assert '| one: chain of boosted trees |' in printed
    assert '### Where the order is not the right one' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'yardsticks.csv')
    assert rows['detect_excess'][0] == 0
    assert rows['bits_held_out'].notna().tolist() == [True, False, True]
    done = len(called)
    assert on_one('yardsticks', *given).partition('###')[2] == printed.partition('###')[2]
    assert len(called) == done


def _rows(**values: dict[str, float]) -> pd.DataFrame:
    every = {stick.number.key for stick in yardsticks.YARDSTICKS}
    numbers = dict.fromkeys(every, 0.5) | {'bits_held_out': float('nan'), 'bits_train': 1.0}
    begin = {'table': 'one', 'seed': 0}
    return pd.DataFrame(
        [
            {**begin, 'kind': kind, 'synthesizer': kind, **numbers, **own}
            for kind, own in values.items()
        ]
    )


def test_an_order_that_is_not_right_is_named() -> None:
    right = {'dcr_share': 0.5, 'xgb_c2st': 1.0, 'shape_error': 0.01}
    rows = _rows(
        real=right,
        copy={'dcr_share': 1.0, 'xgb_c2st': 0.3, 'shape_error': 0.01},
        independent={'dcr_share': 0.5, 'xgb_c2st': 0.1, 'shape_error': 0.5},
        ctgan={'dcr_share': 0.5, 'xgb_c2st': 1.2, 'shape_error': 0.02},
    )
    told = {label: cells[0].text for label, cells in yardstick_tables(rows)[-1].rows}
    assert told['Shape, %'] == 'independent columns count as worse'
    assert told['XGB-C2ST, training rows'] == 'a copy counts as worse; ctgan better than real rows'
    assert told['Near-share'] == '-'
    assert told['beta-recall'] == 'copies are not seen; independent columns pass'
    assert set(told.values()) > {'-'}
    assert yardstick_tables(rows[rows['kind'] == 'copy'])[-1].rows[0][1][0].text == 'no real rows'
