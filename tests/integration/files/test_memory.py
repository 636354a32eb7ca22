"""Loading a large file takes no more than about twice its size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer

from ...fresh import FreshProcesses
from ..conftest import TINY, make_metadata

_MARK = Path('/proc/self/clear_refs')
_MEASURE = """
import sys
from pathlib import Path
from sdv_tabdar import TabDARSynthesizer

def memory(what):
    lines = Path('/proc/self/status').read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(what))

TabDARSynthesizer.load_safe(sys.argv[1])
Path('/proc/self/clear_refs').write_text('5')  # forgets the highest memory so far
before = memory('VmRSS')
TabDARSynthesizer.load_safe(sys.argv[2])
print(memory('VmHWM') - before)
"""


@pytest.mark.skipif(not _MARK.exists(), reason='needs the highest memory as Linux tells it')
def test_a_large_file_takes_twice_its_size(tmp_path: Path, fresh: FreshProcesses) -> None:
    table = pd.DataFrame({'x': np.arange(40.0)})
    metadata = make_metadata({'x': {'sdtype': 'numerical'}})
    paths = []
    for width in (16, 1024):
        synthesizer = TabDARSynthesizer(metadata, **{**TINY, 'width': width, 'optimizer': 'adamw'})
        synthesizer.fit(table)
        paths.append(tmp_path / f'{width}.tabdar')
        synthesizer.save_safe(paths[-1])
    size = paths[1].stat().st_size
    found = fresh.run(_MEASURE, *map(str, paths))
    assert found.returncode == 0, found.stderr

    assert size > 30 * 2**20
    assert int(found.stdout) < 2.25 * size
