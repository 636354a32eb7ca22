"""What a user would want to know of a table before it is learnt, and what to do about it."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.profile import ColumnProfile, Role

_FEWEST_ROWS = 50  # smaller tables show no relations and formats reliably
_LOOKED_AT = 500  # rows, or levels, of a first check for relations and formats
_MOST_COLUMNS = 60  # among which sums are looked for
_NEARLY_UNIQUE = 0.9  # number of levels, as a share of the cells of a column
_FEW_DAYS = 5  # up to so many different dates may well be meant as levels
# Numbers may well be meant as levels if there are so few of them, or so few for the cells.
_FEW_NUMBERS, _SHARE_OF_NUMBERS = 20, 0.2
_ALMOST_ALL = 0.95  # share of levels that look like dates, or numbers
_NUMBER = re.compile(r'[+-]?(0|[1-9]\d*)?([.,]\d+)?([eE][+-]?\d+)?')
_DATES = ('%Y-%m-%d', '%d.%m.%Y', '%m/%d/%Y', '%d/%m/%Y', '%Y/%m/%d', '%d-%m-%Y', '%m-%d-%Y')
_DATES_IN_WORDS = ('%d %b %Y', '%d %B %Y', '%b %d, %Y', '%B %d, %Y', '%d-%b-%Y')
_TIMES = ('', ' %H:%M', ' %H:%M:%S', ' %H:%M:%S.%f', 'T%H:%M:%S', 'T%H:%M:%S.%f', ' %I:%M %p')


def advice(
    plain: pd.DataFrame, profiles: Mapping[str, ColumnProfile], constrained: Collection[str]
) -> list[str]:
    """A line for each thing that a user would want to know; most tables have none.

    Args:
        plain: The training table in plain form.
        profiles: Its columns.
        constrained: Columns that a constraint is about, of which relations are known.
    """
    if len(plain) < _FEWEST_ROWS:
        return []
    lines = []
    for key, profile in profiles.items():
        line = _about_levels(plain[key], profile) if profile.role is Role.DISCRETE else None
        if line is not None:
            lines.append(f"Column '{profile.column.name}' {line}")
    free = {key: profile for key, profile in profiles.items() if key not in constrained}
    copies = _copies(plain, free)
    lines += [_about_copy(profiles, key, copied) for key, copied in copies.items()]
    whole, parts = _sums(plain, {key: free[key] for key in free if key not in copies})
    for total, terms in zip(whole, parts, strict=True):
        named = ' and '.join(f"'{profiles[term].column.name}'" for term in terms)
        lines.append(
            f"Column '{profiles[total].column.name}' is the sum of {named}, which synthetic rows "
            f'keep only nearly. The constraint FixedSum({terms!r}, total_column={total!r}) keeps '
            'it exactly.'
        )
    return lines


def _about_levels(values: pd.Series, profile: ColumnProfile) -> str | None:
    """What to say of a column that is learnt as levels: dates, numbers, or texts of real people."""
    sdtype, name = profile.column.sdtype, profile.column.name
    if sdtype not in ('categorical', 'id') or not profile.levels:
        return None
    num_cells, num_levels = int(values.notna().sum()), len(profile.levels)
    step = max(1, num_levels // _LOOKED_AT)
    levels = list(profile.levels.values())[::step]
    texts = [level for level in levels if isinstance(level, str)]
    is_text = len(texts) >= _ALMOST_ALL * len(levels)
    share = num_levels / num_cells
    if sdtype == 'categorical':
        date_format = _date_format(texts) if is_text else None
        is_date = date_format or all(isinstance(level, datetime.date) for level in levels)
        if is_date and num_levels > _FEW_DAYS:
            given = f', datetime_format={date_format!r}' if date_format else ''
            return (
                f'holds dates that count as categories, so that only its {num_levels} different '
                'ones come back, without order. Say metadata.update_column(column_name='
                f"{name!r}, sdtype='datetime'{given})."
            )
        many = num_levels > _FEW_NUMBERS and share > _SHARE_OF_NUMBERS
        if many and (_all_numbers(texts) if is_text else _all_fractions(levels)):
            turned = 'Turn it into numbers (pandas.to_numeric) and say' if is_text else 'Say'
            return (
                f'holds numbers that count as categories, so that only its {num_levels} different '
                f'ones come back, without order. {turned} metadata.update_column(column_name='
                f"{name!r}, sdtype='numerical')."
            )
    if is_text and share >= _NEARLY_UNIQUE and num_cells >= _FEWEST_ROWS:
        return (
            f'has {num_levels} different texts in {num_cells} cells, and these real texts come '
            'back verbatim in synthetic rows. If they name or reach somebody, give it an sdtype '
            f'that is invented anew: metadata.update_column(column_name={name!r}, '
            f"sdtype='name' (or 'address', 'phone_number', 'email', 'unknown', ...), pii=True); "
            'or leave it out.'
        )
    return None


def _date_format(texts: list[str]) -> str | None:
    """The format in which almost all texts are dates; None if there is none."""
    if not all(re.search(r'\d', text) for text in texts[:3]):
        return None
    for date in (*_DATES, *_DATES_IN_WORDS):
        for time in _TIMES:
            text_format = date + time
            enough = _ALMOST_ALL * len(texts)
            if any(_is_date(text, text_format) for text in texts[:3]) and (
                sum(_is_date(text, text_format) for text in texts) >= enough
            ):
                return text_format
    return None


def _is_date(text: str, text_format: str) -> bool:
    with contextlib.suppress(ValueError):
        datetime.datetime.strptime(text.strip(), text_format)
        return True
    return False


def _all_numbers(texts: list[str]) -> bool:
    """Whether almost all texts are numbers; codes such as 00123 are none."""
    numbers = [text for text in texts if text.strip() and _NUMBER.fullmatch(text.strip())]
    return len(numbers) >= _ALMOST_ALL * len(texts)


def _all_fractions(levels: list[Any]) -> bool:
    """Whether levels are numbers and some are fractions, so that they are no codes."""
    numbers = [level for level in levels if isinstance(level, (int, float, np.number))]
    whole = all(float(number).is_integer() for number in numbers)
    return len(numbers) == len(levels) and not whole


def _copies(plain: pd.DataFrame, profiles: Mapping[str, ColumnProfile]) -> dict[str, str]:
    """Columns that are copies of an earlier one, if need be with other levels; and that one."""
    sample = plain.iloc[:: max(1, len(plain) // _LOOKED_AT)]
    first: dict[tuple[Any, bytes], list[str]] = {}
    copies: dict[str, str] = {}
    for key, profile in profiles.items():
        if not _can_be_related(plain[key], profile):
            continue
        found = first.setdefault((profile.role, _pattern(sample[key], profile).tobytes()), [])
        pattern = None
        for other in found:
            pattern = _pattern(plain[key], profile) if pattern is None else pattern
            if np.array_equal(pattern, _pattern(plain[other], profiles[other])):
                copies[key] = other
                break
        else:
            found.append(key)
    return copies


def _can_be_related(values: pd.Series, profile: ColumnProfile) -> bool:
    """Whether a column varies enough for an equal pattern elsewhere to be no coincidence."""
    if profile.role is Role.GENERATED or not profile.has_values:
        return False
    if profile.role is Role.DISCRETE:
        # Where each level occurs once, the pattern is that of every other such column.
        return 1 < len(profile.levels) + profile.has_missing <= len(values) / 2
    return profile.low < profile.high


def _pattern(values: pd.Series, profile: ColumnProfile) -> npt.NDArray[Any]:
    """Numbers that are equal for two columns if and only if one is a copy of the other.

    Levels are numbered in the order in which they first occur, so that renaming them changes
    nothing.
    """
    comparable = profile.comparable(values)
    if profile.role is Role.DISCRETE:
        return np.asarray(pd.factorize(comparable, use_na_sentinel=False)[0], dtype=np.int64)
    numbers = comparable.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isnan(numbers), np.inf, numbers + 0.0)  # -0.0 becomes 0.0


def _about_copy(profiles: Mapping[str, ColumnProfile], key: str, copied: str) -> str:
    name, original = profiles[key].column.name, profiles[copied].column.name
    if profiles[key].role is Role.DISCRETE:
        return (
            f"Column '{name}' is a copy of '{original}' in other words: each level of one has a "
            'level of the other. Synthetic rows keep that only under the constraint '
            f'FixedCombinations([{original!r}, {name!r}]).'
        )
    return (
        f"Column '{name}' is a copy of '{original}', which synthetic rows keep only nearly. Leave "
        'it out and add it to the synthetic rows, or keep it by a programmable constraint.'
    )


def _sums(
    plain: pd.DataFrame, profiles: Mapping[str, ColumnProfile]
) -> tuple[list[str], list[list[str]]]:
    """Numerical columns that are the sum of others, and these others for each."""
    names = [
        key
        for key, profile in profiles.items()
        if profile.role is Role.NUMBER and profile.low < profile.high
    ][:_MOST_COLUMNS]
    sample = plain[names].iloc[:: max(1, len(plain) // _LOOKED_AT)].astype(np.float64)
    names = [name for name in names if sample[name].isna().mean() < 1 - _ALMOST_ALL]
    rows = sample[names].dropna().to_numpy()
    whole: list[str] = []
    parts: list[list[str]] = []
    if len(rows) < max(_FEWEST_ROWS, 2 * len(names)):
        return whole, parts
    rows = rows / np.abs(rows).max(axis=0)
    scales = np.abs(sample[names].dropna().to_numpy()).max(axis=0)
    independent: list[int] = []
    for column in range(len(names)):
        weights, *_ = np.linalg.lstsq(rows[:, independent], rows[:, column], rcond=None)
        if np.abs(rows[:, independent] @ weights - rows[:, column]).max() > 1e-9:
            independent.append(column)
            continue
        units = np.rint(weights * scales[column] / scales[independent])
        sides: tuple[list[int], list[int]] = ([column], [])
        for other, unit in zip(independent, units, strict=True):
            if unit:
                sides[int(unit > 0)].append(other)
        left, right = sorted(sides, key=len)
        if len(left) == 1 < len(right) and np.abs(units).max() == 1:
            total, terms = names[left[0]], [names[other] for other in right]
            if _adds_up(plain, total, terms):
                whole.append(total)
                parts.append(terms)
    return whole, parts


def _adds_up(plain: pd.DataFrame, total: str, terms: list[str]) -> bool:
    """Whether a column is the sum of others in all rows where none of them is missing."""
    found = plain[total].astype(np.float64)
    rest = found - plain[terms].astype(np.float64).sum(axis=1, skipna=False)
    return bool((rest.abs() <= 1e-9 * found.abs().max())[rest.notna()].all())
