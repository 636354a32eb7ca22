"""Which columns are a weighted sum of others in all rows, but for rounding, and by which weights.

A grade is two fifths of one exam and three of another. Correlations say which columns others
nearly tell; weights then are taken as somebody wrote them, .4 or a third. One source may be enough,
where rounding hides the straight line (:mod:`.lines`). Columns of fewer digits come first, as a
rounded mean tells a mark as well as marks tell the mean, by weights that nobody wrote; of an
equation that is exact the result is the number of the smallest steps, which whatever the others are
can be met. Often a result was made before its sources were rounded: totals and percentages of
statistics add up but for the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS
from sdv_tabdar.core.codecs.lines import HALF, REST, SINGLE, Marks, digits_of, slack_of
from sdv_tabdar.core.codecs.values import Floats

_ROWS_PER_COLUMN = 3  # without gaps at least; fewer show nothing reliably
MOST_SOURCES = 12
_RIDGE = 1e-9  # beside correlations of 1, so that columns that follow from others do no harm
_NEARLY = 1e-3  # of a column's size: what is left of it by that
_ALMOST = 0.75  # of a unit, by which a rounded number may be off before weights are round
_UNITS_OFF = 3  # of a rounded number, by which it may be off before its sources are known
_UNSURE = 0.02  # of a weight, where sources are rounded
_FEWEST_UNITS = 10  # times what they may be off, a result's numbers must be apart
_MOST_LEFT = 0.02  # of a column's variance: what others may leave of a rounded one
_NEGLIGIBLE = 0.05  # of a unit of a result: what a source changes that is none
_MOST_DENOMINATOR = 12  # of weights that are fractions
_FEW_WEIGHT_DIGITS, _MOST_WEIGHT_DIGITS = 2, 4  # of weights before fractions, and behind them
_NO_DATE = 1e15  # numbers of which a weighted sum is looked for are smaller

Weights: TypeAlias = 'tuple[list[int], tuple[float, ...], float, bool]'
"""Places of sources, their weights, the constant, and whether the sources are rounded since."""


def weighted_sums(numbers: Floats) -> Iterator[tuple[int, Weights]]:
    """Columns ``(columns, rows)`` that are a weighted sum of others, and of which."""
    sizes = np.nanmax(np.abs(numbers), axis=1)
    present = (~np.isnan(numbers)).mean(axis=1)
    columns = [place for place in np.argsort(-present).tolist() if sizes[place] < _NO_DATE]
    while columns and _whole_rows(numbers, columns).sum() < _enough(columns):
        columns.pop()
    columns, whole = _varying(sorted(columns), numbers)
    if len(columns) < 2:
        return
    everything = range(len(whole))
    found = {place: _sources_of(whole, place, everything) for place in _nearly_told(whole)}
    plain = [at for at in everything if found.get(at) is None]
    for place, first in found.items():
        one = first and (_sources_of(whole, place, plain) or first)  # sooner not of each other
        if one is not None:
            own, (sources, weights, constant, is_loose) = _of_smallest_steps(whole, place, one)
            yield columns[own], ([columns[at] for at in sources], weights, constant, is_loose)


def shares_among(numbers: Floats, others: Floats) -> Iterator[tuple[int, int, float, float]]:
    """Columns ``(columns, rows)`` that are, rounded, so much times a coarser one of some others.

    Yields:
        The place of the column and of the other one, the weight, and the constant; one for each.
    """
    units, other_units = _units(numbers), _units(others)
    for place, own in enumerate(numbers):
        for at, other in enumerate(others):
            rows = ~np.isnan(own + other)
            if not 0 < units[place] <= other_units[at] or rows.sum() < FEWEST_ROWS:
                continue
            pair = np.stack([own[rows], other[rows]])
            if pair.std(axis=1).all() and np.abs(pair).max() < _NO_DATE:
                none = np.zeros(1)
                is_told = 1 - np.corrcoef(pair)[0, 1] ** 2 < _MOST_LEFT
                digits = digits_of(own) if is_told else None
                found = _weights(pair[1:], pair[0], digits, none, signed=True) if is_told else None
                if found is not None:
                    yield place, at, found[0][0], found[1]
                    break


def _whole_rows(numbers: Floats, columns: Sequence[int]) -> Marks:
    """Which rows have no gap in some columns."""
    return np.asarray(~np.isnan(numbers[[*columns]]).any(axis=0))


def _enough(columns: Sequence[int]) -> int:
    """How many rows show something reliably."""
    return max(FEWEST_ROWS, _ROWS_PER_COLUMN * len(columns))


def _varying(columns: Sequence[int], numbers: Floats) -> tuple[list[int], Floats]:
    """The columns that vary in rows without gaps, and these, ``(columns, rows)``."""
    if not columns:
        return [], np.zeros((0, 0))
    whole = numbers[np.ix_(np.array(columns), _whole_rows(numbers, columns))]
    kept = whole.std(axis=1) > 0
    return [place for place, is_kept in zip(columns, kept, strict=True) if is_kept], whole[kept]


def _nearly_told(whole: Floats) -> list[int]:
    """Which columns ``(columns, rows)`` others together tell in all rows, nearly, but for rounding.

    By the inverse of their correlations, whose rows are the regressions of each on all others.
    """
    sizes = whole.std(axis=1)
    scaled = (whole - whole.mean(axis=1, keepdims=True)) / sizes[:, None]
    inverse = np.linalg.inv(scaled @ scaled.T / whole.shape[1] + _RIDGE * np.eye(len(whole)))
    rest = np.abs(inverse @ scaled).max(axis=1) / np.diag(inverse)
    is_told = rest * sizes <= _UNITS_OFF * _units(whole) + _NEARLY * sizes
    return np.flatnonzero(is_told & (1 / np.diag(inverse) < _MOST_LEFT)).tolist()


def _units(columns: Floats) -> Floats:
    """What each of some columns ``(columns, rows)`` is a multiple of; 0 if it is not rounded."""
    digits = map(digits_of, columns)
    return np.array([0.0 if one is None else 10.0**-one for one in digits])


def _sources_of(whole: Floats, place: int, among: Sequence[int]) -> Weights | None:
    """What makes one of the columns, if need be before its sources were rounded.

    Sooner columns that are coarser than it; these alone may also be taken from each other.
    """
    units, exactly = _units(whole), np.zeros(len(whole))
    coarser = [at for at in among if units[at] > units[place]]
    return (
        _sources(whole, place, coarser, exactly, signed=True)
        or _sources(whole, place, among, exactly)
        or _sources(whole, place, among, units)
    )


def _of_smallest_steps(whole: Floats, place: int, one: Weights) -> tuple[int, Weights]:
    """An equation of columns ``(columns, rows)``, solved for the one of the smallest steps.

    As it is if it holds but for rounding, if a column is not rounded, or if that one has no more
    different numbers: of a mean of few marks any other mean would do, and not any mark.
    """
    sources, weights, constant, is_loose = one
    units = _units(whole)
    rest = whole[place] - np.array(weights) @ whole[sources] - constant
    size = np.abs(whole[place]).max() + np.abs(weights) @ np.abs(whole[sources]).max(axis=1)
    steps = np.abs(weights) * units[sources]
    is_exact = not is_loose and units[[place, *sources]].all() and np.abs(rest).max() <= REST * size
    if not is_exact or steps.min() >= units[place] * (1 - REST):
        return place, one
    different = np.array([len(np.unique(whole[at])) for at in sources])
    finest = int(np.lexsort((-different, (steps / steps.min()).round(_MOST_WEIGHT_DIGITS)))[0])
    if different[finest] <= len(np.unique(whole[place])):
        return place, one
    others = [at for at in range(len(sources)) if at != finest]
    signed = (1.0, *(-weights[at] for at in others))
    found = tuple(weight / weights[finest] + 0.0 for weight in signed)
    columns = [place, *(sources[at] for at in others)]
    return sources[finest], (columns, found, -constant / weights[finest] + 0.0, False)


def _sources(
    whole: Floats, place: int, among: Sequence[int], units: Floats, *, signed: bool = False
) -> Weights | None:
    """What makes one of the columns ``(columns, rows)``, of sources among some, as few as can be.

    Each is taken for what is left of the column by those before it; what only stood for others is
    left out again.

    Args:
        whole: The columns.
        place: The one.
        among: Where sources may be.
        units: ``(columns,)``, to which sources were rounded after the column was made of them; 0
            for those that were not.
        signed: Whether weights below 0 count as well.
    """
    own, digits = whole[place], digits_of(whole[place])
    unit = 0.0 if digits is None else 10.0**-digits
    scaled = whole - whole.mean(axis=1, keepdims=True)
    scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
    chosen, rest, enough = list[int](), own - own.mean(), _ALMOST * unit + _NEARLY * own.std()

    def is_enough(sources: Sequence[int], left: Floats) -> bool:
        return bool(np.abs(left).max() <= enough + _ALMOST * units[sources].sum())

    while not chosen or not is_enough(chosen, rest):
        others = [at for at in among if at != place and at not in chosen]
        if len(chosen) == MOST_SOURCES or not others:
            return None
        chosen.append(others[int(np.abs(scaled[others] @ rest).argmax())])
        rest = _left_by(scaled[chosen], own)
    for at in list(chosen):
        fewer = [other for other in chosen if other != at]
        if fewer and is_enough(fewer, _left_by(scaled[fewer], own)):
            chosen = fewer
    chosen.sort()
    found = _weights(whole[chosen], own, digits, units[chosen], signed=signed)
    return None if found is None else (chosen, *found, bool(units[chosen].any()))


def _left_by(scaled: Floats, own: Floats) -> Floats:
    """What centred columns ``(columns, rows)`` leave of a number ``(rows,)``."""
    centred = own - own.mean()
    weights = np.linalg.lstsq(scaled.T, centred, rcond=1e-10)[0]
    return np.asarray(centred - weights @ scaled)


def _weights(
    sources: Floats, own: Floats, digits: int | None, units: Floats, *, signed: bool
) -> tuple[tuple[float, ...], float] | None:
    """The weights by which sources ``(sources, rows)`` make a number, and a constant.

    Of sources that were rounded since they are all 1, those of a mean, or all -1: with the number
    these make the constant.

    Args:
        sources: The sources.
        own: The number ``(rows,)``.
        digits: Behind its point; None if it is not rounded.
        units: ``(sources,)``, as in :func:`_sources`.
        signed: Whether weights may be below 0, if they are simple.
    """
    exact = None
    if digits is None:
        exact = _weights_within(REST, sources, own, digits, units, signed=signed)
    return exact or _weights_within(SINGLE, sources, own, digits, units, signed=signed)


def _weights_within(
    share: float,
    sources: Floats,
    own: Floats,
    digits: int | None,
    units: Floats,
    *,
    signed: bool,
) -> tuple[tuple[float, ...], float] | None:
    """The same, of a number that is off by a share of its size if it is not rounded."""
    unit = 0.0 if digits is None else 10.0**-digits
    size = float(np.abs(own).max())
    own_slack = slack_of(size * len(sources), digits, share, noise=REST)
    spread = sources.std(axis=1)
    scaled = (sources - sources.mean(axis=1, keepdims=True)) / spread[:, None]
    found = np.linalg.lstsq(scaled.T, own - own.mean(), rcond=1e-10)[0]
    is_loose = bool(units.any())
    is_rest = is_loose and len(found) > 1 and bool((np.abs(found / spread + 1) <= _UNSURE).all())
    effect = np.abs(found) if signed or is_rest else found
    if (effect <= _NEGLIGIBLE * unit).any():
        return None
    noise = share * size if digits is None else unit / np.sqrt(3)
    unsure = 2 * noise / np.sqrt(sources.shape[1]) / spread + REST * effect / spread
    if is_loose:
        unsure = np.maximum(unsure, _UNSURE)
    simple = _simple, _decimal, _fraction
    for written in simple if is_loose else (*simple, _as_it_is):
        weights = [written(*pair) for pair in zip((found / spread).tolist(), unsure, strict=True)]
        rest = own - np.array(weights) @ sources
        slack = own_slack + HALF * float(np.abs(weights) @ units)
        middle, room = float(rest.min() + rest.max()) / 2, slack - float(np.ptp(rest)) / 2
        fits = all(weight > 0 for weight in weights) or (signed and written is not _as_it_is)
        if is_loose:
            fits = _is_plain(weights) and own.std() >= _FEWEST_UNITS * slack
        if room >= 0 and fits:
            simple_one = _decimal(middle, room)
            return tuple(weights), middle if np.isnan(simple_one) else simple_one
    return None


def _is_plain(weights: Sequence[float]) -> bool:
    """Whether weights are all 1, all -1, or those of a mean: others would absorb a few units."""
    of_mean = min(weights) > 0 and abs(sum(weights) - 1) <= REST
    return of_mean or {*weights} in ({1.0}, {-1.0})


def _simple(number: float, unsure: float) -> float:
    """The number as somebody may have written it, within what is unsure; NaN if there is none."""
    few = _decimal(number, unsure, _FEW_WEIGHT_DIGITS)
    fraction = _fraction(number, unsure) if np.isnan(few) else few
    return _decimal(number, unsure) if np.isnan(fraction) else fraction


def _decimal(number: float, unsure: float, most: int = _MOST_WEIGHT_DIGITS) -> float:
    """The number of fewest digits within what is unsure; NaN if all have many."""
    rounds = (round(number, digits) + 0.0 for digits in range(most + 1))
    return next((found for found in rounds if abs(found - number) <= unsure), np.nan)


def _fraction(number: float, unsure: float) -> float:
    """The simplest fraction within what is unsure; NaN if there is none."""
    simple = (round(number * below) / below for below in range(1, _MOST_DENOMINATOR + 1))
    return next((found for found in simple if abs(found - number) <= unsure), np.nan)


def _as_it_is(number: float, unsure: float) -> float:
    return number
