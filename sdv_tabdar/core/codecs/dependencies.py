"""Columns whose level follows from another column's in every row, found before training.

A sub-grade fixes the grade, a city its state, a product its price: functional dependencies of a
determinant and a dependent. Columns that are drawn one given the others keep that nearly. Of
numbers in bins nothing is said, and of levels that share a code only what holds for all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence

import torch

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.runtime.row_order import some_rows
from sdv_tabdar.core.schema import Dependency
from sdv_tabdar.core.table import EncodedTable

_LOOKS = 500, 12_000  # rows of the first looks at all pairs of columns
_TOGETHER = 1 << 20  # rows that are looked at together after it
_BY_CHANCE = 14.0  # -log of the probability at most that independent columns look like that
_LOST = 0.05  # of the rows, the most that may have levels which are drawn no more
_SEED = 0  # of the choice of rows
_SEVERAL = -2  # while it is looked for: levels that share a code of the determinant say different

LEVEL_ROWS = 3
"""Rows of a level of the determinant, on average, at least: fewer would tell of single rows."""

Pair = tuple[int, int]
"""The positions of a determinant and a dependent."""


def find_dependencies(
    table: EncodedTable,
    codecs: Sequence[Codec],
    replaced: Marks | None = None,
    echoing: Collection[int] = (),
) -> tuple[Dependency, ...]:
    """The dependencies that hold in all rows of a training table, and hardly could by chance.

    Args:
        table: The encoded table.
        codecs: One for each column.
        replaced: ``(B, C)``, cells of which nothing is to be learnt; None for no such.
        echoing: Columns with an echo, a code that is no level; they are left out.

    Returns:
        Those of the determinants with most codes first; of two columns that follow from each other
        the second from the first. What follows by way of a third column is among them.
    """
    exact = exact_columns(codecs, echoing)
    pairs = [pair for pair in itertools.permutations(exact, 2) if _may_follow(codecs, pair)]
    rows = some_rows(len(table), max(_LOOKS), torch.Generator().manual_seed(_SEED))
    codes = _seen(table.codes, replaced)
    sample = codes[rows].cpu()
    for number in _LOOKS:
        pairs = list(_maps(sample[:number], dict.fromkeys(pairs), codecs))
    maps = _maps(codes, dict.fromkeys(pairs), codecs)
    if replaced is not None:
        maps = {pair: said for pair, said in maps.items() if _leaves_all(table.codes, pair, said)}
    kept = _closed({pair for pair in maps if _tells(codecs, pair)}, set(maps))
    kept -= {(high, low) for low, high in kept if low < high}  # these follow from each other
    order = sorted(kept, key=lambda pair: (-codecs[pair[0]].column.num_codes, pair))
    return tuple(Dependency(*pair, tuple(maps[pair].tolist())) for pair in order)


def kept_dependencies(
    before: Sequence[Dependency],
    table: EncodedTable,
    codecs: Sequence[Codec],
    former: Sequence[torch.Tensor],
    replaced: Marks | None = None,
    echoing: Collection[int] = (),
) -> tuple[Dependency, ...]:
    """Those of some dependencies that hold in another table as well, with what it adds to them.

    Args:
        before: The dependencies.
        table: The other table, encoded anew.
        codecs: One for each column, of the new codes.
        former: For each column the code ``(K,)`` that each of its codes had before; -1 for none.
        replaced: As in :func:`find_dependencies`, of the other table.
        echoing: Likewise.
    """
    exact = {*exact_columns(codecs, echoing)}
    known = {
        (entry.determinant, entry.dependent): _translated(entry, former)
        for entry in before
        if {entry.determinant, entry.dependent} <= exact
    }
    found = _maps(_seen(table.codes, replaced), known, codecs)
    return tuple(Dependency(*pair, tuple(codes.tolist())) for pair, codes in found.items())


def exact_columns(codecs: Sequence[Codec], echoing: Collection[int] = ()) -> list[int]:
    """The columns of which own codes are all there is to say, and there are some."""
    return [
        place
        for place, codec in enumerate(codecs)
        if not codec.column.bins and codec.column.num_codes > 1 and place not in echoing
    ]


def single_counts(codec: Codec) -> Sequence[int]:
    """How many rows each code has that stands for one level: the others say nothing of theirs."""
    return codec.column.counts[: codec.num_single]


def _may_follow(codecs: Sequence[Codec], pair: Pair) -> bool:
    determinant, dependent = (codecs[place] for place in pair)
    rows = single_counts(determinant)
    return determinant.column.num_codes >= dependent.column.num_codes and (
        sum(rows) >= LEVEL_ROWS * len(rows)
    )


def _seen(codes: torch.Tensor, replaced: Marks | None) -> torch.Tensor:
    """Codes ``(B, C)``, -1 in place of those of which nothing is to be learnt."""
    if replaced is None:
        return codes
    return codes.to(torch.int32).masked_fill(torch.from_numpy(replaced).to(codes.device), -1)


def _maps(
    codes: torch.Tensor, known: Mapping[Pair, torch.Tensor | None], codecs: Sequence[Codec]
) -> dict[Pair, torch.Tensor]:
    """For each pair that holds the dependent's code ``(K,)`` by the determinant's; -1 for unknown.

    Args:
        codes: ``(B, C)``; -1 where nothing is to be learnt. A level of the determinant that stands
            beside such a dependent says nothing: else a few rows that are left would speak for all.
        known: The pairs, and what is known of them.
        codecs: One for each column.
    """
    maps = {
        pair: torch.full((codecs[pair[0]].column.num_codes,), -1) if before is None else before
        for pair, before in known.items()
    }
    silent = {pair: torch.zeros(len(before), dtype=torch.bool) for pair, before in maps.items()}
    for part in _parts(codes):
        has_gaps = bool((part < 0).any())
        for pair, before in list(maps.items()):
            determinant, dependent = (part[:, place] for place in pair)
            if has_gaps:
                silent[pair][determinant[(determinant >= 0) & (dependent < 0)]] = True
                there = (determinant >= 0) & (dependent >= 0)
                determinant, dependent = determinant[there], dependent[there]
            after = before.clone()
            after[determinant] = dependent
            broken = torch.zeros(len(after), dtype=torch.bool)
            broken[determinant[after[determinant] != dependent]] = True
            broken |= (after != before) & (before != -1)
            if broken[: codecs[pair[0]].num_single].any():
                del maps[pair]
            else:
                maps[pair] = after.masked_fill(broken, _SEVERAL)
    return {
        pair: found.masked_fill(
            (found < 0) | (found >= codecs[pair[1]].num_single) | silent[pair], -1
        )
        for pair, found in maps.items()
    }


def _parts(codes: torch.Tensor) -> Iterator[torch.Tensor]:
    """Rows of ``(B, C)`` after each other, on the CPU."""
    for start in range(0, len(codes), _TOGETHER):
        yield codes[start : start + _TOGETHER].cpu().long()


def _tells(codecs: Sequence[Codec], pair: Pair) -> bool:
    """Whether a dependency would hardly be there if the columns were independent."""
    determinant, dependent = (
        torch.tensor(counts, dtype=torch.double).clamp_min(1)
        for counts in (single_counts(codecs[pair[0]]), codecs[pair[1]].column.counts)
    )
    logs = (dependent / dependent.sum()).log()
    by_chance = (determinant[:, None] * logs).logsumexp(dim=1)  # that all rows of a level agree
    return bool(by_chance.sum() <= -_BY_CHANCE)


def _leaves_all(codes: torch.Tensor, pair: Pair, said: torch.Tensor) -> bool:
    """Whether hardly any rows have a level of the dependent that would not be drawn any more.

    That is one most of whose determinants were replaced, by such as say another.

    Args:
        codes: ``(B, C)``, with those in place of others.
        pair: The positions.
        said: ``(K,)``, the dependent's code for each of the determinant's; -1 for any.
    """
    rows, staying = torch.zeros(2, int(codes[:, pair[1]].max()) + 1, dtype=torch.long)
    for part in _parts(codes):
        determinant, dependent = (part[:, place] for place in pair)
        stays = (said[determinant] < 0) | (said[determinant] == dependent)
        rows += torch.bincount(dependent, minlength=len(rows))
        staying += torch.bincount(dependent[stays], minlength=len(rows))
    return bool(rows[2 * staying < rows].sum() <= _LOST * rows.sum())


def _closed(telling: set[Pair], holding: set[Pair]) -> set[Pair]:
    """The pairs that tell something, and those that follow from them."""
    found, before = set(telling), set[Pair]()
    while found != before:
        before = set(found)
        for (first, middle), (second, last) in itertools.product(before, before):
            if middle == second and (first, last) in holding:
                found.add((first, last))
    return found


def _translated(entry: Dependency, former: Sequence[torch.Tensor]) -> torch.Tensor:
    """The codes of a dependency in other codes."""
    determinant, dependent = former[entry.determinant], former[entry.dependent]
    present = torch.full((max(int(dependent.max()), *entry.codes) + 2,), -1)
    present[dependent] = torch.arange(len(dependent))
    present[-1] = -1  # what there was none of before
    return present[torch.tensor((*entry.codes, -1))[determinant]]
