"""What the codes of a table show of its levels, and whether columns stand in relations at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import pandas as pd

from sdv_tabdar.core.codecs.clock_times import ClockTimes
from sdv_tabdar.core.codecs.dependencies import find_dependencies
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.inequalities import without_consequences
from sdv_tabdar.core.codecs.joints import find_joints
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.ordered_levels import numbers_of
from sdv_tabdar.core.codecs.zeros import find_zeros
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind, Dependency, Joint, Zeros
from sdv_tabdar.core.table import EncodedTable


def find_told_levels(
    encoder: TableEncoder, table: EncodedTable, config: ModelConfig, replaced: Marks | None = None
) -> tuple[tuple[Dependency, ...], tuple[Joint, ...]]:
    """The columns that follow from the level of another one, and from those of two.

    Args:
        encoder: Fitted on a training table.
        table: That table.
        config: Whether they are looked for.
        replaced: ``(B, C)``, cells of which nothing is to be learnt; None for no such.
    """
    if 'dependencies' not in config.kept_relations:
        return (), ()
    echoing = [echo.position for echo in encoder.echoes]
    follows = find_dependencies(table, encoder.codecs, replaced, echoing)
    return follows, find_joints(table, encoder.codecs, follows, replaced, echoing)


def find_told_zeros(
    encoder: TableEncoder,
    table: EncodedTable,
    follows: Sequence[Dependency],
    config: ModelConfig,
) -> tuple[Zeros, ...]:
    """The codes of two columns that never meet.

    Args:
        encoder: Fitted on a training table.
        table: That table.
        follows: Columns that follow from others.
        config: Whether they are looked for, and whether levels in order are among them.
    """
    if not config.structural_zeros:
        return ()
    numbers = [numbers_of(codec) for codec in encoder.codecs] if config.inequalities else []
    return find_zeros(table, encoder.schema, follows, numbers)


class RelatedColumns:
    """The relations of a table that is not learnt yet.

    Args:
        frame: The table.
        kinds: Kind of each of its columns.
        config: Which relations are looked for.

    Raises:
        ValueError: As ``TableEncoder.fit``.
        TypeError: Likewise.
    """

    def __init__(
        self, frame: pd.DataFrame, kinds: Mapping[str, ColumnKind], config: ModelConfig
    ) -> None:
        self._clock_times = ClockTimes.find(frame, kinds, config)
        frame = self._clock_times.in_minutes(frame)
        encoder = TableEncoder.fit(frame, kinds, config)
        told = find_told_levels(encoder, encoder.encode_all(frame), config)
        self._encoder = encoder.with_relations((), told[0], joints=told[1])

    def needs(self, order: Sequence[str], columns: Collection[str]) -> bool:
        """Whether columns stand in a relation that their differences would not show.

        Clock times do, as those that are so much later are no such numbers later.

        Args:
            order: Columns that are in order in all rows.
            columns: Those of them that would be learnt by their differences only.
        """
        if not self._clock_times.names.isdisjoint(columns):
            return True
        schema = self._encoder.schema
        wanted = {schema.position(name) for name in columns}
        whole = {schema.position(name) for name in order}
        groups = [*self._of_numbers, *(one for one in self._others if not whole.issuperset(one))]
        return any(not wanted.isdisjoint(one) for one in groups)

    @property
    def _of_numbers(self) -> Iterator[Sequence[int]]:
        """The columns of each equation, which differences between them do not show either."""
        encoder = self._encoder
        yield from (one.columns for one in encoder.sums)
        yield from (one.columns for one in encoder.products)
        yield from (one.columns for one in encoder.rates)
        yield from (one.columns for one in encoder.aggregates)
        yield from (one.columns for one in encoder.choices)
        for echo in encoder.echoes:
            if echo.always and echo.line.slope != 1:
                yield echo.position, echo.source

    @property
    def _others(self) -> Iterator[Sequence[int]]:
        """The columns of each other relation; between columns in order differences show it."""
        encoder = self._encoder
        yield from ((echo.position, echo.source) for echo in encoder.echoes)
        yield from ((told.position, *told.sources) for told in encoder.told_by_numbers)
        yield from ((entry.determinant, entry.dependent) for entry in encoder.dependencies)
        yield from (joint.columns for joint in encoder.schema.joints)
        yield from without_consequences(encoder.inequalities)
