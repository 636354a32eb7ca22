"""The relations between columns in a model's state: whether they fit columns and each other.

Each is about columns of the encoder by their positions, so that positions, codes and digits have to
be those of columns that are there and of the right kind.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.core.codecs.copulas import MOST_COLUMNS
from sdv_tabdar.core.codecs.curves import CURVES
from sdv_tabdar.core.codecs.extremes import EXTREMES
from sdv_tabdar.core.codecs.gap_levels import MOST_LEVELS
from sdv_tabdar.core.codecs.gaps import MOST_PAIRS, MOST_PIECES
from sdv_tabdar.core.codecs.joints import ALL_CODES, MOST_CODES
from sdv_tabdar.core.codecs.rates import behind_factors
from sdv_tabdar.core.codecs.spans import SPANS
from sdv_tabdar.core.codecs.terms import TERMS
from sdv_tabdar.core.codecs.years import YEAR_LESS
from sdv_tabdar.core.codecs.zeros import LARGEST
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.files import sums_and_products


def check(encoder: Mapping[str, Any], place: str) -> None:
    """Refuse relations that do not fit the columns, or each other.

    Args:
        encoder: The state, of which each part has passed by itself.
        place: Where it stands, for messages.

    Raises:
        Unfit: If one does not.
    """
    _check_echoes(encoder, place)
    _check_inequalities(encoder, place)
    _check_dependencies(encoder, place)
    _check_joints(encoder, place)
    sums_and_products.check(encoder, place)
    _check_rates(encoder, place)
    _check_aggregates(encoder, place)
    _check_choices(encoder, place)
    _check_bands(encoder, place)
    _check_calendar_parts(encoder, place)
    _check_zeros(encoder, place)
    _check_copula(encoder, place)
    _check_gaps(encoder, place)
    _check_columns(encoder, place)


def _check_columns(encoder: Mapping[str, Any], place: str) -> None:
    columns = [codec['column'] for codec in encoder['codecs']]
    names = {column['name'] for column in columns}
    if not columns or len(names) != len(columns):
        raise Unfit(f'{place}.codecs', 'are none, or two have the same name.')
    num_codes = _num_codes(encoder)
    for number, cross in enumerate(encoder['crosses']):
        where = f'{place}.crosses[{number}]'
        members, groups, levels = cross['members'], cross['groups'], cross['levels']
        if len(members) < 2 or len(set(members)) < len(members) or max(members) >= len(columns):
            raise Unfit(f'{where}.members', f'are not two or more of {len(columns)} columns.')
        fits = len(groups) == len(members) and all(
            len(own) == num_codes[member] for own, member in zip(groups, members, strict=True)
        )
        if not fits:
            raise Unfit(f'{where}.groups', 'are not one for each code of the members.')
        product = 1
        for own in groups:
            product *= max(own) + 1
        ordered = all(low < high for low, high in itertools.pairwise(levels))
        if not levels or not ordered or levels[-1] >= product or product >= 2**62:
            raise Unfit(f'{where}.levels', 'are not increasing combinations of the groups.')


def _check_inequalities(encoder: Mapping[str, Any], place: str) -> None:
    codecs = encoder['codecs']
    for number, pair in enumerate(encoder.get('inequalities', ())):
        where = f'{place}.inequalities[{number}]'
        if len({*pair}) != 2 or len(pair) != 2 or max(pair) >= len(codecs):
            raise Unfit(where, 'is no pair of columns.')
        if any(codecs[column]['column']['kind'] != ColumnKind.NUMERICAL.value for column in pair):
            raise Unfit(where, 'is not of numbers.')


def _check_dependencies(encoder: Mapping[str, Any], place: str) -> None:
    columns = [codec['column'] for codec in encoder['codecs']]
    for number, entry in enumerate(encoder.get('dependencies', ())):
        where = f'{place}.dependencies[{number}]'
        pair = entry['determinant'], entry['dependent']
        if pair[0] == pair[1] or max(pair) >= len(columns):
            raise Unfit(where, 'is no pair of columns.')
        determinant, dependent = (columns[column] for column in pair)
        if any(start < stop for start, stop in (determinant['bins'], dependent['bins'])):
            raise Unfit(where, 'is of a column with bins.')
        if len(entry['codes']) != len(determinant['counts']):
            raise Unfit(f'{where}.codes', 'are not one for each code of the determinant.')
        if max(entry['codes']) >= len(dependent['counts']):
            raise Unfit(f'{where}.codes', 'are not codes of the dependent.')


def _check_joints(encoder: Mapping[str, Any], place: str) -> None:
    columns, written = [codec['column'] for codec in encoder['codecs']], 0
    for number, entry in enumerate(encoder.get('joints', ())):
        where = f'{place}.joints[{number}]'
        three = [entry[name] for name in ('first', 'second', 'dependent')]
        if len({*three}) != 3 or max(three) >= len(columns):
            raise Unfit(where, 'is not of three columns.')
        if any(columns[at]['bins'][0] < columns[at]['bins'][1] for at in three):
            raise Unfit(where, 'is of a column with bins.')
        sizes = [len(columns[at]['counts']) for at in three]
        if entry['num_second'] != sizes[1] or len(entry['codes']) != sizes[0] * sizes[1]:
            raise Unfit(f'{where}.codes', 'are not one for each pair of codes.')
        written += math.prod(sizes)
        if (
            max(entry['codes']) >= sizes[2]
            or math.prod(sizes) > MOST_CODES
            or written > 2 * ALL_CODES
        ):
            raise Unfit(f'{where}.codes', 'are not codes of the dependent, or too many.')


def _check_aggregates(encoder: Mapping[str, Any], place: str) -> None:
    codecs, aggregates = encoder['codecs'], encoder.get('aggregates', ())
    for number, one in enumerate(aggregates):
        where, columns = f'{place}.aggregates[{number}]', [one['result'], *one['sources']]
        is_between = one['kind'] in SPANS and SPANS[one['kind']].fixed is None
        is_pair = is_between or one['kind'] == YEAR_LESS
        fewest, most = 2 + (one['kind'] in EXTREMES or is_pair), 2**31
        if one['kind'] in CURVES or one['kind'] in SPANS or is_pair:
            most = fewest
        if one['kind'] in TERMS:
            most = 3
        if (
            not fewest <= len(columns) <= most
            or len({*columns}) < len(columns)
            or max(columns) >= len(codecs)
        ):
            raise Unfit(where, 'is not of one other column, or of two or more.')
        if any(codecs[at]['column']['kind'] != ColumnKind.NUMERICAL.value for at in columns):
            raise Unfit(where, 'is not of numbers.')
        is_fixed = one['kind'] in TERMS and len(one['sources']) == 1
        if len(one['weights']) != (len(one['sources']) if one['kind'] == 'weighted' else is_fixed):
            raise Unfit(f'{where}.weights', 'are not one for each source.')
        if 0.0 in one['weights']:
            raise Unfit(f'{where}.weights', 'are not all other than 0.')
        is_rest = {*one['weights']} == {-1.0}
        if one.get('is_loose') and not is_rest and any(weight < 0 for weight in one['weights']):
            raise Unfit(f'{where}.weights', 'are not above 0, nor all -1, though it is loose.')
        if len(one['digits']) != len(columns):
            raise Unfit(f'{where}.digits', 'are not one for each column.')
        has_date = one['kind'] in TERMS or one['kind'] == YEAR_LESS
        num_dates = len(one['sources']) if one['kind'] in SPANS else has_date
        if len(one.get('steps', ())) != num_dates:
            raise Unfit(f'{where}.steps', 'are not one for each date.')
        if {*one['sources']} & {later['result'] for later in aggregates[number:]}:
            raise Unfit(where, 'is not behind those of its sources.')


def _check_choices(encoder: Mapping[str, Any], place: str) -> None:
    columns, choices = [codec['column'] for codec in encoder['codecs']], encoder.get('choices', ())
    for number, one in enumerate(choices):
        where, of_numbers = f'{place}.choices[{number}]', [one['result'], *one['sources']]
        if len({*of_numbers}) != len(of_numbers) or len(of_numbers) < 3:
            raise Unfit(where, 'is not of a column and two or more others.')
        if one['level'] == one['result'] or max(*of_numbers, one['level']) >= len(columns):
            raise Unfit(where, 'is by no other column.')
        if any(columns[at]['kind'] != ColumnKind.NUMERICAL.value for at in of_numbers):
            raise Unfit(where, 'is not of numbers.')
        num_codes = len(columns[one['level']]['counts'])
        if len(one['picks']) != num_codes or max(one['picks']) >= len(one['sources']):
            raise Unfit(f'{where}.picks', 'are not one of the sources for each code.')
        if {*one['sources']} & {later['result'] for later in choices[number:]}:
            raise Unfit(where, 'is not behind those of its sources.')


def _check_bands(encoder: Mapping[str, Any], place: str) -> None:
    for number, one in enumerate(encoder.get('bands', ())):
        where = f'{place}.bands[{number}]'
        _check_told_level(encoder, where, one)
        columns = [one['source'], *one.get('less', ())]
        if len(columns) > 2 or len({*columns}) < len(columns):
            raise Unfit(f'{where}.less', 'is not one other column.')
        if len(one.get('units', ())) != 2 * (len(columns) - 1):
            raise Unfit(f'{where}.units', 'are not one for each of two columns.')
        for less in columns[1:]:
            _check_told_level(encoder, where, one | {'source': less})
        if not one['edges'] or one['edges'] != sorted({*one['edges']}):
            raise Unfit(f'{where}.edges', 'are not in order.')
        if len(one['codes']) != len(one['edges']) + 1:
            raise Unfit(f'{where}.codes', 'are not one for each range.')


def _check_calendar_parts(encoder: Mapping[str, Any], place: str) -> None:
    for number, one in enumerate(encoder.get('calendar_parts', ())):
        where = f'{place}.calendar_parts[{number}]'
        _check_told_level(encoder, where, one)
        if not one['keys'] or one['keys'] != sorted({*one['keys']}):
            raise Unfit(f'{where}.keys', 'are not in order.')
        if len(one['codes']) != len(one['keys']):
            raise Unfit(f'{where}.codes', 'are not as many as there are keys.')


def _check_told_level(encoder: Mapping[str, Any], where: str, one: Mapping[str, Any]) -> None:
    """Refuse what is no column of levels, or whole numbers, beside one of numbers."""
    codecs, own = encoder['codecs'], one['position']
    if own == one['source'] or max(own, one['source']) >= len(codecs):
        raise Unfit(where, 'is not of two columns.')
    if codecs[one['source']]['column']['kind'] != ColumnKind.NUMERICAL.value:
        raise Unfit(where, 'is not of a date, or a number.')
    column = codecs[own]['column']
    has_bins = column['bins'][0] < column['bins'][1]
    if not has_bins and max(one['codes'], default=0) >= len(column['counts']):
        raise Unfit(f'{where}.codes', 'are not those of the column.')


def _check_rates(encoder: Mapping[str, Any], place: str) -> None:
    columns = [codec['column'] for codec in encoder['codecs']]
    products, rates = encoder.get('products', ()), encoder.get('rates', ())
    made = {one['result']: one['factors'] for one in products}
    for number, one in enumerate(rates):
        where, own = f'{place}.rates[{number}]', (one['result'], one['source'])
        if len({*own, one['level']}) != 3 or max(*own, one['level']) >= len(columns):
            raise Unfit(where, 'is not of a column and two others.')
        if any(columns[at]['kind'] != ColumnKind.NUMERICAL.value for at in own):
            raise Unfit(where, 'is not of numbers.')
        level = columns[one['level']]
        if level['bins'][0] < level['bins'][1] or len(one['rates']) != len(level['counts']):
            raise Unfit(f'{where}.rates', 'are not those of the codes of a column without bins.')
        if len(one['digits']) != 2:
            raise Unfit(f'{where}.digits', 'are not those of two columns.')
        if one['result'] in made:
            raise Unfit(where, 'is of a result that another one has.')
        made[one['result']] = [one['source']]
    if len(behind_factors(made)) < len(made):
        raise Unfit(f'{place}.rates', 'close a circle, perhaps with products.')


def _check_zeros(encoder: Mapping[str, Any], place: str) -> None:
    num_codes, size = _num_codes(encoder), 0
    for number, entry in enumerate(encoder.get('zeros', ())):
        where = f'{place}.zeros[{number}]'
        pair = entry['determinant'], entry['dependent']
        if pair[0] == pair[1] or max(pair) >= len(num_codes):
            raise Unfit(where, 'is no pair of columns.')
        determinant, dependent = (num_codes[column] for column in pair)
        size += determinant * dependent
        if size > LARGEST:
            raise Unfit(where, 'is one too many.')
        if not all(codes and max(codes) < dependent for codes in entry['allowed']):
            raise Unfit(f'{where}.allowed', 'are not codes of the dependent.')
        if len(entry['says']) != determinant or max(entry['says']) >= len(entry['allowed']):
            raise Unfit(f'{where}.says', 'is not one of these for each code of the determinant.')


def _check_copula(encoder: Mapping[str, Any], place: str) -> None:
    copula = encoder.get('copula')
    if copula is None:
        return
    where, positions = f'{place}.copula', copula['positions']
    columns = [codec['column'] for codec in encoder['codecs']]
    if not 2 <= len({*positions}) == len(positions) <= MOST_COLUMNS:
        raise Unfit(f'{where}.positions', f'are not two or more columns, {MOST_COLUMNS} at most.')
    if max(positions) >= len(columns):
        raise Unfit(f'{where}.positions', f'are not among {len(columns)} columns.')
    if any(columns[at]['kind'] != ColumnKind.NUMERICAL.value for at in positions):
        raise Unfit(f'{where}.positions', 'are not of numbers.')
    if len(copula['scales']) != len(positions):
        raise Unfit(f'{where}.scales', 'are not one for each column.')
    if [len(own) for own in copula['weights']] != [3] * len(positions):
        raise Unfit(f'{where}.weights', 'are not three for each column.')
    if not all(own[-1] > 0 for own in copula['weights']):
        raise Unfit(f'{where}.weights', 'leave nothing of a column by itself.')
    if [len(row) for row in copula['correlations']] != [len(positions)] * len(positions):
        raise Unfit(f'{where}.correlations', 'are not one for each pair of columns.')
    correlations = np.array(copula['correlations'])
    if not np.allclose(correlations, correlations.T) or not np.allclose(correlations.diagonal(), 1):
        raise Unfit(f'{where}.correlations', 'are not those of columns with each other.')
    if np.linalg.eigvalsh(correlations)[0] <= 0:
        raise Unfit(f'{where}.correlations', 'are those of no law.')


def _check_gaps(encoder: Mapping[str, Any], place: str) -> None:
    gaps, columns = encoder.get('gaps', ()), [codec['column'] for codec in encoder['codecs']]
    pairs = [frozenset({gap['first'], gap['second']}) for gap in gaps]
    if len({*pairs}) != len(pairs) or len(pairs) > MOST_PAIRS:
        raise Unfit(f'{place}.gaps', f'are not {MOST_PAIRS} pairs of columns at most, each once.')
    for number, gap in enumerate(gaps):
        where = f'{place}.gaps[{number}]'
        if len(pairs[number]) != 2 or max(pairs[number]) >= len(columns):
            raise Unfit(where, f'is not of two of {len(columns)} columns.')
        if any(not _has_width(encoder['codecs'][at]) for at in pairs[number]):
            raise Unfit(where, 'is not of columns with several numbers.')
        _check_differences(gap, where)
        if gap.get('by_level') is not None:
            _check_level_gaps(gap['by_level'], encoder, pairs, f'{where}.by_level')


def _check_differences(law: Mapping[str, Any], place: str) -> None:
    ends = [end for piece in law['pieces'] for end in piece]
    if not 1 <= len(law['pieces']) <= MOST_PIECES or ends != sorted(ends):
        raise Unfit(f'{place}.pieces', f'are not {MOST_PIECES} at most, in order.')
    if len(law['shares']) != len(law['pieces']) or abs(sum(law['shares']) - 1) > 1e-6:
        raise Unfit(f'{place}.shares', 'are not one for each piece, 1 together.')


def _check_level_gaps(
    levels: Mapping[str, Any],
    encoder: Mapping[str, Any],
    pairs: Sequence[frozenset[int]],
    place: str,
) -> None:
    position, num_codes = levels['position'], _num_codes(encoder)
    if position >= len(num_codes) or position in frozenset().union(*pairs):
        where = f'{place}.position'
        raise Unfit(where, f'is none of {len(num_codes)} columns, or one with gaps itself.')
    bins = encoder['codecs'][position]['column']['bins']
    if bins[0] < bins[1]:
        raise Unfit(f'{place}.position', 'is not that of a column of levels.')
    if len(levels['of_code']) != num_codes[position]:
        raise Unfit(f'{place}.of_code', f'is not for {num_codes[position]} codes.')
    if not 1 <= len(levels['laws']) <= MOST_LEVELS:
        raise Unfit(f'{place}.laws', f'are not {MOST_LEVELS} at most.')
    if max(levels['of_code']) >= len(levels['laws']):
        raise Unfit(f'{place}.of_code', f'names more than {len(levels["laws"])} laws.')
    for number, law in enumerate(levels['laws']):
        _check_differences(law, f'{place}.laws[{number}]')


def _has_width(codec: Mapping[str, Any]) -> bool:
    """Whether a column is of numbers, of which there is more than one."""
    if codec['column']['kind'] != ColumnKind.NUMERICAL.value:
        return False
    numbers = np.concatenate([codec['atoms'], codec['knots']])
    return len(numbers) > 1 and bool(np.isfinite(np.ptp(numbers))) and bool(np.ptp(numbers) > 0)


def _num_codes(encoder: Mapping[str, Any]) -> list[int]:
    """How many codes each column has, its echo among them."""
    found = [len(codec['column']['counts']) for codec in encoder['codecs']]
    for echo in encoder.get('echoes', ()):
        found[echo['position']] += 1
    return found


def _check_echoes(encoder: Mapping[str, Any], place: str) -> None:
    codecs, echoes = encoder['codecs'], encoder.get('echoes', ())
    positions = [echo['position'] for echo in echoes]
    for number, echo in enumerate(echoes):
        where, position, source = f'{place}.echoes[{number}]', echo['position'], echo['source']
        if max(position, source) >= len(codecs) or position in positions[:number]:
            raise Unfit(where, 'is of no column, or of one that has an echo already.')
        if source in positions[number:]:
            raise Unfit(where, 'is not behind that of its source.')
        if not echo['line']['slope']:
            raise Unfit(f'{where}.line', 'has no slope.')
        for end in ('position', 'source'):
            if codecs[echo[end]]['column']['kind'] != ColumnKind.NUMERICAL.value:
                raise Unfit(f'{where}.{end}', 'is no column of numbers.')
        if len(echo['counts']) != len(codecs[position]['column']['counts']) + 1:
            raise Unfit(f'{where}.counts', 'are not those of the codes of the column and one more.')
