"""From known cells to finished rows: the model completes, SDV turns back, rows are checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.asking import ask
from sdv_tabdar.adapter.contradictions import missing_room
from sdv_tabdar.adapter.draft import Draft
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.lower_ends import LEAST_CANDIDATES, has_lower_ends, with_lower_ends
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.adapter.room import rows_without_room
from sdv_tabdar.adapter.steering import anchored, ordered_names, steered
from sdv_tabdar.adapter.sums import has_open_sums, settled_rows, with_sums
from sdv_tabdar.adapter.values import item
from sdv_tabdar.core.schema import ColumnKind

_TOLERANCE = 0.01  # SDV's, for numbers that can only be met by trying
# Gaps are only kept from staying missing. Every cell is drawn among its values, given those
# before it; weighing whole rows by how likely they are to be complete would cost 64 times more.
_FILL_PARTICLES = 1
_TRIED_ROWS = 4096  # candidates drawn together for rows that are hard to meet
_FRUITLESS_ROWS = 4096  # candidates of which none was met, after which trying ends ...
_USUAL_TRIES = 100  # ... unless more tries than these are asked for
_EXPLAINED_ROWS = 512  # candidates looked at to say why
_FILLED_ROWS = 512  # the same for gaps, where known cells may rule out every candidate


class NothingMetError(ValueError):
    """No draw has met what was asked."""


def needs_draws(table: FittedTable, known: Known) -> npt.NDArray[np.bool_]:
    """``(rows,)``, True = known cells tell the model something only through draws of others."""
    return has_lower_ends(table, known) | has_open_sums(table, known)


class Completer:
    """Completes rows of one fitted synthesizer.

    Args:
        table: The fitted table.
    """

    def __init__(self, table: FittedTable) -> None:
        self.table = table

    def chunks(
        self,
        known: Known,
        *,
        max_tries: int,
        batch_size: int | None = None,
        fill: bool = False,
        progress: Callable[[int], Any] | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Finished rows, a chunk at a time.

        Args:
            known: What is known of each row.
            max_tries: How often to draw for rows that have not been met.
            batch_size: Rows of a chunk; None for all at once.
            fill: Whether cells that are not known must get a value. Known cells that the model
                cannot be told of are then written back without drawing for them.
            progress: Called with the number of rows that were finished.

        Yields:
            Rows in plain form, each under its position in ``known``; rows that could not be met
            are left out.

        Raises:
            ValueError: If the model cannot meet a condition, or no row could be met; it then says
                how often each condition and constraint was met.
            SamplingError: If torch lacks an operation on this device.
        """
        num_rows = len(known.cells)
        size = batch_size or max(num_rows, 1)
        num_met = 0
        for start in range(0, num_rows, size):
            positions = np.arange(start, min(start + size, num_rows))
            chunk = known.rows(positions)
            rows = self._met_rows(chunk, max_tries=max_tries, fill=fill, progress=progress)
            rows.index = pd.Index(positions[rows.index.to_numpy()])
            num_met += len(rows)
            yield rows
        if num_rows and not num_met and not fill:
            raise NothingMetError(self._why_unmet(known, max_tries))

    def expected_rows(self, known: Known, num_samples: int, max_tries: int) -> pd.DataFrame:
        """Rows whose unknown cells are the mean or the vote of draws.

        The mean is taken of numbers and dates as the model has them, so that what constraints
        and rounding make of it is taken of the mean. Rows of which the average breaks a
        constraint are drawn instead.

        Args:
            known: What is known of each row.
            num_samples: Draws for each row.
            max_tries: How often to draw for rows that break a constraint.

        Returns:
            Rows in plain form under their positions; rows that could not be met are left out.
        """
        if self.table.model is None:
            return self._met_rows(known, max_tries=max_tries, fill=True, progress=None)
        _, processed = self.table.trained
        drawn = self._repeated_draws(known, num_samples)
        averaged = {
            name: self._average(name, drawn[name].to_numpy().reshape(-1, num_samples))
            for name in drawn.columns
        }
        rows = pd.DataFrame(averaged, index=pd.RangeIndex(len(known.cells)))
        finished = self._finished(processed.from_model(rows), known, fill=True)
        left = np.setdiff1d(np.arange(len(known.cells)), finished.index.to_numpy())
        if not len(left):
            return finished
        again = self._met_rows(known.rows(left), max_tries=max_tries, fill=True, progress=None)
        again.index = pd.Index(left[again.index.to_numpy()])
        parts = [part for part in (finished, again) if len(part)]
        return pd.concat(parts).sort_index() if parts else finished

    def _repeated_draws(self, known: Known, num_samples: int) -> pd.DataFrame:
        """``num_samples`` draws of each row of the model, one after the other."""
        model, _ = self.table.trained
        lower = needs_draws(self.table, known)
        copies = np.repeat(np.flatnonzero(lower), num_samples)
        drawn = []
        if not lower.all():
            request = Request.translate(self.table, known.rows(np.flatnonzero(~lower)), fill=True)
            repeated = request.repeated(num_samples)
            drawn.append(ask(model, repeated, _FILL_PARTICLES, num_samples))
        if len(copies):
            part = self._with_draws(known.rows(copies), fill=True)
            drawn.append(self._ask_once(Request.translate(self.table, part, fill=True), 1))
        order = np.argsort(np.repeat(lower, num_samples), kind='stable')
        return pd.concat(drawn, ignore_index=True).iloc[np.argsort(order)].reset_index(drop=True)

    def drawn_rows(self, known: Known, num_draws: int, max_tries: int) -> list[pd.DataFrame]:
        """``num_draws`` completions of the same rows, drawn together; as :meth:`expected_rows`."""
        num_rows = len(known.cells)
        every = np.tile(np.arange(num_rows), num_draws)
        rows = self._met_rows(known.rows(every), max_tries=max_tries, fill=True, progress=None)
        numbers = rows.index.to_numpy()
        parts = []
        for draw in range(num_draws):
            part = rows[numbers // max(num_rows, 1) == draw]
            part.index = pd.Index(part.index.to_numpy() % max(num_rows, 1))
            parts.append(part)
        return parts

    def _average(self, name: str, draws: npt.NDArray[Any]) -> npt.NDArray[Any]:
        _, processed = self.table.trained
        if processed.kinds[name] is not ColumnKind.NUMERICAL:
            return vote_of_draws(draws)
        transformer = private_names.outputs(self.table.host).get(name, (name, None))[1]
        if transformer is not None and private_names.encodes_levels(transformer):
            return draws[:, 0]  # a level written as a number: the mean would be another level
        return mean_of_draws(draws)

    def _met_rows(
        self,
        known: Known,
        *,
        max_tries: int,
        fill: bool,
        progress: Callable[[int], Any] | None,
    ) -> pd.DataFrame:
        """Finished rows under their positions, drawn again as long as some are not met."""
        todo = np.arange(len(known.cells))
        met: list[pd.DataFrame] = []
        fruitless, most_fruitless = 0, _FRUITLESS_ROWS * max(max_tries / _USUAL_TRIES, 1)
        if needs_draws(self.table, known).any():  # several draws for each candidate
            most_fruitless /= LEAST_CANDIDATES
        for attempt in range(max(max_tries, 1)):
            most = _FILLED_ROWS if fill else _TRIED_ROWS
            left = math.ceil((most_fruitless - fruitless) / len(todo))
            copies = 1 if attempt == 0 else max(1, min(most // len(todo), 10**attempt, left))
            candidates = np.repeat(todo, copies)
            rows = self._candidates(known.rows(candidates), fill=fill)
            rows.index = pd.Index(candidates[rows.index.to_numpy()])
            rows = rows[~rows.index.duplicated()]
            met.append(rows)
            if progress is not None and len(rows):
                progress(len(rows))
            todo = np.setdiff1d(todo, rows.index.to_numpy())
            if attempt == 0 and len(todo):
                draft = Draft(self.table, known.rows(todo), fill=fill)
                todo = todo[~rows_without_room(draft)]
            fruitless = 0 if len(rows) else fruitless + len(candidates)
            if not len(todo) or fruitless >= most_fruitless:
                break
        if len(todo) and private_names.orders(self.table.host):
            rows = self._steered(known.rows(todo), fill=fill)
            rows.index = pd.Index(todo[rows.index.to_numpy()])
            met.append(rows)
            if progress is not None and len(rows):
                progress(len(rows))
        parts = [rows for rows in met if len(rows)] or met[:1]
        return pd.concat(parts).sort_index() if len(parts) > 1 else parts[0]

    def _why_unmet(self, known: Known, max_tries: int) -> str:
        """Why rows were not met: no room, or of the first one what is asked, least met first."""
        reason = missing_room(Draft(self.table, known, fill=False))
        if reason is not None:
            return reason
        first = known.rows(np.zeros(_EXPLAINED_ROWS, dtype=np.int64))
        shares = {}
        told = self._with_draws(first, fill=False)
        drawn, _ = self._drawn(told, fill=False)
        rows, valid = private_names.shares_valid(self.table.host, drawn)
        for key in [key for key in known.exact if key in rows]:
            profile = self.table.profiles[key]
            if key in first.partial and first.partial[key][0] is not None:
                met = profile.meets(rows[key], first.partial[key])
                asked = str(first.partial[key][0])
            else:
                every = np.ones(_EXPLAINED_ROWS, dtype=bool)
                met = self._meets(first, key, every, rows).to_numpy()
                asked = repr(item(first.cells[key].iloc[0]))
            shares[f"column '{profile.column.name}' {asked}"] = float(met.mean())
        whole = private_names.shares_of_whole_rows(self.table.host, self._overwritten(rows, first))
        for name, share in valid.items():
            shares[f'constraint {name}'] = min(share, whole.get(name, share))
        listed = ', '.join(
            f'{name} {share:.3g}'
            for name, share in sorted(shares.items(), key=lambda pair: pair[1])
        )
        return (
            f'{known.task.value}: no draw met all of them. The share of draws that met each: '
            f'{listed}. Loosen those that exclude each other; if the share of all together may be '
            f"very small, raise 'max_tries_per_batch' (now {max_tries})."
        )

    def _candidates(self, known: Known, *, fill: bool) -> pd.DataFrame:
        """One draw for each row; rows that do not meet what is asked are left out."""
        known = self._with_draws(known, fill=fill)
        drawn, loose = self._drawn(known, fill=fill)
        return self._finished(drawn, known, fill=fill, loose=None if fill else loose)

    def _finished(
        self,
        drawn: pd.DataFrame,
        known: Known,
        *,
        fill: bool,
        loose: Mapping[str, npt.NDArray[np.bool_]] | None = None,
    ) -> pd.DataFrame:
        """Drawn rows turned back, checked."""
        rows = private_names.reverse_transform(self.table.host, drawn)
        if not fill:
            rows = anchored(self.table, drawn, rows, known)
        return self._checked(rows, known, fill=fill, loose=loose)

    def _steered(self, known: Known, *, fill: bool) -> pd.DataFrame:
        """One draw for each row, moved to where its known cells leave room, if it then is met."""
        drawn, loose = self._drawn(known, fill=fill)
        rows, _ = private_names.shares_valid(self.table.host, drawn)
        rows = steered(self.table, drawn, rows, known, fill=fill)
        rows = self.table.with_rounded_dates(rows)
        in_order = ordered_names(self.table)
        loose = {key: asked for key, asked in loose.items() if key not in in_order and not fill}
        return self._checked(rows, known, fill=fill, loose=loose)

    def _checked(
        self,
        rows: pd.DataFrame,
        known: Known,
        *,
        fill: bool,
        loose: Mapping[str, npt.NDArray[np.bool_]] | None,
    ) -> pd.DataFrame:
        """Rows in plain form with the known cells; those that miss what is asked go."""
        meets = pd.Series(True, index=rows.index)
        for key, asked in (loose or {}).items():
            if key in known.exact:
                meets &= self._meets(known, key, asked, rows)
        rows, possible = settled_rows(self.table, self._overwritten(rows, known), known)
        meets &= possible
        for key, wanted in known.partial.items():
            # Levels that share a code in the model are told apart only here.
            of_rows = [wanted[position] for position in rows.index]
            meets &= self.table.profiles[key].meets(rows[key], of_rows)
        if fill:
            # A user's transformer may hide from the model which of its values mean 'missing'.
            learnt = [
                key
                for key, profile in self.table.profiles.items()
                if profile.has_values and profile.role is not Role.GENERATED
            ]
            meets &= rows[learnt].notna().all(axis=1)
        if private_names.has_constraints(self.table.host) and meets.any():
            meets &= private_names.valid_rows(self.table.host, rows)
        return rows[meets]

    def _with_draws(self, known: Known, *, fill: bool) -> Known:
        """What is known, with draws of cells that known ones depend on."""
        known = with_sums(self.table, known, self._ask_once, fill=fill)
        return with_lower_ends(self.table, known, self._ask_once, fill=fill)

    def _drawn(
        self, known: Known, *, fill: bool
    ) -> tuple[pd.DataFrame, Mapping[str, npt.NDArray[np.bool_]]]:
        if self.table.model is None:
            return pd.DataFrame(index=pd.RangeIndex(len(known.cells))), {}
        model, processed = self.table.trained
        request = Request.translate(self.table, known, fill=fill)
        drawn = ask(model, request, _FILL_PARTICLES if fill else None)
        return processed.from_model(drawn), request.loose

    def _ask_once(self, request: Request, num_copies: int) -> pd.DataFrame:
        """The model's completion of a request, with one particle for each row."""
        model, _ = self.table.trained
        return ask(model, request, _FILL_PARTICLES, num_copies)

    def _meets(
        self, known: Known, key: str, asked: npt.NDArray[np.bool_], rows: pd.DataFrame
    ) -> pd.Series:
        """Which drawn rows happen to have the known value of a column that was not conditioned."""
        positions = rows.index.to_numpy()
        asked = asked[positions] & known.exact[key].to_numpy()[positions]
        if key in known.beyond:
            asked = asked & ~known.beyond[key].rows[positions]  # no draw could be so
        profile = self.table.profiles[key]
        wanted = profile.comparable(known.cells[key].iloc[positions].set_axis(rows.index))
        found = profile.comparable(rows[key])
        equal = (wanted == found) | (wanted.isna() & found.isna())
        if profile.role is Role.NUMBER and not pd.api.types.is_integer_dtype(profile.dtype):
            equal |= (wanted - found).abs() <= _TOLERANCE * wanted.abs()
        return equal | ~pd.Series(asked, index=rows.index)

    def _overwritten(self, rows: pd.DataFrame, known: Known) -> pd.DataFrame:
        """Rows with the known cells exactly as they were given."""
        positions = rows.index.to_numpy()
        rows = rows.copy()
        for key in known.cells.columns:
            exact = known.exact[key].to_numpy()[positions]
            if not exact.any():
                continue
            given = known.cells[key].to_numpy(dtype=object)[positions]
            if key not in rows.columns:
                rows[key] = None
            values = rows[key].to_numpy(dtype=object, copy=True)
            values[exact] = given[exact]
            rows[key] = self.table.profiles[key].typed(list(values), rows.index)
        return rows


def mean_of_draws(draws: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean ``(rows,)`` of draws ``(rows, samples)``, exact where all draws agree."""
    first = draws[:, :1]
    return np.asarray(first[:, 0] + (draws - first).mean(axis=1))


def vote_of_draws(draws: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Most frequent value ``(rows,)`` of draws ``(rows, samples)``; the earliest among equals."""
    codes = pd.factorize(draws.ravel(), use_na_sentinel=False)[0].reshape(draws.shape)
    counts = (codes[:, :, None] == codes[:, None, :]).sum(axis=2)
    return draws[np.arange(len(draws)), counts.argmax(axis=1)]
