"""What is said of metadata that SDV refuses: which column it is, and what is allowed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from sdv.metadata import Metadata
from sdv.metadata.errors import InvalidMetadataError

_SDTYPES = (
    "Sdtypes are 'numerical', 'datetime', 'categorical', 'boolean', 'ordinal', 'id', 'unknown', "
    "and for personal data the names of Faker's functions, such as 'email'."
)


@contextlib.contextmanager
def sdtypes_named(metadata: Metadata) -> Iterator[None]:
    """Within it, SDV's refusal of a column without a known sdtype names it, and what is allowed.

    Args:
        metadata: What SDV looks at.

    Raises:
        InvalidMetadataError: In place of SDV's own.
    """
    try:
        yield
    except InvalidMetadataError as error:
        message = str(error)
        entries = [entry for table in metadata.tables.values() for entry in table.columns.items()]
        strange = [
            (name, facts)
            for name, facts in entries
            if not (isinstance(facts, Mapping) and isinstance(facts.get('sdtype'), str))
        ]
        for name, facts in strange:
            raise InvalidMetadataError(
                f'The metadata describe column {name!r} by {facts!r}. Give it a dictionary with '
                f"its sdtype, such as {{'sdtype': 'numerical'}}. {_SDTYPES}"
            ) from error
        wrong = [name for name, facts in entries if f"sdtype: '{facts.get('sdtype')}'" in message]
        if not wrong:
            raise
        raise InvalidMetadataError(f'{message} The columns {wrong} have it. {_SDTYPES}') from error
