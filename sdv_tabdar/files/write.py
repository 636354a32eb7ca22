"""A synthesizer to a file."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import warnings
from collections.abc import Mapping
from typing import Any

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.hooks import SDVHooks
from sdv_tabdar.adapter.private_names import saved_host
from sdv_tabdar.adapter.private_names.saved_kinds import NotWritable
from sdv_tabdar.files import container, model_state
from sdv_tabdar.files.errors import ModelFileError
from sdv_tabdar.files.values import Foreign, Writer

_PACKAGES = ('sdv_tabdar', 'sdv', 'rdt', 'faker', 'torch', 'pandas', 'numpy')


def write(synthesizer: SDVHooks, settings: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a synthesizer to a file that is safe to open.

    Args:
        synthesizer: Fitted or not.
        settings: Of its constructor.
        path: Where; a file that is there is replaced.

    Raises:
        ModelFileError: If something in it can only be written as code: a user's own constraint
            or transformer, a value of a user's own type.
        OSError: If the file cannot be written.
    """
    weights: dict[str, Any] = {}
    state: dict[str, Any] = {
        'versions': {
            'python': platform.python_version(),
            **{name: _version(name) for name in _PACKAGES},
        },
        'settings': dict(settings),
        **synthesizer.own_state(),
        'model': None,
    }
    writer = Writer()
    try:
        state['host'] = saved_host.written(synthesizer)
        if state['table'] is not None:
            model = state['table'].pop('model')
            if model is not None:
                state['model'], weights = model_state.written(model)
        document = writer.node(state, 'file')
    except (NotWritable, Foreign) as error:
        raise ModelFileError(f'The synthesizer cannot be saved safely. {error}') from error
    container.write(path, document, writer.arrays, weights)
    _warn_of_pseudonyms(synthesizer, path)


def _warn_of_pseudonyms(synthesizer: SDVHooks, path: str | os.PathLike[str]) -> None:
    """Say where a file holds real values that are never drawn, as SDV's ``save`` does."""
    names = [name for name, kept in private_names.pseudonyms(synthesizer).items() if kept]
    if not names:
        return
    warnings.warn(
        f"The file '{os.fspath(path)}' holds every real value of {names[:5]} beside its pseudonym "
        '(PseudoAnonymizedFaker): whoever gets it can read them. To share it, fit with an '
        'AnonymizedFaker in its place (update_transformers), or leave these columns out.',
        stacklevel=4,
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return 'unknown'
