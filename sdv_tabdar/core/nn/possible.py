"""Which codes a cell may have beside the known cells of its row, by structural zeros.

What never met in training (``core/codecs/zeros.py``) is drawn with a probability of zero, whichever
of the two cells is known first.
"""

from __future__ import annotations

import torch

from sdv_tabdar.core.codecs.zeros import allowed_codes
from sdv_tabdar.core.nn.rows import Rows
from sdv_tabdar.core.schema import TableSchema


class PossibleCodes:
    """Of each column the others that rule some of its codes out, and which."""

    def __init__(self, schema: TableSchema) -> None:
        """Write down, for each column and each code of another one, which codes are left."""
        self._tables: list[dict[int, torch.Tensor]] = [{} for _ in schema.columns]
        for entry in schema.zeros:
            allowed = allowed_codes(entry, schema.columns[entry.dependent].num_codes)
            self._add(entry.determinant, entry.dependent, allowed)
            self._add(entry.dependent, entry.determinant, allowed.t())

    def _add(self, known: int, position: int, allowed: torch.Tensor) -> None:
        """Add what a known column ``(K_known, K)`` leaves of another one."""
        anything = allowed.new_ones(1, allowed.shape[1])  # where it is not known
        table = torch.cat([allowed, anything])
        before = self._tables[position].get(known)
        self._tables[position][known] = table if before is None else table & before

    def beside(
        self, position: int, codes: torch.Tensor, observed: torch.Tensor, rows: Rows
    ) -> torch.Tensor | None:
        """The codes ``(N, K)`` that cells of one column may have; None if nothing is ruled out.

        Cells that contradict each other leave all of them.

        Args:
            position: The column.
            codes: ``(B, C)``.
            observed: ``(B, C)`` bool, which cells are known.
            rows: Of which N of the rows.
        """
        found: torch.Tensor | None = None
        for known, table in self._tables[position].items():
            is_known = observed[rows, known]
            if not is_known.any():
                continue
            number = codes[rows, known].long().masked_fill(~is_known, len(table) - 1)
            allowed = table.to(codes.device)[number]
            found = allowed if found is None else found.logical_and_(allowed)
        return None if found is None else found.logical_or_(~found.any(dim=1, keepdim=True))
