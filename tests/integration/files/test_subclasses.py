"""Classes of a user's that are made from the synthesizer's have all of its settings in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files import ModelFileError

from ..conftest import COLUMNS, TINY, make_metadata, make_table


class Noted(TabDARSynthesizer):
    """With a setting of its own."""

    def __init__(self, metadata: Metadata, note: str = 'none', **settings: Any) -> None:
        super().__init__(metadata, **settings)
        self.note = note


class Short(TabDARSynthesizer):
    """With few settings."""

    def __init__(self, metadata: Metadata, epochs: int = 2) -> None:
        super().__init__(metadata, **{**TINY, 'epochs': epochs})


METADATA = make_metadata(COLUMNS, primary_key='key')


def test_those_with_settings_of_their_own(tmp_path: Path) -> None:
    synthesizer = Noted(METADATA, note='mine', **TINY)
    synthesizer.fit(make_table())
    synthesizer.save_safe(tmp_path / 'model')
    again = Noted.load_safe(tmp_path / 'model')

    assert (again.note, again.width) == ('mine', synthesizer.width)
    assert again.sample(5, seed=1).equals(synthesizer.sample(5, seed=1))
    assert repr(again) == repr(synthesizer)
    assert repr(again).startswith('Noted(')
    assert "note='mine'" in repr(again)
    with pytest.raises(ModelFileError, match=r"settings \['note'\] are those of a class of its"):
        TabDARSynthesizer.load_safe(tmp_path / 'model')


@pytest.mark.parametrize('kind', [Short, TabDARSynthesizer])
def test_those_that_take_few_settings(kind: type[TabDARSynthesizer], tmp_path: Path) -> None:
    synthesizer = Short(METADATA, epochs=1)
    synthesizer.fit(make_table())
    synthesizer.save_safe(tmp_path / 'model')
    again = kind.load_safe(tmp_path / 'model')

    assert type(again) is kind
    assert (again.epochs, again.width) == (1, synthesizer.width)
    assert again.sample(5, seed=1).equals(synthesizer.sample(5, seed=1))
    again.fit(make_table(), warm_start=True)
