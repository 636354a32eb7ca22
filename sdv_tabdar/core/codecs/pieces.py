"""Where a partly known cell may lie, in codes and residuals."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from sdv_tabdar.core.codecs.values import Codes, Floats


@dataclasses.dataclass(frozen=True, eq=False)
class Pieces:
    """Where a partly known cell may lie: P codes, each with an interval of its residual.

    Attributes:
        codes: ``(P,)``.
        low: ``(P,)`` least residual, -inf for no limit.
        high: ``(P,)`` greatest residual, inf for no limit.
        share: ``(P,)`` share of the code's probability that is allowed; less than 1 where only
            some of the levels that share a code are.
    """

    codes: Codes
    low: Floats
    high: Floats
    share: Floats

    @classmethod
    def of(cls, pieces: Sequence[tuple[int, float, float]]) -> Pieces:
        """From triples (code, low, high), each code allowed with its whole probability."""
        codes, low, high = zip(*pieces, strict=True)
        return cls(np.array(codes), np.array(low), np.array(high), np.ones(len(codes)))

    @classmethod
    def of_codes(cls, shares: Mapping[int, float]) -> Pieces:
        """From the allowed share of each allowed code, without limits of residuals."""
        codes = np.array(sorted(shares), dtype=np.int64)
        free = np.full(len(codes), np.inf)
        return cls(codes, -free, free, np.array([shares[code] for code in codes.tolist()]))
