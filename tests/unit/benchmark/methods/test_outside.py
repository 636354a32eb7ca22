"""Methods that run in another Python."""

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
WITHOUT = '#!/bin/sh\nexit 1\n'


def fake_python(folder: Path, text: str = FAKE_PYTHON) -> Path:
    """A program that plays a Python with a package."""
    python = folder / 'python'
    python.write_text(text)
    python.chmod(0o755)
    return python


def asked(prepared: Path, text: str, python: Path | str) -> Request:
    """A synthesizer of a small table that runs in some Python."""
    is_argn = text.startswith('tabularargn')
    spec = parse_spec(text if is_argn else text.replace('PYTHON', str(python)))
    argn_python = str(python) if is_argn else None
    return Request(spec, load_dataset(prepared, 'one'), seed=0, argn_python=argn_python)


METHODS = [
    'tabularargn',
    'dpmm:python=PYTHON,epsilon=1.0',
    'forestdiffusion:python=PYTHON',
    'tabddpm:python=PYTHON',
]
PACKAGES = {
    'tabularargn': 'mostlyai-engine',
    'dpmm': 'dpmm',
    'forestdiffusion': 'ForestDiffusion',
    'tabddpm': 'synthcity',
}


@pytest.mark.parametrize('text', METHODS)
def test_a_method_runs_in_another_python(prepared: Path, tmp_path: Path, text: str) -> None:
    request = asked(prepared, text, fake_python(tmp_path))
    made: Any = build(request)
    made.fit(request.dataset.train)
    pd.testing.assert_frame_equal(made.sample(60), request.dataset.train)
    assert made.seconds == {'check': 1.5, 'fit': 1.5, 'sample': 1.5}


@pytest.mark.parametrize('text', METHODS)
def test_without_the_package_it_is_said_where_to_put_it(
    prepared: Path, tmp_path: Path, text: str
) -> None:
    with pytest.raises(ImportError, match='cannot start'):
        build(asked(prepared, text, '/no/python'))
    kind = text.partition(':')[0]
    with pytest.raises(ImportError, match=f'needs the package {PACKAGES[kind]}') as caught:
        build(asked(prepared, text, fake_python(tmp_path, WITHOUT)))
    assert f'give that Python with {"--argn-python" if kind == "tabularargn" else kind}' in str(
        caught.value
    )


def test_what_fails_later_shows_why(prepared: Path, tmp_path: Path) -> None:
    text = FAKE_PYTHON + '[ "$3" = check ] || { echo out of luck >&2; exit 3; }\n'
    request = asked(prepared, 'tabularargn', fake_python(tmp_path, text))
    made = build(request)
    with pytest.raises(RuntimeError, match=r"(?s)'tabularargn' failed to fit.*out of luck"):
        made.fit(request.dataset.train)
