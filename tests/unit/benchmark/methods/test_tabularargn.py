"""TabularARGN runs in another Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.methods.spec import Request, parse_spec
from sdv_tabdar.benchmark.methods.synthesizers import build

FAKE_PYTHON = """#!/bin/sh
# Plays the other Python: $3 is the step, $4 the folder.
cd "$4"
if [ "$3" = sample ]; then cp train.csv synthetic.csv; fi
echo '{"seconds": 1.5}' > "$3.json"
"""


def test_tabularargn_runs_in_another_python(prepared: Path, tmp_path: Path) -> None:
    python = tmp_path / 'python'
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    dataset = load_dataset(prepared, 'one')
    made: Any = build(Request(parse_spec('tabularargn'), dataset, seed=0, argn_python=str(python)))
    made.fit(dataset.train)
    pd.testing.assert_frame_equal(made.sample(60), dataset.train)
    assert made.seconds == {'fit': 1.5, 'sample': 1.5}


def test_tabularargn_without_the_engine(prepared: Path, tmp_path: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    with pytest.raises(ImportError, match='cannot start'):
        build(Request(parse_spec('tabularargn'), dataset, seed=0, argn_python='/no/python'))
    python = tmp_path / 'python'
    python.write_text('#!/bin/sh\nexit 1\n')
    python.chmod(0o755)
    with pytest.raises(ImportError, match='needs the package mostlyai-engine'):
        build(Request(parse_spec('tabularargn'), dataset, seed=0, argn_python=str(python)))


def test_tabularargn_that_fails_later_shows_why(prepared: Path, tmp_path: Path) -> None:
    python = tmp_path / 'python'
    python.write_text(FAKE_PYTHON + '[ "$3" = check ] || { echo out of luck >&2; exit 3; }\n')
    python.chmod(0o755)
    dataset = load_dataset(prepared, 'one')
    made = build(Request(parse_spec('tabularargn'), dataset, seed=0, argn_python=str(python)))
    with pytest.raises(RuntimeError, match=r'(?s)TabularARGN failed to fit.*out of luck'):
        made.fit(dataset.train)
