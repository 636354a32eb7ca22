"""Hidden cells filled again by a model that is fitted once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_tabdar.benchmark.experiments.declared import EXPERIMENTS


def test_a_model_is_fitted_once_for_all_commands(
    tmp_path: Path, ask_tiny: Callable[..., str], called: list[dict[str, Any]]
) -> None:
    asked = ('imputation', '--methods', 'mean/mode', '--num-samples', 2, '--test-rows', 10)
    printed = ask_tiny(*asked)
    assert '| one: tabdar |' in printed
    assert '| one: mean/mode |' in printed
    assert '30% of the cells of the test rows hidden' in printed
    assert '| one | kind |' in ask_tiny('prediction')
    asked_for = [call['function'].rpartition('.')[2] for call in called]
    assert asked_for == ['fit', 'imputation:measure', 'prediction:measure']
    # Again, and nothing is done; with other settings it is another measurement of the same model.
    assert ask_tiny(*asked).partition('###')[2] == printed.partition('###')[2]
    assert len(called) == 3
    ask_tiny(*asked, '--share', 0.5)
    assert len(called) == 4
    assert len(pd.read_csv(tmp_path / 'out' / 'imputation.csv')) == 2


def test_rows_filled_elsewhere_are_scored_beside_ours(
    tmp_path: Path, ask_tiny: Callable[..., str], called: list[dict[str, Any]]
) -> None:
    asked = ('imputation', '--num-samples', 2, '--gaps', tmp_path / 'gaps')
    ask_tiny(*asked, '--methods', 'mean/mode')
    gaps = pd.read_csv(tmp_path / 'gaps' / 'one_0.csv')
    assert gaps.isna().to_numpy().mean() > 0.2
    filled = gaps.fillna({'age': 40, 'wage': 0, 'code': 1, 'kind': 'a'})
    filled.to_csv(tmp_path / 'one_0.csv', index=False)
    method = f'elsewhere=csv:{tmp_path}/{{table}}_{{seed}}.csv'
    printed = ask_tiny(*asked, '--methods', method)
    assert '| one: elsewhere |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'imputation.csv').set_index('method')
    assert rows.loc['elsewhere', 'rmse'] > 0
    assert rows.loc['elsewhere', ['train_rows', 'fit_seconds']].isna().all()


def test_imputation_refuses_nonsense(ask_tiny: Callable[..., str]) -> None:
    printed = ask_tiny('imputation', '--methods', 'magic', code=2)
    assert 'it must be one of mean/mode, knn' in printed
    assert "or look like NAME=csv:PATH, but it is 'magic'" in printed
    printed = ask_tiny('imputation', '--share', 1, code=2)
    assert '--share: must be below 1, but it is 1' in printed


def test_the_best_imputation_of_a_table_is_marked() -> None:
    common = {'table': 'one', 'train_rows': 9, 'fit_seconds': 1.0, 'fill_seconds': 2.0}
    rows = [
        {**common, 'method': 'tabdar', 'rmse': 0.5, 'mae': None, 'accuracy': 0.8},
        {**common, 'method': 'knn', 'rmse': 0.50001, 'mae': None, 'accuracy': 0.7},
    ]
    [grid] = EXPERIMENTS['imputation'].tables(pd.DataFrame(rows))
    (_, ours), (_, other) = grid.rows
    assert [cell.best for cell in ours[:3]] == [True, False, True]
    assert [cell.best for cell in other[:3]] == [True, False, False]
    assert [cell.text for cell in ours] == ['0.5000', '-', '0.8000', '9', '1.0', '2.0']


def test_imputers_of_another_python_stand_beside_ours(
    tmp_path: Path, ask_tiny: Callable[..., str], called: list[dict[str, Any]]
) -> None:
    python = tmp_path / 'python'
    python.write_text('#!/bin/sh\nexit 1\n')
    python.chmod(0o755)
    asked = ('imputation', '--methods', 'mot', '--hyperimpute-python', python)
    printed = ask_tiny(*asked, '--num-samples', 2, '--test-rows', 10, code=1)
    assert 'needs the package hyperimpute' in printed
