"""What is asked of every relation that holds in all training rows, and so in what comes out."""

from __future__ import annotations

import copy
import dataclasses
import functools
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files.describe import describe
from sdv_tabdar.files.description import Description

from .conftest import TINY, make_metadata

_GAPS = 200  # rows that are filled


@dataclasses.dataclass(frozen=True)
class Kept:
    """A table in all of whose rows something holds.

    Attributes:
        columns: SDV's description of its columns.
        table: Makes it; of other dtypes and of more rows where it is asked to.
        broken: In how many rows, without a gap, it does not hold.
    """

    columns: Mapping[str, Mapping[str, Any]]
    table: Callable[..., pd.DataFrame]
    broken: Callable[[pd.DataFrame], int]

    def fitted(
        self, data: Any = None, constraints: Sequence[Any] = (), **settings: Any
    ) -> TabDARSynthesizer:
        """A tiny synthesizer of the table, or of another one; a copy where nothing is given."""
        if data is None and not constraints and not settings:
            return copy.deepcopy(self._first[0])
        return self._fitted(data, constraints, settings)

    @functools.cached_property
    def _first(self) -> tuple[TabDARSynthesizer, list[str]]:
        """What a fit of the table makes, without a warning, and what it tells in the log."""
        told: list[logging.LogRecord] = []
        logger, handler = logging.getLogger('sdv_tabdar'), logging.Handler()
        level, handler.emit = logger.level, told.append
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('error')
                synthesizer = self._fitted(None, (), {})
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
        return synthesizer, [record.getMessage() for record in told]

    def _fitted(
        self, data: Any, constraints: Sequence[Any], settings: Mapping[str, Any]
    ) -> TabDARSynthesizer:
        columns = {name: dict(entry) for name, entry in self.columns.items()}
        synthesizer = TabDARSynthesizer(make_metadata(columns), **{**TINY, **settings})
        if constraints:
            synthesizer.add_constraints(list(constraints))
        synthesizer.fit(self.table() if data is None else data)
        return synthesizer

    def check_conditions(self, synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
        """It holds in rows with given cells, which stay; ranges are kept."""
        rows = synthesizer.sample_from_conditions([Condition(given, num_rows=60)])
        assert len(rows) == 60
        assert self.broken(rows) == 0
        for name, value in given.items():
            if isinstance(value, Between):
                assert rows[name].between(value.low, value.high).all()
            elif isinstance(value, float | int):
                assert (rows[name] == value).all()

    def check_gaps(
        self, synthesizer: TabDARSynthesizer, hidden: Sequence[str], num_samples: int
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """It holds in rows some columns of which were filled; those, and the rows before."""
        data = self.table().dropna().head(_GAPS).reset_index(drop=True)
        gaps = data.copy()
        gaps[list(hidden)] = np.nan
        filled = synthesizer.impute(gaps, num_samples=num_samples)
        assert self.broken(filled) == 0
        assert not filled.isna().any(axis=None)
        known = gaps.columns.difference(hidden)
        assert filled[known].equals(data[known])
        return filled, data

    def check_file(self, synthesizer: TabDARSynthesizer, folder: Path) -> Description:
        """It holds in rows of the loaded file, which are the same; and what describes the file."""
        path = folder / 'model.tabdar'
        synthesizer.save_safe(path)
        rows = TabDARSynthesizer.load_safe(path).sample(100, seed=1)
        assert self.broken(rows) == 0
        pd.testing.assert_frame_equal(rows, synthesizer.sample(100, seed=1))
        return describe(path)

    def check_parquet(self, folder: Path) -> None:
        """It is found in a table that is not in memory."""
        pytest.importorskip('pyarrow')
        self.table(num_rows=800).to_parquet(folder / 'table.parquet', row_group_size=200)
        assert self.broken(self.fitted(folder / 'table.parquet').sample(200)) == 0

    @property
    def logged(self) -> list[str]:
        """What a fit tells in the log; nothing is warned of."""
        return self._first[1]
