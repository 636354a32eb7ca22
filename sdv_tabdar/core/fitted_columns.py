"""What a fitted model says of its columns without asking the network.

Their names, levels and limits, what restrictions leave of them, and which belong together.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sdv_tabdar.core.inference.scoring import Floats, Marks
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.trained import Trained


class FittedColumns:
    """The methods of ``TabDAR`` that tell of its columns once it has been fitted."""

    _trained: Trained | None

    @property
    def trained(self) -> Trained:
        """The encoder and the network.

        Raises:
            RuntimeError: If the model has not been fitted.
        """
        if self._trained is None:
            raise RuntimeError('This model has not been fitted. Call fit() first.')
        return self._trained

    @property
    def column_names(self) -> tuple[str, ...]:
        """The fitted columns in order."""
        return self.trained.encoder.schema.names

    def levels(self, column: str) -> list[Hashable]:
        """Known values of a categorical column; None stands for missing.

        Those with a code of their own come first, the most frequent one before the others.

        Raises:
            ValueError: If there is no such column, or it is numerical.
        """
        return list(self.trained.encoder.codec(column).levels)

    def limits(self, column: str) -> tuple[float, float]:
        """Least and greatest training value of a numerical column.

        Raises:
            ValueError: If there is no such column, or it is categorical.
        """
        low, high = self.trained.encoder.codec(column).limits
        clocks = self.trained.clock_times
        return clocks.clocks(column, low), clocks.clocks(column, high)

    def allows(self, column: str, restrictions: Sequence[Restriction | None]) -> Marks:
        """``(rows,)``, where a numerical column has training values that a restriction allows.

        None allows all.

        Raises:
            ValueError: If there is no such column, or it is categorical.
        """
        clocks = self.trained.clock_times
        distinct = dict.fromkeys(entry for entry in restrictions if entry is not None)
        told = {entry: clocks.restriction(column, entry) for entry in distinct}
        some = [entry for entry in told.values() if entry is not None]
        allowed = dict(zip(some, self.trained.encoder.codec(column).allows_each(some), strict=True))
        found = {entry: own is not None and bool(allowed[own]) for entry, own in told.items()}
        return np.array([entry is None or found[entry] for entry in restrictions], dtype=bool)

    def can_be_missing(self, column: str) -> bool:
        """Whether training saw a missing value in ``column``."""
        return self.trained.encoder.codec(column).column.missing is not None

    @property
    def clock_times(self) -> frozenset[str]:
        """The columns of numbers that are read as clock times, written hhmm."""
        return self.trained.clock_times.names

    def nearest_numbers(self, column: str, numbers: Floats) -> Floats:
        """Means ``(B,)`` of a numerical column's numbers, moved to the nearest that it has.

        To multiples where its numbers there are some, and to working days, opening hours and last
        digits where it has no others; elsewhere any number will do.

        Raises:
            ValueError: If there is no such column, or it is categorical.
        """
        codec, clocks = self.trained.encoder.codec(column), self.trained.clock_times
        nearest = codec.nearest_numbers(clocks.minutes(column, numbers))
        return clocks.clocks(column, nearest)

    @property
    def ordered_columns(self) -> list[tuple[str, str]]:
        """Columns of numbers of which the first is never more than the second."""
        encoder = self.trained.encoder
        names = encoder.schema.names
        return [(names[low], names[high]) for low, high in encoder.inequalities]

    @property
    def levels_that_follow(self) -> frozenset[str]:
        """The columns of which one follows from another, two, or a number, in all rows."""
        encoder = self.trained.encoder
        pairs = ((entry.determinant, entry.dependent) for entry in encoder.dependencies)
        places = {position for pair in pairs for position in pair}
        places |= {one.position for one in encoder.told_by_numbers}
        found = {encoder.schema.names[position] for position in places}
        return frozenset(found.union(*self.columns_together))

    @property
    def columns_together(self) -> list[tuple[str, ...]]:
        """Threes of columns of which one follows from the two others together in all rows."""
        schema = self.trained.encoder.schema
        return [tuple(schema.names[at] for at in joint.columns) for joint in schema.joints]

    @property
    def calculated_columns(self) -> list[str]:
        """Columns of sums, constants, products, rates and lines, and those in order with sums."""
        encoder = self.trained.encoder
        summed = {position for one in encoder.sums for position in one.columns}
        levels = {one.level for one in encoder.rates} | {one.level for one in encoder.choices}
        places = encoder.calculated.union(levels)
        places |= {place for pair in encoder.inequalities if summed & {*pair} for place in pair}
        lines = [(echo.position, echo.source) for echo in encoder.echoes if echo.always]
        places |= {place for pair in lines for place in pair}
        return [encoder.schema.names[position] for position in sorted(places)]

    @property
    def dates_between(self) -> frozenset[str]:
        """The columns of times of which others say what is between them: days, or whole years."""
        encoder = self.trained.encoder
        found = encoder.relations.times_between
        return frozenset(encoder.schema.names[at] for at in found)

    def log_unseen(self, column: str) -> float:
        """What may stand for the log-likelihood of a value that training has not seen, in nats.

        Raises:
            ValueError: If there is no such column.
        """
        return self.trained.encoder.codec(column).log_unseen
