"""The same seed, data, versions and threads give the same model and rows, in any process."""

from __future__ import annotations

import inspect
from pathlib import Path

import pandas as pd
import pytest
import torch

from sdv_tabdar.synthesizer import TabDARSynthesizer

from ..fresh import FreshProcesses
from .conftest import COLUMNS, TINY, make_metadata, make_table


def _fingerprints(synthesizer: TabDARSynthesizer, table: pd.DataFrame) -> list[str]:
    """Hashes of the weights and of drawn rows after a fit."""
    import hashlib

    synthesizer.fit(table)
    weights = hashlib.sha256()
    for name, value in sorted(synthesizer._model.__getstate__()['weights'].items()):
        weights.update(name.encode() + value.numpy().tobytes())
    rows = hashlib.sha256(synthesizer.sample(40).to_csv().encode())
    return [weights.hexdigest(), rows.hexdigest()]


@pytest.mark.changes_random_state('SDV itself draws from the global generators')
def test_a_refit_in_a_fresh_process_is_the_same_model(
    tmp_path: Path, fresh: FreshProcesses
) -> None:
    columns = {name: COLUMNS[name] for name in ('age', 'city', 'flag')}
    metadata, table = make_metadata(columns), make_table(110)[list(columns)]
    # A training that ends by its held-out loss: its length is part of what has to repeat.
    settings = {**TINY, 'epochs': None}
    metadata.save_to_json(tmp_path / 'metadata.json')
    table.to_pickle(tmp_path / 'table.pkl')
    code = f"""
import pandas as pd
import torch
from sdv.metadata import Metadata
from sdv_tabdar.synthesizer import TabDARSynthesizer

{inspect.getsource(_fingerprints)}

torch.set_num_threads({torch.get_num_threads()})
metadata = Metadata.load_from_json({str(tmp_path / 'metadata.json')!r})
synthesizer = TabDARSynthesizer(metadata, **{settings!r})
print(*_fingerprints(synthesizer, pd.read_pickle({str(tmp_path / 'table.pkl')!r})))
"""
    done = fresh.run(code)
    assert done.returncode == 0, done.stderr
    here = _fingerprints(TabDARSynthesizer(metadata, **settings), table)
    assert done.stdout.split()[-2:] == here
