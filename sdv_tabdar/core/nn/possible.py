"""Which codes a cell may have beside the known cells of its row.

What never met in training (``core/codecs/zeros.py``), and a level that does not follow from another
one as it always did (``core/codecs/dependencies.py``), have a probability of zero, whichever of the
two cells is known first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch

from sdv_tabdar.core.codecs.zeros import allowed_codes
from sdv_tabdar.core.nn.rows import Rows
from sdv_tabdar.core.schema import TableSchema

Rule = Callable[[torch.Tensor], torch.Tensor]
"""Of N codes of a known column the codes ``(N, K)`` of another one that they leave."""


class PossibleCodes:
    """Of each column the others that rule some of its codes out, and which."""

    def __init__(self, schema: TableSchema) -> None:
        """Write down, for each column and each code of another one, which codes are left."""
        self._rules: list[list[tuple[int, Rule]]] = [[] for _ in schema.columns]
        sizes = [column.num_codes for column in schema.columns]
        for zeros in schema.zeros:
            allowed = allowed_codes(zeros, sizes[zeros.dependent])
            self._add(zeros.determinant, zeros.dependent, functools.partial(_of_table, allowed))
            turned = functools.partial(_of_table, allowed.t().contiguous())
            self._add(zeros.dependent, zeros.determinant, turned)
        for entry in schema.dependencies:
            says = torch.tensor(entry.codes, dtype=torch.long)
            following = functools.partial(_following, says, sizes[entry.dependent])
            self._add(entry.determinant, entry.dependent, following)
            self._add(entry.dependent, entry.determinant, functools.partial(_agreeing, says))

    def _add(self, known: int, position: int, rule: Rule) -> None:
        """Add what a known column leaves of another one."""
        self._rules[position].append((known, rule))

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
        for known, rule in self._rules[position]:
            is_known = observed[rows, known]
            if is_known.any():
                allowed = rule(codes[rows, known].long()).logical_or_(~is_known[:, None])
                found = allowed if found is None else found.logical_and_(allowed)
        return None if found is None else found.logical_or_(~found.any(dim=1, keepdim=True))


def _of_table(table: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """What a table ``(K_known, K)`` says that known codes ``(N,)`` leave."""
    return table.to(known.device)[known]


def _following(says: torch.Tensor, size: int, known: torch.Tensor) -> torch.Tensor:
    """What is left of a column of so many codes by what each code ``(K_known,)`` says."""
    wanted = says.to(known.device)[known][:, None]
    return (wanted == torch.arange(size, device=known.device)) | (wanted < 0)


def _agreeing(says: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """What is left of a column whose codes ``(K,)`` say which code is to be known."""
    says = says.to(known.device)
    return (says == known[:, None]) | (says < 0)
