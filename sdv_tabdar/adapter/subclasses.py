"""Settings of a synthesizer, whose class may be one of the user's with a constructor of its own."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, TypeVar

Made = TypeVar('Made')


def settings_of(synthesizer: Any, base: type) -> dict[str, Any]:
    """What arguments of its class and of the one that it is made from say, by their attributes.

    Args:
        synthesizer: The synthesizer.
        base: The class of this package that it is one of.
    """
    names = dict.fromkeys([*_arguments(base), *_arguments(type(synthesizer))])
    return {name: vars(synthesizer).get(name) for name in names}


def made_with(kind: type[Made], base: Any, metadata: Any, settings: Mapping[str, Any]) -> Made:
    """A synthesizer with all settings, also where the constructor of its class takes only some.

    Args:
        kind: Its class.
        base: As of :func:`settings_of`.
        metadata: The metadata.
        settings: From :func:`settings_of`.

    Raises:
        TypeError: If neither class has one of the settings.
    """
    try:
        inspect.signature(kind).bind(metadata, **settings)
    except TypeError:
        foreign = [name for name in settings if name not in _arguments(base)]
        if foreign:
            raise TypeError(
                f'The settings {foreign} are those of a class of its own, whose load_safe reads it.'
            ) from None
        synthesizer = kind.__new__(kind)
        base.__init__(synthesizer, metadata, **settings)
        return synthesizer
    return kind(metadata, **settings)  # type: ignore[call-arg]


def _arguments(kind: type) -> list[str]:
    """Names of the settings that the constructor of a class takes."""
    found = inspect.signature(kind).parameters.values()
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        entry.name for entry in found if entry.kind not in variadic and entry.name != 'metadata'
    ]
