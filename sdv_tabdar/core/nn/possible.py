"""Which codes a cell may have beside the known cells of its row.

What never met in training (``core/codecs/zeros.py``), and a level that does not follow from another
one as it always did (``core/codecs/dependencies.py``), or from two (``joints.py``), have a
probability of zero, whichever of the cells is known first. So have two cells that leave nothing of
a third one: whichever came second would have no row to be part of.
"""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import torch

from sdv_tabdar.core.codecs.zeros import LARGEST, allowed_codes
from sdv_tabdar.core.nn.rows import Rows
from sdv_tabdar.core.schema import Dependency, Joint, TableSchema

_WRITTEN = 1 << 20  # pairs of codes of a dependency, at most, if it is written down as a table, ...
_ALL_WRITTEN = 1 << 24  # ... and of all that are

Rule = Callable[[torch.Tensor], torch.Tensor]
"""Of N codes of a known column the codes ``(N, K)`` of another one that they leave."""

Tables = dict[tuple[int, int], torch.Tensor]
"""Which codes ``(K_known, K)`` may meet, by the positions of a known column and of another one."""


class PossibleCodes:
    """Of each column the others that rule some of its codes out, and which."""

    def __init__(self, schema: TableSchema) -> None:
        """Write down, for each column and each code of another one, which codes are left."""
        self._rules: list[list[tuple[int, Rule]]] = [[] for _ in schema.columns]
        self._joint: list[list[tuple[int, int, torch.Tensor]]] = [[] for _ in schema.columns]
        threes = [(joint, _of_three(schema, joint)) for joint in schema.joints]
        for joint, table in threes:
            for turn in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
                one, other, own = (joint.columns[axis] for axis in turn)
                self._joint[own].append((one, other, table.permute(turn)))
        written, others = _parted(schema)
        for (known, position), pairs in _through_thirds(_tables(schema, written, threes)).items():
            self._rules[position].append((known, functools.partial(_of_table, pairs)))
        for entry in others:
            says = torch.tensor(entry.codes, dtype=torch.long)
            size = schema.columns[entry.dependent].num_codes
            following = functools.partial(_following, says, size)
            agreeing = functools.partial(_agreeing, says)
            self._rules[entry.dependent].append((entry.determinant, following))
            self._rules[entry.determinant].append((entry.dependent, agreeing))

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
        for first, second, table in self._joint[position]:
            are_known = observed[rows, first] & observed[rows, second]
            if are_known.any():
                one, other = (codes[rows, place].long() for place in (first, second))
                allowed = table.to(codes.device)[one, other].logical_or_(~are_known[:, None])
                found = allowed if found is None else found.logical_and_(allowed)
        return None if found is None else found.logical_or_(~found.any(dim=1, keepdim=True))


def _tables(
    schema: TableSchema,
    dependencies: Sequence[Dependency],
    threes: Sequence[tuple[Joint, torch.Tensor]],
) -> Tables:
    """What two columns say of each other, both ways round; of dependencies some."""
    found: Tables = {}
    sizes = [column.num_codes for column in schema.columns]
    for zeros in schema.zeros:
        allowed = allowed_codes(zeros, sizes[zeros.dependent])
        _add(found, zeros.determinant, zeros.dependent, allowed)
    for entry in dependencies:
        says = torch.tensor(entry.codes, dtype=torch.long)
        every = torch.arange(len(says))
        allowed = _following(says, sizes[entry.dependent], every)
        _add(found, entry.determinant, entry.dependent, allowed)
    for joint, table in threes:  # what two of three cells leave of each other, whatever the third
        for own, axis in ((joint.first, 1), (joint.second, 0)):
            allowed = table.any(dim=axis)
            if not allowed.all():
                _add(found, own, joint.dependent, allowed)
    return found


def _of_three(schema: TableSchema, joint: Joint) -> torch.Tensor:
    """Which codes ``(K1, K2, K)`` of a column that follows from two others meet theirs."""
    sizes = [schema.columns[place].num_codes for place in joint.columns]
    says = torch.tensor(joint.codes, dtype=torch.long).reshape(-1, joint.num_second)
    found = torch.ones(sizes, dtype=torch.bool)
    wanted = says[..., None]
    every = torch.arange(sizes[2])
    found[: says.shape[0], : says.shape[1]] = (wanted == every) | (wanted < 0)
    return found


def _parted(schema: TableSchema) -> tuple[list[Dependency], list[Dependency]]:
    """Dependencies that are small enough for tables, and the others."""
    parts: tuple[list[Dependency], list[Dependency]] = ([], [])
    total = 0
    for entry in schema.dependencies:
        size = len(entry.codes) * schema.columns[entry.dependent].num_codes
        is_large = size > _WRITTEN or total + size > _ALL_WRITTEN
        parts[is_large].append(entry)
        total += 0 if is_large else size
    return parts


def _add(tables: Tables, known: int, position: int, allowed: torch.Tensor) -> None:
    """Add what two columns ``(K_known, K)`` say of each other."""
    for pair, table in (((known, position), allowed), ((position, known), allowed.t())):
        tables[pair] = tables[pair] & table if pair in tables else table.contiguous()


def _through_thirds(tables: Tables) -> Tables:
    """The same, and that two cells do not meet which leave nothing of a third one."""
    found, size = dict(tables), 0
    for others in _sides(tables).values():
        size += sum(map(len, others.values())) ** 2
        if size > LARGEST:
            break
        left = torch.cat([_or_all(table) for table in others.values()]).float()
        met = left @ left.t() > 0
        ends = [*itertools.accumulate(len(table) for table in others.values())]
        starts = dict(zip(others, [0, *ends], strict=False))
        for known, position in itertools.combinations(others, 2):
            block = met[starts[known] :, starts[position] :]
            block = block[: len(others[known]), : len(others[position])]
            if not block.all():
                _add(found, known, position, block)
    return found


def _sides(tables: Tables) -> dict[int, Mapping[int, torch.Tensor]]:
    """What other columns leave of each one, by its position; those of fewest codes first."""
    found: dict[int, dict[int, torch.Tensor]] = defaultdict(dict)
    for (known, position), table in tables.items():
        found[position][known] = table
    sizes = {position: sum(map(len, others.values())) for position, others in found.items()}
    return {position: found[position] for position in sorted(sizes, key=sizes.__getitem__)}


def _or_all(table: torch.Tensor) -> torch.Tensor:
    """A table in which a code that leaves nothing leaves all."""
    return table | ~table.any(dim=1, keepdim=True)


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
