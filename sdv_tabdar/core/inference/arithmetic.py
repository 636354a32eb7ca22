"""Drawn numbers that add up and multiply as in all training rows: the order in which they do."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.decoder import Restrictions
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.inference.aggregates import Aggregating
from sdv_tabdar.core.inference.choices import Choosing
from sdv_tabdar.core.inference.kept_values import contain
from sdv_tabdar.core.inference.products import Multiplying
from sdv_tabdar.core.inference.sums import Adding


@dataclasses.dataclass(frozen=True)
class Arithmetic:
    """Makes decoded rows add up and keep their products.

    Attributes:
        multiplying: Products, quotients and rates.
        adding: Sums.
        aggregating: Means, weighted sums, the greatest and the least of others, and curves.
        choosing: Numbers that are one of others, by a level.
    """

    multiplying: Multiplying
    adding: Adding
    aggregating: Aggregating
    choosing: Choosing

    @classmethod
    def of_finished(
        cls, encoder: TableEncoder, known: Marks, told: Marks, restrictions: Restrictions
    ) -> Arithmetic:
        """For rows that are complete, of which no codes are known.

        Args:
            encoder: The codes, and what holds of the columns.
            known: ``(B, C)``, cells that were given.
            told: Likewise, with those that known ones told.
            restrictions: By name, what each row's cell may be.
        """
        return cls(
            Multiplying(encoder, known, told, restrictions),
            Adding(encoder, known, told, restrictions, np.zeros_like(known)),
            Aggregating(encoder, known, told, restrictions),
            Choosing(encoder, known, told, restrictions),
        )

    def settle(self, frame: pd.DataFrame) -> None:
        """Make rows keep all of it, as far as they can; ``frame`` is written into.

        What is in a sum and a product (of invoices the amount of a line) is made by its factors
        first; where the sum then has moved it, these follow. What a column must not have
        (``kept_values.py``) it has neither before nor afterwards. Aggregates may be part of
        either, and either of them; the sources of one that a sum has moved go with it. What is one
        of others is so before all, and once more behind what all of these have moved.
        """
        self._contain(frame)
        self.choosing.choose(frame)
        self.aggregating.aggregate(frame)
        self.multiplying.multiply(frame)
        self._adding_beside_products(frame).add_up(frame)
        if self._summed:
            self.multiplying.multiply(frame, self._summed)
        self.aggregating.aggregate(frame, self._summed)
        self.choosing.choose(frame, self.adding.encoder.relations.calculating)
        self._contain(frame)

    def _contain(self, frame: pd.DataFrame) -> None:
        """Put what nobody has asked for back to what its column may have."""
        adding = self.adding
        contain(adding.encoder, frame, adding.known, adding.restrictions)

    def _is_beyond(self, frame: pd.DataFrame) -> Marks:
        """Which cells ``(B, C)`` of sums have numbers beyond those of training."""
        encoder = self.adding.encoder
        found = np.zeros(self.adding.known.shape, dtype=bool)
        for position in self._summed:
            low, high = encoder.codecs[position].limits
            if encoder.schema.names[position] in frame:
                numbers = frame[encoder.schema.names[position]].to_numpy()
                found[:, position] = (numbers < low) | (numbers > high)
        return found

    def _adding_beside_products(self, frame: pd.DataFrame) -> Adding:
        """Sums of which what products have made stays sooner than a total that occurs often."""
        encoder, sticky = self.adding.encoder, self.adding.sticky.copy()
        made = {one.result for one in encoder.multiplied}
        for one in encoder.sums:
            if one.total is not None and made & {*one.parts}:
                sticky[:, one.total] = False
        told = self.multiplying.with_told(self.adding.told)
        totals = {one.total for one in encoder.sums}
        kept = frozenset(
            at for one in encoder.multiplied for at in one.columns if at >= 0 and at not in totals
        )
        following = frozenset(made - self._summed)
        return dataclasses.replace(
            self.adding,
            known=self.adding.known | (self.multiplying.follows & self._is_beyond(frame)),
            told=told | self.multiplying.follows,
            sticky=sticky,
            made=kept,
            following=following,
        )

    @property
    def _summed(self) -> set[int]:
        """The columns of sums."""
        return {position for one in self.adding.encoder.sums for position in one.columns}
