"""What is done to a model file: damage, hostile headers, other documents, other formats."""

from __future__ import annotations

import io
import json
import pickle
import random
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from .models import Model, packed

RAN: list[str] = []
"""Filled if code from a file was run."""

_NAMES = ('os.system', 'builtins.eval', '__class__', '__import__', 'subprocess.Popen', 'exec')
_HUGE = (2**31, 2**53, 2**63, 2**64, 10**9, 10**18, -1, -(2**63), 10**30, 1e308, 10**399)
_TAGS = (
    *('$array', '$floats', '$ints', '$dict', '$tuple', '$set', '$float', '$decimal', '$stamp'),
    *('$dtype', '$categories', '$dates', '$zone', '$type', '$arrow', '$periods', '$code'),
    *('$bytes', '$uuid', '$datetime', '$timedelta', '$datetime64', '$interval', '$sparse'),
)
_TEXTS = ('', 'nan', 'inf', '../../../etc/passwd', '<f8', 'O', 'int64', '\x00', 'a' * 5000, '2020')


def ran(mark: str) -> str:
    """What harmful files call."""
    RAN.append(mark)
    return mark


class _Harmful:
    def __reduce__(self) -> Any:
        return ran, ('pickle',)


def other_value(draw: random.Random) -> Any:
    """A value of JSON of any kind, harmless ones among them."""
    kind = draw.randrange(9)
    if kind == 0:
        return draw.choice((None, True, False, 0, 1, -1, 0.5, [], {}, [[]], [None]))
    if kind == 1:
        return draw.choice(_HUGE)
    if kind == 2:
        return draw.choice(_TEXTS)
    if kind == 3:
        return draw.choice(_NAMES)
    if kind == 4:
        return {draw.choice(_TAGS): other_value(draw) if draw.random() < 0.7 else None}
    if kind == 5:
        return [other_value(draw) for _ in range(draw.randrange(4))]
    if kind == 6:
        return {draw.choice(_TEXTS + _NAMES): other_value(draw)}
    if kind == 7:
        nested: Any = draw.choice((0, 'x'))
        for _ in range(draw.choice((3, 50, 300))):
            nested = [nested] if draw.random() < 0.5 else {'a': nested}
        return nested
    return draw.randrange(-3, 400)


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every container in a document with each of its keys."""
    found: list[tuple[Any, Any]] = []
    waiting = [node]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                waiting.append(holder[key])
    return found


def change_document(document: Any, draw: random.Random) -> None:
    """Change one thing, or a few, somewhere in a document."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        everywhere = places(document)
        holder, key = draw.choice(everywhere)
        kind = draw.randrange(7)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, dict):
            holder[draw.choice(_TEXTS + _NAMES)] = other_value(draw)
        elif kind == 2:
            other, other_key = draw.choice(everywhere)
            holder[key] = json.loads(json.dumps(other[other_key]))
        elif kind == 3 and isinstance(holder[key], (int, float)):
            holder[key] = holder[key] + draw.choice((1, -1, 0.5, 2**40))
        elif kind == 4 and isinstance(holder, list):
            holder.extend(holder[: draw.choice((1, 3, 100))])
        elif kind == 5 and isinstance(holder[key], str) and holder[key]:
            at = draw.randrange(len(holder[key]))
            holder[key] = holder[key][:at] + draw.choice('aZ0_$.%é\x00') + holder[key][at + 1 :]
        else:
            holder[key] = other_value(draw)


def documents(model: Model, draw: random.Random) -> bytes:
    """Another document with right digests, as an attacker would write it."""
    document = json.loads(model.document)
    change_document(document, draw)
    return packed(document, model.arrays, model.weights)


def texts(model: Model, draw: random.Random) -> bytes:
    """A document that is no JSON, or much of it."""
    text = bytearray(model.document.encode())
    kind = draw.randrange(6)
    if kind == 0:
        text = bytearray(b'[' * draw.choice((100, 10_000, 200_000)))
    elif kind == 1:
        text = bytearray(b'[' + b'{},' * draw.choice((1_000, 100_000, 3_000_000)) + b'0]')
    elif kind == 2:
        text = bytearray(b'{"versions":' + b'9' * draw.choice((300, 5_000, 500_000)) + b'}')
    elif kind == 3:
        del text[draw.randrange(len(text)) :]
    else:
        for _ in range(draw.choice((1, 3, 20))):
            text[draw.randrange(len(text))] = draw.randrange(256)
    return packed(bytes(text), model.arrays, model.weights)


def arrays(model: Model, draw: random.Random) -> bytes:
    """Other arrays or weights, with right digests."""
    described, kept = dict(model.arrays), dict(model.weights)
    part = draw.choice((described, kept))
    name = draw.choice(list(part))
    array = part[name].copy()
    kind = draw.randrange(7)
    if kind == 0:
        del part[name]
    elif kind == 1:
        part[draw.choice((*_NAMES, *part))] = array
    elif kind == 2:
        with np.errstate(invalid='ignore'):
            part[name] = array.astype(draw.choice(('f8', 'f4', 'i8', 'u1', 'i2', '?')))
    elif kind == 3:
        part[name] = np.concatenate([array.reshape(-1)] * draw.choice((2, 9)))
    elif kind == 4:
        part[name] = array.reshape(-1)[: draw.randrange(array.size + 1)]
    elif array.size:
        flat = array.reshape(-1)
        with np.errstate(all='ignore'):
            value = draw.choice((0, -1, 2**31, 10**18, float('nan'), float('inf'), -1e300, 0.5))
            whole = array.dtype.kind != 'f'
            limits = np.iinfo(array.dtype) if whole else np.finfo(array.dtype)
            bounded = min(max(0 if value != value else value, limits.min), limits.max)
            flat[draw.randrange(flat.size)] = int(bounded) if whole else value
        part[name] = flat.reshape(array.shape)
    return packed(json.loads(model.document), described, kept)


def damaged(model: Model, draw: random.Random) -> bytes:
    """Bits that have flipped, bytes that have gone or been written twice."""
    content = bytearray(model.content)
    kind = draw.randrange(5)
    if kind == 0:
        return bytes(content[: draw.randrange(len(content))])
    if kind == 1:
        at = draw.randrange(len(content))
        content[at:at] = content[: draw.randrange(1, 64)]
    elif kind == 2:
        at = draw.randrange(len(content))
        content[at : at + 64] = bytes(draw.randrange(256) for _ in range(64))
    else:
        header = struct.unpack('<Q', content[:8])[0] + 8
        for _ in range(draw.choice((1, 1, 2, 8))):
            at = draw.randrange(header if draw.random() < 0.5 else len(content))
            content[at] ^= 1 << draw.randrange(8)
    return bytes(content)


def headers(model: Model, draw: random.Random) -> bytes:
    """Headers that claim what is not there."""
    length = struct.unpack('<Q', model.content[:8])[0]
    entries = json.loads(model.content[8 : 8 + length])
    data = model.content[8 + length :]
    kind = draw.randrange(7)
    names = [name for name in entries if name != '__metadata__']
    if kind == 0:
        return (
            struct.pack('<Q', draw.choice((0, 1, 2**20, 2**40, 2**63, 2**64 - 1)))
            + model.content[8:]
        )
    if kind == 1:
        entries[draw.choice(names)]['shape'] = [
            draw.choice((0, 2**20, 2**40, 2**62)) for _ in range(3)
        ]
    elif kind == 2:
        entries[draw.choice(names)]['data_offsets'] = [draw.choice((0, -1, 2**40, 2**63)), 2**62]
    elif kind == 3:
        entries[draw.choice(names)]['dtype'] = draw.choice(
            ('F8_E4M3', 'BF16', 'I128', 'F64', 'U8', 3)
        )
    elif kind == 4:
        many = draw.choice((100, 1_000, 1_000, 60_000))
        entries.update(
            {f'e{n}': {'dtype': 'U8', 'shape': [0], 'data_offsets': [0, 0]} for n in range(many)}
        )
    elif kind == 5:
        entries['__metadata__'] = draw.choice(
            ({}, None, {'sdv_tabdar model': other_text(draw)}, {'a': 'b'}, [1])
        )
    else:
        entries[draw.choice(names)] = other_value(draw)
    text = json.dumps(entries).encode()
    return struct.pack('<Q', len(text)) + text + data


def other_text(draw: random.Random) -> str:
    """What may stand in place of the entry that names the format."""
    header = {'version': other_value(draw), 'description': other_value(draw), 'weights': 'x'}
    return draw.choice(('', '[' * 5000, '1', json.dumps(header), json.dumps({'version': 2})))


def versions(model: Model, draw: random.Random) -> bytes:
    """Formats of the future, and none."""
    version = draw.choice((0, 2, 99, 10**9, -1, '1', None, 1.5, [1]))
    return packed(json.loads(model.document), model.arrays, model.weights, version)


def others(model: Model, draw: random.Random) -> bytes:
    """Files of other formats; the pickles run code when they are loaded."""
    kind = draw.randrange(6)
    if kind == 0:
        return pickle.dumps(_Harmful(), protocol=draw.randrange(6))
    if kind == 1:
        found = io.BytesIO()
        with zipfile.ZipFile(found, 'w') as archive:
            archive.writestr('archive/data.pkl', pickle.dumps(_Harmful()))
        return found.getvalue()
    if kind == 2:
        return b'a,b\n' + b'1,2\n' * draw.randrange(100)
    if kind == 3:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(200)))
    if kind == 4:
        found = io.BytesIO()
        np.save(found, np.array([_Harmful()], dtype=object), allow_pickle=True)
        return found.getvalue()
    return model.document.encode()


CHANGES: dict[str, tuple[Callable[[Model, random.Random], bytes], int]] = {
    'documents': (documents, 50),
    'texts': (texts, 4),
    'arrays': (arrays, 14),
    'damaged': (damaged, 22),
    'headers': (headers, 6),
    'versions': (versions, 1),
    'others': (others, 3),
}
"""What may be done, and in which share of the cases."""
