"""Where a partly known cell may lie, in codes and residuals."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

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
    def joined(cls, parts: Sequence[Pieces]) -> Pieces:
        """All pieces of several; at least one."""
        codes, low, high, share = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ('codes', 'low', 'high', 'share')
        )
        return cls(codes, low, high, share)

    @classmethod
    def parted(
        cls, counts: npt.NDArray[np.int64], codes: Codes, low: Floats, high: Floats
    ) -> list[Pieces]:
        """Those of N cells, the first of which has the first ``counts[0]`` entries, and so on.

        Args:
            counts: ``(N,)`` how many pieces each cell has.
            codes: ``(sum of counts,)``; each is allowed with its whole probability.
            low: As many least residuals.
            high: As many greatest residuals.
        """
        share = np.ones(len(codes))
        stops = counts.cumsum()
        return [
            cls(codes[start:stop], low[start:stop], high[start:stop], share[start:stop])
            for start, stop in zip((stops - counts).tolist(), stops.tolist(), strict=True)
        ]

    @classmethod
    def of_codes(cls, shares: Mapping[int, float]) -> Pieces:
        """From the allowed share of each allowed code, without limits of residuals."""
        codes = np.array(sorted(shares), dtype=np.int64)
        free = np.full(len(codes), np.inf)
        return cls(codes, -free, free, np.array([shares[code] for code in codes.tolist()]))
