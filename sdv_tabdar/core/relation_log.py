"""What a fit tells in the log: which columns follow from others, add up, or are in order."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from sdv_tabdar.core.codecs.aggregates import Aggregate
from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.inequalities import Inequality, without_consequences
from sdv_tabdar.core.codecs.mostly import Mostly
from sdv_tabdar.core.codecs.rates import written as written_rate
from sdv_tabdar.core.codecs.sums import Sum, written, written_constant

_logger = logging.getLogger(__name__)


def tell_of_relations(
    encoder: TableEncoder,
    num_rows: int,
    told: Mapping[Any, str] | None,
    dates: Collection[Any],
) -> None:
    """Log which columns follow from others or are in order, of those with a name in ``told``."""
    columns = encoder.schema.names
    names = dict(zip(columns, columns, strict=True)) if told is None else told
    for places, line in _relations(encoder, num_rows, dates):
        if all(columns[place] in names for place in places):
            _logger.info(line(*(names[columns[place]] for place in places)))
    copula = encoder.schema.copula
    tied = [columns[place] for place in (() if copula is None else copula.positions)]
    if known := ', '.join(repr(names[own]) for own in tied if own in names):
        _logger.info(f'{known} nearly follow from others, and are learnt beside their copula.')
    near = {columns[at] for gap in encoder.schema.gaps for at in (gap.first, gap.second)}
    if known := ', '.join(repr(names[own]) for own in columns if own in near and own in names):
        _logger.info(f'{known} are never far from each other, and are learnt by their differences.')
    say = {columns[gap.by_level.position] for gap in encoder.schema.gaps if gap.by_level}
    if known := ', '.join(repr(names[own]) for own in columns if own in say and own in names):
        _logger.info(f'Levels of {known} say how far these are from each other.')
    pairs = {columns[entry.dependent]: columns[entry.determinant] for entry in encoder.schema.zeros}
    seen = sorted({repr(names[own]) for pair in pairs.items() for own in pair if own in names})
    if seen:
        _logger.info(
            f'Some values of {", ".join(seen)} never meet each other, and will not in drawn rows.'
        )


def _relations(
    encoder: TableEncoder, num_rows: int, dates: Collection[Any]
) -> Iterator[tuple[tuple[int, ...], Callable[..., str]]]:
    """The columns of each relation, and what is said of it by their names."""
    for echo in encoder.echoes:
        yield (
            (echo.position, echo.source),
            functools.partial(_about_echo, echo, num_rows, _are_dates(encoder, echo, dates)),
        )
    for pair in _in_order(encoder):
        yield (
            pair,
            lambda low, high: (
                f"'{low}' is never more than '{high}', and will not be in drawn rows."
            ),
        )
    for entry in encoder.dependencies:
        yield (
            (entry.determinant, entry.dependent),
            lambda own, other: (
                f"'{other}' follows from '{own}' in all rows, and will in drawn ones."
            ),
        )
    for joint in encoder.schema.joints:
        yield (
            joint.columns,
            lambda first, second, own: (
                f"'{own}' follows from '{first}' and '{second}' in all rows, and will in drawn "
                'ones.'
            ),
        )
    for one in encoder.sums:
        yield one.columns, functools.partial(_about_sum, one)
    for aggregate in encoder.aggregates:
        yield aggregate.columns, functools.partial(_about_aggregate, aggregate)
    for part in encoder.told_by_numbers:
        yield (
            (part.position, *part.sources),
            lambda own, *sources, part=part: (
                f"'{own}' follows from {part.written(*sources)} in all rows, and will in drawn "
                'ones.'
            ),
        )
    for choice in encoder.choices:
        yield (
            (choice.result, *choice.sources, choice.level),
            lambda own, *others, choice=choice: (
                f"'{own}' is {choice.written(others[:-1], others[-1])} in all rows, and will be in "
                'drawn ones.'
            ),
        )
    for rate in encoder.rates:
        yield (
            rate.columns,
            lambda own, source, level, adds=rate.adds: (
                f"'{own}' is {written_rate(source, level, adds=adds)} in all rows, "
                'and will be in drawn ones.'
            ),
        )
    for product in encoder.products:
        yield (
            product.columns,
            lambda own, *factors, product=product: (
                f"'{own}' is {product.written(factors)} in all rows, and will be in drawn ones."
            ),
        )

    for held in encoder.mostly:
        yield held.columns, functools.partial(_about_mostly, held)


def _in_order(encoder: TableEncoder) -> list[Inequality]:
    """The pairs of columns in order that do not follow from what else is told."""
    follows = [(echo.position, echo.source) for echo in encoder.echoes if echo.always]
    return without_consequences(encoder.inequalities, follows)


def _are_dates(encoder: TableEncoder, echo: Echo, dates: Collection[Any]) -> bool:
    """Whether a column that follows and its source are dates."""
    names = encoder.schema.names
    return names[echo.position] in dates and names[echo.source] in dates


def _about_echo(echo: Echo, num_rows: int, of_dates: bool, own: str, source: str) -> str:
    """What is said of a column that follows from another one, by a line."""
    line = echo.line.written(source, of_dates=of_dates)
    if echo.always:
        return f"'{own}' is {line} in all rows, and will be in drawn ones."
    number = f'{echo.counts[-1]} of {num_rows}'
    return f"'{own}' is {line} in {number} rows, and will be in as many drawn ones."


def _about_sum(one: Sum, *names: str) -> str:
    """What is said of a sum of columns of such names."""
    if one.constant is not None:
        return f'{written_constant(names, one.constant)} in all rows, and will in drawn ones.'
    total, *parts = names
    return f"'{total}' is {written(parts)} in all rows, and will be in drawn ones."


def _about_mostly(one: Mostly, *names: str) -> str:
    """What is said of a sum or a product of most rows, of columns of such names."""
    result, *others = names
    return f"'{result}' is {one.written(others)}, and will be in as many drawn ones."


def _about_aggregate(one: Aggregate, *names: str) -> str:
    """What is said of an aggregate of columns of such names."""
    result, *sources = names
    return f"'{result}' is {one.written(sources)} in all rows, and will be in drawn ones."
