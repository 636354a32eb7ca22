"""Codes of two columns that never meet, though by chance they would: structural zeros.

Who has no children has no youngest child, a contract that is open has no end, a page without words
has a mean length of 0. Questionnaires and accounts are full of cells that are missing, zero or of
some level exactly where another cell says so. A network learns it nearly; what is drawn keeps it.

Of each column it is asked where it is missing, where it is a number among the bins, and where it is
one of its most frequent codes: whether each code of another column has that in all of its rows, or
in none. Codes next to each other in the order of their numbers answer together.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from sdv_tabdar.core.codecs.dependencies import LEVEL_ROWS
from sdv_tabdar.core.codecs.ordered_levels import orders_looked, out_of_order
from sdv_tabdar.core.codecs.supports import Levels, Support
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.runtime.row_order import some_rows
from sdv_tabdar.core.schema import Column, Dependency, TableSchema, Zeros
from sdv_tabdar.core.table import EncodedTable

_LOOKS = 12_000  # rows of the first look at all pairs of columns, and fewer ...
_COMPARISONS = 1e9  # ... where there are many columns
_TOGETHER = 1 << 20  # rows that are looked at together after it
_FREQUENT = 4  # codes of a column that are asked for by themselves
_LEAST_ROWS = 20  # that answer together; fewer would tell of single people, ...
_LEAST_GAPS = 5  # ... unless all that they tell is that two columns have the same gaps
_BY_CHANCE = 14.0  # -log of the probability at most that any of independent columns look like that
_BESIDE = 5  # rows that are not so, as expected, are looked at on both sides of codes that are
_AS_MANY = 0.4  # of them must be there
_PAIRS_PER_ROW = 64  # of codes of two columns, at most, if it is asked which never meet at all
_MOST = 12  # columns that one follows; those with most evidence
_SEED = 0  # of the choice of rows

LARGEST = 1 << 25
"""Pairs of codes of all pairs of columns that are kept together, at most."""

Pair = tuple[int, int]
"""The positions of a determinant and a dependent."""


def find_zeros(
    table: EncodedTable,
    schema: TableSchema,
    known: Sequence[Dependency] = (),
    numbers: Sequence[Floats] = (),
) -> tuple[Zeros, ...]:
    """The structural zeros that hold in all rows of a training table.

    Args:
        table: The encoded table.
        schema: Its columns.
        known: Columns that follow from others anyway.
        numbers: ``(K,)`` for each column, what its codes stand for; none where columns in order
            (``ordered_levels.py``) are not asked for.

    Returns:
        Of each column those with at most twelve others, in the order of the columns.
    """
    columns = schema.columns
    traits = [_traits(column) for column in columns]
    width = sum(len(own) for own in traits)
    most = int(min(_LOOKS, _COMPARISONS / max(width * len(columns), 1)))
    rows = some_rows(len(table), max(most, 1), torch.Generator().manual_seed(_SEED))
    sample = table.codes[rows].cpu().long()
    skipped = {frozenset((entry.determinant, entry.dependent)) for entry in known}
    levels = [Levels.of(column) for column in columns]
    in_order = orders_looked(sample, schema, numbers) if numbers else {}
    looks = _looked(sample, columns, traits), _sparse(sample, levels, len(table)), in_order
    evidence: dict[Pair, float] = defaultdict(float)
    for pair, found_there in itertools.chain(*(look.items() for look in looks)):
        if frozenset(pair) not in skipped:
            evidence[pair] += found_there
    chosen = _chosen(evidence, columns)
    counts = _counted(table.codes, columns, chosen)
    found = []
    for determinant, dependent in chosen:
        own = _Answers.of(
            counts[determinant, dependent],
            columns[determinant],
            columns[dependent],
            traits[dependent],
        )
        allowed = own.allowed(len(table), len(columns))
        support = Support.of(counts[determinant, dependent], levels[determinant], levels[dependent])
        if support is not None and support.is_whole(len(table)):
            allowed &= ~support.never
        if (determinant, dependent) in in_order:
            both = numbers[determinant], numbers[dependent]
            allowed &= ~torch.from_numpy(out_of_order(counts[determinant, dependent], *both))
        found.append(_zeros(determinant, dependent, allowed))
    return tuple(entry for entry in found if entry.allowed)


def _chosen(evidence: Mapping[Pair, float], columns: Sequence[Column]) -> list[Pair]:
    """Pairs of columns, those with most evidence first, in the order of the dependents."""
    found: list[Pair] = []
    taken, size = [0] * len(columns), 0
    for pair in sorted(evidence, key=lambda pair: (-evidence[pair], pair)):
        own = math.prod(columns[place].num_codes for place in pair)
        if taken[pair[1]] < _MOST and size + own <= LARGEST:
            found.append(pair)
            taken[pair[1]] += 1
            size += own
    return sorted(found, key=lambda pair: pair[1])


def kept_zeros(
    before: Sequence[Zeros],
    table: EncodedTable,
    schema: TableSchema,
    former: Sequence[torch.Tensor],
) -> tuple[Zeros, ...]:
    """What of some structural zeros holds in another table as well.

    Args:
        before: The structural zeros.
        table: The other table, encoded anew.
        schema: Its columns.
        former: For each column the code ``(K,)`` that each of its codes had before; -1 for none.
    """
    pairs = [(entry.determinant, entry.dependent) for entry in before]
    counts = _counted(table.codes, schema.columns, pairs)
    found = []
    for pair, entry in zip(pairs, before, strict=True):
        own, other = (former[position].long() for position in pair)
        most = max(int(other.max()), *map(max, entry.allowed))  # some have no code any more
        allowed = allowed_codes(entry, most + 1)[own][:, other]
        allowed |= (own < 0)[:, None] | (other < 0)  # of new codes nothing is known
        broken = (counts[pair].bool() & ~allowed).any(dim=1)
        found.append(_zeros(*pair, allowed | broken[:, None]))
    return tuple(entry for entry in found if entry.allowed)


def allowed_codes(entry: Zeros, num_codes: int) -> torch.Tensor:
    """For each code of the determinant which of the dependent it allows, ``(K, num_codes)``."""
    sets = torch.ones(len(entry.allowed) + 1, num_codes, dtype=torch.bool)
    for row, codes in zip(sets, entry.allowed, strict=False):
        row[:] = False
        row[list(codes)] = True
    return sets[list(entry.says)]


@dataclasses.dataclass(frozen=True)
class _Answers:
    """In how many rows the codes of a column have each trait of others.

    Attributes:
        column: The column.
        traits: ``(F, K_other)``, the codes that have each trait.
        counts: ``(K, F)`` rows of each code that have it.
        own: ``(K,)`` rows of each code.
        are_gaps: ``(F,)``, which traits say that the other column is missing.
    """

    column: Column
    traits: torch.Tensor
    counts: torch.Tensor
    own: torch.Tensor
    are_gaps: torch.Tensor

    @classmethod
    def of(
        cls, counts: torch.Tensor, column: Column, other: Column, traits: torch.Tensor
    ) -> _Answers:
        """From the rows ``(K, K_other)`` of each pair of codes."""
        found = counts.double() @ traits.double().t()
        return cls(column, traits, found, counts.sum(dim=1), _are_gaps(other, traits))

    def evidence(self, num_rows: int, num_columns: int) -> tuple[torch.Tensor, torch.Tensor]:
        """That all rows of a code, and that none of them, have a trait: -log of it by chance.

        Args:
            num_rows: Of the table.
            num_columns: Of the table.

        Returns:
            ``(K, F)`` each; 0 where it is not so, or not enough.
        """
        least = _BY_CHANCE + math.log(num_rows) + 2 * math.log(num_columns)
        own = self.own.double()[:, None]
        share = (self.counts.sum(dim=0) / own.sum()).clamp(1e-12, 1 - 1e-12)
        found = []
        always, never = self.counts == own, self.counts == 0
        for pure, chance, others in (
            (always, share, own - self.counts),
            (never, 1 - share, self.counts),
        ):
            logs = torch.where(pure, own * -chance.log(), 0.0)
            enough = (logs >= least) & (own >= _LEAST_ROWS)
            gap = self.column.missing
            if gap is not None:
                enough[gap] |= (logs[gap] >= least) & (own[gap] >= _LEAST_GAPS) & self._same_gaps
            if self._ordered:
                run = self._ordered
                enough[run] = _sharp_runs(logs[run], own[run], others[run], least)
            found.append((logs, enough))
        functional = (always | never).all(dim=0) & (own.sum() >= LEVEL_ROWS * len(own))
        for pure, (logs, _) in zip((always, never), found, strict=True):
            rows = torch.where(pure, own, 0.0).sum(dim=0)
            functional &= (logs.sum(dim=0) >= least) & (rows >= _LEAST_ROWS)
        first, second = (torch.where(enough | functional, logs, 0.0) for logs, enough in found)
        return first, second

    def allowed(self, num_rows: int, num_columns: int) -> torch.Tensor:
        """The codes of the other column ``(K, K_other)`` that each code may meet."""
        always, never = (found > 0 for found in self.evidence(num_rows, num_columns))
        traits = self.traits.double()
        forbidden = always.double() @ (1 - traits) + never.double() @ traits
        return forbidden == 0

    @property
    def _same_gaps(self) -> torch.Tensor:
        """Which traits ``(F,)`` say that the other column is missing, exactly where this one is."""
        same = (self.counts.sum(dim=0) == self.own[self.column.missing]) & self.are_gaps
        return same & (self.counts[self.column.missing] == self.own[self.column.missing])

    @functools.cached_property
    def _ordered(self) -> list[int]:
        """The codes of numbers in the order of these."""
        column = self.column
        numbers = [
            code for code in range(column.num_codes) if code not in (column.missing, column.echo)
        ]
        return sorted(numbers, key=lambda code: column.uniform[code]) if column.uniform else []


def _sharp_runs(
    logs: torch.Tensor, own: torch.Tensor, others: torch.Tensor, least: float
) -> torch.Tensor:
    """Which codes are in a run of such with enough evidence, beside which all is different at once.

    Where the other way fades away slowly, as far as a few rows happen to reach, no row says where
    it ends.

    Args:
        logs: ``(m, F)`` evidence of each code, in the order of their numbers.
        own: ``(m, 1)`` rows of each code.
        others: ``(m, F)`` rows that are not so; codes without any are in a run.
        least: The least evidence of a run.
    """
    found = torch.zeros(logs.shape, dtype=torch.bool)
    rows = _sums(own.squeeze(1))
    for trait in (logs.sum(dim=0) >= least).nonzero().flatten().tolist():
        evidence, broken = _sums(logs[:, trait]), _sums(others[:, trait])
        ends = [-1, *others[:, trait].nonzero().flatten().tolist(), len(logs)]
        for start, stop in ((before + 1, after) for before, after in itertools.pairwise(ends)):
            enough = evidence[stop] - evidence[start] >= least
            if enough and rows[stop] - rows[start] >= _LEAST_ROWS:
                found[start:stop, trait] = _is_sharp(rows, broken, start, stop)
    return found


def _sums(numbers: torch.Tensor) -> Floats:
    """The sums ``(m + 1,)`` of the first of some numbers, from none to all."""
    return np.concatenate([[0.0], numbers.double().cumsum(0).numpy()])


def _is_sharp(rows: Floats, broken: Floats, start: int, stop: int) -> bool:
    """Whether beside a run about as many rows are not so as elsewhere.

    Args:
        rows: ``(m + 1,)`` rows of the codes before each.
        broken: Likewise of those that are not so; none within the run.
        start: The run's first code.
        stop: That behind its last one.
    """
    if start == 0 and stop == len(rows) - 1:
        return True
    share = broken[-1] / (rows[-1] - rows[stop] + rows[start])
    reach = _BESIDE / share
    first = max(int(np.searchsorted(rows, rows[start] - reach, side='right')) - 1, 0)
    last = min(int(np.searchsorted(rows, rows[stop] + reach)), len(rows) - 1)
    sides = [(first, start)] * (start > 0) + [(stop, last)] * (stop < len(rows) - 1)
    return all(
        broken[end] - broken[begin] >= _AS_MANY * share * (rows[end] - rows[begin])
        for begin, end in sides
    )


def _traits(column: Column) -> torch.Tensor:
    """What is asked of a column: ``(F, K)``, the codes that have each trait."""
    counts = torch.tensor(column.counts)
    numbers = [*column.bins, *([] if column.echo is None else [column.echo])]
    frequent = [code for code in counts.argsort(descending=True).tolist() if code not in numbers]
    single = dict.fromkeys(frequent[:_FREQUENT])
    if column.missing is not None:
        single[column.missing] = None
    sets = [[code] for code in single] + ([numbers] if numbers else [])
    found = torch.zeros(len(sets), column.num_codes, dtype=torch.bool)
    for row, codes in zip(found, sets, strict=True):
        row[codes] = True
    return found[~found.all(dim=1)]


def _are_gaps(column: Column, traits: torch.Tensor) -> torch.Tensor:
    """Which traits ``(F, K)`` of a column say that it is missing, ``(F,)``."""
    if column.missing is None:
        return torch.zeros(len(traits), dtype=torch.bool)
    return traits[:, column.missing] & (traits.sum(dim=1) == 1)


def _looked(
    codes: torch.Tensor, columns: Sequence[Column], traits: Sequence[torch.Tensor]
) -> dict[Pair, float]:
    """The evidence of pairs of columns in some rows ``(B, C)``; those without are left out."""
    sizes = [len(own) for own in traits]
    marks = torch.cat([own.t()[codes[:, place]] for place, own in enumerate(traits)], dim=1).float()
    are_gaps = torch.cat([_are_gaps(*pair) for pair in zip(columns, traits, strict=True)])
    found: dict[Pair, float] = {}
    for place, column in enumerate(columns):
        counts = torch.zeros(column.num_codes, marks.shape[1])
        counts.index_add_(0, codes[:, place], marks)
        own = torch.bincount(codes[:, place], minlength=column.num_codes)
        answers = _Answers(column, torch.zeros(0), counts.double(), own, are_gaps)
        total = torch.cat(answers.evidence(len(codes), len(columns))).sum(dim=0)
        for other, part in enumerate(total.split(sizes)):
            if other != place and part.sum() > 0:
                found[place, other] = float(part.sum())
    return found


def _sparse(codes: torch.Tensor, levels: Sequence[Levels], num_rows: int) -> dict[Pair, float]:
    """The rows that some rows ``(B, C)`` lack of pairs of levels which may never meet."""
    found: dict[Pair, float] = {}
    places = [place for place, own in enumerate(levels) if own.are.sum() > 1]
    for pair in itertools.combinations(places, 2):
        first, second = (levels[place] for place in pair)
        sizes = len(first.are), len(second.are)
        if math.prod(sizes) <= _PAIRS_PER_ROW * len(codes):
            support = Support.of(_pairs(codes, pair, sizes), first, second)
            if support is not None and support.is_whole(num_rows):
                found[pair] = support.expected * len(codes)
    return found


def _pairs(codes: torch.Tensor, pair: Pair, sizes: tuple[int, ...]) -> torch.Tensor:
    """Rows ``(K1, K2)`` of each pair of codes of two columns, of some rows ``(B, C)``."""
    both = codes[:, pair[0]] * sizes[1] + codes[:, pair[1]]
    return torch.bincount(both, minlength=math.prod(sizes)).view(sizes)


def _counted(
    codes: torch.Tensor, columns: Sequence[Column], pairs: Sequence[Pair]
) -> Mapping[Pair, torch.Tensor]:
    """Rows ``(K, K_other)`` of each pair of codes, of some pairs of columns."""
    sizes = {pair: tuple(columns[place].num_codes for place in pair) for pair in pairs}
    found = {pair: torch.zeros(sizes[pair], dtype=torch.int64) for pair in pairs}
    for start in range(0, len(codes), _TOGETHER) if pairs else ():
        part = codes[start : start + _TOGETHER].cpu().long()
        for pair, counts in found.items():
            counts += _pairs(part, pair, sizes[pair])
    return found


def _zeros(determinant: int, dependent: int, allowed: torch.Tensor) -> Zeros:
    """From the codes ``(K, K_other)`` that may meet; where none may, nothing is said."""
    allowed = allowed | ~allowed.any(dim=1, keepdim=True)
    rows, says = allowed.unique(dim=0, return_inverse=True)
    kept = (~rows.all(dim=1)).nonzero().flatten().tolist()
    sets = tuple(tuple(rows[row].nonzero().flatten().tolist()) for row in kept)
    return Zeros(
        determinant,
        dependent,
        sets,
        tuple(kept.index(row) if row in kept else -1 for row in says.tolist()),
    )
