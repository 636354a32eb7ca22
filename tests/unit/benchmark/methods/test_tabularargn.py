"""TabularARGN runs in another Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.methods.argn_script import points_of_bins
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


def test_a_kept_model_is_asked_for_masses(prepared: Path, tmp_path: Path) -> None:
    python = tmp_path / 'python'
    line = 'if [ "$3" = log_mass ]; then printf "log_mass\\n-1.5\\n" > log_mass.csv; fi\n'
    python.write_text(FAKE_PYTHON + line)
    python.chmod(0o755)
    dataset = load_dataset(prepared, 'one')
    request = Request(parse_spec('tabularargn'), dataset, seed=0, argn_python=str(python))
    made: Any = build(request)
    made.fit(dataset.train)
    made.save(tmp_path / 'kept')
    other: Any = build(request)
    other.load(tmp_path / 'kept')
    assert other.log_mass(dataset.test.head(1), {'number': 0.1}).tolist() == [-1.5]


def test_grid_points_that_share_a_code_are_counted() -> None:
    known = {'bins': [0.0, 1.0, 3.0, 4.0], 'codes': {'<<UNK>>': 0, '<<MIN>>': 1}}
    column = pd.Series([0.0, 0.5, 1.0, 2.5, 4.0, 9.0, np.nan])
    assert points_of_bins(column, known, 0.5).tolist() == [1, 2, 4, 4, 2, 2, 1]


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
