"""Synthesizers saved in another format are refused in words."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path

import pytest
from sdv.errors import VersionError
from sdv.metadata import Metadata
from sdv.utils import load_synthesizer

from sdv_tabdar.adapter.old_files import refuse_old_files
from sdv_tabdar.synthesizer import TabDARSynthesizer

FORMAT_1 = Path(__file__).parents[2] / 'integration' / 'saved' / 'format_1.pkl'
MESSAGE = r'saved in format 1; this version of sdv_tabdar reads format 3\. Install .* or fit again'


def test_a_file_of_format_1_is_refused_by_sdv() -> None:
    with pytest.raises(VersionError, match=MESSAGE):
        load_synthesizer(FORMAT_1)


def test_a_file_of_format_1_is_refused_by_pickle() -> None:
    with pytest.raises(VersionError, match=MESSAGE), FORMAT_1.open('rb') as file:
        pickle.load(file)


def test_an_unfitted_synthesizer_of_format_1_is_refused() -> None:
    blank = TabDARSynthesizer.__new__(TabDARSynthesizer)

    with pytest.raises(VersionError, match=MESSAGE):
        blank.__setstate__({'_state_version': 1})


def test_other_modules_are_found_as_ever() -> None:
    refuse_old_files()

    assert len([finder for finder in sys.meta_path if type(finder).__name__ == '_OldModules']) == 1
    assert importlib.util.find_spec('sdv_tabdar.nothing') is None
    assert importlib.util.find_spec('sdv_tabdar.core.model') is not None


def test_a_pickle_from_before_gated_layers_has_none() -> None:
    metadata = Metadata.load_from_dict(
        {'tables': {'t': {'columns': {'x': {'sdtype': 'numerical'}}}}}
    )
    state = TabDARSynthesizer(metadata).__getstate__()
    del state['feedforward'], state['head_activation'], state['dropout'], state['num_scales']
    blank = TabDARSynthesizer.__new__(TabDARSynthesizer)
    blank.__setstate__(state)

    found = blank.get_parameters()
    assert found['feedforward'] == found['head_activation'] == 'relu'
    assert found['dropout'] == 0
    assert found['num_scales'] == 1
