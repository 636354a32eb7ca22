"""What a training table has shown of its columns together: all relations of an encoder.

Those of numbers are found in the table, those of levels in its codes, which the former say.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from sdv_tabdar.core.codecs.aggregates import Aggregate, find_aggregates, kept_aggregates
from sdv_tabdar.core.codecs.bands import Band, find_bands, kept_bands
from sdv_tabdar.core.codecs.calendars import (
    CalendarPart,
    find_calendar_parts,
    kept_calendar_parts,
)
from sdv_tabdar.core.codecs.choices import Choice, find_choices, kept_choices
from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.comparisons import find_comparisons
from sdv_tabdar.core.codecs.echoes import Echo, counted_echoes, find_echoes
from sdv_tabdar.core.codecs.formulas import OF_TIME
from sdv_tabdar.core.codecs.inequalities import (
    Inequality,
    find_inequalities,
    kept_inequalities,
)
from sdv_tabdar.core.codecs.made_of import all_below
from sdv_tabdar.core.codecs.mostly import Mostly, find_mostly, kept_mostly
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.products import BEFORE_RATES, Product, find_products, kept_products
from sdv_tabdar.core.codecs.rates import (
    Rate,
    find_rates,
    kept_rates,
    multiplied,
    without_circles,
)
from sdv_tabdar.core.codecs.rests import Rest, find_rests
from sdv_tabdar.core.codecs.spans import SPANS
from sdv_tabdar.core.codecs.sums import Sum, find_sums, kept_sums
from sdv_tabdar.core.codecs.table_parts import Table
from sdv_tabdar.core.codecs.terms import TERMS
from sdv_tabdar.core.codecs.years import YEAR_LESS
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import Cross, Dependency, Joint, Zeros
from sdv_tabdar.core.tied_columns import Copula, Gap


@dataclasses.dataclass(frozen=True)
class Relations:
    """Relations between the columns of a table.

    Attributes:
        echoes: Columns with one code more, for what follows from another column's number.
        inequalities: Columns that are in order in all rows.
        sums: Columns that are the sum of others in all rows.
        products: Columns that are the product or the quotient of two others in all rows.
        mostly: Sums and products that hold in most rows.
        rates: Columns that are another one times the rate of a level in all rows.
        aggregates: Columns that are the mean, a weighted sum or an extreme of others in all rows,
            or a curve of one.
        choices: Columns that are one of others, as a level says, in all rows.
        bands: Levels that follow from the range of a number, or of a difference, in all rows.
        calendar_parts: Columns that follow from a part of a date in all rows.
        crosses: Columns that are also seen together.
        dependencies: Columns that follow from others in all rows.
        joints: Columns that follow from two others together in all rows.
        zeros: Codes of two columns that never meet.
        copula: What ties numbers to each other.
        gaps: Pairs of columns whose difference ties them.
        keeps_values: Whether what relations make of a number stays what training left of its
            column: within its limits, and without bins one of its atoms.
    """

    echoes: tuple[Echo, ...] = ()
    inequalities: tuple[Inequality, ...] = ()
    sums: tuple[Sum, ...] = ()
    products: tuple[Product, ...] = ()
    mostly: tuple[Mostly, ...] = ()
    rates: tuple[Rate, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    choices: tuple[Choice, ...] = ()
    bands: tuple[Band, ...] = ()
    calendar_parts: tuple[CalendarPart, ...] = ()
    crosses: tuple[Cross, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    joints: tuple[Joint, ...] = ()
    zeros: tuple[Zeros, ...] = ()
    copula: Copula | None = None
    gaps: tuple[Gap, ...] = ()
    keeps_values: bool = False

    @classmethod
    def find(
        cls,
        frame: Table,
        codecs: Sequence[Codec],
        config: ModelConfig,
        replaced: pd.DataFrame | None,
    ) -> Relations:
        """Those of a training table that its values show.

        Args:
            frame: The table.
            codecs: One for each column, fitted on it.
            config: Which ones are looked for.
            replaced: As in ``TabDAR.fit``.
        """
        kept, seen = config.kept_relations, _without(frame, replaced)
        dated: tuple[CalendarPart, ...] = ()
        if 'dependencies' in kept:
            dated = find_calendar_parts(frame, codecs, replaced)
        sums, rests, products, rates = _arithmetic(frame, codecs, kept, dated, replaced)
        echoes = find_echoes(frame, codecs, seen) if config.echoes else ()
        told = {one.total for one in sums if one.total is not None}
        told |= {one.result for one in products}
        rates = _without_seeming(rates, seen, codecs, told) if 'sums' in kept else rates
        told |= {one.result for one in rates}
        lines = {one.position for one in echoes if one.always}
        aggregates: tuple[Aggregate, ...] = ()
        if 'sums' in kept:
            aggregates = find_aggregates(seen, codecs, told | lines, sums, echoes, rests)
        otherwise = [{*one.columns} for one in sums]
        otherwise += [{*one.columns} for one in dated]  # years since 0 are the year
        aggregates = tuple(one for one in aggregates if {*one.columns} not in otherwise)
        told |= {one.result for one in aggregates}
        choices: tuple[Choice, ...] = ()
        if 'products' in kept:
            levels = {one.position for one in dated} | {one.level for one in rates}
            choices = find_choices(frame, codecs, told | levels, replaced)
            told |= {one.result for one in choices}
        bands: tuple[Band, ...] = ()
        if 'dependencies' in kept:
            pairs = {(one.position, one.source) for one in dated}
            told |= lines
            bands = find_bands(frame, codecs, pairs, told, replaced)
            known = {place for place, _ in pairs} | {one.position for one in bands}
            known |= {one.level for one in rates}
            known = known.union(*(one.sources for one in aggregates if one.kind in TERMS))
            bands += find_comparisons(frame, codecs, known, replaced)
        mostly: tuple[Mostly, ...] = ()
        if replaced is None:
            made = {one.result: one.sources for one in aggregates}
            made |= {one.result: (one.source,) for one in rates}
            mostly = find_mostly(frame, codecs, kept, (*sums, *products), told | lines, made)
        levels = {one.position for one in dated} | {one.position for one in bands}
        levels |= {one.level for one in rates}
        return cls(
            echoes=_without_said(echoes, levels, aggregates),
            inequalities=find_inequalities(seen, codecs) if 'inequalities' in kept else (),
            sums=sums,
            products=products,
            mostly=mostly,
            rates=rates,
            aggregates=aggregates,
            choices=choices,
            bands=bands,
            calendar_parts=dated,
            keeps_values=replaced is not None,
        )

    def kept(
        self, frame: Table, codecs: Sequence[Codec], replaced: pd.DataFrame | None
    ) -> Relations:
        """Those that the values of another table have as well; what its codes show comes later."""
        seen = _without(frame, replaced)
        return Relations(
            echoes=counted_echoes(frame, codecs, self.echoes, seen),
            inequalities=kept_inequalities(seen, codecs, self.inequalities),
            sums=kept_sums(seen, codecs, self.sums),
            products=kept_products(seen, codecs, self.products),
            mostly=kept_mostly(frame, codecs, self.mostly) if replaced is None else (),
            rates=kept_rates(frame, codecs, self.rates, replaced),
            aggregates=kept_aggregates(seen, codecs, self.aggregates),
            choices=kept_choices(frame, codecs, self.choices, replaced),
            bands=kept_bands(frame, codecs, self.bands, replaced),
            calendar_parts=kept_calendar_parts(frame, codecs, self.calendar_parts, replaced),
            keeps_values=self.keeps_values or replaced is not None,
        )

    @property
    def told_by_numbers(self) -> tuple[CalendarPart | Band, ...]:
        """The levels that numbers tell."""
        return *self.calendar_parts, *self.bands

    @property
    def results(self) -> frozenset[int]:
        """The columns of numbers that others say exactly; of a constant sum all are."""
        found = {one.position for one in self.echoes if one.always}
        for summed in self.sums:
            found |= {*summed.columns} if summed.total is None else {summed.total}
        found |= {one.result for one in self.multiplied} | {one.result for one in self.choices}
        return frozenset(found).union(one.result for one in self.aggregates)

    @property
    def calculating(self) -> frozenset[int]:
        """The columns of sums, products, rates and aggregates; levels of rates are below 0."""
        found = frozenset[int]().union(*(one.columns for one in self.sums))
        found = found.union(*(one.columns for one in self.multiplied))
        return found.union(*(one.columns for one in self.aggregates))

    @property
    def times_between(self) -> frozenset[int]:
        """The columns of times of which others say what is between them: days, or whole years."""
        found = [one.sources for one in self.aggregates if one.kind in SPANS]
        found += [(one.result, one.sources[0]) for one in self.aggregates if one.kind in TERMS]
        found += [one.sources[:1] for one in self.aggregates if one.kind == YEAR_LESS]
        found += [one.factors for one in self.products if one.formula.name in OF_TIME]
        return frozenset().union(*found)

    @property
    def between_dates(self) -> tuple[Product, ...]:
        """What counts the units from one date to another, in all rows or in most."""
        held = [*self.products, *(one.relation for one in self.mostly)]
        return tuple(
            one for one in held if isinstance(one, Product) and one.formula.name in OF_TIME
        )

    @functools.cached_property
    def multiplied(self) -> tuple[Product, ...]:
        """Products and rates, each behind those whose results are factors of it."""
        return multiplied(self.products, self.rates)

    def with_held(self, places: Iterable[int]) -> Relations:
        """These, and some of those that hold in most rows as though they held in all."""
        chosen = [self.mostly[place].relation for place in places]
        sums = [*self.sums, *(one for one in chosen if isinstance(one, Sum))]
        products = [*self.products, *(one for one in chosen if isinstance(one, Product))]
        made: dict[int, Collection[int]] = {
            one.total: one.parts for one in sums if one.total is not None
        }
        made |= {one.result: one.factors for one in products}
        sums.sort(key=lambda one: len(all_below(one.parts, made)))
        products.sort(key=lambda one: len(all_below(one.factors, made)))
        return dataclasses.replace(self, sums=tuple(sums), products=tuple(products))

    def to_state(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {
            'crosses': [cross.to_state() for cross in self.crosses],
            'echoes': [echo.to_state() for echo in self.echoes],
            'inequalities': [list(pair) for pair in self.inequalities],
            'dependencies': [entry.to_state() for entry in self.dependencies],
            'joints': [entry.to_state() for entry in self.joints],
            'sums': [one.to_state() for one in self.sums],
            'products': [one.to_state() for one in self.products],
            'mostly': [one.to_state() for one in self.mostly],
            'rates': [one.to_state() for one in self.rates],
            'aggregates': [one.to_state() for one in self.aggregates],
            'choices': [one.to_state() for one in self.choices],
            'bands': [one.to_state() for one in self.bands],
            'calendar_parts': [one.to_state() for one in self.calendar_parts],
            'zeros': [entry.to_state() for entry in self.zeros],
            'copula': None if self.copula is None else self.copula.to_state(),
            'gaps': [gap.to_state() for gap in self.gaps],
            'keeps_values': self.keeps_values,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Relations:
        """The relations that :meth:`to_state` described; former versions had not all of them."""
        copula = state.get('copula')
        return cls(
            crosses=tuple(Cross.from_state(entry) for entry in state['crosses']),
            echoes=tuple(Echo.from_state(entry) for entry in state.get('echoes', ())),
            inequalities=tuple((low, high) for low, high in state.get('inequalities', ())),
            dependencies=tuple(map(Dependency.from_state, state.get('dependencies', ()))),
            joints=tuple(map(Joint.from_state, state.get('joints', ()))),
            sums=tuple(map(Sum.from_state, state.get('sums', ()))),
            products=tuple(map(Product.from_state, state.get('products', ()))),
            mostly=tuple(map(Mostly.from_state, state.get('mostly', ()))),
            rates=tuple(map(Rate.from_state, state.get('rates', ()))),
            aggregates=tuple(map(Aggregate.from_state, state.get('aggregates', ()))),
            choices=tuple(map(Choice.from_state, state.get('choices', ()))),
            bands=tuple(map(Band.from_state, state.get('bands', ()))),
            calendar_parts=tuple(map(CalendarPart.from_state, state.get('calendar_parts', ()))),
            zeros=tuple(map(Zeros.from_state, state.get('zeros', ()))),
            copula=None if copula is None else Copula.from_state(copula),
            gaps=tuple(map(Gap.from_state, state.get('gaps', ()))),
            keeps_values=state.get('keeps_values', False),
        )


_Arithmetic = tuple[tuple[Sum, ...], tuple[Rest, ...], tuple[Product, ...], tuple[Rate, ...]]


def _arithmetic(
    frame: Table,
    codecs: Sequence[Codec],
    kept: Collection[str],
    dated: Sequence[CalendarPart],
    replaced: pd.DataFrame | None,
) -> _Arithmetic:
    """Sums, those of them that are told as rests, products and rates, none made of itself."""
    seen = _without(frame, replaced)
    made: dict[int, Collection[int]] = {one.position: (one.source,) for one in dated}
    sums = find_sums(seen, codecs) if 'sums' in kept else ()
    if 'products' not in kept:
        return *find_rests(sums, made, {}), (), ()
    products = find_products(seen, codecs, sums)
    plain = [one for one in products if one.formula in BEFORE_RATES]
    made |= {one.result: one.factors for one in products}
    told = [frozenset(one.columns) for one in sums]
    summed = frozenset().union(*told)
    freely = find_rates(frame, codecs, plain, (), replaced, told, summed) if sums else ()
    sums, rests = find_rests(sums, made, {one.result: (one.source,) for one in freely})
    above = (*sums, *(one.as_made for one in rests))
    rates = find_rates(frame, codecs, plain, above, replaced, told)
    named = [{*one.columns} for one in products]  # by the number itself, not by its level
    rates = tuple(one for one in rates if not (one.adds and {*one.columns} in named))
    products = tuple(one for one in products if one in plain or not _is_told(one, rates))
    return sums, rests, *without_circles(frame, codecs, products, rates)


def _without_seeming(
    rates: Sequence[Rate], frame: Table, codecs: Sequence[Codec], told: Collection[int]
) -> tuple[Rate, ...]:
    """Rates but those of columns of numbers that weighted sums say.

    Of a time that is written 1735 the hour seems a hundredth, less what the minute says; and where
    a pressure is another one and the pulse's, and their mean the other one and a third of it, the
    former seems to be the mean and what the pulse's says.
    """
    doubtful = [one for one in rates if isinstance(codecs[one.level], NumericalCodec)]
    if not doubtful:
        return tuple(rates)
    told = {*told, *(one.result for one in rates if one not in doubtful)}
    summed = [
        {*one.columns} for one in find_aggregates(frame, codecs, told) if one.kind == 'weighted'
    ]
    seeming = [
        one
        for one in doubtful
        if any(
            {own, one.level} <= columns for own in (one.result, one.source) for columns in summed
        )
    ]
    return tuple(one for one in rates if one not in seeming)


def _without_said(
    echoes: Sequence[Echo], levels: Collection[int], aggregates: Sequence[Aggregate]
) -> tuple[Echo, ...]:
    """Echoes but those of levels, and of what is made of dates: by a line in some rows alone."""
    of_dates = {
        frozenset({one.result, source})
        for one in aggregates
        if one.kind in TERMS or one.kind in SPANS
        for source in one.sources
    }
    return tuple(
        one
        for one in echoes
        if one.position not in levels and frozenset({one.position, one.source}) not in of_dates
    )


def _is_told(product: Product, rates: Sequence[Rate]) -> bool:
    """Whether the result, or one of the same columns, is that of a rate."""
    return any(
        product.result == rate.result or {*product.columns} == {*rate.columns} for rate in rates
    )


def _without(frame: Table, replaced: pd.DataFrame | None) -> Table:
    """A table in which cells that were replaced are gaps, and so in no row's relation."""
    if replaced is None:
        return frame
    assert isinstance(frame, pd.DataFrame), 'cells are replaced in memory only'
    return frame.mask(replaced.to_numpy(dtype=bool))
