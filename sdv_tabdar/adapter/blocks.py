"""Rows in blocks: what a block holds follows from model, seed and its place among the rows alone.

So whoever draws a block draws the same rows: one call, several calls, threads, processes or
machines that each take some of the blocks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.global_generators import seed_random_states
from sdv_tabdar.adapter.parameters import check_first_row
from sdv_tabdar.core.codecs.values import with_columns

BLOCK_ROWS = 16_384
"""Rows of a block: the fewest of which each of the eight parts that share an order of the columns
has as many rows as go through the network together."""


class Blocks:
    """Cuts the rows of one call into blocks, and starts anew where one begins.

    Args:
        sampling: What starts anew; None where no seed was given, and nothing is cut.
        seed: The seed.
        first_row: How many rows come before those of this call.
    """

    def __init__(
        self,
        sampling: private_names.SeededSampling | None = None,
        seed: int = 0,
        first_row: int = 0,
    ) -> None:
        self._sampling, self._seed = sampling, seed
        self._row = first_row  # of the block that is being drawn
        self._next = first_row
        self._free = first_row  # the first number of a row that no row has

    def cut(self, num_rows: int) -> Iterator[slice]:
        """The blocks of the next rows, each after all that draws has been started anew for it.

        The rows before the first block of all start where the seed is.

        Args:
            num_rows: How many rows.

        Yields:
            Their places, counted from the first of these rows; at least one slice.
        """
        self._free = max(self._free, self._next + num_rows)
        size = max(num_rows, 1) if self._sampling is None else BLOCK_ROWS
        for start in range(0, max(num_rows, 1), size):
            stop = min(start + size, num_rows)
            self._row = self._next
            if self._sampling is not None and self._row:
                entropy = np.random.SeedSequence([self._seed, self._row]).generate_state(2)
                seed = int(entropy[0]) << 31 | int(entropy[1]) >> 1
                seed_random_states(seed)
                self._sampling.restart(seed, self._row)
            yield slice(start, stop)
            self._next += stop - start

    def counted(
        self,
        table: FittedTable,
        rows: pd.DataFrame,
        given: Collection[str] = (),
        *,
        before: int = 0,
    ) -> pd.DataFrame:
        """Rows of the block with keys by their places in it.

        Rows that are drawn and not met use up keys, so that a block would run into the keys of the
        next one.

        Args:
            table: The fitted table.
            rows: Rows in plain form under their places.
            given: SDV's labels of columns that stay as they are.
            before: The place of the first row of the block.
        """
        places = rows.index.to_numpy() - before
        made = self._counted(table, places, set(rows.columns) - set(given))
        return with_columns(
            rows,
            {key: _laid_over(table, key, rows[key], values) for key, values in made.items()},
        )

    def recounted(self, table: FittedTable, rows: pd.DataFrame) -> pd.DataFrame:
        """As :meth:`counted`, for all rows of a block in the user's form."""
        labels = {column.key: column.name for column in table.form.columns}
        made = self._counted(table, np.arange(len(rows)), set(labels))
        if not made:
            return rows
        fresh = table.form.restore(pd.DataFrame(made))
        for name in (labels[key] for key in made):
            rows[name] = _laid_over(table, str(name), rows[name], fresh[name])
        return rows

    def fresh(self, table: FittedTable, key: str, number: int) -> npt.NDArray[Any]:
        """Values of a key that is generated, other than those of the rows that are cut."""
        if self._sampling is not None:
            self._sampling.count_from(self._free)
            self._free += number
        made = private_names.generate_columns(table.host, [key], number)
        return np.asarray(made[key].to_numpy(dtype=object))

    def _counted(
        self, table: FittedTable, places: npt.NDArray[np.int64], among: set[str]
    ) -> dict[str, pd.Series]:
        if self._sampling is None or not len(places):
            return {}
        names = [name for name in private_names.counted_columns(table.host) if name in among]
        if not names:
            return {}
        self._sampling.count_from(self._row)
        made = private_names.generate_columns(table.host, names, int(places.max()) + 1)
        index = pd.Index(places)
        return {
            name: table.profiles[name].typed(list(made[name].to_numpy()[places]), index)
            for name in names
        }


def _laid_over(table: FittedTable, key: str, before: pd.Series, made: pd.Series) -> pd.Series:
    """What is made for a column, missing where drawn rows say that its cells are."""
    found = made.set_axis(before.index)
    gaps = before.isna()
    return found.mask(gaps) if key in table.presences and gaps.any() else found


def columns_given(known: pd.DataFrame) -> set[str]:
    """SDV's labels of the columns that are known in all rows."""
    return {str(name) for name in known if known[name].notna().all()}


def check_place(synth: Any, seed: int | None, first_row: Any, given: Collection[str]) -> None:
    """Refuse rows of a seed that cannot be drawn without those before them.

    Args:
        synth: The synthesizer.
        seed: The seed of a call.
        first_row: The first row of it.
        given: SDV's labels of columns that need no values.

    Raises:
        ValueError: If no block begins there, there is no seed, or keys are unique by comparison
            with those of the rows before.
    """
    check_first_row(first_row, seed, BLOCK_ROWS)
    made = private_names.columns_made_in_turn(synth) if first_row else []
    names = [name for name in made if name not in given]
    if names:
        raise ValueError(
            f'The values of {names} are made by Faker, which keeps them unique by comparing each '
            'with those before it, so that rows cannot be drawn in several places. Draw them by '
            "one call of 'sample', or fit with metadata that describe these columns as 'id' with "
            "a 'regex_format', or not as keys."
        )
