"""What messages call columns of the model that the user's table does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.fitted import FittedTable

_ORDERS = ('Inequality', 'Range')


def made_columns(table: FittedTable) -> dict[str, str]:
    """Words for each column that constraints and transformers have made: the user's columns."""
    words: dict[str, str] = {}
    for step in private_names.constraint_steps(table.host, table.rewritten):
        own = private_names.own_constraint(step.constraint)
        kind = type(step.constraint if own is None else own).__name__
        columns = ', '.join(words.get(name, repr(name)) for name in step.dropped)
        made = dict.fromkeys(step.added, f'{columns} (as the constraint {kind} has them)')
        if kind in _ORDERS:
            made |= _in_order(step.constraint, words)
        words |= made
    for name, (field, _) in private_names.outputs(table.host).items():
        if isinstance(field, str) and field != name:
            words[name] = words.get(field, repr(field))
    words |= {name: f'whether {key!r} is missing' for key, name in table.presences.items()}
    return {name: text for name, text in words.items() if name not in table.profiles}


def columns_with_own_values(table: FittedTable) -> dict[str, str]:
    """The columns of the model that hold the numbers of a user's column, and its name.

    What transformers and constraints make of numbers stands in no relation that a user would know.
    """
    names = {key: key for key in table.profiles}
    for step in private_names.constraint_steps(table.host, table.rewritten):
        left = {name: own for name, own in names.items() if name not in step.added}
        if type(step.constraint).__name__ in _ORDERS:
            columns = private_names.ordered_columns(step.constraint)
            left |= {columns.low: names[columns.names[0]]} if columns.names[0] in names else {}
        names = left
    return {
        name: names[str(field)]
        for name, (field, transformer) in private_names.outputs(table.host).items()
        if field == name and name in names and keeps_values(type(transformer).__name__)
    }


def keeps_values(transformer: str) -> bool:
    """Whether transformers of a class hand on numbers as they are."""
    return transformer in ('NoneType', 'FloatFormatter', 'UnixTimestampEncoder')


def _in_order(constraint: Any, words: Mapping[str, str]) -> dict[str, str]:
    """Words for what an Inequality or a Range makes of its columns."""
    columns = private_names.ordered_columns(constraint)
    names = [words.get(name, repr(name)) for name in columns.names]
    pairs = zip(columns.differences, names, names[1:], strict=False)
    return {
        columns.low: names[0],
        columns.nulls: f'which of {", ".join(names)} are missing',
        **{difference: f'{upper} - {lower}' for difference, lower, upper in pairs},
    }


def in_users_words(message: object, words: Mapping[str, str]) -> str:
    """A message of the model, with words in place of the names of columns that were made."""
    text = str(message)
    for name in sorted(words, key=len, reverse=True):
        text = text.replace(f'Column {name!r}', words[name]).replace(repr(name), words[name])
    return text
