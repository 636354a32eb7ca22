"""What a model file says of its columns together, by the names of the user.

Each function reads one kind of relation from the state of an encoder, given the user's name of each
column of the model whose values are the user's own; of the others nothing is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sdv_tabdar.adapter.compositions import Composition
from sdv_tabdar.core.codecs.aggregates import Aggregate
from sdv_tabdar.core.codecs.bands import Band
from sdv_tabdar.core.codecs.calendars import CalendarPart
from sdv_tabdar.core.codecs.choices import Choice
from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.inequalities import without_consequences
from sdv_tabdar.core.codecs.mostly import Mostly
from sdv_tabdar.core.codecs.products import Product
from sdv_tabdar.core.codecs.rates import Rate
from sdv_tabdar.core.codecs.rates import written as written_rate
from sdv_tabdar.core.codecs.sums import Sum, written


def inequalities(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[tuple[str, str]]:
    """Pairs of columns of which the first is never more than the second, each told once."""
    columns = [codec['column']['name'] for codec in encoder['codecs']]
    pairs = [(low, high) for low, high in encoder.get('inequalities', ())]
    echoes = map(Echo.from_state, encoder.get('echoes', ()))
    follows = [(echo.position, echo.source) for echo in echoes if echo.always]
    found = [(columns[low], columns[high]) for low, high in without_consequences(pairs, follows)]
    return [(names[low], names[high]) for low, high in found if low in names and high in names]


def dependencies(
    encoder: Mapping[str, Any], names: Mapping[Any, str]
) -> list[tuple[str, str, int]]:
    """What follows from which column, and from how many of its levels."""
    columns = [codec['column']['name'] for codec in encoder['codecs']]
    found = [
        (columns[entry['determinant']], columns[entry['dependent']], entry['codes'])
        for entry in encoder.get('dependencies', ())
    ]
    return [
        (names[determinant], names[dependent], sum(code >= 0 for code in codes))
        for determinant, dependent, codes in found
        if determinant in names and dependent in names
    ]


def joint_dependencies(
    encoder: Mapping[str, Any], names: Mapping[Any, str]
) -> list[tuple[tuple[str, str], str, int]]:
    """Pairs of columns, what follows from both, and for how many pairs of levels."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found = []
    for entry in encoder.get('joints', ()):
        first, second, own = (columns[entry[key]] for key in ('first', 'second', 'dependent'))
        if first is not None and second is not None and own is not None:
            found.append(((first, second), own, sum(code >= 0 for code in entry['codes'])))
    return found


def sums(
    encoder: Mapping[str, Any], names: Mapping[Any, str]
) -> tuple[list[tuple[str, str]], list[tuple[Sequence[str], float]]]:
    """Columns and what they are the sum of; sets of columns that make a constant, and it."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    sums: list[tuple[str, str]] = []
    constant_sums: list[tuple[Sequence[str], float]] = []
    for one in map(Sum.from_state, encoder.get('sums', ())):
        own = [name for place in one.columns if (name := columns[place]) is not None]
        if len(own) == len(one.columns) and one.constant is not None:
            constant_sums.append((own, one.constant))
        elif len(own) == len(one.columns):
            sums.append((own[0], written(own[1:])))
    return sums, constant_sums


def products(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[tuple[str, str]]:
    """Columns that are products, quotients and the like of two others, and what of them."""
    columns = [codec['column']['name'] for codec in encoder['codecs']]
    found = [Product.from_state(entry) for entry in encoder.get('products', ())]
    told = [(one, [columns[place] for place in one.columns]) for one in found]
    return [
        (names[result], one.written([names[factor] for factor in factors]))
        for one, (result, *factors) in told
        if {result, *factors} <= {*names}
    ]


def mostly(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[tuple[str, str]]:
    """Columns that most rows make of others, of which, and in which share of the rows."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found = []
    for one in map(Mostly.from_state, encoder.get('mostly', ())):
        result, *others = [name for at in one.columns if (name := columns[at]) is not None] or ['']
        if len(others) + 1 == len(one.columns):
            found.append((result, one.written(others)))
    return found


def aggregates(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[tuple[str, str]]:
    """Columns that are the mean, a weighted sum, an extreme or a curve of others, and of which."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found = []
    for one in map(Aggregate.from_state, encoder.get('aggregates', ())):
        own = columns[one.result]
        sources = [name for at in one.sources if (name := columns[at]) is not None]
        if own is not None and len(sources) == len(one.sources):
            found.append((own, one.written(sources)))
    return found


def told_by_numbers(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[tuple[str, str]]:
    """Columns that follow from a part of a date, or the range of numbers, and from which."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found, told = [], list[CalendarPart | Band]()
    told += map(CalendarPart.from_state, encoder.get('calendar_parts', ()))
    told += map(Band.from_state, encoder.get('bands', ()))
    for one in told:
        own = columns[one.position]
        sources = [name for at in one.sources if (name := columns[at]) is not None]
        if own is not None and len(sources) == len(one.sources):
            found.append((own, one.written(*sources)))
    return found


def rates(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[tuple[str, str]]:
    """Columns that are another one times the rate of a level, and of which."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found = []
    for one in map(Rate.from_state, encoder.get('rates', ())):
        result, source, level = (columns[place] for place in one.columns)
        if result is not None and source is not None and level is not None:
            found.append((result, written_rate(source, level, adds=one.adds)))
    return found


def choices(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[tuple[str, str]]:
    """Columns that are one of others, as a level says, and of which."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found = []
    for one in map(Choice.from_state, encoder.get('choices', ())):
        own, level = columns[one.result], columns[one.level]
        sources = [name for at in one.sources if (name := columns[at]) is not None]
        if own is not None and level is not None and len(sources) == len(one.sources):
            found.append((own, one.written(sources, level)))
    return found


def compositions(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Columns of texts that others make, and how."""
    found = map(Composition.from_state, table.get('compositions', ()))
    return [(one.key, one.written()) for one in found]


def tied(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[str]:
    """Columns of numbers that nearly follow from others of them."""
    copula = encoder.get('copula')
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    positions = [] if copula is None else copula['positions']
    return [name for name in (columns[at] for at in positions) if name is not None]


def gaps(encoder: Mapping[str, Any], names: Mapping[Any, str]) -> list[tuple[str, str, int]]:
    """Columns that are never far from each other, and the number of intervals of differences."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found = []
    for gap in encoder.get('gaps', ()):
        first, second = columns[gap['first']], columns[gap['second']]
        if first is not None and second is not None:
            found.append((first, second, len(gap['pieces'])))
    return found


def gaps_by_level(
    encoder: Mapping[str, Any], names: Mapping[Any, str]
) -> list[tuple[str, str, str, int]]:
    """Of these, the column whose levels say how far, and how many of them do."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found = []
    for gap in encoder.get('gaps', ()):
        levels = gap.get('by_level')
        if levels is not None:
            places = (gap['first'], gap['second'], levels['position'])
            first, second, own = (columns[at] for at in places)
            if first is not None and second is not None and own is not None:
                found.append((first, second, own, len(levels['laws'])))
    return found


def structural_zeros(
    encoder: Mapping[str, Any], names: Mapping[Any, str]
) -> list[tuple[str, Sequence[str]]]:
    """Columns some of whose values never meet some of others, and these."""
    columns = [names.get(codec['column']['name']) for codec in encoder['codecs']]
    found: dict[str, list[str]] = {}
    for entry in encoder.get('zeros', ()):
        determinant, dependent = columns[entry['determinant']], columns[entry['dependent']]
        if determinant is not None and dependent is not None:
            found.setdefault(dependent, []).append(determinant)
    return list(found.items())
