"""SDGym runs the synthesizer, with a time limit and without (where SDGym is installed)."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer

sdgym = pytest.importorskip('sdgym', exc_type=ImportError)

NAMES = ['orders', 'visits']


class QuickTabDAR(sdgym.synthesizers.base.BaselineSynthesizer):  # type: ignore[misc]
    """What the documentation shows: a class that a process of its own can import."""

    _MODALITY_FLAG = 'single_table'
    _NATIVELY_SUPPORTED = False

    def get_trained_synthesizer(self, data: pd.DataFrame, metadata: Any) -> TabDARSynthesizer:
        synthesizer = TabDARSynthesizer(
            Metadata.load_from_dict(metadata), epochs=2, width=8, num_heads=1
        )
        synthesizer.fit(data)
        return synthesizer

    def sample_from_synthesizer(self, synthesizer: TabDARSynthesizer, n_samples: int) -> Any:
        return synthesizer.sample(n_samples)


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    for name in NAMES:
        kind = random.choice(['a', 'b'], 200)
        number = random.normal(np.where(kind == 'a', 0, 5), 1).round(2)
        folder = tmp_path / 'single_table' / name
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / 'data.zip', 'w') as archive:
            rows = pd.DataFrame({'kind': kind, 'number': number})
            archive.writestr(f'{name}.csv', rows.to_csv(index=False))
        columns = {'kind': {'sdtype': 'categorical'}, 'number': {'sdtype': 'numerical'}}
        described = {
            'METADATA_SPEC_VERSION': 'V1',
            'tables': {name: {'columns': columns}},
            'relationships': [],
        }
        (folder / 'metadata.json').write_text(json.dumps(described))
    return tmp_path


def test_sdgym_finds_it_by_name() -> None:
    assert 'TabDARSynthesizer' in sdgym.synthesizers.get_available_single_table_synthesizers()


@pytest.mark.filterwarnings('default')
@pytest.mark.changes_random_state('SDV itself draws from the global generators')
@pytest.mark.parametrize('timeout', [None, 600])
def test_sdgym_runs_it_on_two_tables(tables: Path, timeout: int | None) -> None:
    results = sdgym.benchmark_single_table(
        synthesizers=[],
        custom_synthesizers=[QuickTabDAR],
        sdv_datasets=None,
        additional_datasets_folder=str(tables),
        compute_privacy_score=False,
        timeout=timeout,
    )
    ours = results[results['Synthesizer'].str.contains('QuickTabDAR')]
    assert sorted(ours['Dataset']) == NAMES
    assert ours['Quality_Score'].between(0.3, 1).all()
