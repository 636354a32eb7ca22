"""One synthesizer that several threads ask at a time answers each as if it were alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import COLUMNS, TINY, make_metadata, make_table


def test_threads_do_not_mix_their_rows(tmp_path: Path) -> None:
    columns = {name: COLUMNS[name] for name in ('key', 'age', 'city')}
    table = make_table(80)[list(columns)]
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='key'), **TINY)
    synthesizer.fit(table)
    gaps = table.drop(columns='city')

    def ask(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        return synthesizer.sample(20, seed=seed), synthesizer.impute(gaps, seed=seed)

    alone = [ask(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(ask, np.arange(4)))
    for one, other in zip(alone, together, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            pd.testing.assert_frame_equal(mine, theirs)
    synthesizer.save_safe(tmp_path / 'saved.tabdar')
