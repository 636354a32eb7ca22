"""One synthesizer that several threads ask at a time answers each as if it were alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import COLUMNS, TINY, make_metadata, make_table


def test_a_file_is_written_between_the_draws_of_others(tmp_path: Path) -> None:
    columns = {name: COLUMNS[name] for name in ('key', 'age')}
    table = make_table(80)[list(columns)]
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='key'), **TINY)
    synthesizer.fit(table)
    expected = synthesizer.sample(10, seed=1)

    def write(number: int) -> Path:
        synthesizer.save_safe(tmp_path / f'{number}.tabdar')
        return tmp_path / f'{number}.tabdar'

    with ThreadPoolExecutor(3) as threads:
        for seed in range(6):
            threads.submit(synthesizer.sample, 20, seed=seed)
        paths = list(threads.map(write, range(6)))
    for path in paths:
        loaded = TabDARSynthesizer.load_safe(path)
        pd.testing.assert_frame_equal(loaded.sample(10, seed=1), expected)


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
