"""The file itself: safetensors with one JSON document, arrays beside it, and weights.

What a file asks for is held against its size before anything is made of it: the header, the
number of values in the document, the arrays. Two digests tell damage: one of the document with
its arrays, which is all that a description needs, and one of the weights.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from sdv_tabdar.adapter import checked
from sdv_tabdar.files.errors import ModelFileError
from sdv_tabdar.files.values import MOST_DIGITS, Arrays
from sdv_tabdar.paths import check_file

FORMAT = 'sdv_tabdar model'
"""Name of the entry of safetensors' header that says what the file is."""
FORMAT_VERSION = 1
ALLOWANCE = 512 * 2**20
"""Bytes that reading may take beside twice the size of the file."""

_DOCUMENT = 'document'
_ARRAYS, _WEIGHTS = 'array/', 'weight/'
_LONGEST_HEADER = 16 * 2**20
_MOST_TENSORS = 50_000
_LONGEST_ENTRY = 1_000
_HEADER = checked.record(
    {'version': checked.whole(1, 10**6), 'description': checked.text, 'weights': checked.text}
)
_DTYPES = frozenset(
    ('F64', 'F32', 'F16', 'I64', 'I32', 'I16', 'I8', 'U64', 'U32', 'U16', 'U8', 'BOOL')
)
_LONG_NUMBER = re.compile(rb'\d{%d}' % (MOST_DIGITS + 1))
# Bytes of a Python object for each character that may begin one, generously.
_COSTS = {b',': 110, b'[': 110, b'{': 420, b':': 40}

_OTHERS = {
    b'\x80': "a pickle, as SDV's save() writes it; load_synthesizer reads it, if you trust it",
    b'PK\x03\x04': 'a zip archive, as torch.save and Excel write it',
    b'\x1f\x8b': 'a gzip archive',
    b'PAR1': 'a Parquet file of rows',
}
_SAY = 'Give a file that save_safe wrote.'


class ModelFile:
    """An open model file, of which nothing but the header has been read.

    Args:
        path: Where it is.

    Attributes:
        size: Its bytes.
        version: Version of its format.

    Raises:
        ModelFileError: If it is no model file of a version that can be read.
        OSError: If it cannot be read at all.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.size = _checked_size(self.path)
        try:
            self._file = safe_open(self.path, framework='numpy')
            text = (self._file.metadata() or {}).get(FORMAT)
            self._names = sorted(self._file.keys())
        except (SafetensorError, ValueError, OverflowError) as error:
            raise self.error(f'is damaged, or was cut off ({error}). {_SAY}') from error
        if text is None:
            raise self.error(f'holds something else than a model of sdv_tabdar. {_SAY}')
        self._digests = self._read_header(text)
        self.version: int = self._digests['version']
        if self.version > FORMAT_VERSION:
            raise self.error(
                f'has format {self.version}; this version of sdv_tabdar reads up to format '
                f'{FORMAT_VERSION}. Install a newer sdv_tabdar.'
            )
        if len(self._names) > _MOST_TENSORS:
            raise self.error(f'has {len(self._names):,} arrays; at most {_MOST_TENSORS:,} may be.')
        for name in self._names:
            if self._file.get_slice(name).get_dtype() not in _DTYPES:
                raise self.error(f'has numbers of an unknown kind in {name[:60]!r}. {_SAY}')

    def error(self, what: str) -> ModelFileError:
        """The error for this file."""
        return ModelFileError(f"The file '{self.path}' {what}")

    def _read_header(self, text: str) -> Any:
        try:
            found = json.loads(text[:_LONGEST_ENTRY])
            _HEADER(found, 'header')
        except (ValueError, RecursionError) as error:
            raise self.error(f'is damaged: its header cannot be read ({error}). {_SAY}') from error
        return found

    def description(self) -> tuple[Any, Arrays]:
        """The document and its arrays.

        Raises:
            ModelFileError: If they are damaged, or would need too much memory.
        """
        arrays = self._read(_ARRAYS, 'description', also=[_DOCUMENT])
        document = arrays.pop(_DOCUMENT, None)
        if document is None or document.dtype != np.uint8 or document.ndim != 1:
            raise self.error(f'has no document. {_SAY}')
        return self._parsed(document.tobytes()), arrays

    def weights(self) -> Arrays:
        """The weights of the network.

        Raises:
            ModelFileError: If they are damaged.
        """
        return self._read(_WEIGHTS, 'weights')

    def close(self) -> None:
        """Let go of the file, whose pages count as memory of the process while it is open."""
        del self._file

    def _read(self, prefix: str, what: str, also: Iterable[str] = ()) -> Arrays:
        names = [name for name in self._names if name.startswith(prefix)]
        names = [*also, *names] if set(also) <= set(self._names) else names
        try:
            found = {name: self._file.get_tensor(name) for name in names}
        except (SafetensorError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise self.error(f'is damaged ({error}). {_SAY}') from error
        if self._digests[what] != digest(found):
            raise self.error(
                f'is damaged: its {what} are not those that were written. Copy it anew from where '
                'it was saved.'
            )
        return {name.removeprefix(prefix): array for name, array in found.items()}

    def _parsed(self, text: bytes) -> Any:
        needed = document_cost(text)
        if needed > self.size + ALLOWANCE:
            raise self.error(
                f'asks for about {needed / 2**20:,.0f} MiB of memory for its document; its size '
                f'allows {(self.size + ALLOWANCE) / 2**20:,.0f}. {_SAY}'
            )
        if _LONG_NUMBER.search(text):
            raise self.error(f'has a number of more than {MOST_DIGITS} digits. {_SAY}')
        try:
            return json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise self.error(f'has a document that is no JSON ({str(error)[:100]}).') from error

    @property
    def names(self) -> list[str]:
        """Names of all that it holds."""
        return list(self._names)


def write(
    path: str | os.PathLike[str],
    document: Any,
    arrays: Mapping[str, npt.NDArray[Any]],
    weights: Mapping[str, npt.NDArray[Any]],
) -> None:
    """Write a model file: at every moment there is the old file or the new one as a whole.

    Args:
        path: Where; a file that is there is replaced.
        document: What :mod:`json` can write.
        arrays: Arrays that the document names.
        weights: Weights of the network.

    Raises:
        ModelFileError: If there is more of it than can be read again.
        OSError: If it cannot be written.
    """
    target = check_file(path)
    text = json.dumps(document, allow_nan=False, separators=(',', ':'), ensure_ascii=False).encode()
    described = {_DOCUMENT: np.frombuffer(text, dtype=np.uint8)}
    described.update({f'{_ARRAYS}{name}': array for name, array in arrays.items()})
    kept = {f'{_WEIGHTS}{name}': array for name, array in weights.items()}
    size = sum(array.nbytes for part in (described, kept) for array in part.values())
    if document_cost(text) > size + ALLOWANCE or len(described) + len(kept) > _MOST_TENSORS:
        raise ModelFileError(
            f'The synthesizer holds too many categories for a safe file ({len(text):,} bytes of '
            'text). Leave out columns with a value of their own in nearly every row, or declare '
            'them as ids, or save with save().'
        )
    header = {
        'version': FORMAT_VERSION,
        'description': digest(described),
        'weights': digest(kept),
    }
    part = target.with_name(f'{target.name}.{secrets.token_hex(4)}.part')  # others may write, too
    try:
        part.touch()
        mode = part.stat().st_mode  # safetensors lets nobody but its owner read a file
        save_file({**described, **kept}, part, metadata={FORMAT: json.dumps(header)})
        part.chmod(mode)
        with part.open('rb+') as file:
            os.fsync(file.fileno())
        part.replace(target)
    except SafetensorError as error:
        raise OSError(f"The file '{target}' cannot be written: {error}.") from error
    finally:
        part.unlink(missing_ok=True)


def digest(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """SHA-256 of arrays with their names, dtypes and shapes, as hexadecimal text."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        label = json.dumps([name, array.dtype.str, list(arrays[name].shape)])
        found.update(label.encode())
        found.update(array.reshape(-1).view(np.uint8).data)
    return found.hexdigest()


def document_cost(text: bytes) -> int:
    """About how many bytes a document takes as Python objects, at most."""
    return len(text) + sum(cost * text.count(mark) for mark, cost in _COSTS.items())


def _no_constant(name: str) -> Any:
    raise ValueError(f'{name} is no number of JSON')


def _checked_size(path: Path) -> int:
    """The size of what looks like safetensors.

    Raises:
        ModelFileError: If it does not.
        OSError: If it cannot be read.
    """
    if path.exists() and not path.is_file():
        raise ModelFileError(f"'{path}' is no file. {_SAY}")
    with path.open('rb') as file:
        start = file.read(9)
        size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(start[:8], 'little')
    if len(start) == 9 and start[8:] == b'{' and length <= min(size - 8, _LONGEST_HEADER):
        return size
    for mark, what in _OTHERS.items():
        if start.startswith(mark):
            raise ModelFileError(f"The file '{path}' is {what}. {_SAY}")
    if len(start) == 9 and start[8:] == b'{':
        raise ModelFileError(
            f"The file '{path}' was cut off, or has a damaged header: it is said to have "
            f'{length:,} bytes, and the file has {size:,}. Copy it anew from where it was saved.'
        )
    raise ModelFileError(f"The file '{path}' is no model file. {_SAY}")
