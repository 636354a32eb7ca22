"""The first pass over a table that is not in memory: some of its rows, which show what all have.

SDV's transformers and constraints, and the forms and profiles of columns, are learnt from whole
tables: dtypes, least and greatest values, levels, decimals, units of dates, whether cells are
missing. A sample of rows would have almost all of these, but not the rarest. So the rows with them
are kept beside the sample, and what is learnt of both together is what the whole table would show.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.clocks import on_clocks
from sdv_tabdar.adapter.dates import DateForm, nanosecond_counts
from sdv_tabdar.adapter.numeric import NumberForm
from sdv_tabdar.core.codecs.values import distinct_values

SAMPLE_ROWS = 100_000
_SAMPLE_CELLS, _FEWEST_ROWS = 4_000_000, 2_000  # of wide tables a smaller sample
_FIRST_ROWS = 100  # by which RDT seeds its transformers, and constraints show what they do
_SEED = 0  # of the sample, which depends on nothing else
_MOST_LEVELS = 200_000  # of a column
_MOST_DECIMALS = 15
_DATE_UNITS = (86_400 * 10**9, 3_600 * 10**9, 60 * 10**9, 10**9, 10**6, 10**3, 1)  # nanoseconds
_LEARNT_AS_LEVELS = ('categorical', 'boolean', 'ordinal')

Places = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Summary:
    """What the first pass has found.

    Attributes:
        frame: Rows with their numbers as index, in the order and the dtypes of the table: all if
            it is small, else a sample and the rows with what is rarest in each column.
        num_rows: Rows of the table.
        dtypes: By column, as pandas would read the table as a whole.
        missing: By column, the share of missing cells.
    """

    frame: pd.DataFrame
    num_rows: int
    dtypes: Mapping[Hashable, Any]
    missing: Mapping[Hashable, float]

    def typed(self, batch: pd.DataFrame) -> pd.DataFrame:
        """A batch in the dtypes of the table."""
        return _cast(batch, self.dtypes)


class Survey:
    """A first pass.

    Args:
        name: Of the table, for messages.
        columns: The metadata's description of each column.
        combinations: Columns whose combinations constraints list.
        mapped: Columns whose values transformers list.
    """

    def __init__(
        self,
        name: str,
        columns: Mapping[str, Mapping[str, Any]],
        combinations: Iterable[Sequence[str]] = (),
        mapped: Collection[str] = (),
    ) -> None:
        self._name, self._entries = name, columns
        self._combinations = [tuple(names) for names in combinations]
        self._mapped = mapped
        self._num_rows = 0
        self._dtypes: dict[Hashable, Any] = {}
        self._missing: dict[Hashable, int] = {}
        self._seen: dict[Hashable, set[Hashable]] = {}
        self._ends: dict[Hashable, tuple[float, float]] = {}
        self._steps: dict[tuple[Hashable, str], int] = {}
        self._dates: dict[Hashable, DateForm] = {}
        self._kept: dict[Hashable, pd.DataFrame] = {}
        self._present: dict[Hashable, pd.DataFrame] = {}
        self._sample: _Sample | None = None

    def add(self, batch: pd.DataFrame) -> None:
        """Look at a batch, whose index is the numbers of its rows.

        Raises:
            InvalidDataError: If its columns are not those of the batches before, or a column has
                too many levels.
        """
        self._sample = self._sample or _Sample.of_columns(len(batch.columns))
        self._learn_dtypes(batch)
        for column in batch:
            values, entry = batch[column], self._entries.get(str(column), {})
            missing = values.isna().to_numpy()
            self._missing[column] = self._missing.get(column, 0) + int(missing.sum())
            if column not in self._present and not missing.all():
                self._present[column] = batch.iloc[[int(np.argmin(missing))]]
            if missing.any():
                self._keep(('missing', column), batch, np.flatnonzero(missing)[:1])
            sdtype = entry.get('sdtype')
            if sdtype == 'numerical':
                self._look_at_numbers(batch, column)
            elif sdtype == 'datetime':
                self._look_at_dates(batch, column, entry.get('datetime_format'))
            elif sdtype in _LEARNT_AS_LEVELS or column in self._mapped:
                self._list_levels(batch, column)
        for names in self._combinations:
            self._list_combinations(batch, names)
        self._keep('first', batch, np.arange(min(_FIRST_ROWS, len(batch))))
        self._sample.add(batch)
        self._num_rows += len(batch)

    def summary(self) -> Summary:
        """What was found.

        Raises:
            InvalidDataError: If there were no rows.
        """
        if not self._num_rows or self._sample is None:
            raise InvalidDataError(
                [f"Table '{self._name}' has no rows. There must be at least one."]
            )
        parts = [_cast(part, self._dtypes) for part in (*self._sample.parts, *self._kept.values())]
        frame = pd.concat(parts)
        absent = [name for name in self._present if not frame[name].notna().any()]
        if absent:
            more = [_cast(self._present[name], self._dtypes) for name in absent]
            frame = pd.concat([frame, *more])
        frame = frame[~frame.index.duplicated()].sort_index()
        shares = {name: count / self._num_rows for name, count in self._missing.items()}
        return Summary(frame, self._num_rows, self._dtypes, shares)

    def _learn_dtypes(self, batch: pd.DataFrame) -> None:
        found = dict(batch.dtypes.items())
        if self._dtypes and list(found) != list(self._dtypes):
            raise InvalidDataError(
                [
                    f"Table '{self._name}' has the columns {list(self._dtypes)} in its first rows, "
                    f'but {list(found)} from row {batch.index[0]:,} on. All parts must have the '
                    'same columns in the same order.'
                ]
            )
        before = self._dtypes
        self._dtypes = {
            name: common_dtype(before[name], dtype) if before else dtype
            for name, dtype in found.items()
        }

    def _keep(self, what: Hashable, batch: pd.DataFrame, places: Places) -> None:
        """Keep rows of a batch for something, unless there are some already."""
        if what not in self._kept and len(places):
            self._kept[what] = batch.iloc[places]

    def _list_levels(self, batch: pd.DataFrame, column: Hashable) -> None:
        """Keep a row of each new level."""
        codes, distinct = distinct_values(batch[column])
        seen = self._seen.setdefault(column, set())
        keys = [(type(level), level) for level in distinct]
        new = [place for place, key in enumerate(keys) if key not in seen]
        if not new:
            return
        seen.update(keys[place] for place in new)
        self._refuse_many(f"Column '{column}' has", 'levels', len(seen))
        _, first = np.unique(codes, return_index=True)
        self._keep(('levels', column, len(seen)), batch, np.sort(first[new]))

    def _list_combinations(self, batch: pd.DataFrame, names: Sequence[str]) -> None:
        """Keep a row of each new combination of some columns."""
        if not set(names) <= set(batch.columns):
            return  # validation names those that are absent
        rows = batch[list(names)].drop_duplicates()
        seen = self._seen.setdefault(tuple(names), set())
        cells = rows.astype(object).where(rows.notna(), None)
        keys = list(cells.itertuples(index=False, name=None))
        new = np.array([key not in seen for key in keys], dtype=bool)
        if new.any():
            seen.update(keys)
            self._refuse_many(f'The columns {list(names)} have', 'combinations', len(seen))
            places = np.asarray(rows.index[new] - batch.index[0])
            self._keep(('levels', tuple(names), len(seen)), batch, places)

    def _refuse_many(self, whose: str, what: str, number: int) -> None:
        if number > _MOST_LEVELS:
            raise InvalidDataError(
                [
                    f'{whose} more than {_MOST_LEVELS:,} {what}. So many cannot be learnt from a '
                    'table that is not in memory. Leave the column out, or describe it in the '
                    'metadata as what it is: a number, a date, an id, or personal data, which are '
                    'invented anew.'
                ]
            )

    def _look_at_numbers(self, batch: pd.DataFrame, column: Hashable) -> None:
        if not batch[column].notna().any():
            return
        plain = NumberForm.learn(batch[column]).plain(batch[column])
        if plain.dtype.kind not in 'iuf':
            return  # the validation of the batch names the values
        numbers = plain.to_numpy(dtype=np.float64)
        self._keep_ends(batch, column, numbers)
        if plain.dtype.kind == 'f':
            present = np.where(np.isfinite(numbers), numbers, 0.0)
            self._keep_steps(
                (column, 'decimals'),
                batch,
                _MOST_DECIMALS + 1,
                lambda place: np.round(present, place) != present,
            )

    def _look_at_dates(self, batch: pd.DataFrame, column: Hashable, text_format: Any) -> None:
        values = batch[column]
        if not values.notna().any():
            return
        form = self._dates.get(column)
        if form is None:
            form = self._dates[column] = DateForm.learn(values, text_format)
        try:
            plain = form.plain(values)
            counts = form.nanoseconds(plain).to_numpy()
        except (ValueError, TypeError, OverflowError):
            return  # likewise
        self._keep_ends(batch, column, counts)
        present = ~np.isnan(counts)
        self._keep(('first date', column), batch, np.flatnonzero(present)[:1])  # has its zone
        walls = {'dates': np.where(present, counts, 0).astype(np.int64)}
        if pd.api.types.is_datetime64_any_dtype(plain.dtype):
            exact = np.where(present, nanosecond_counts(plain), 0)
            walls['dates'] = exact
            if form.time_zone is not None:
                shown = on_clocks(pd.Series(exact.view('datetime64[ns]')), form.time_zone)
                walls['local dates'] = np.where(present, nanosecond_counts(shown), 0)
        for what, times in walls.items():
            self._keep_steps(
                (column, what),
                batch,
                len(_DATE_UNITS),
                lambda place, times=times: times % _DATE_UNITS[place] != 0,
            )

    def _keep_ends(self, batch: pd.DataFrame, column: Hashable, numbers: Any) -> None:
        """Keep the rows with the least and the greatest number so far."""
        low, high = int(np.nanargmin(numbers)), int(np.nanargmax(numbers))
        least, greatest = self._ends.get(column, (np.inf, -np.inf))
        if numbers[low] < least:
            self._kept['low', column] = batch.iloc[[low]]
        if numbers[high] > greatest:
            self._kept['high', column] = batch.iloc[[high]]
        self._ends[column] = min(least, numbers[low]), max(greatest, numbers[high])

    def _keep_steps(
        self, what: tuple[Hashable, str], batch: pd.DataFrame, most: int, breaks: Any
    ) -> None:
        """Keep a row for each step of precision that numbers or dates need, coarsest first."""
        step = self._steps.get(what, 0)
        while step < most:
            broken = breaks(step)
            if not broken.any():
                break
            self._keep((*what, step), batch, np.flatnonzero(broken)[:1])
            step += 1
        self._steps[what] = step


class _Sample:
    """Rows of a table, all equally likely: those with the least of random keys."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._generator = np.random.default_rng(_SEED)
        self._frames: list[pd.DataFrame] = []
        self._keys: list[npt.NDArray[np.float64]] = []
        self._most = 1.0

    @classmethod
    def of_columns(cls, num_columns: int) -> _Sample:
        """For a table of so many columns."""
        return cls(max(min(SAMPLE_ROWS, _SAMPLE_CELLS // max(num_columns, 1)), _FEWEST_ROWS))

    @property
    def parts(self) -> list[pd.DataFrame]:
        """The rows, in several frames."""
        self._cut()
        return self._frames

    def add(self, batch: pd.DataFrame) -> None:
        keys = self._generator.random(len(batch))
        chosen = keys < self._most
        if chosen.any():
            self._frames.append(batch[chosen])
            self._keys.append(keys[chosen])
        if sum(map(len, self._keys)) > 2 * self._size:
            self._cut()

    def _cut(self) -> None:
        keys = np.concatenate(self._keys)
        if len(keys) <= self._size:
            return
        self._most = float(np.partition(keys, self._size)[self._size])
        chosen = [part < self._most for part in self._keys]
        pairs = list(zip(self._frames, self._keys, chosen, strict=True))
        self._frames = [frame[rows] for frame, _, rows in pairs]
        self._keys = [part[rows] for _, part, rows in pairs]


def common_dtype(first: Any, second: Any) -> Any:
    """The dtype that pandas gives a column of which it gives two parts these."""
    if first == second:
        return first
    categorical = isinstance(first, pd.CategoricalDtype), isinstance(second, pd.CategoricalDtype)
    if all(categorical) and first.ordered == second.ordered:
        more = second.categories.difference(first.categories, sort=False)
        if not len(more):
            return first
        return pd.CategoricalDtype(first.categories.append(more), ordered=first.ordered)
    plain = isinstance(first, np.dtype) and isinstance(second, np.dtype)
    if plain and 'O' not in (first.kind, second.kind):
        is_number = first.kind in 'iuf' and second.kind in 'iuf'
        if is_number or first.kind == second.kind:
            return np.promote_types(first, second)
    return np.dtype(object)


def _cast(frame: pd.DataFrame, dtypes: Mapping[Hashable, Any]) -> pd.DataFrame:
    others = {name: dtype for name, dtype in dtypes.items() if frame[name].dtype != dtype}
    return frame.astype(others) if others else frame
