"""Synthesizers saved in format 1 are refused in words.

Their files name classes by modules that are no longer there, so that unpickling would end in a
ModuleNotFoundError before the synthesizer could look at the format.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from sdv.errors import VersionError

STATE_VERSION = 3
_MODULES_OF_FORMAT_1 = frozenset(
    f'sdv_tabdar.{name}'
    for name in (
        '_facts',
        '_formats',
        '_processed',
        'core.categorical',
        'core.columns',
        'core.encoding',
        'core.numerical',
    )
)


class _OldModules(MetaPathFinder):
    """Finds the modules that only files of format 1 ask for, and refuses them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None for every other module.

        Raises:
            VersionError: For a module of format 1.
        """
        if fullname in _MODULES_OF_FORMAT_1:
            raise wrong_format(1)
        return None


def wrong_format(version: object) -> VersionError:
    """The error for a synthesizer that was saved in another format."""
    return VersionError(
        f'This TabDARSynthesizer was saved in format {version}; this version of sdv_tabdar reads '
        f'format {STATE_VERSION}. Install the version that saved it, or fit again.'
    )


def refuse_old_files() -> None:
    """Make unpickling a file of format 1 raise a VersionError; doing so twice changes nothing."""
    if not any(isinstance(finder, _OldModules) for finder in sys.meta_path):
        sys.meta_path.append(_OldModules())
