"""Generators that are not SDV's: SMOTE, TabularARGN, and rows that somebody has made already."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.exchange import read_rows, write_rows

# Runs in a Python that need not have this package.
ARGN_SCRIPT = Path(__file__).with_name('argn_script.py')
NEIGHBOURS = 5


class RowsFromFile:
    """Synthetic rows from a CSV file, for models that run elsewhere.

    Args:
        path: The file; columns in any order.
    """

    # What this takes says nothing about the model that made the rows.
    timed = False

    def __init__(self, path: str) -> None:
        self.path = path

    def fit(self, data: pd.DataFrame) -> None:
        """Read the file, in the types of the training table."""
        self._rows = read_rows(self.path, data)

    def sample(self, num_rows: int) -> pd.DataFrame:
        """The first ``num_rows`` rows, or all that the file has."""
        return self._rows.head(num_rows)


class Smote:
    """New rows between a training row and its neighbours of the same class.

    Neighbours are found with numbers scaled to unit standard deviation. Each class of the target
    keeps its share. A numerical target is cut at its median into two
    classes for this, and interpolated like any other number. Rows with missing cells are left
    out, since neighbours cannot be found for them. A class too small for neighbours is repeated.

    Args:
        discrete: The columns whose values are categories.
        target: The column whose classes are kept apart.
        neighbours: Between how many neighbours to choose.
        seed: Decides about the rows.

    Raises:
        ImportError: If imbalanced-learn is not installed.
        ValueError: If the table has no target.

    Source:
        Chawla et al. (2002), doi:10.1613/jair.953; as a generator of whole tables in Kotelnikov
        et al. (2023), 'TabDDPM'.
    """

    def __init__(
        self,
        discrete: Sequence[str],
        target: str | None,
        *,
        neighbours: int = NEIGHBOURS,
        seed: int = 0,
    ) -> None:
        self._library = _optional('imblearn.over_sampling', 'smote', 'imbalanced-learn')
        if target is None:
            raise ValueError(
                "'smote' keeps the classes of a target apart, and this table has no target. Name "
                'one with --target TABLE=COLUMN.'
            )
        self.discrete = list(discrete)
        self.target = target
        self.neighbours = neighbours
        self.seed = seed

    def fit(self, data: pd.DataFrame) -> None:
        """Keep the complete rows; everything else is done when sampling."""
        self._data = data.dropna().reset_index(drop=True)
        if self.target in self.discrete:
            self._classes = self._data[self.target].astype(str)
            self._features = self._data.drop(columns=self.target)
        else:
            above = self._data[self.target] > self._data[self.target].median()
            self._classes, self._features = above.astype(str), self._data
        # Linear, so that a point between two rows is the same point in either scale.
        numbers = [name for name in self._features.columns if name not in self.discrete]
        self._scales = self._features[numbers].std().replace(0, 1).fillna(1)
        self._levels = {
            name: self._features[name].unique()
            for name in self._features.columns
            if name in self.discrete
        }

    def sample(self, num_rows: int) -> pd.DataFrame:
        """Draw rows, each class with its share."""
        generator = np.random.default_rng(self.seed)
        drawn = generator.choice(self._classes.to_numpy(), size=num_rows)
        wanted = pd.Series(drawn).value_counts()
        counts = self._classes.value_counts()
        enough = [level for level in wanted.index if counts[level] > 1]
        parts = [
            self._repeat(level, int(wanted[level])) for level in wanted.index.difference(enough)
        ]
        if enough:
            parts.append(self._interpolate(wanted[enough], counts[enough]))
        rows = pd.concat(parts, ignore_index=True)
        order = generator.permutation(len(rows))
        return rows.iloc[order].reset_index(drop=True)[list(self._data.columns)]

    def _repeat(self, level: str, times: int) -> pd.DataFrame:
        row = self._data[self._classes == level]
        return row.loc[row.index.repeat(times)]

    def _interpolate(self, wanted: pd.Series, counts: pd.Series) -> pd.DataFrame:
        chosen = self._classes.isin(wanted.index)
        strategy = {level: int(counts[level] + wanted[level]) for level in wanted.index}
        sampler = self._sampler(strategy, min(self.neighbours, int(counts.min()) - 1))
        codes = self._encode(self._features[chosen])
        features, classes = sampler.fit_resample(codes, self._classes[chosen])
        # The original rows come first, the new ones after them.
        new = self._decode(features.iloc[int(chosen.sum()) :].reset_index(drop=True))
        if self.target in self.discrete:
            values = {str(value): value for value in self._data[self.target].unique()}
            new[self.target] = classes.iloc[int(chosen.sum()) :].map(values).to_numpy()
        return self._round(new)

    def _sampler(self, strategy: Mapping[str, int], neighbours: int) -> Any:
        """SMOTE for numbers, SMOTEN for categories, SMOTENC for both."""
        settings = {
            'sampling_strategy': strategy,
            'k_neighbors': neighbours,
            'random_state': self.seed,
        }
        if not self._levels:
            return self._library.SMOTE(**settings)
        if len(self._levels) == self._features.shape[1]:
            return self._library.SMOTEN(**settings)
        return self._library.SMOTENC(categorical_features=list(self._levels), **settings)

    def _encode(self, features: pd.DataFrame) -> pd.DataFrame:
        codes = {name: pd.Index(levels) for name, levels in self._levels.items()}
        return features.assign(
            **{name: index.get_indexer(features[name]) for name, index in codes.items()},
            **{name: features[name] / scale for name, scale in self._scales.items()},
        )

    def _decode(self, features: pd.DataFrame) -> pd.DataFrame:
        for name, levels in self._levels.items():
            features[name] = levels[features[name].to_numpy().astype(int)]
        for name, scale in self._scales.items():
            features[name] = features[name] * scale
        return features

    def _round(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Whole numbers where the table has whole numbers."""
        for name in rows.columns:
            kind = self._data[name].dtype
            if name not in self._levels and kind.kind in 'iu':
                rows[name] = rows[name].round().astype(kind)
        return rows


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
        self._folder = Path(tempfile.mkdtemp(prefix='argn-'))
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

    def _run(self, step: str, **settings: int) -> float:
        folder = self._folder
        (folder / 'settings.json').write_text(json.dumps({**self.settings, **settings}))
        # Without -P the script's neighbours would hide packages, such as the other 'datasets'.
        command = [self.python, '-P', str(ARGN_SCRIPT), step, str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ImportError(f"'tabularargn' cannot start '{self.python}': {error}.") from error
        if done.returncode == 0:
            return float(json.loads((folder / f'{step}.json').read_text())['seconds'])
        if step == 'check':
            raise ImportError(
                f"'tabularargn' needs the package mostlyai-engine, and '{self.python}' does not "
                'have it. Install it into an environment of its own (pip install '
                'mostlyai-engine) and give that Python with --argn-python.\n' + done.stderr
            )
        raise RuntimeError(f'TabularARGN failed to {step}:\n{done.stderr}')


def _optional(module: str, kind: str, package: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"'{kind}' needs the package {package}, which is not installed. Install it with: "
            f'pip install {package}.'
        ) from error
