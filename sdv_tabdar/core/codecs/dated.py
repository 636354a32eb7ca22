"""Columns that follow from dates in all rows, ages and ends of contracts: which ones there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from sdv_tabdar.core.codecs.fixed_spans import fixed_spans_among
from sdv_tabdar.core.codecs.spans import SPANS, spans_among
from sdv_tabdar.core.codecs.terms import TERMS, terms_among
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.codecs.years import YEAR_LESS, years_among

Named: TypeAlias = 'tuple[str, tuple[str, ...], str, tuple[float, ...], float, bool]'
"""Names of the result and of the sources, the kind, weights, the constant, and ``is_loose``."""


def dated_among(
    names: Sequence[str],
    numbers: Floats,
    free: Sequence[int],
    dates: Sequence[int],
    chosen: Sequence[int],
) -> list[Named]:
    """What follows from dates, among columns ``(columns, rows)``.

    Args:
        names: Of the columns.
        numbers: The columns; NaN where a cell is missing.
        free: Places of those that may follow from others.
        dates: Places of dates.
        chosen: Places of all that may be sources.
    """
    counts = [index for index in free if index not in dates]
    found = list(_terms(names, numbers, counts, dates, free))
    said = {name for one in found for name in one[1][1:]}
    found += _spans(names, numbers, [at for at in counts if names[at] not in said], dates)
    made = {own for own, *_ in found}
    others = [at for at in chosen if at not in dates]
    results = [place for place, at in enumerate(others) if at in free and names[at] not in made]
    for own, date, other in years_among(numbers[dates], numbers[others], results):
        sources = names[dates[date]], names[others[other]]
        found.append((names[others[own]], sources, YEAR_LESS, (), 0.0, False))
    return found


def _spans(
    names: Sequence[str], numbers: Floats, free: Sequence[int], dates: Sequence[int]
) -> Iterator[Named]:
    """Free ones of columns ``(columns, rows)`` that are years or months between dates of them."""
    found = set[int]()
    for own, first, last, name in spans_among(numbers[[*free]], numbers[[*dates]]):
        sources = names[dates[first]], names[dates[last]]
        found.add(free[own])
        yield names[free[own]], sources, name, (), 0.0, False
    left = [own for own in free if own not in found]
    for own, at, name, day in fixed_spans_among(numbers[left], numbers[[*dates]]):
        yield names[left[own]], (names[dates[at]],), name, (), day, False


def _terms(
    names: Sequence[str],
    numbers: Floats,
    counts: Sequence[int],
    dates: Sequence[int],
    free: Sequence[int],
) -> Iterator[Named]:
    """Free dates of columns ``(columns, rows)`` that are months or years after others of them."""
    results = [place for place, at in enumerate(dates) if at in free]
    for one in terms_among(numbers[[*dates]], numbers[[*counts]], results):
        last, first, many, kind, fixed, beside = one
        own = names[dates[last]]
        before = names[dates[first]]
        if many is None:
            yield own, (before,), kind, (fixed,), beside, False
        else:
            yield own, (before, names[counts[many]]), kind, (), beside, False


def dates_of(kind: str, sources: Sequence[str]) -> Sequence[str]:
    """Those of the sources that are dates."""
    return sources if kind in SPANS else sources[: kind in TERMS or kind == YEAR_LESS]
