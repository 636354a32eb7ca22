"""Drawn dates and their parts as in all training rows (``core/codecs/calendars.py``).

The network knows nearly which month goes with a date. What was drawn, or given, of a year, a month
and a weekday is kept, beside which the rest of the row was drawn, and the date moves to the nearest
one that has all of it. Where there is none, or the date is given, its parts follow. Dates that were
drawn beside it (``carried.py``) go with it, before they move to parts of their own.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.calendars import (
    BROAD,
    DAY,
    MINUTE,
    OF_CLOCK,
    CalendarPart,
)
from sdv_tabdar.core.codecs.lines import Marks, to_steps
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.value_places import NO_GRID
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats
from sdv_tabdar.core.inference.carried import carried, carry
from sdv_tabdar.core.inference.told_levels import ToldLevels
from sdv_tabdar.core.restrictions import (
    Interval,
    Members,
    Restriction,
    both,
    meets,
)

_MOST_DAYS = 200_000  # between the ends of a column of dates
_MINUTES = round(DAY / MINUTE)
_LOOKED_AT = 0, 1 / 3, 2 / 3  # of days, or minutes, whether any dates are there


@dataclasses.dataclass(frozen=True)
class Calendars:
    """Makes dates and their parts go together in decoded rows.

    Attributes:
        levels: What is known of the rows.
    """

    levels: ToldLevels

    def lead(self, frame: pd.DataFrame) -> Marks:
        """Move dates to the nearest that have the drawn parts, or at least those asked for.

        Args:
            frame: Decoded rows, which are written into.

        Returns:
            ``(B, C)``, dates whose parts were asked for.
        """
        led, done = np.zeros(self.levels.known.shape, dtype=bool), set[int]()
        for source in sorted({one.source for one in self.levels.encoder.calendar_parts}):
            parts = [one for one in self.levels.encoder.calendar_parts if one.source == source]
            name, known = self.levels.encoder.schema.names[source], self.levels.known[:, source]
            dates = as_floats(frame[name])
            asked = np.stack([self.levels.is_asked(one.position) for one in parts], axis=1)
            found = self._with_parts(parts, frame, dates, asked)
            rows = ~np.isnan(found)
            frame[name] = np.where(rows, found, np.where(known, dates, parts[0].rounded(dates)))
            led[:, source] = rows & asked.any(axis=1)
            done.add(source)
            self._carry(frame, source, np.where(rows, dates, np.nan), found, done)
        return led

    def _carry(
        self, frame: pd.DataFrame, source: int, before: Floats, after: Floats, done: set[int]
    ) -> None:
        """Let dates go with one that has moved beside which they were drawn, but for those done.

        Those on whole days go by as many days as it does.
        """
        encoder = self.levels.encoder
        held = {echo.position for echo in encoder.echoes if echo.always}
        held = held.union(done - {source}, *(one.columns for one in encoder.choices))
        steps = dict[int, Floats]()
        for position in carried(encoder, {source}, held):
            unit, _ = encoder.grids.get(position, NO_GRID)
            ends = (np.floor(end / unit) * unit if unit else end for end in (after, before))
            steps[position] = np.nan_to_num(np.subtract(*ends))
        carry(encoder, frame, steps, ~self.levels.known, self.levels.restrictions, None)

    def _with_parts(
        self, parts: Sequence[CalendarPart], frame: pd.DataFrame, dates: Floats, asked: Marks
    ) -> Floats:
        """Dates ``(B,)`` with all parts of their rows, or with those asked for ``(B, parts)``.

        NaN where there is none, or the date is known.
        """
        codes = np.stack([self.levels.codes(frame, one) for one in parts], axis=1)
        found, free = np.full(len(dates), np.nan), ~self.levels.known[:, parts[0].source]
        entries = self.levels.entries(parts[0].source)
        kinds = list(dict.fromkeys(entries))
        places = {entry: place for place, entry in enumerate(kinds)}
        kind = np.array([places[entry] for entry in entries])
        for wanted in (codes >= 0, asked & (codes >= 0)):
            left = np.isnan(found) & ~np.isnan(dates) & wanted.any(axis=1) & free
            groups = np.unique(np.column_stack([kind, wanted])[left], axis=0)
            for number, pattern in zip(groups[:, 0], groups[:, 1:].astype(bool), strict=True):
                rows = left & (kind == number) & (wanted == pattern).all(axis=1)
                own = list(itertools.compress(parts, pattern.tolist()))
                wished = codes[rows][:, pattern]
                found[rows] = self._moved(own, dates[rows], wished, kinds[number])
        return found

    def _moved(
        self,
        parts: Sequence[CalendarPart],
        dates: Floats,
        codes: Codes,
        entry: Restriction | None,
    ) -> Floats:
        """Dates ``(B,)`` near others whose parts have codes ``(B, parts)``; NaN where none has.

        Nor is one taken that is not what is asked for.
        """
        codec = self.levels.encoder.codecs[parts[0].source]
        assert isinstance(codec, NumericalCodec)
        dates = parts[0].rounded(dates)
        days = np.floor(dates / DAY)
        minutes = np.floor((dates - days * DAY) / MINUTE)
        rest = dates - days * DAY - minutes * MINUTE
        all_days, all_minutes = _steps(codec, parts[0].step)
        if entry is not None:
            first, last = all_days * DAY, (all_days + 1) * DAY - parts[0].step
            all_days = all_days[[_may_have(entry, *ends) for ends in zip(first, last, strict=True)]]
        days = _saying(parts, codes, days, all_days, DAY)
        minutes = _saying(parts, codes, minutes, all_minutes, MINUTE)
        moved = (days * DAY + minutes * MINUTE + rest).clip(*codec.limits)
        allowed = [entry is None or meets(entry, date) for date in moved.tolist()]
        return np.where(allowed, moved, np.nan)


@functools.lru_cache(maxsize=32)
def _steps(codec: NumericalCodec, step: float) -> tuple[Floats, Floats]:
    """The days since 1970, and the minutes of a day, that a column of dates has.

    No days if they are too many.
    """
    low, high = codec.limits
    every = np.arange(_MINUTES, dtype=np.float64)
    if high - low > _MOST_DAYS * DAY:
        return np.zeros(0), every
    days = np.arange(np.floor(low / DAY), np.floor(high / DAY) + 1)
    days = _there(codec, step, days, DAY)
    start = days[len(days) // 2] * _MINUTES
    return days, _there(codec, step, start + every, MINUTE) - start


def _there(codec: NumericalCodec, step: float, places: Floats, size: float) -> Floats:
    """Those of some places of a size, from one to the next, where dates are; all if none."""
    found = np.zeros(len(places), dtype=bool)
    for offset in _LOOKED_AT:
        near = codec.nearest_numbers(codec.contained((places + offset) * size))
        found |= np.floor(to_steps(near, step) / size) == places
    return places[found] if found.any() else places


def _saying(
    parts: Sequence[CalendarPart], codes: Codes, places: Floats, steps: Floats, size: float
) -> Floats:
    """Steps ``(B,)`` near places, of days or of minutes, that say codes ``(B, parts)``.

    Broad parts first: into the month, and there to the weekday.
    """
    chosen = np.array([(one.part in OF_CLOCK) == (size == MINUTE) for one in parts])
    if not chosen.any() or not len(steps):
        return places
    own = list(itertools.compress(parts, chosen.tolist()))
    said = np.stack([one.wanted(steps * size) for one in own], axis=1)
    is_broad = np.array([one.part in BROAD for one in own])
    for some in (is_broad, np.ones_like(is_broad)):
        if some.any():
            places = _near(places, codes[:, chosen][:, some], steps, said[:, some])
    return places


def _may_have(entry: Restriction, first: float, last: float) -> bool:
    """Whether a day from its first moment to its last has some of what a date may be."""
    if isinstance(entry, Members):
        numbers = (value for value in entry.values if isinstance(value, int | float))
        return any(first <= number <= last for number in numbers)
    return both(entry, Interval(first, last)) is not None


def _near(places: Floats, codes: Codes, steps: Floats, said: Codes) -> Floats:
    """Steps ``(B,)`` that say given codes, each as far in its run as a place is in its own one.

    Steps on end that say the same are a run; that of a place is the nearest one that says what is
    wanted. So nothing gathers at the ends of months. A place that says it already stays.

    Args:
        places: ``(B,)``; NaN stays.
        codes: ``(B, parts)``, what is wanted.
        steps: ``(S,)``, sorted.
        said: ``(S, parts)``, the codes that each of them says.

    Returns:
        NaN where no step says it.
    """
    _, kinds = np.unique(np.concatenate([said, codes]), axis=0, return_inverse=True)
    own, wanted = np.split(kinds.reshape(-1), [len(steps)])
    starts = np.flatnonzero(np.diff(own, prepend=-1))
    lengths = np.diff(starts, append=len(steps))
    at = np.searchsorted(steps, np.nan_to_num(places), side='right').clip(min=1) - 1
    here = np.searchsorted(starts, at, side='right') - 1
    order = np.lexsort((starts, own[starts]))
    line = own[starts[order]] * len(steps) + starts[order]
    after = np.searchsorted(line, wanted * len(steps) + at, side='right')
    found, least = np.full(len(places), np.nan), np.full(len(places), np.inf)
    for near in (after - 1, after):
        run = order[near.clip(0, len(order) - 1)]
        far = np.maximum(starts[run] - at, at - starts[run] - lengths[run] + 1).clip(min=0)
        is_better = (own[starts[run]] == wanted) & (far < least) & ~np.isnan(places)
        share = (at - starts[here] + 0.5) / lengths[here]
        inside = steps[starts[run] + np.floor(share * lengths[run]).astype(np.int64)]
        found = np.where(is_better, np.where(run == here, places, inside), found)
        least = np.where(is_better, far, least)
    return found
