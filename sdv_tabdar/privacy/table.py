"""A training table without values that few rows share, in the user's form.

Everything that is learnt afterwards (forms, profiles, transformers, constraints, codes) is learnt
from this table, so that nothing of the values that were taken out is left anywhere.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.formats import ColumnFormat
from sdv_tabdar.adapter.profile import ColumnProfile, Role, role_of
from sdv_tabdar.adapter.table_format import TableFormat
from sdv_tabdar.core.codecs.clock_times import look_like_clock_times, nearest_clock_times
from sdv_tabdar.core.codecs.values import Floats, LevelIndex, with_columns
from sdv_tabdar.privacy.described import protected_entries
from sdv_tabdar.privacy.levels import NothingKeptError, protected_levels
from sdv_tabdar.privacy.numbers import ends_are_shared, grid, protected_numbers
from sdv_tabdar.privacy.stand_ins import Beside
from sdv_tabdar.privacy.threshold import Tail, Threshold, generator_of

_ROUNDS = 2  # rows that break a constraint are left out, and the ends of columns bounded again
_MUCH = 0.5  # of the cells of a column, changed


@dataclasses.dataclass(frozen=True)
class ProtectedTable:
    """A table after protection.

    Attributes:
        frame: The table in the user's form; rows that would break a constraint are left out.
        replaced: Which of its cells are not the ones from before.
        entries: The metadata's descriptions of columns that named what was taken out, without it.
        remarks: What a user should know of it.
        clock_times: The columns whose numbers were clock times, as they still are.
    """

    frame: pd.DataFrame
    replaced: pd.DataFrame
    entries: Mapping[str, Mapping[str, Any]]
    remarks: Sequence[str]
    clock_times: Collection[str]


def protected_table(
    synth: Any,
    frame: pd.DataFrame,
    form: TableFormat,
    threshold: Threshold,
    *,
    token: str | None,
    max_atoms: int,
    max_categories: int,
) -> ProtectedTable:
    """Protect a training table.

    Args:
        synth: The synthesizer; its transformers are assigned, its constraints fitted on the table.
        frame: The table, which has passed validation.
        form: Its form.
        threshold: How many rows must share a value.
        token: What takes the place of rare levels in columns of text; None for another level.
        max_atoms: As in ``ModelConfig``.
        max_categories: Likewise.

    Raises:
        InvalidDataError: If the table has too few rows, or a column no level that enough share.
    """
    if len(frame) < 2 * threshold.rows:
        raise InvalidDataError(
            [
                f'The table has {len(frame)} rows. For values that fewer than {threshold.rows} '
                f'rows share to be protected it needs at least {2 * threshold.rows}. Give more '
                'rows, or protect_values=False.'
            ]
        )
    before = form.plain(frame.reset_index(drop=True))
    work = _Work(synth, form, before, threshold, token, max_atoms, max_categories)
    plain = work.without_rare_levels(before)
    for _ in range(_ROUNDS):
        plain = work.without_rare_numbers(plain)
        valid = private_names.valid_rows(synth, plain)
        plain = plain[valid.to_numpy()]
        if valid.all() or not len(plain):
            break
    plain = work.with_shared_ends(plain)
    if not len(plain):
        raise InvalidDataError(
            [
                'No row of the table meets the constraints once its rare values are protected. '
                'Give more rows, or protect_values=False.'
            ]
        )
    given = frame.iloc[plain.index.to_numpy()].reset_index(drop=True)
    kept = before.loc[plain.index].reset_index(drop=True)
    plain = plain.reset_index(drop=True)
    replaced = pd.DataFrame({key: _changed(kept[key], plain[key]) for key in plain})
    columns = {
        column.name: _in_users_form(
            column, given[column.name], replaced[column.key].to_numpy(), plain[column.key]
        )
        for column in form.columns
    }
    found = pd.DataFrame(columns, columns=frame.columns)
    entries = protected_entries(
        private_names.original_table(synth).columns, work.profiles, before, plain
    )
    remarks = work.remarks(plain, replaced, len(before))
    return ProtectedTable(found, replaced, entries, remarks, work.clock_times)


@dataclasses.dataclass(frozen=True)
class _Work:
    """One table on its way."""

    synth: Any
    form: TableFormat
    before: pd.DataFrame
    threshold: Threshold
    token: str | None
    max_atoms: int
    max_categories: int

    @functools.cached_property
    def profiles(self) -> dict[str, ColumnProfile]:
        """What the table has in each column; numbers that are categories count as levels."""
        found = {}
        for column in self.form.columns:
            generated = private_names.is_generated(self.synth, column.key)
            role = role_of(column.sdtype, generated=generated)
            if isinstance(column.dtype, pd.CategoricalDtype) and role is not Role.GENERATED:
                role = Role.DISCRETE
            found[column.key] = ColumnProfile.learn(
                self.before[column.key], column, role, rounds=True, extrapolates=False
            )
        return found

    @functools.cached_property
    def tail(self) -> Tail:
        numbers = [self.comparable(self.before, key) for key in self.ordered]
        return Tail.drawn(self.threshold, generator_of(*(np.sort(x).tobytes() for x in numbers)))

    @functools.cached_property
    def ordered(self) -> list[str]:
        """The columns of numbers and of dates."""
        return [
            key
            for key, profile in self.profiles.items()
            if profile.role in (Role.NUMBER, Role.DATE)
        ]

    @functools.cached_property
    def clock_times(self) -> frozenset[str]:
        """The columns whose numbers can hardly be anything but clock times."""
        numbers = [key for key in self.ordered if self.profiles[key].role is Role.NUMBER]
        return frozenset(
            key for key in numbers if look_like_clock_times(self.comparable(self.before, key))
        )

    def rounding(self, key: str) -> Callable[[Floats], Floats]:
        """What puts numbers on the grid of their column."""
        if key in self.clock_times:
            return nearest_clock_times
        return _rounding(self.profiles[key], self.comparable(self.before, key))

    def comparable(self, plain: pd.DataFrame, key: str) -> Floats:
        return self.profiles[key].comparable(plain[key]).to_numpy(dtype=np.float64)

    def without_rare_levels(self, plain: pd.DataFrame) -> pd.DataFrame:
        """Rare levels replaced, in columns of few first; combinations that are fixed as a whole."""
        discrete = [key for key, entry in self.profiles.items() if entry.role is Role.DISCRETE]
        groups = _joined(private_names.fixed_combinations(self.synth))
        alone = [{key} for key in discrete if not any(key in group for group in groups)]
        alone.sort(key=lambda group: max(len(self.profiles[key].levels) for key in group))
        columns = dict(plain.items())
        beside = {
            key: self._beside(key, cells, np.zeros(len(cells), dtype=bool))
            for key, cells in plain.items()
            if key in self.ordered or key in discrete
        }
        for group in [*groups, *alone]:
            names = [key for key in plain if key in group]
            others = [entry for key, entry in beside.items() if key not in group]
            found = self._group(plain[names], others)
            columns.update(found)
            for key in names:
                beside[key] = self._beside(key, found[key], _changed(plain[key], found[key]))
        return pd.DataFrame(columns, index=plain.index)

    def _beside(self, key: str, cells: pd.Series, replaced: npt.NDArray[np.bool_]) -> Beside:
        """A column as the replacement of levels of others looks at it."""
        if self.profiles[key].role is Role.DISCRETE:
            return Beside(LevelIndex.of(cells)[1], replaced)
        numbers = self.profiles[key].comparable(cells).to_numpy(dtype=np.float64)
        return Beside(pd.factorize(numbers, use_na_sentinel=False)[0], replaced)

    def _group(self, plain: pd.DataFrame, beside: Sequence[Beside]) -> pd.DataFrame:
        (name, *others) = plain.columns
        try:
            if not others:
                found = protected_levels(plain[name], self.threshold, self.token, beside)
                return found.to_frame()
            rows = pd.Series(list(plain.itertuples(index=False, name=None)), dtype=object)
            rows = rows.map(lambda row: tuple(None if pd.isna(cell) else cell for cell in row))
            found = protected_levels(rows, self.threshold, None, beside)
        except NothingKeptError as error:
            raise InvalidDataError([self._nothing_kept(list(plain.columns), str(error))]) from None
        cells = {
            key: pd.Series([row[place] for row in found], index=plain.index, dtype=object)
            for place, key in enumerate(plain.columns)
        }
        return pd.DataFrame(cells)

    def _nothing_kept(self, names: list[str], what: str) -> str:
        if len(names) > 1:
            return (
                f'Of the combinations of {names}, {what}, so that protection leaves nothing of '
                'them. Leave columns out, or give protect_values=False.'
            )
        return (
            f"Column '{names[0]}': {what}, so that protection leaves nothing of it. Leave the "
            'column out, give it an sdtype that is made anew (an id, or personal data), name what '
            'is to stand in its place (rare_token, for text), or give protect_values=False.'
        )

    def without_rare_numbers(self, plain: pd.DataFrame) -> pd.DataFrame:
        """Rare numbers replaced, and the ends of columns by bounds."""
        columns = dict(plain.items())
        for key in self.ordered:
            profile, numbers = self.profiles[key], self.comparable(plain, key)
            found = protected_numbers(
                numbers,
                self.threshold,
                self.tail,
                max_atoms=self.max_atoms,
                max_categories=self.max_categories,
                rounded=self.rounding(key),
            )
            changed = ~((found == numbers) | (np.isnan(found) & np.isnan(numbers)))
            if changed.any():
                cells = plain[key].astype(object).tolist()
                places = np.flatnonzero(changed)
                for place, value in zip(places, profile.plain_of(found[changed]), strict=True):
                    cells[place] = value
                columns[key] = profile.typed(cells, plain.index)
        return pd.DataFrame(columns, index=plain.index)

    def with_shared_ends(self, plain: pd.DataFrame) -> pd.DataFrame:
        """Ends bounded again, which may have lost rows, where that breaks no constraint."""
        if not self.single_ends(plain):
            return plain
        found = self.without_rare_numbers(plain)
        groups = _joined(private_names.constraint_groups(self.synth))
        tied: set[str] = set().union(*groups)
        best = with_columns(plain, {key: found[key] for key in self.ordered if key not in tied})
        for group in groups:
            names = [key for key in self.ordered if key in group]
            trial = with_columns(best, {key: found[key] for key in names})
            if private_names.valid_rows(self.synth, trial).all():
                best = trial
        return best

    def single_ends(self, plain: pd.DataFrame) -> list[str]:
        """Columns of which an end is that of a few rows."""
        return [
            key
            for key in self.ordered
            if not ends_are_shared(self.comparable(plain, key), self.threshold)
        ]

    def remarks(self, plain: pd.DataFrame, replaced: pd.DataFrame, num_rows: int) -> list[str]:
        """What could not be protected, or has changed much."""
        found = []
        if len(plain) < num_rows:
            found.append(
                f'{num_rows - len(plain):,} of {num_rows:,} rows are left out: with their rare '
                'values replaced they break a constraint.'
            )
        single = self.single_ends(plain)
        if single:
            found.append(
                f'The least or the greatest value of {single} is still that of a few rows, '
                'because a constraint ties it to other columns.'
            )
        for key in self.profiles:
            share = replaced[key].mean()
            if share > _MUCH:
                found.append(
                    f"Column '{key}' has another value in {share:.0%} of its rows: most of its "
                    'values are those of a few rows.'
                )
        return found


def _rounding(profile: ColumnProfile, numbers: Floats) -> Any:
    """What puts a number on the grid of its column."""
    step = grid(numbers) if profile.role is Role.NUMBER else 0.0
    if step > 1:
        return lambda values: np.rint(values / step) * step
    return profile.rounded


def _joined(groups: Iterable[Iterable[str]]) -> list[set[str]]:
    """Groups of columns, those that share one as a single one."""
    found: list[set[str]] = []
    for group in groups:
        together = set(group)
        apart = []
        for other in found:
            if other & together:
                together |= other
            else:
                apart.append(other)
        found = [*apart, together]
    return found


def _changed(before: pd.Series, after: pd.Series) -> npt.NDArray[np.bool_]:
    """Which cells of a column are not the ones from before."""
    first, second = before.astype(object).to_numpy(), after.astype(object).to_numpy()
    there = before.notna().to_numpy()
    same = np.fromiter((a == b for a, b in zip(first, second, strict=True)), bool, len(first))
    return np.where(there, ~same, after.notna().to_numpy())


def _in_users_form(
    column: ColumnFormat, given: pd.Series, changed: npt.NDArray[np.bool_], plain: pd.Series
) -> pd.Series:
    """A column as the user had it, with the cells that are others now."""
    is_category = isinstance(given.dtype, pd.CategoricalDtype)
    if not changed.any() and not is_category:
        return given
    cells = given.astype(object).to_numpy(copy=True)
    if changed.any():
        restored = column.restore(plain[changed]) if not is_category else plain[changed]
        cells[changed] = restored.astype(object).to_numpy()
    found = pd.Series(cells, index=given.index, name=given.name, dtype=object)
    if is_category:
        left = set(found.dropna())
        categories = [level for level in given.dtype.categories if level in left]
        categories += [level for level in left if level not in set(categories)]
        return found.astype(pd.CategoricalDtype(categories, given.dtype.ordered))
    if given.dtype == object:
        return found
    try:
        return found.astype(given.dtype)
    except (TypeError, ValueError):  # a token among numbers, a gap among whole ones
        return found
