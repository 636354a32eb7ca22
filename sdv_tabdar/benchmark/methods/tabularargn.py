"""TabularARGN, run by ``argn_script`` in a Python that has its engine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.methods.exchange import read_rows, write_rows
from sdv_tabdar.benchmark.methods.spec import Request

# Runs in a Python that need not have this package.
ARGN_SCRIPT = Path(__file__).with_name('argn_script.py')


def build(request: Request) -> TabularARGN:
    """TabularARGN for the table of a request."""
    return TabularARGN(
        request.dataset.sdtypes,
        python=request.argn_python,
        seed=request.seed,
        options=request.spec.options,
    )


class TabularARGN:
    """TabularARGN of the package mostlyai-engine, run by a script in a Python that has it.

    The engine pins its own versions of torch and others and is best installed in an environment
    of its own. Frames travel as CSV files; the times are the script's own, without the start of
    Python and the imports.

    Args:
        sdtypes: The sdtype of each column.
        python: The Python to run; None is this one.
        seed: Decides about fitting and sampling.
        options: Arguments for the engine's ``TabularARGN``.

    Raises:
        ImportError: If that Python does not have the engine.

    Source:
        Tiwald et al. (2025), 'TabularARGN', arXiv:2501.12012.
    """

    name, package, option = 'tabularargn', 'mostlyai-engine', '--argn-python'
    script = ARGN_SCRIPT

    def __init__(
        self,
        sdtypes: Mapping[str, str],
        *,
        python: str | None = None,
        seed: int = 0,
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.python = python or sys.executable
        self.settings = {
            'sdtypes': dict(sdtypes),
            'seed': seed,
            'options': dict(options or {}),
        }
        self.seconds: dict[str, float] = {}
        self._folder = Path(tempfile.mkdtemp(prefix=f'{self.name}-'))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._run('check')

    def fit(self, data: pd.DataFrame) -> None:
        """Train and keep the trained model in a temporary folder."""
        self._train = data
        write_rows(data, self._folder / 'train.csv')
        self.seconds['fit'] = self._run('fit')

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw rows, in the types of the training table."""
        self.seconds['sample'] = self._run('sample', num_rows=num_rows)
        return read_rows(self._folder / 'synthetic.csv', self._train)

    def save(self, folder: Path) -> None:
        """Keep the trained model in a folder, in place of what is there."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._folder, folder)

    def load(self, folder: Path) -> None:
        """Go on with the model that ``save`` kept."""
        shutil.rmtree(self._folder)
        shutil.copytree(folder, self._folder)

    def log_mass(self, rows: pd.DataFrame, steps: Mapping[str, float]) -> np.ndarray:
        """Log mass of each row where numbers lie on a grid, in nats.

        Args:
            rows: With the columns of the training table.
            steps: By column of numbers, the distance of neighbouring grid points.
        """
        write_rows(rows, self._folder / 'rows.csv')
        self._run('log_mass', steps=dict(steps))
        found: np.ndarray = pd.read_csv(self._folder / 'log_mass.csv')['log_mass'].to_numpy()
        return found

    def _run(self, step: str, **settings: object) -> float:
        folder = self._folder
        (folder / 'settings.json').write_text(json.dumps({**self.settings, **settings}))
        # Without -P the script's neighbours would hide packages, such as the other 'datasets'.
        command = [self.python, '-P', str(self.script), step, str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ImportError(f"'{self.name}' cannot start '{self.python}': {error}.") from error
        if done.returncode == 0:
            return float(json.loads((folder / f'{step}.json').read_text())['seconds'])
        if step == 'check':
            raise ImportError(
                f"'{self.name}' needs the package {self.package}, and '{self.python}' does not "
                'have it. Install it into an environment of its own (pip install '
                f'{self.package}) and give that Python with {self.option}.\n' + done.stderr
            )
        raise RuntimeError(f'{type(self).__name__} failed to {step}:\n{done.stderr}')
