"""Scaling: questions, one small measurement, and the exponents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import scaling

SMALL = 'width=8,num_heads=2,denoiser_width=8,head_width=8'


def test_exponents() -> None:
    rows = []
    for sweep, size, work in (
        *(('columns', size, size**2) for size in (5, 10)),
        *(('levels', size, 4) for size in (10, 100)),
    ):
        numbers = dict.fromkeys((number.key for number in scaling.NUMBERS), float(work))
        table = {'table_rows': 1000, 'table_columns': 2, 'table_mib': 3.0}
        rows.append({'sweep': sweep, 'size': size, **numbers, **table})
    columns, levels = scaling.scaling_tables(pd.DataFrame(rows))
    assert [cell.text for cell in dict(columns.rows)['10']][:4] == ['100.00', '2.00', '100', '2.00']
    assert [cell.text for cell in dict(columns.rows)['5']][:2] == ['25.00', '-']
    assert [cell.text for cell in dict(levels.rows)['100']][:2] == ['4.00', '0.00']
    assert (
        levels.note == 'Tables of 1,000 rows and 2 columns; the largest takes 3 MiB as a DataFrame.'
    )
    assert scaling.exponent(1, 10, 0.0, 1.0) is None


def test_what_is_asked_about_a_size() -> None:
    assert scaling.question('rows', 100, [100], 50) == {
        'rows': 100,
        'columns': 10,
        'levels': None,
        'streamed': False,
        'sample_rows': 50,
    }
    streamed = scaling.question('streamed', 10**6, [10**6], 50)
    assert (streamed['streamed'], streamed['sample_rows']) == (True, 10**6)
    # Every level needs a row.
    levels = scaling.question('levels', 10, [10, 10**6], 50)
    assert (levels['rows'], levels['levels']) == (10**6, 10)


def test_the_command_measures_what_is_missing(
    tmp_path: Path, command: Callable[..., str], called: list[dict[str, Any]]
) -> None:
    asked = ['scaling', '--sweeps', 'rows', '--sizes', 50, 100, '--out', tmp_path]
    asked += ['--settings', SMALL, '--up-to', 'rows=50', '--seeds', 0, 1]
    printed = command(*asked)
    assert '### Scaling with rows' in printed
    assert len(called) == 2
    assert command(*asked).partition('###')[2] == printed.partition('###')[2]
    assert len(called) == 2
    assert '--sweeps must be of' in command('scaling', '--sweeps', 'depth', code=2)


@pytest.mark.parametrize('text', ['rows', 'rows=', 'rows=1.5', 'depth=3', 'rows=many'])
def test_a_limit_must_name_a_sweep_and_a_number(text: str) -> None:
    assert scaling.read_limits(['rows=1e5']) == {'rows': 100_000}
    with pytest.raises(ValueError, match=f"--up-to must look like SWEEP=N.*it is '{text}'"):
        scaling.read_limits([text])


@pytest.mark.parametrize('streamed', [False, True])
def test_one_measurement(streamed: bool) -> None:
    small = {'width': 8, 'num_heads': 2, 'denoiser_width': 8, 'head_width': 8}
    found = scaling.measure(200, 2, 20, streamed, 30, small, 0)['row']
    assert found['fit_seconds'] > 0
    assert found['sample_seconds'] > 0
    assert (found['table_rows'], found['table_columns']) == (200, 3)
    json.dumps(found)
