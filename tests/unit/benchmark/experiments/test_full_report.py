"""The whole report of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest


@pytest.mark.usefixtures('scored')
def test_every_score_and_a_page(tmp_path: Path, bootstrap: str, on_one: Callable[..., str]) -> None:
    printed = on_one('full-report', '--synthesizers', f'boot={bootstrap}')
    assert '### one, boot' in printed
    assert '| shape_error |' in printed
    assert '60 training, 60 synthetic and 20 test rows' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'full_report.csv')
    assert {'shape_error', 'xgb_c2st', 'dcr_share'} <= set(rows['metric'])
    [page] = (tmp_path / 'out' / 'runs').rglob('full_report.html')
    assert 'boot on one' in page.read_text(encoding='utf-8')
