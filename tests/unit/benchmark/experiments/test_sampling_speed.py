"""Draws are timed after one that does not count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd


def test_the_first_draw_is_left_out(
    tmp_path: Path, bootstrap: str, on_one: Callable[..., str], called: list[dict[str, Any]]
) -> None:
    asked = ['--synthesizers', f'boot={bootstrap}', '--repeats', 3, '--sample-rows', 50]
    printed = on_one('sampling-speed', *asked)
    assert '| one: boot | 50 |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'sampling_speed.csv')
    assert rows['rows'].tolist() == [50] * 3
    assert (rows['speed'] > 0).all()
    assert on_one('sampling-speed', *asked).partition('###')[2] == printed.partition('###')[2]
    assert len(called) == 1
