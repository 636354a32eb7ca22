"""Lower columns of an Inequality or a Range of which an upper one is known, drawn before the rest.

The model has such columns as the lowest one and the differences d between neighbours. A known
upper column h makes one of these a function of the others, which no condition on the model's
columns can say. So candidates are drawn without h, and each is made to end at h in two ways: with
the differences that were drawn and the lowest column that they leave, or with the columns below
as they were drawn and the difference that is left. A candidate is then chosen with a probability
in proportion to the model's density of what was made to fit (sampling-importance-resampling), so
that the law is the model's own given h, up to the number of candidates.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.asking import in_words
from sdv_tabdar.adapter.draft import Draft, Flags, Floats, Integers
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.lower_blocks import Block, blocks_of
from sdv_tabdar.adapter.ordered import log_difference
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.adapter.room import bounds_of, coarser_dates, room_of
from sdv_tabdar.core.restrictions import Interval, Members

_MOST_CANDIDATES = 16
LEAST_CANDIDATES = 4
_CANDIDATES_TOGETHER = 4_096

Ask = Callable[[Request, int], pd.DataFrame]


def has_lower_ends(table: FittedTable, known: Known) -> Flags:
    """``(rows,)``, True = a column is to be drawn before the others."""
    found = np.zeros(len(known.cells), dtype=bool)
    if table.model is not None:
        for block in blocks_of(table, known, Draft(table, known, fill=False)):
            found[block.rows] = True
    return found


def with_lower_ends(table: FittedTable, known: Known, ask: Ask, *, fill: bool) -> Known:
    """What is known, with draws of the unknown columns below known ones.

    Args:
        table: The fitted table.
        known: What is known.
        ask: Completes a request, of which every so many rows are copies.
        fill: Whether every cell is to get a value.

    Raises:
        sdv.cag._errors.ConstraintNotMetError: If what is known breaks a constraint.
    """
    if table.model is None:
        return known
    for block in blocks_of(table, known, Draft(table, known, fill=fill)):
        known = _Lowering(table, known, block, ask, fill=fill).known_with_draws()
    return known


@dataclasses.dataclass(frozen=True)
class Candidates:
    """Values that the columns of a block might have.

    Attributes:
        below: ``(rows, candidates)``, the known column below the block; None without one.
        values: The same for each of the block's columns.
        anchor: The same for the known column above.
    """

    below: Floats | None
    values: tuple[Floats, ...]
    anchor: Floats

    @property
    def chain(self) -> list[Floats]:
        """All of them, from the lowest column to the highest."""
        return [*([] if self.below is None else [self.below]), *self.values, self.anchor]

    def log_differences(self) -> list[Floats]:
        """Of neighbours up to the anchor, NaN where they are out of order."""
        return [log_difference(low, high) for low, high in itertools.pairwise(self.chain)]

    def in_order(self, block: Block) -> Flags:
        """Which of them are in the order that the constraint of a block asks for."""
        chain = self.chain
        if block.text_format is not None:
            chain = [coarser_dates(counts, block.text_format) for counts in chain]
        compare = np.less if block.columns.strict else np.less_equal
        return np.logical_and.reduce([compare(*pair) for pair in itertools.pairwise(chain)])


class _Lowering:
    """The draws for one block.

    Args:
        table: The fitted table.
        known: What is known of all rows.
        block: The block.
        ask: As in :func:`with_lower_ends`.
        fill: As in :func:`with_lower_ends`.
    """

    def __init__(
        self, table: FittedTable, known: Known, block: Block, ask: Ask, *, fill: bool
    ) -> None:
        self.table = table
        self.model, _ = table.trained
        self.all_known = known
        self.known = known.rows(block.rows)
        self.block = block
        self.ask = ask
        self.fill = fill
        self.draft = Draft(table, self.known, fill=fill)
        self.lows, self.highs = bounds_of(self.draft, block.columns.names[block.anchor])
        # Up to here the anchor leaves room for the columns above it.
        room = room_of(self.draft, block.columns, block.text_format, drawn=True)
        tops, _ = room.tops()
        self.top = tops[block.anchor]
        # The differences from the known column below, or from the lowest one, to the anchor.
        self.differences = block.columns.differences[max(block.first - 1, 0) : block.anchor]

    def known_with_draws(self) -> Known:
        """What is known of all rows, with draws for the block."""
        num_rows = len(self.known.cells)
        wanted = _CANDIDATES_TOGETHER // num_rows
        count = min(max(wanted, LEAST_CANDIDATES), _MOST_CANDIDATES)
        request = Request.translate(self.table, self.known, fill=self.fill)
        chosen = np.full((num_rows, len(self.block.unknown) + 1), np.nan)
        nulls: list[frozenset[str]] = [frozenset()] * num_rows
        left = np.arange(num_rows)
        if self.block.exact:
            drawn = self.ask(request.repeated(count), count)
            nulls = self._null_columns(drawn)[::count]
            chosen = self._fitted(request, drawn, count)
            found = ~np.isnan(chosen[:, 0]) | np.array([bool(names) for names in nulls])
            left = np.flatnonzero(~found)
        if len(left):
            drawn = self.ask(self._windowed(request).rows(left).repeated(count), count)
            for row, names in zip(left, self._null_columns(drawn)[::count], strict=True):
                nulls[row] = names
            block = dataclasses.replace(self.block, rows=self.block.rows[left])
            part = _Lowering(self.table, self.all_known, block, self.ask, fill=self.fill)
            chosen[left] = part.inside(drawn, count)
        return self._written(chosen, nulls)

    def _null_columns(self, drawn: pd.DataFrame) -> list[frozenset[str]]:
        """Which of the block's columns each drawn row has no value in."""
        names = self.block.columns.nulls
        if names not in drawn:
            return [frozenset()] * len(drawn)
        unknown = frozenset(self.block.unknown)
        cache: dict[str, frozenset[str]] = {}
        texts = drawn[names].astype(str).tolist()
        for text in set(texts):
            is_none = text == private_names.NO_NULLS
            cache[text] = frozenset() if is_none else unknown & set(text.split(', '))
        return [cache[text] for text in texts]

    def _spans(self, drawn: pd.DataFrame, count: int) -> list[Floats]:
        """Differences of a draw, not in logarithms, ``(rows, candidates)`` each."""
        return [np.expm1(_numbers(drawn, name, count)) for name in self.differences]

    def _fitted(self, request: Request, drawn: pd.DataFrame, count: int) -> Floats:
        """One candidate for each row whose columns end at a known value; NaN without any."""
        anchor = self._anchors(count)
        spans = self._spans(drawn, count)
        present = np.array([not names for names in self._null_columns(drawn)]).reshape(-1, count)
        ways = []
        # In a fixed order the lowest column, which comes first, has no law given the differences.
        for downwards in (False,) if self.model.model.column_order == 'fixed' else (True, False):
            values = (
                self._from_above(anchor, spans) if downwards else self._from_below(drawn, spans)
            )
            candidates = Candidates(self._below(count), values, anchor)
            logs = self._log_densities(request, candidates, downwards=downwards)
            ways.append((candidates, np.where(present & self._allowed(candidates), logs, -np.inf)))
        logs = np.concatenate([logs for _, logs in ways], axis=1)
        places = _chosen(logs, self.model.random_numbers(len(logs)))
        columns = [
            np.concatenate([candidates.values[place] for candidates, _ in ways], axis=1)
            for place in range(len(self.block.unknown))
        ]
        columns.append(np.concatenate([anchor] * len(ways), axis=1))
        found = np.stack([column[np.arange(len(places)), places] for column in columns], axis=1)
        found[~np.isfinite(logs.max(axis=1))] = np.nan
        return found

    def _anchors(self, count: int) -> Floats:
        """The known values above, ``(rows, candidates)``; those of a set take turns."""
        values = np.repeat(self.lows[:, None], count, axis=1)
        name = self.block.columns.names[self.block.anchor]
        for row, entry in enumerate(self.known.partial.get(name, ())):
            if isinstance(entry, Members):
                members = _members(entry)
                starts = self.model.random_numbers(1)
                steps = (starts + np.arange(count) / count) * len(members)
                values[row] = members[steps.astype(np.int64) % len(members)]
        return values

    def _below(self, count: int) -> Floats | None:
        if not self.block.first:
            return None
        numbers = self.draft.numbers(self.block.columns.names[self.block.first - 1])
        return np.repeat(numbers[:, None], count, axis=1)

    def _from_above(self, anchor: Floats, spans: list[Floats]) -> tuple[Floats, ...]:
        values, upper = [], anchor
        for name, span in zip(reversed(self.block.unknown), reversed(spans), strict=False):
            upper = self.table.profiles[name].rounded(upper - span)
            values.append(upper)
        return tuple(reversed(values))

    def _from_below(self, drawn: pd.DataFrame, spans: list[Floats]) -> tuple[Floats, ...]:
        count = spans[0].shape[1]
        names, profiles = self.block.unknown, self.table.profiles
        lower = self._below(count)
        values = []
        if lower is None:
            lower = profiles[names[0]].rounded(_numbers(drawn, self.block.columns.low, count))
            values.append(lower)
        for name, span in zip(names[len(values) :], spans, strict=False):
            lower = profiles[name].rounded(lower + span)
            values.append(lower)
        return tuple(values)

    def _log_densities(
        self, request: Request, candidates: Candidates, *, downwards: bool
    ) -> Floats:
        """Of what was made to fit, given all else; -inf where the columns are out of order."""
        logs = candidates.log_differences()
        in_order = candidates.in_order(self.block)
        made = dict(zip(self.differences, logs, strict=True))
        if candidates.below is None:
            made = {self.block.columns.low: candidates.values[0], **made}
        solved = next(iter(made)) if downwards else self.differences[-1]
        found = np.full(in_order.shape, -np.inf)
        if not in_order.any():
            return found
        rows = np.nonzero(in_order)[0]
        frame = request.frame.iloc[rows].reset_index(drop=True)
        observed = request.observed[rows]
        kept = [place for place, name in enumerate(frame.columns) if name not in made]
        frame, observed = frame.iloc[:, kept].copy(), observed[:, kept]
        for name, numbers in made.items():
            frame[name] = numbers[in_order]
            observed = np.column_stack([observed, np.ones(len(rows), dtype=bool)])
        with in_words(request):
            found[in_order] = self.model.log_density(frame, observed, solved)
        if solved in self.differences:
            found[in_order] -= made[solved][in_order]  # d(log(x + 1)) / dx
        return found

    def _allowed(self, candidates: Candidates) -> Flags:
        """Which candidates are in the training range and meet conditions on the block's columns."""
        allowed = np.ones(candidates.anchor.shape, dtype=bool)
        for name, values in zip(self.block.unknown, candidates.values, strict=True):
            profile = self.table.profiles[name]
            allowed &= (profile.low <= values) & (values <= profile.high)
            entries = self.known.partial.get(name)
            if entries is not None:
                lows, highs = bounds_of(self.draft, name)
                allowed &= (lows[:, None] <= values) & (values <= highs[:, None])
                for row, entry in enumerate(entries):
                    if isinstance(entry, Members):
                        allowed[row] &= np.isin(values[row], _members(entry))
        return allowed

    def _windowed(self, request: Request) -> Request:
        """The request with the first column kept to where the others can reach the anchor."""
        limits = [np.expm1(self.model.limits(name)) for name in self.differences]
        if self.block.first:
            name = self.differences[0]
            below = self.draft.numbers(self.block.columns.names[self.block.first - 1])
            least, most = np.sum([np.zeros(2), *limits[1:]], axis=0)
            lows = log_difference(below, np.maximum(self.lows - most, below))
            highs = log_difference(below, self.highs - least)
            widest = log_difference(below, self.highs)
        else:
            name = self.block.columns.low
            least, most = np.sum(limits, axis=0)
            lows, highs, widest = self.lows - most, self.highs - least, self.highs
        seen = self.model.limits(name)
        # Differences smaller than those of training are better than none.
        highs = np.where(highs >= seen[0], highs, widest)
        given = request.restrictions.get(name, [None] * len(lows))
        entries = list(given)
        narrowed = list(given)
        for row, entry in enumerate(given):
            low, high = lows[row], highs[row]
            if isinstance(entry, Interval):
                low = low if entry.low is None else max(low, entry.low)
                high = high if entry.high is None else min(high, entry.high)
            if not isinstance(entry, Members) and low <= high:
                ends = (float(end) if np.isfinite(end) else None for end in (low, high))
                narrowed[row] = Interval(*ends)
        for row in np.flatnonzero(self.model.allows(name, narrowed)).tolist():
            entries[row] = narrowed[row]
        return dataclasses.replace(request, restrictions={**request.restrictions, name: entries})

    def inside(self, drawn: pd.DataFrame, count: int) -> Floats:
        """One candidate for each row that meets the anchor's range, or else may yet do so."""
        spans = self._spans(drawn, count)
        values = self._from_below(drawn, spans)
        lows, highs = self.lows[:, None], self.highs[:, None]
        last = values[-1]
        most = np.expm1(self.model.limits(self.differences[-1])[1])
        present = np.array([not names for names in self._null_columns(drawn)]).reshape(-1, count)
        candidates = Candidates(self._below(count), values, np.repeat(self.top[:, None], count, 1))
        allowed = present & self._allowed(candidates) & candidates.in_order(self.block)
        reached = (last + spans[-1] >= lows) & (last + spans[-1] <= highs)
        feasible = last + most >= lows
        logs = np.where(reached, 0.0, np.where(feasible, -50.0, -np.inf))
        logs = np.where(allowed, logs, -np.inf)
        places = _chosen(logs, self.model.random_numbers(len(logs)))
        columns = [*values, np.full_like(last, np.nan)]
        found = np.stack([column[np.arange(len(places)), places] for column in columns], axis=1)
        found[~np.isfinite(logs.max(axis=1))] = np.nan
        return found

    def _written(self, chosen: Floats, nulls: list[frozenset[str]]) -> Known:
        """What is known of all rows, with the chosen values of the block's columns."""
        known = self.all_known
        names = self.block.columns.names[self.block.first : self.block.anchor + 1]
        for place, name in enumerate(names):
            is_null = np.array([name in null for null in nulls])
            told = ~np.isnan(chosen[:, place]) | is_null
            plain = self.table.profiles[name].plain_of(chosen[told, place])
            values: list[object] = [None] * len(known.cells)
            for row, value in zip(self.block.rows[told], plain, strict=True):
                values[row] = value
            rows = np.zeros(len(values), dtype=bool)
            rows[self.block.rows[told]] = True
            if rows.any():
                known = known.with_values(self.table, name, values, rows)
        return known


def _members(members: Members) -> Floats:
    return np.array(members.values, dtype=np.float64)


def _numbers(drawn: pd.DataFrame, name: str, count: int) -> Floats:
    return drawn[name].to_numpy(dtype=np.float64).reshape(-1, count)


def _chosen(logs: Floats, uniforms: Floats) -> Integers:
    """One place in each row of log weights ``(rows, candidates)``; 0 where all are -inf."""
    highest = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - np.where(np.isfinite(highest), highest, 0.0))
    sums = weights.cumsum(axis=1)
    return (sums <= uniforms[:, None] * sums[:, -1:]).sum(axis=1).clip(0, logs.shape[1] - 1)
