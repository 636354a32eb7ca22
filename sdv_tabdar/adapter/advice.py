"""What a user would want to know of a table before it is learnt, and what to do about it."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.id_patterns import pattern_of
from sdv_tabdar.adapter.profile import ColumnProfile, Role
from sdv_tabdar.adapter.relations import (
    about_copy,
    about_sum,
    copies_in,
    sum_with,
    sums_among,
)
from sdv_tabdar.core.codecs.evidence import FEWEST_ROWS

_LOOKED_AT = 500  # levels of a first check for formats
_NEARLY_UNIQUE = 0.9  # number of levels, as a share of the cells of a column
_FEW_DAYS = 5  # up to so many different dates may well be meant as levels
# Numbers may well be meant as levels if there are so few of them, or so few for the cells.
_FEW_NUMBERS, _SHARE_OF_NUMBERS = 20, 0.2
_RECURRING = 5  # cells a value, on average: what so many share names none of them
_COORDINATES = 'latitude', 'longitude'
_OF_LETTERS = ('name', 'address', 'email', 'city', 'country', 'state', 'company', 'job', 'unit')
_PLACES = (
    'administrative_unit',
    'city',
    'country',
    'country_code',
    'postcode',
    'state',
    'state_abbr',
)
_ALMOST_ALL = 0.95  # share of levels that look like dates, or numbers
_GAPS = frozenset({'?', '-', '--', '.', '..', '*', ':', '/', 'ND', 'n.a.', 'n.d.'})
_GAPS_IN_WORDS = frozenset({'unknown', 'missing', 'not available', 'not known'})
_ID_NAME = re.compile(
    r'(^|[^a-z])(id|key|no|nr|num|code|idx|row|ref|unnamed)s?([^a-z]|$)|ids?$|number|index'
)
_RUNNING = 2  # whole numbers between the ends for each of some running ones, at most
_RISES = 0.9  # rank correlation with another column of what may be a quantity
_NUMBER = re.compile(r'[+-]?(0|[1-9]\d*)?([.,]\d+)?([eE][+-]?\d+)?')
_DATES = ('%Y-%m-%d', '%d.%m.%Y', '%m/%d/%Y', '%d/%m/%Y', '%Y/%m/%d', '%d-%m-%Y', '%m-%d-%Y')
_DATES_OF_TWO_DIGITS = ('%m/%d/%y', '%d/%m/%y', '%d.%m.%y', '%d-%b-%y', '%d %b %y')
_DATES_IN_WORDS = ('%d %b %Y', '%d %B %Y', '%b %d, %Y', '%B %d, %Y', '%d-%b-%Y', '%b %Y', '%b-%Y')
_TIMES = ('', ' %H:%M', ' %H:%M:%S', ' %H:%M:%S.%f', 'T%H:%M:%S', 'T%H:%M:%S.%f', ' %I:%M %p')


def advice(
    plain: pd.DataFrame,
    profiles: Mapping[str, ColumnProfile],
    constrained: Collection[str],
    *,
    kept: Collection[str],
    summed: Collection[str] = (),
    plain_ids: Collection[str] = (),
) -> list[str]:
    """A line for each thing that a user would want to know; most tables have none.

    Args:
        plain: The training table in plain form.
        profiles: Its columns.
        constrained: Columns that a constraint is about, of which relations are known.
        kept: Which relations synthetic rows keep, see ``ModelConfig.kept_relations``.
        summed: Columns of which sums are kept without a constraint.
        plain_ids: Columns of texts for which others of random letters are invented.
    """
    if len(plain) < FEWEST_ROWS:
        return []
    lines = []
    for key, profile in profiles.items():
        line = None
        if profile.role is Role.DISCRETE:
            line = _about_levels(plain[key], profile)
        elif profile.role is Role.GENERATED:
            line = _about_invented(plain[key], profile) or _about_id(plain, key, profiles)
            if line is None and key in plain_ids:
                line = _about_plain_id(plain[key], profile)
        if line is not None:
            lines.append(f"Column '{profile.column.name}' {line}")
    free = {key: profile for key, profile in profiles.items() if key not in constrained}
    copies = copies_in(plain, free)
    about = [about_copy(profiles, *pair, len(plain), kept) for pair in copies.items()]
    lines += [line for line in about if line is not None]
    for total, terms in sums_among(plain, {key: free[key] for key in free if key not in copies}):
        own = {*terms, total} if isinstance(total, str) else {*terms}
        if not own <= {*summed}:
            lines.append(about_sum(profiles, total, terms))
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
        marks = _marks_of_gaps([*profile.levels.values()]) if is_text else []
        if marks:
            return (
                f'holds numbers beside {" and ".join(map(repr, marks))}, so that only its '
                f'{num_levels} different texts come back, without order. If that stands for a '
                f'missing value, read the table with pandas.read_csv(..., na_values={marks!r}), '
                'and detect its metadata again.'
            )
        many = num_levels > _FEW_NUMBERS and share > _SHARE_OF_NUMBERS
        if many and (_all_numbers(texts) if is_text else _all_fractions(levels)):
            turned = 'Turn it into numbers (pandas.to_numeric) and say' if is_text else 'Say'
            return (
                f'holds numbers that count as categories, so that only its {num_levels} different '
                f'ones come back, without order. {turned} metadata.update_column(column_name='
                f"{name!r}, sdtype='numerical')."
            )
    if is_text and share >= _NEARLY_UNIQUE and num_cells >= FEWEST_ROWS:
        return (
            f'has {num_levels} different texts in {num_cells} cells, and these real texts come '
            'back verbatim in synthetic rows. If they name or reach somebody, have them invented '
            f'anew: metadata.update_column(column_name={name!r}, {_invented(texts, sdtype)}); '
            'or leave it out.'
        )
    return None


def _invented(texts: list[str], sdtype: str) -> str:
    """What to say of a column of texts so that others are made: their pattern where it has one."""
    pattern = pattern_of(texts) if sdtype == 'id' else None
    if pattern is not None:
        return f"sdtype='id', regex_format={pattern!r}"
    return "sdtype='name' (or 'address', 'phone_number', 'email', 'unknown', ...), pii=True"


def _about_invented(values: pd.Series, profile: ColumnProfile) -> str | None:
    """What to say of a column that is invented anew, though what it holds names nobody.

    SDV's detection takes columns for personal data by their names, 'state' and 'latitude' too, and
    numbers of a column 'yardline_100' for addresses.
    """
    sdtype, name = profile.column.sdtype, profile.column.name
    is_number = pd.api.types.is_numeric_dtype(values.dtype)
    if sdtype in _PLACES and _recur(values):
        num_cells, num_values = int(values.notna().sum()), int(values.nunique())
        what = f', though it has {num_values} different values in {num_cells} cells'
        instead = 'categorical'
    elif is_number and (sdtype in _COORDINATES or any(word in str(sdtype) for word in _OF_LETTERS)):
        what, instead = '', 'numerical'
    else:
        return None
    return (
        f'is invented anew, as its sdtype {sdtype!r} says: nothing of it is learnt, and it goes '
        f'with no other column of its row{what}. If its values name and reach nobody, have them '
        f'learnt: metadata.update_column(column_name={name!r}, sdtype={instead!r}).'
    )


def _recur(values: pd.Series) -> bool:
    """Whether the values of a column come again and again; containers cannot be counted."""
    try:
        num_values = int(values.nunique())
    except TypeError:
        return False
    return 0 < _RECURRING * num_values <= int(values.notna().sum())


def _about_id(plain: pd.DataFrame, key: str, profiles: Mapping[str, ColumnProfile]) -> str | None:
    """What to say of an id that holds dates, or seems to be a quantity: all of it would be lost.

    SDV's detection takes whole numbers and texts for ids where each is another one.
    """
    profile, values = profiles[key], plain[key].dropna()
    name = profile.column.name
    if profile.column.sdtype != 'id' or not _all_differ(values):
        return None
    if pd.api.types.is_numeric_dtype(values.dtype):
        what = _of_a_quantity(plain, key, profiles)
        if what is None:
            return None
        instead = "'numerical'"
    else:
        texts = [value for value in values.iloc[:_LOOKED_AT] if isinstance(value, str)]
        date_format = (
            _date_format(texts) if texts and len(texts) == len(values[:_LOOKED_AT]) else None
        )
        if date_format is None:
            return None
        what = 'though it holds dates'
        instead = f"'datetime', datetime_format={date_format!r}"
    return (
        f'counts as an id, as each of its values is another one: it is invented anew, {what}. '
        f'If it is none, say metadata.update_column(column_name={name!r}, sdtype={instead}), and '
        'before it metadata.remove_primary_key() if it is the key.'
    )


def _of_a_quantity(
    plain: pd.DataFrame, key: str, profiles: Mapping[str, ColumnProfile]
) -> str | None:
    """What numbers that count as ids have of a quantity, if anything."""
    values = plain[key].dropna()
    if _is_id_name(profiles[key].column.name) or _are_running(values):
        return None
    other = _risen_with(plain, key, profiles)
    if other is not None:
        return f'though it rises or falls with {other!r}'
    if _is_uneven(values):
        return 'though its numbers are not spread evenly, as those of ids are'
    found = [repr(profiles[name].column.name) for name in sum_with(plain, key, profiles)]
    if found:
        total, *parts = found
        return f'though {total} is the sum of {" and ".join(parts)}'
    if not pd.api.types.is_integer_dtype(values.dtype) and len(values) == len(plain):
        return 'though its numbers are of a type for fractions'
    return None


def _about_plain_id(values: pd.Series, profile: ColumnProfile) -> str | None:
    """What to say of ids that have a pattern which SDV does not know."""
    texts = [value for value in values.dropna() if isinstance(value, str)]
    pattern = pattern_of(texts) if len(texts) == int(values.notna().sum()) and texts else None
    if pattern is None:
        return None
    return (
        "holds ids of one pattern that the metadata do not tell, so that new ones are 'sdv-id-' "
        'and six letters. For others like them say metadata.update_column('
        f"column_name={profile.column.name!r}, sdtype='id', regex_format={pattern!r})."
    )


def _all_differ(values: pd.Series) -> bool:
    """Whether no value comes again; containers cannot be compared."""
    try:
        return bool(values.is_unique)
    except TypeError:
        return False


def _is_id_name(name: Any) -> bool:
    """Whether a column's name says that it is an id: order_id, orderNo, 'Customer ID'."""
    words = re.sub(r'([a-z])([A-Z])', r'\1 \2', str(name))
    return _ID_NAME.search(words.lower()) is not None


def _are_running(values: pd.Series) -> bool:
    """Whether whole numbers are running ones, or nearly."""
    return float(values.max()) - float(values.min()) < _RUNNING * len(values)


def _is_uneven(values: pd.Series) -> bool:
    """Whether whole numbers, in no order and no blocks, crowd nearer to one of their ends.

    More than the median of numbers at random places does, by three standard deviations.
    """
    numbers = values.to_numpy(dtype=float)
    if abs(pd.Series(numbers).rank().corr(pd.Series(range(len(numbers))))) >= _RISES:
        return False
    ordered = np.sort(numbers)
    has_blocks = np.median(np.diff(ordered)) <= 1
    middle = (np.median(ordered) - ordered[0]) / (ordered[-1] - ordered[0])
    return not has_blocks and abs(middle - 0.5) > 1.5 / len(ordered) ** 0.5


def _risen_with(plain: pd.DataFrame, key: str, profiles: Mapping[str, ColumnProfile]) -> Any | None:
    """A column of numbers or dates that whole numbers rise or fall with."""
    own = plain[key].rank()
    numbers = [other for other in profiles if profiles[other].role in (Role.NUMBER, Role.DATE)]
    for other in numbers:
        varies = plain[other].nunique() > _FEW_NUMBERS
        if varies and abs(own.corr(plain[other].rank())) >= _RISES:
            return profiles[other].column.name
    return None


def _marks_of_gaps(levels: list[Any]) -> list[str]:
    """What may stand for a missing value among texts that are numbers but for that."""
    marks = [
        level
        for level in levels
        if str(level).strip() in _GAPS or str(level).strip().lower() in _GAPS_IN_WORDS
    ]
    others = [level for level in levels if level not in marks]
    is_number = len(others) > _FEW_NUMBERS and all(
        _NUMBER.fullmatch(str(level).strip()) for level in others
    )
    return marks if is_number else []


def _date_format(texts: list[str]) -> str | None:
    """The format in which almost all texts are dates; None if there is none."""
    if not all(re.search(r'\d', text) for text in texts[:3]):
        return None
    for date in (*_DATES, *_DATES_IN_WORDS, *_DATES_OF_TWO_DIGITS):
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
