"""The table that stands in for the rows wherever something is learnt before training.

Its columns are drawn independently of each other from noisy counts (``marginals``). SDV, the
adapter and the codecs learn from it as from any table, so that none of them can see a row. The same
cells are arranged once more, to the dependence of pairs of columns that were counted (``pairs``):
these rows the network learns to begin with. The rows themselves are read by ``columns``, one by
one, and leave in two ways: as counts, and in the model's form, for steps of training that are paid
for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.values import frame_of
from sdv_tabdar.privacy.arranged import arranged
from sdv_tabdar.privacy.budget import Spent, default_delta
from sdv_tabdar.privacy.columns import Column
from sdv_tabdar.privacy.kinds import columns_of
from sdv_tabdar.privacy.pairs import asked_forest
from sdv_tabdar.privacy.questions import Questions

_ROWS_WEIGHT = 1.0
_PAIRS_WEIGHT = 2.0  # of pairs, beside that of all columns by themselves
_FEWEST = 10  # rows of a surrogate for each value or interval of a column
_PUBLIC = ('sdtype', 'pii', 'regex_format', 'datetime_format')  # what metadata may say of a column


@dataclasses.dataclass(frozen=True)
class Surrogate:
    """What is known of a table once its counts are paid for.

    Attributes:
        frame: The table that stands in for it, in the user's form; its columns are independent.
        dependent: The same columns with the dependence of pairs that were counted.
        entries: Descriptions of columns without what detection reads off the rows.
        num_rows: About how many rows the table has.
        spent: What it cost.
        remarks: What a user should know.
    """

    frame: pd.DataFrame
    dependent: pd.DataFrame
    entries: Mapping[str, Mapping[str, Any]]
    num_rows: int
    spent: Spent
    remarks: Sequence[str]
    _columns: Sequence[Column]

    def in_model_form(self, frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
        """The rows as the model reads them: float64, and objects; each row by itself.

        Values that are not told are replaced by ones that are, drawn in their shares.

        Args:
            frame: The rows, in the user's form.
            names: SDV's labels of the columns of the model.
        """
        columns = {column.key: column for column in self._columns}
        cells = {name: columns[name].in_model_form(frame) for name in names}
        return frame_of(cells, len(frame))


def surrogate_table(
    frame: pd.DataFrame,
    described: Mapping[str, Mapping[str, Any]],
    keys: Sequence[str],
    epsilon: float,
    delta: float | None,
    generator: np.random.Generator,
    *,
    public: Mapping[str, Any] | None = None,
    with_pairs: bool = True,
) -> Surrogate:
    """Ask the rows for what the surrogate needs.

    Args:
        frame: The rows, in the user's form.
        described: The metadata's description of each column.
        keys: Columns whose values are generated because they are keys.
        epsilon: Of the whole budget.
        delta: Of the whole budget; None for :func:`default_delta`.
        generator: Of the order of rows of the surrogate.
        public: What is known of columns beforehand, see ``public``.
        with_pairs: Whether to ask how columns depend on each other.

    Raises:
        InvalidDataError: If the columns are not those of the metadata, or one holds what cannot be
            read cell by cell, or no level that is public.
    """
    columns = columns_of(frame, described, keys, public or {})
    delta = default_delta(len(frame)) if delta is None else delta
    weight = _ROWS_WEIGHT + sum(column.weight for column in columns)
    questions = Questions(
        epsilon,
        delta,
        weight=weight * (1 + _PAIRS_WEIGHT),
        num_open=sum(column.is_open for column in columns),
    )
    noisy = questions.counts('rows', np.array([len(frame)]), _ROWS_WEIGHT)
    learnt = [column.asked(questions, frame) for column in columns]
    num_rows = max(int(noisy[0]), *(_FEWEST * column.num_values for column in learnt))
    alone = {column.name: generator.permutation(num_rows) for column in learnt}
    together = dict(alone)
    if with_pairs:
        told = [column for column in learnt if column.law is not None]
        laws = [column.law for column in learnt if column.law is not None]
        places = [column.places(frame) for column in told]
        pairs = asked_forest(questions, laws, places, noisy[0], weight * _PAIRS_WEIGHT)
        orders = arranged(pairs, [law.cells(num_rows) for law in laws], generator)
        together.update((column.name, own) for column, own in zip(told, orders, strict=True))
    silent = [column.name for column in learnt if column.is_silent]
    remarks = []
    if silent:
        remarks.append(
            f'Of the columns {silent} no value is shared by so many rows that it may be told with '
            'this budget. All of their cells are missing.'
        )
    independent, dependent = (
        pd.DataFrame(
            {column.name: column.spread(orders[column.name]) for column in learnt},
            columns=frame.columns,
        )
        for orders in (alone, together)
    )
    entries = _public_entries(described, learnt)
    spent = questions.spent
    return Surrogate(independent, dependent, entries, num_rows, spent, remarks, learnt)


def _public_entries(
    described: Mapping[str, Mapping[str, Any]], learnt: Sequence[Column]
) -> dict[str, dict[str, Any]]:
    """What of the metadata's descriptions detection has not read off the rows, or is told."""
    entries = {}
    for key, entry in described.items():
        entries[key] = {name: entry[name] for name in _PUBLIC if name in entry}
        told = next((column.levels for column in learnt if column.key == key), ())
        listed = [level for level in entry.get('range_values') or () if level in told]
        if entry.get('sdtype') == 'ordinal' and listed and len(listed) == len(told):
            entries[key]['range_values'] = listed
    return entries
