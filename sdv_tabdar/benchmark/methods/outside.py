"""Methods that need a Python of their own, with packages that this one had better not have.

A script beside this file does one step at a time in a folder: it reads ``settings.json`` and what
was written there, and leaves what it found. It needs nothing of the package it is kept in.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import pandas as pd

from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.methods.exchange import read_rows, write_rows
from sdv_tabdar.benchmark.methods.spec import Request

Made = TypeVar('Made', bound='OutsideSynthesizer')


def class_label(dataset: Dataset) -> str | None:
    """The target of a table, if it has classes."""
    return dataset.target if dataset.target in dataset.discrete else None


class Outside:
    """A script, the Python that it runs in, and the folder in which it works.

    Args:
        settings: What the script is told in all of its steps.
        python: The Python to run; None is this one.

    Attributes:
        seconds: By step, what the last one took: the script's own time, without the start of Python
            and the imports.

    Raises:
        ImportError: If that Python does not have the package.
    """

    name: str
    package: str
    option: str  # which says where that Python is
    script: Path

    def __init__(self, settings: Mapping[str, object], *, python: str | None = None) -> None:
        self.python = python or sys.executable
        self.settings = dict(settings)
        self.seconds: dict[str, float] = {}
        self._folder = Path(tempfile.mkdtemp(prefix=f'{self.name}-'))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._run('check')

    def _run(self, step: str, **settings: object) -> None:
        folder = self._folder
        (folder / 'settings.json').write_text(json.dumps({**self.settings, **settings}))
        # Without -P the script's neighbours would hide packages, such as the other 'datasets'.
        command = [self.python, '-P', str(self.script), step, str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ImportError(f"'{self.name}' cannot start '{self.python}': {error}.") from error
        if done.returncode == 0:
            found = json.loads((folder / f'{step}.json').read_text())
            self.seconds[step] = float(found['seconds'])
            return
        if step == 'check':
            raise ImportError(
                f"'{self.name}' needs the package {self.package}, and '{self.python}' does not "
                'have it. Install it into an environment of its own (pip install '
                f'{self.package}) and give that Python with {self.option}.\n' + done.stderr
            )
        raise RuntimeError(f"'{self.name}' failed to {step}:\n{done.stderr}")


class OutsideSynthesizer(Outside):
    """A synthesizer whose script can ``fit`` and ``sample``; frames travel as CSV files.

    Args:
        sdtypes: The sdtype of each column.
        python: The Python to run; None is this one.
        seed: Decides about fitting and sampling.
        options: Arguments for the method.
        settings: What else the script is told.

    Raises:
        ImportError: If that Python does not have the package.
    """

    def __init__(
        self,
        sdtypes: Mapping[str, str],
        *,
        python: str | None = None,
        seed: int = 0,
        options: Mapping[str, object] | None = None,
        **settings: object,
    ) -> None:
        own = {'sdtypes': dict(sdtypes), 'seed': seed, 'options': dict(options or {})}
        super().__init__({**own, **settings}, python=python)

    @classmethod
    def of(
        cls: type[Made],
        request: Request,
        defaults: Mapping[str, object] | None = None,
        **settings: object,
    ) -> Made:
        """For the table of a request, whose option ``python`` says where the Python is.

        Args:
            request: The table, the seed, and arguments for the method.
            defaults: Arguments that stand in place of those that the request lacks.
            settings: What else the script is told.
        """
        options = {**(defaults or {}), **request.spec.options}
        python = options.pop('python', None)
        return cls(
            request.dataset.sdtypes,
            python=None if python is None else str(python),
            seed=request.seed,
            options=options,
            **settings,
        )

    def fit(self, data: pd.DataFrame) -> None:
        """Train and keep the trained model in a temporary folder."""
        self._train = data
        write_rows(data, self._folder / 'train.csv')
        self._run('fit')

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw rows, in the types of the training table."""
        self._run('sample', num_rows=num_rows)
        return read_rows(self._folder / 'synthetic.csv', self._train)

    def save(self, folder: Path) -> None:
        """Keep the trained model in a folder, in place of what is there."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._folder, folder)

    def load(self, folder: Path) -> None:
        """Go on with the model that ``save`` kept."""
        shutil.rmtree(self._folder)
        shutil.copytree(folder, self._folder)
