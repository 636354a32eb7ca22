"""Saved synthesizers are whole when they are loaded, on this machine or one without its GPU."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import torch
from sdv.errors import VersionError
from sdv.utils import load_synthesizer

from sdv_tabdar.conditions import Between
from sdv_tabdar.synthesizer import TabDARSynthesizer

from ..fresh import FreshProcesses
from .conftest import TINY


def test_loaded_synthesizer_does_the_same(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    path = tmp_path / 'synthesizer.pkl'
    fitted.save(path)
    loaded = load_synthesizer(path)
    known = pd.DataFrame({'age': [Between(20, 30), 40]})

    fitted.reset_sampling()
    loaded.reset_sampling()
    pd.testing.assert_frame_equal(loaded.sample(20), fitted.sample(20))
    pd.testing.assert_frame_equal(
        loaded.sample_remaining_columns(known), fitted.sample_remaining_columns(known)
    )
    pd.testing.assert_frame_equal(loaded.impute(known[[]]), fitted.impute(known[[]]))
    assert loaded.get_parameters() == fitted.get_parameters()
    assert loaded.get_info() == fitted.get_info()
    pd.testing.assert_frame_equal(loaded.get_loss_values(), fitted.get_loss_values())


def test_saving_goes_on_where_sampling_was(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    fitted.sample(3)
    path = tmp_path / 'synthesizer.pkl'
    fitted.save(path)
    loaded = load_synthesizer(path)

    pd.testing.assert_frame_equal(loaded.sample(5), fitted.sample(5))


def test_loaded_in_another_process(
    fitted: TabDARSynthesizer, tmp_path: Path, fresh: FreshProcesses
) -> None:
    path = tmp_path / 'synthesizer.pkl'
    fitted.save(path)
    fitted.reset_sampling()
    code = (
        'from sdv.utils import load_synthesizer\n'
        f'synthesizer = load_synthesizer({str(path)!r})\n'
        'synthesizer.reset_sampling()\n'
        f'synthesizer.sample(5).to_csv({str(tmp_path / "rows.csv")!r}, index=False)\n'
    )
    done = fresh.run(code)
    assert done.returncode == 0, done.stderr

    expected = fitted.sample(5).to_csv(index=False)
    assert (tmp_path / 'rows.csv').read_text() == expected


def test_weights_are_saved_on_the_cpu(fitted: TabDARSynthesizer) -> None:
    assert fitted._model is not None
    weights = fitted._model.__getstate__()['weights']

    assert all(value.device == torch.device('cpu') for value in weights.values())


@pytest.mark.skipif(not torch.cuda.is_available(), reason='needs a GPU')
def test_trained_on_a_gpu_and_loaded_without(
    table: pd.DataFrame, tmp_path: Path, metadata: object
) -> None:
    synthesizer = TabDARSynthesizer(metadata, **{**TINY, 'enable_gpu': True})
    synthesizer.fit(table)
    path = tmp_path / 'synthesizer.pkl'
    synthesizer.save(path)
    code = (
        'from sdv.utils import load_synthesizer\n'
        f'assert len(load_synthesizer({str(path)!r}).sample(5)) == 5\n'
    )
    root = Path(__file__).parents[2]
    environment = {'CUDA_VISIBLE_DEVICES': '', 'PATH': '/usr/bin:/bin'}
    subprocess.run([sys.executable, '-c', code], check=True, cwd=root, env=environment, timeout=300)


def test_unfitted_synthesizers_can_be_saved(metadata: object, tmp_path: Path) -> None:
    path = tmp_path / 'synthesizer.pkl'
    with pytest.warns(UserWarning, match='not yet been fitted'):
        TabDARSynthesizer(metadata, **TINY).save(path)

    assert load_synthesizer(path).get_parameters()['width'] == TINY['width']


def test_other_formats_are_refused(fitted: TabDARSynthesizer) -> None:
    state = {**fitted.__getstate__(), '_state_version': 99}
    blank = TabDARSynthesizer.__new__(TabDARSynthesizer)

    with pytest.raises(VersionError, match='saved in format 99; this version .* reads format 3'):
        blank.__setstate__(state)


def test_copies_are_independent(fitted: TabDARSynthesizer) -> None:
    fitted.reset_sampling()
    other = copy.deepcopy(fitted)
    third = pickle.loads(pickle.dumps(fitted))

    rows = fitted.sample(4)
    pd.testing.assert_frame_equal(other.sample(4), rows)
    pd.testing.assert_frame_equal(third.sample(4), rows)
