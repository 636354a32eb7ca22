"""A file to a synthesizer. Nothing in the file is run, and nothing that it names is imported."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from sdv.metadata import Metadata

from sdv_tabdar.adapter import checked, private_names
from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.adapter.fakers import check_locales
from sdv_tabdar.adapter.global_generators import untouched_random_states
from sdv_tabdar.adapter.hooks import SDVHooks
from sdv_tabdar.adapter.private_names import saved_host
from sdv_tabdar.core.presets import with_former_settings
from sdv_tabdar.files import model_state, table_state
from sdv_tabdar.files.container import ModelFile
from sdv_tabdar.files.values import Reader

Host = TypeVar('Host', bound=SDVHooks)

_STATE = checked.record(
    {
        'versions': checked.entries(checked.text),
        'settings': checked.entries(checked.anything),
        'gives_frames': checked.flag,
        'advised': checked.items(checked.text),
        'host': checked.anything,
        'table': checked.anything,
        'model': checked.anything,
    }
)


def read(path: str | os.PathLike[str], make: Callable[[Metadata, Mapping[str, Any]], Host]) -> Host:
    """The synthesizer in a file.

    Args:
        path: A file that :func:`sdv_tabdar.files.write.write` wrote.
        make: Makes the synthesizer of metadata and settings.

    Raises:
        ModelFileError: If the file is damaged, of another kind or of a later version, or its
            parts do not fit together.
        OSError: If the file cannot be read.
    """
    file = ModelFile(path)
    state = read_state(file)
    with wrong_content(file):
        weights = file.weights()
        file.close()
        with warnings.catch_warnings(), untouched_random_states():
            warnings.simplefilter('ignore')
            return _made(state, weights, make)


def read_state(file: ModelFile) -> dict[str, Any]:
    """The values of a file, of which only their kinds have been checked.

    Raises:
        ModelFileError: If they cannot be read.
    """
    document, arrays = file.description()
    with wrong_content(file):
        reader = Reader(arrays)
        state: dict[str, Any] = reader.value(document, 'file')
        if reader.left:
            raise Unfit('file', f'has arrays that nothing names: {reader.left[:3]}.')
        _STATE(state, 'file')
    return state


@contextlib.contextmanager
def wrong_content(file: ModelFile) -> Iterator[None]:
    """Within it, what does not fit is said as the error of the file."""
    try:
        yield
    except Unfit as error:
        raise file.error(
            f'was written otherwise than by save_safe, or by a version that this one does not '
            f'know: {error} Save the model anew, and load it with the version that saved it.'
        ) from error


def _made(
    state: Mapping[str, Any],
    weights: dict[str, Any],
    make: Callable[[Metadata, Mapping[str, Any]], Host],
) -> Host:
    host, table = state['host'], state['table']
    saved_host.check(host, 'host')
    if table is not None:
        table_state.check(table, host, 'table')
    found = model = None
    if state['model'] is not None:
        if table is None:
            raise Unfit('table', 'is not there, although there is a model.')
        found = model_state.checked_state(state['model'], weights, 'model')
        table_state.check_model(table, found, 'table')
        model = model_state.made(found)
    elif weights:
        raise Unfit('model', 'is not there, although there are weights.')
    check_locales(state['settings'].get('locales'), 'settings.locales')
    with _others_refuse('host'):
        metadata = Metadata.load_from_dict(host['metadata'])
        synthesizer = make(metadata, with_former_settings(state['settings']))
        saved_host.restore(synthesizer, host, 'host')
    if found is not None:
        model_state.check_readable(found, private_names.readable_levels(synthesizer), 'model')
    whole = None if table is None else {**table, 'model': model}
    synthesizer.restore_own_state({**state, 'table': whole})
    return synthesizer


@contextlib.contextmanager
def _others_refuse(place: str) -> Iterator[None]:
    """Within it, errors of SDV, RDT and Faker are :class:`Unfit`: they raise many kinds."""
    try:
        yield
    except Unfit:
        raise
    except Exception as error:
        raise Unfit(place, f'is refused by SDV: {str(error)[:300]}') from error
