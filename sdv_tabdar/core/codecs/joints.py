"""Columns whose level follows from two others together in every row, found before training.

A tariff follows from a product and a size, a tax class from a country and a kind of goods, though
from neither alone. A network that is asked for one column after the other keeps that nearly.

That columns look like that by chance is judged against columns that follow from either one alone
as often as these do: a level that nearly always follows from a city is not told by its street.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence

import numpy as np
import torch

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.dependencies import LEVEL_ROWS, exact_columns
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.values import Codes
from sdv_tabdar.core.runtime.row_order import some_rows
from sdv_tabdar.core.schema import Dependency, Joint
from sdv_tabdar.core.table import EncodedTable

MOST_CODES = 1 << 20
"""Threes of codes of three columns at most, ..."""

ALL_CODES = 1 << 24
"""... and of all that are kept."""

_LOOKS = 500, 12_000  # rows of the first looks
_MOST_COLUMNS = 60  # of which all pairs are looked at; those of fewest codes
_MOST = 2  # pairs that a column follows from; those of fewest levels
_BY_CHANCE = 20.0  # -log of the probability at most; many threes of columns are looked at
_TOGETHER = 1 << 20  # rows that are looked at together after that
_SEED = 0  # of the choice of rows

Triple = tuple[int, int, int]
"""The positions of two determinants, in order, and of a dependent."""


def find_joints(
    table: EncodedTable,
    codecs: Sequence[Codec],
    known: Sequence[Dependency] = (),
    replaced: Marks | None = None,
    echoing: Collection[int] = (),
) -> tuple[Joint, ...]:
    """What follows from two columns in all rows of a training table, and hardly could by chance.

    Args:
        table: The encoded table.
        codecs: One for each column.
        known: What follows from a single column.
        replaced: ``(B, C)``, cells of which nothing is to be learnt; None for no such.
        echoing: Columns with an echo, a code that is no level; they are left out.

    Returns:
        Of each column those with at most two pairs of others, in the order of the columns.
    """
    columns = exact_columns(codecs, echoing)
    columns = sorted(columns, key=lambda place: codecs[place].column.num_codes)[:_MOST_COLUMNS]
    triples = _candidates(sorted(columns), codecs, len(table), known)
    rows = some_rows(len(table), max(_LOOKS), torch.Generator().manual_seed(_SEED))
    sample = _seen(table, replaced, rows)
    for number in _LOOKS:
        triples = _holding(sample[:number], triples, codecs)
    told = [triple for triple in triples if _tells(sample, triple, codecs)]
    found: dict[int, list[Joint]] = {}
    left = ALL_CODES
    for triple in sorted(told, key=lambda each: (_num_pairs(codecs, each), each)):
        size = _num_pairs(codecs, triple) * codecs[triple[2]].column.num_codes
        if size <= left and len(found.setdefault(triple[2], [])) < _MOST:
            joint = _joint(table, triple, codecs, replaced)
            if joint is not None:
                found[triple[2]].append(joint)
                left -= size
    return tuple(joint for place in sorted(found) for joint in found[place])


def kept_joints(
    before: Sequence[Joint],
    table: EncodedTable,
    codecs: Sequence[Codec],
    former: Sequence[torch.Tensor],
    replaced: Marks | None = None,
    echoing: Collection[int] = (),
) -> tuple[Joint, ...]:
    """Those that hold in another table as well, with what it adds to them.

    Args:
        before: The former ones.
        table: The other table, encoded anew.
        codecs: One for each column, of the new codes.
        former: For each column the code ``(K,)`` that each of its codes had before; -1 for none.
        replaced: As in :func:`find_joints`, of the other table.
        echoing: Likewise.
    """
    found, exact = [], {*exact_columns(codecs, echoing)}
    for entry in before:
        if exact.issuperset(entry.columns):
            known = _translated(entry, former)
            joint = _joint(table, entry.columns, codecs, replaced, known)
            found += [] if joint is None else [joint]
    return tuple(found)


def _candidates(
    columns: Sequence[int], codecs: Sequence[Codec], rows: int, known: Sequence[Dependency]
) -> list[Triple]:
    """Threes of columns of which the third may follow from the others, and from neither alone."""
    follows = {(entry.determinant, entry.dependent) for entry in known}
    pairs = [
        pair
        for pair in itertools.combinations(columns, 2)
        if not follows & {pair, pair[::-1]}
        and _num_pairs(codecs, pair) <= min(MOST_CODES, rows // LEVEL_ROWS)
    ]
    return [
        (*pair, place)
        for pair in pairs
        for place in columns
        if place not in pair
        and not any((column, place) in follows for column in pair)
        and codecs[place].column.num_codes
        <= min(_num_pairs(codecs, pair), MOST_CODES // _num_pairs(codecs, pair))
    ]


def _num_pairs(codecs: Sequence[Codec], pair: Sequence[int]) -> int:
    return codecs[pair[0]].column.num_codes * codecs[pair[1]].column.num_codes


def _seen(table: EncodedTable, replaced: Marks | None, rows: torch.Tensor | slice) -> Codes:
    """Codes ``(N, C)`` of some rows, -1 in place of those of which nothing is to be learnt."""
    found: Codes = table.codes[rows].cpu().numpy().astype(np.int64)
    return found if replaced is None else np.where(replaced[rows], -1, found)


def _holding(codes: Codes, triples: Iterable[Triple], codecs: Sequence[Codec]) -> list[Triple]:
    """Those of which equal determinants stand beside equal dependents in all rows."""
    found = []
    for pair, group in itertools.groupby(triples, key=lambda triple: triple[:2]):
        places = [triple[2] for triple in group]
        joint, single = _together(codes, pair, codecs)
        order = np.flatnonzero(single)[np.argsort(joint[single], kind='stable')]
        before, after = (codes[order[part]][:, places] for part in (slice(-1), slice(1, None)))
        is_told = (np.diff(joint[order]) == 0)[:, None] & (before >= 0) & (after >= 0)
        broken = (is_told & (before != after)).any(axis=0).tolist()
        holding = itertools.compress(places, [not is_broken for is_broken in broken])
        found += [(*pair, place) for place in holding]
    return found


def _together(codes: Codes, pair: Sequence[int], codecs: Sequence[Codec]) -> tuple[Codes, Marks]:
    """Both codes as one ``(B,)``, and the rows in which each stands for a single level."""
    first, second = (codes[:, place] for place in pair)
    limits = [codecs[place].num_single for place in pair]
    single = (first >= 0) & (second >= 0) & (first < limits[0]) & (second < limits[1])
    return first * codecs[pair[1]].column.num_codes + second, single


def _tells(codes: Codes, triple: Triple, codecs: Sequence[Codec]) -> bool:
    """Whether it would hardly hold if the dependent followed from each determinant by itself.

    All rows of a pair of levels agree by chance with the probability ``sum_c p(c | level)^rows``.
    """
    joint, single = _together(codes, triple[:2], codecs)
    rows = single & (codes[:, triple[2]] >= 0)
    pairs, number = np.unique(joint[rows], return_counts=True)
    size = codecs[triple[1]].column.num_codes
    for own, levels in zip(triple[:2], (pairs // size, pairs % size), strict=True):
        shape = (codecs[own].column.num_codes, codecs[triple[2]].column.num_codes)
        met = np.bincount(
            codes[rows, own] * shape[1] + codes[rows, triple[2]], minlength=shape[0] * shape[1]
        ).reshape(shape)
        shares = met / met.sum(axis=1, keepdims=True).clip(min=1)
        by_chance = (shares[levels] ** number[:, None]).sum(axis=1)
        if np.log(by_chance.clip(min=1e-300)).sum() > -_BY_CHANCE:
            return False
    return True


def _joint(
    table: EncodedTable,
    triple: Triple,
    codecs: Sequence[Codec],
    replaced: Marks | None,
    before: Codes | None = None,
) -> Joint | None:
    """What the dependent is for each pair of codes; None if a row says otherwise.

    Args:
        table: The encoded table.
        triple: The positions.
        codecs: One for each column.
        replaced: As in :func:`find_joints`.
        before: What is known of it ``(K1 * K2,)``, -1 for nothing.
    """
    says = np.full(_num_pairs(codecs, triple), -1) if before is None else before.copy()
    silent = np.zeros(len(says), dtype=bool)
    for start in range(0, len(table), _TOGETHER):
        codes = _seen(table, replaced, slice(start, start + _TOGETHER))
        joint, single = _together(codes, triple[:2], codecs)
        dependent, known = codes[:, triple[2]], says.copy()
        rows = np.flatnonzero(single & (dependent >= 0))
        says[joint[rows]] = dependent[rows]
        if (says[joint[rows]] != dependent[rows]).any() or ((known >= 0) & (known != says)).any():
            return None
        silent[joint[single & (dependent < 0)]] = True
    says[silent | (says >= codecs[triple[2]].num_single)] = -1  # few rows would speak for all
    if not (says >= 0).any():
        return None
    return Joint(*triple, codecs[triple[1]].column.num_codes, tuple(says.tolist()))


def _translated(entry: Joint, former: Sequence[torch.Tensor]) -> Codes:
    """What was known, in other codes."""
    first, second, dependent = (
        former[place].numpy() for place in (entry.first, entry.second, entry.dependent)
    )
    now = np.full(max(int(dependent.max(initial=-1)), *entry.codes) + 2, -1)
    now[dependent] = np.arange(len(dependent))
    now[-1] = -1  # what there was none of before
    pairs = first[:, None] * entry.num_second + second
    known = np.where((first[:, None] >= 0) & (second >= 0), np.array(entry.codes)[pairs], -1)
    found: Codes = now[known].ravel()
    return found
