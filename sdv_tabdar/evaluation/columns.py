"""Which columns of a table are measured, and as what: the metadata's types, resolved once.

A table is compared by the types in its metadata, never by the look of its columns: whole-number
codes of a categorical column are categories, and ids, keys and personal data are left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

NUMBER_SDTYPES = ('numerical', 'datetime')
CATEGORY_SDTYPES = ('categorical', 'boolean', 'ordinal')
# Of columns that are left out: what SDV calls by names of its own, and not by Faker's.
_LEFT_OUT = ('id', 'unknown', 'ipv4_address', 'ipv6_address', 'user_agent_string')
MISTAKEN = {
    **dict.fromkeys(('numeric', 'number', 'int', 'integer', 'float', 'continuous'), 'numerical'),
    **dict.fromkeys(('category', 'discrete', 'str', 'string', 'object'), 'categorical'),
    **dict.fromkeys(('datetime64', 'timestamp'), 'datetime'),
    'bool': 'boolean',
}
"""What people write for an sdtype."""


@dataclass(frozen=True)
class ColumnTypes:
    """The measured columns of a table, in metadata order.

    Attributes:
        sdtypes: SDV's type of each measured column: numerical, datetime, categorical, boolean or
            ordinal.
        datetime_formats: The format of those datetime columns that have one.
        ignored: Columns of the metadata that are not measured (keys, ids, personal data).
    """

    sdtypes: Mapping[str, str]
    datetime_formats: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All measured columns."""
        return tuple(self.sdtypes)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Numerical and datetime columns."""
        return tuple(n for n, t in self.sdtypes.items() if t in NUMBER_SDTYPES)

    @property
    def categories(self) -> tuple[str, ...]:
        """Categorical, boolean and ordinal columns."""
        return tuple(n for n, t in self.sdtypes.items() if t in CATEGORY_SDTYPES)

    def is_number(self, name: str) -> bool:
        """Whether the column is numerical or a datetime."""
        return self.sdtypes[name] in NUMBER_SDTYPES

    def label(self, name: Hashable) -> Any:
        """What the metadata, which SDV holds as text, call a column of a frame."""
        return name if name in self.names or name in self.ignored else str(name)

    def measured(self, name: Hashable, what: str) -> str:
        """What the metadata call a column that is named in an argument.

        Args:
            name: The name, as the frames or the metadata have it.
            what: How the message begins if it is none.

        Raises:
            ValueError: If it is not the name of a measured column.
        """
        label: str = self.label(name)
        if label not in self.names:
            raise ValueError(
                f'{what} {name!r}, which is not a measured column. The columns are '
                f'{", ".join(map(repr, self.names))}.'
            )
        return label

    def without(self, names: Iterable[str]) -> ColumnTypes:
        """The same columns without some of them."""
        left_out = set(names)
        kept = {name: sdtype for name, sdtype in self.sdtypes.items() if name not in left_out}
        return ColumnTypes(kept, self.datetime_formats, self.ignored)

    def without_sdtypes(self, sdtypes: Iterable[str]) -> ColumnTypes:
        """The same columns without those of some types."""
        left_out = set(sdtypes)
        return self.without([n for n, sdtype in self.sdtypes.items() if sdtype in left_out])


def resolve_columns(metadata: object) -> ColumnTypes:
    """Read the measured columns out of metadata.

    Args:
        metadata: An SDV `Metadata` or `SingleTableMetadata` object, the dict that their
            `to_dict` returns, or a plain mapping from column name to sdtype.

    Returns:
        The columns to measure.

    Raises:
        TypeError: If `metadata` is none of these.
        ValueError: If it describes several tables or no column that can be measured, or has an
            sdtype that SDV does not have.
    """
    if isinstance(metadata, ColumnTypes):
        return metadata
    description = _columns_description(metadata)
    keys = _key_columns(description)
    sdtypes: dict[str, str] = {}
    formats: dict[str, str] = {}
    ignored: list[str] = []
    for name, entry in description['columns'].items():
        facts = {'sdtype': entry} if isinstance(entry, str) else dict(entry)
        sdtype = facts.get('sdtype')
        measured = sdtype in NUMBER_SDTYPES + CATEGORY_SDTYPES
        if not measured:
            _check_left_out(name, sdtype)
        if not measured or name in keys or facts.get('pii'):
            ignored.append(name)
            continue
        sdtypes[name] = str(sdtype)
        if facts.get('datetime_format'):
            formats[name] = facts['datetime_format']
    if not sdtypes:
        raise ValueError(
            'The metadata has no column that can be measured: all its columns are keys, ids or '
            f'personal data ({_listed(ignored)}). At least one column must be one of '
            f'{_listed(NUMBER_SDTYPES + CATEGORY_SDTYPES)}.'
        )
    return ColumnTypes(sdtypes, formats, tuple(ignored))


def _columns_description(metadata: object) -> dict[str, Any]:
    """The description of one table: a dict with 'columns' and perhaps keys."""
    to_dict = getattr(metadata, 'to_dict', None)
    raw = to_dict() if callable(to_dict) else metadata
    if not isinstance(raw, Mapping):
        raise TypeError(
            f'metadata must be SDV metadata, its dict, or a mapping from column to sdtype, '
            f'but it is a {type(metadata).__name__}.'
        )
    if isinstance(raw.get('tables'), Mapping):
        tables = raw['tables']
        if len(tables) != 1:
            raise ValueError(
                f'The metadata describes {len(tables)} tables ({_listed(tables)}). The evaluation '
                'compares one table: pass the metadata of that table alone.'
            )
        raw = next(iter(tables.values()))
    if isinstance(raw.get('columns'), Mapping):
        return dict(raw)
    for name, entry in raw.items():
        if not isinstance(entry, (str, Mapping)):
            raise TypeError(
                f'metadata[{name!r}] must be an sdtype such as "numerical" or "categorical", '
                f'but it is {entry!r}.'
            )
    return {'columns': dict(raw)}


def _check_left_out(name: object, sdtype: object) -> None:
    """Refuse an sdtype that is neither measured nor that of an id or of personal data.

    Raises:
        ValueError: If it is so.
    """
    if isinstance(sdtype, str) and (sdtype in _LEFT_OUT or _is_personal(sdtype)):
        return
    hint = f' Write {MISTAKEN[sdtype]!r}.' if sdtype in MISTAKEN else ''
    raise ValueError(
        f'metadata[{name!r}] is {sdtype!r}, which is no sdtype of SDV.{hint} What is measured is '
        f"one of {_listed(NUMBER_SDTYPES + CATEGORY_SDTYPES)}; 'id', 'unknown' and personal data, "
        "such as 'email', are left out."
    )


def _is_personal(sdtype: str) -> bool:
    """Whether Faker has a function of this name, which is SDV's word for personal data."""
    import faker  # which takes a while, and most tables need not

    try:
        return hasattr(faker.Faker(), sdtype)
    except TypeError:  # one of its names that are no functions
        return False


def _key_columns(description: Mapping[str, Any]) -> set[str]:
    """Primary, alternate and sequence keys."""
    keys: set[str] = set()
    for entry in (
        description.get('primary_key'),
        description.get('sequence_key'),
        *(description.get('alternate_keys') or ()),
    ):
        if isinstance(entry, (list, tuple, set)):
            keys.update(entry)
        elif entry is not None:
            keys.add(entry)
    return keys


def _listed(names: Iterable[object]) -> str:
    """Names for a message, the first ten of them."""
    shown = [repr(name) for name in names]
    rest = f' and {len(shown) - 10} more' if len(shown) > 10 else ''
    return ', '.join(shown[:10]) + rest
