"""Write the small files of this format that are kept for ever: at each release with a new one.

``python -m tests.integration.files.write_saved``
"""

from __future__ import annotations

from pathlib import Path

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files.container import FORMAT_VERSION

from ..conftest import COLUMNS, TINY, make_metadata, make_table
from .tables import constrained, transformed

SAVED = Path(__file__).parents[1] / 'saved'


def main() -> None:
    """Write a table of all sdtypes, one with constraints and one with transformers."""
    every = TabDARSynthesizer(make_metadata(COLUMNS, primary_key='key'), **TINY)
    every.fit(make_table(60))
    every.sample(3)
    for name, synthesizer in (
        ('sdtypes', every),
        ('constraints', constrained()[0]),
        ('transformers', transformed()),
    ):
        synthesizer.save_safe(SAVED / f'format_{FORMAT_VERSION}_{name}.tabdar')


if __name__ == '__main__':
    main()
