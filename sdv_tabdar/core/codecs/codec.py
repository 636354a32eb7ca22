"""What every codec can do: the interface between a column's values and the model.

The model knows codes and residuals (:mod:`sdv_tabdar.core.schema`). A codec is all that knows
what they stand for in one column, so that nothing else asks which kind of column it has.
"""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.counted import Counted
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import Codes, Floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.schema import Column


@dataclasses.dataclass(frozen=True)
class ResidualLaw:
    """The distributions of residuals given their bins, for some rows of a column.

    Both functions take N rows, the codes of N bins, and a number for each.

    Attributes:
        cdf: Probability ``(N,)`` that the residual is at most a number.
        quantiles: Residuals ``(N,)`` at which that probability is a number in [0, 1].
    """

    cdf: Callable[[Codes, Codes, Floats], Floats]
    quantiles: Callable[[Codes, Codes, Floats], Floats]


@dataclasses.dataclass(frozen=True, eq=False)
class Points:
    """A number of its own for each of B rows, with a probability.

    Attributes:
        values: ``(B,)``; NaN where there is none.
        masses: ``(B,)``.
    """

    values: Floats
    masses: Floats


class Codec(abc.ABC):
    """Values of one column to codes and residuals, and back.

    A new kind of column is a subclass, listed in ``encoder.CODECS``. ``levels`` and
    ``level_probabilities`` are for columns whose values can be listed, ``limits`` and
    ``quantiles`` for those whose values are ordered numbers; a codec has at least one pair.

    Attributes:
        column: The codes of the column.
    """

    column: Column

    @classmethod
    @abc.abstractmethod
    def fit(
        cls, name: str, values: Counted, config: ModelConfig, order: Sequence[Hashable] = ()
    ) -> Codec:
        """Learn the codes of a column from its training values.

        Args:
            name: Of the column.
            values: The training values.
            config: Settings of the encoding.
            order: The levels in an order that they have been declared to have, for a categorical
                column.

        Raises:
            TypeError: If a value does not suit this kind of column.
            ValueError: If a value is not allowed in it.
        """

    @abc.abstractmethod
    def grown(self, values: Counted, config: ModelConfig, order: Sequence[Hashable] = ()) -> Codec:
        """The codec to go on with when training goes on with a table of other rows.

        Arguments are those of :meth:`fit`. It can write ``values`` and all that this one could.
        Codes stay what they are as far as the new values suit them.

        Raises:
            TypeError: As :meth:`fit`.
            ValueError: As :meth:`fit`.
        """

    @abc.abstractmethod
    def codes_in(self, before: Codec) -> Codes:
        """For each code ``(K,)`` the one that stood for its values in ``before``; -1 for none.

        ``before`` is an earlier codec of the same column, of the same kind.
        """

    @abc.abstractmethod
    def encode(self, values: pd.Series) -> tuple[Codes, Floats]:
        """Codes and residuals ``(B,)``; the residual is 0 where the code carries none.

        Raises:
            ValueError: If a value cannot be written in the fitted codes.
            TypeError: If a value does not suit this kind of column.
        """

    @abc.abstractmethod
    def decode(self, codes: Codes, residuals: Floats, uniforms: Floats) -> npt.NDArray[Any]:
        """Values ``(B,)`` of codes and residuals.

        ``uniforms`` ``(B,)`` in [0, 1) choose where a code stands for several values; they are
        used only if :attr:`needs_uniforms`.
        """

    @property
    @abc.abstractmethod
    def num_single(self) -> int:
        """How many codes, the first ones, stand for one value each, with their residual."""

    @property
    def needs_uniforms(self) -> bool:
        """Whether some code stands for several values, between which :meth:`decode` chooses."""
        return self.num_single < self.column.num_codes

    @abc.abstractmethod
    def restrict(self, restriction: Restriction) -> Pieces:
        """The codes and intervals of residuals that a restriction allows.

        Raises:
            ValueError: If it does not suit the column, or allows nothing that training contained.
        """

    def restrict_each(self, restrictions: Sequence[Restriction]) -> list[Pieces]:
        """As :meth:`restrict`, for N restrictions."""
        return [self.restrict(restriction) for restriction in restrictions]

    def allows_each(self, restrictions: Sequence[Restriction]) -> npt.NDArray[np.bool_]:
        """``(N,)``, which of N restrictions allow something that training contained.

        Raises:
            ValueError: If the values are not numbers.
        """
        self._lack('intervals; see levels()')

    @abc.abstractmethod
    def enforce(
        self, values: npt.NDArray[Any], restriction: Restriction, uniforms: Floats
    ) -> npt.NDArray[Any]:
        """Values ``(B,)`` drawn under a restriction, changed where decoding left them outside it.

        ``uniforms`` ``(B,)`` in [0, 1) choose where several values would do.
        """

    def enforce_each(
        self,
        values: npt.NDArray[Any],
        restrictions: Sequence[Restriction | None],
        uniforms: Floats,
    ) -> npt.NDArray[Any]:
        """As :meth:`enforce`, for values ``(B,)`` each with a restriction of its own, or None."""
        groups: dict[Restriction, list[int]] = {}
        for row, entry in enumerate(restrictions):
            if entry is not None:
                groups.setdefault(entry, []).append(row)
        obeying = values.copy()
        for entry, rows in groups.items():
            obeying[rows] = self.enforce(values[rows], entry, uniforms[rows])
        return obeying

    @abc.abstractmethod
    def log_volume(self, values: pd.Series) -> Floats:
        """What to add to log-likelihoods of codes and residuals for those of ``values`` ``(B,)``.

        In nats: the log of d(residual) / d(value) of a number in a bin, the log of a level's share
        of its code, 0 where the code stands for one value, -inf where it gives the value no
        probability.
        """

    @property
    def log_unseen(self) -> float:
        """What stands for the log-likelihood of a value that training has not seen, in nats.

        As if the next row had brought it: log(1 / (N + 1)) after N training rows.
        """
        return -math.log1p(sum(self.column.counts))

    @property
    def levels(self) -> tuple[Hashable, ...]:
        """The values of the training column, None for missing.

        Those with a code of their own come first, the most frequent one before the others.

        Raises:
            ValueError: If they cannot be listed.
        """
        self._lack('levels; see limits()')

    def level_probabilities(self, code_probabilities: Floats) -> Floats:
        """Probabilities ``(B, L)`` of the levels, from those of the codes ``(B, K)``.

        Raises:
            ValueError: If the column has no levels.
        """
        self._lack('levels; see limits()')

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest number in training, NaN if there was none.

        Raises:
            ValueError: If the values are not numbers.
        """
        self._lack('limits; see levels()')

    def nearest_numbers(self, numbers: Floats) -> Floats:
        """The nearest numbers ``(B,)`` of multiples and cycles, where the column has no others.

        What lies in no bin stays as it is.

        Raises:
            ValueError: If the values are not numbers.
        """
        self._lack('limits; see levels()')

    def quantiles(
        self,
        masses: Floats,
        shares: Floats,
        law: ResidualLaw,
        points: Points | None = None,
    ) -> Floats:
        """Quantiles ``(B, Q)`` of the numbers of B rows.

        Args:
            masses: ``(B, K')`` probabilities of the K' codes other than missing, given that the
                cell is not missing.
            shares: ``(Q,)`` probabilities in [0, 1]; the quantile of 0.5 is the median.
            law: The distributions within bins.
            points: A number more for each row, whose probabilities add up to 1 with ``masses``.

        Raises:
            ValueError: If the values are not numbers.
        """
        self._lack('limits; see levels()')

    @abc.abstractmethod
    def to_state(self) -> dict[str, Any]:
        """Everything fitted as plain values and arrays, with :attr:`column` under 'column'."""

    @classmethod
    @abc.abstractmethod
    def from_state(cls, state: Mapping[str, Any]) -> Codec:
        """The codec that :meth:`to_state` described."""

    def _lack(self, what: str) -> NoReturn:
        raise ValueError(
            f"Column '{self.column.name}' is {self.column.kind.value} and has no {what}."
        )
