"""Ray, where it is installed: it starts the ranks of a training, and computes frames of Dask.

``pip install 'ray[train]'``: 240 MB that start slowly, so that they are not in the constraints.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from torch import distributed as torch_distributed

from sdv_tabdar import TabDARSynthesizer, distributed

from ..ranks import in_ranks
from .conftest import TINY, fit_tiny, make_metadata

ray = pytest.importorskip('ray')

pytestmark = [
    pytest.mark.filterwarnings('ignore'),  # Ray's own
    pytest.mark.changes_random_state('Ray draws from the global generators'),
]

COLUMNS: dict[str, dict[str, Any]] = {
    'size': {'sdtype': 'numerical'},
    'kind': {'sdtype': 'categorical'},
}


def _table() -> pd.DataFrame:
    return pd.DataFrame({'size': [1.0, 2.5, None, 4.0] * 20, 'kind': ['a', 'a', 'b', 'c'] * 20})


@pytest.fixture
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_ray_train_learns_what_other_ranks_do(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    train = pytest.importorskip('ray.train')
    torch_trainer = pytest.importorskip('ray.train.torch').TorchTrainer
    metadata, table, settings = make_metadata(COLUMNS), _table(), TINY

    def weights(_: int) -> dict[str, Any]:
        synthesizer = TabDARSynthesizer(metadata, **settings)
        synthesizer.fit(table)
        state = synthesizer._fitted_table.model.trained.to_state()['weights']
        return {name: values.numpy().tobytes() for name, values in state.items()}

    def work() -> None:
        rank = torch_distributed.get_rank()
        (tmp_path / f'weights_{rank}').write_bytes(pickle.dumps(weights(rank)))

    expected = in_ranks(weights, tmp_path / 'ranks')  # copies this process, still without Ray
    request.getfixturevalue('cluster')
    torch_trainer(
        work,
        scaling_config=train.ScalingConfig(num_workers=2),
        run_config=train.RunConfig(storage_path=str(tmp_path)),
    ).fit()

    found = [pickle.loads((tmp_path / f'weights_{rank}').read_bytes()) for rank in range(2)]
    assert found == expected


def test_frames_of_dask_are_computed_by_ray(cluster: None) -> None:
    dd = pytest.importorskip('dask.dataframe')
    get = pytest.importorskip('ray.util.dask').ray_dask_get
    small = fit_tiny(_table(), COLUMNS)
    rows = small.BLOCK_ROWS + 5
    drawn = distributed.sample(small, rows, seed=1, rows_per_partition=small.BLOCK_ROWS)
    filled = distributed.impute(small, dd.from_pandas(_table(), npartitions=2), seed=1)

    for frame in (drawn, filled):
        expected = frame.compute(scheduler='sync')
        pd.testing.assert_frame_equal(frame.compute(scheduler=get), expected)
    assert filled.compute(scheduler=get).notna().all(axis=None)
