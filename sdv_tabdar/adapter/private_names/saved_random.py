"""Where random generators of NumPy and Faker stand, as plain values, and back.

Most stand where their seed puts them, and need no more than that.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.adapter.private_names.saved_kinds import VALUE, plain

_NUMBER = checked.number(finite=False)


def written_state(state: Any, seed: int) -> dict[str, Any]:
    """Where one of NumPy's generators stands that began at a seed."""
    _, keys, position, has_gauss, gauss = state.get_state()
    start: Any = np.random.RandomState(seed).get_state()
    if (keys == start[1]).all() and (position, has_gauss, gauss) == start[2:]:
        return {'at_seed': True}
    return {'at_seed': False, 'keys': keys, 'position': position, 'has': has_gauss, 'next': gauss}


_RANDOM = {
    'at_seed': checked.flag,
    'keys': checked.array('u4', (624,)),
    'position': checked.whole(0, 624),
    'has': checked.whole(0, 1),
    'next': _NUMBER,
}


def read_state(found: Any, seed: int, place: str) -> Any:
    """A generator of NumPy's that stands there.

    Raises:
        Unfit: If that is no place.
    """
    moved = isinstance(found, dict) and found.get('at_seed') is False
    checked.record(_RANDOM, absent=() if moved else _RANDOM)(found, f'{place}.random_states')
    state = np.random.RandomState(seed)
    if moved:
        state.set_state(('MT19937', found['keys'], found['position'], found['has'], found['next']))
    return state


def written_faker(transformer: Any) -> dict[str, Any] | None:
    """Where the random numbers of Faker are, and which values it must not make again."""
    factories = transformer.faker.factories
    if not factories or not all(_is_seeded(factory) for factory in factories):
        return None
    seed = transformer._faker_random_seed
    start = random.Random(seed).getstate()
    states = []
    for factory in factories:
        version, keys, gauss = factory.random.getstate()
        at_seed = (version, keys, gauss) == start
        states.append(
            {'at_seed': True}
            if at_seed
            else {'at_seed': False, 'keys': np.array(keys, dtype=np.uint32), 'next': gauss}
        )
    proxy = transformer.faker.unique
    seen = []
    for (name, _, arguments), values in proxy._seen.items():
        made = [plain(value) for value in values if value is not proxy._sentinel]
        made.sort(key=repr)  # sets have no order
        seen.append({'function': name, 'arguments': dict(arguments), 'values': made})
    return {'states': states, 'seen': seen}


def _is_seeded(factory: Any) -> bool:
    return bool(getattr(factory, '_is_seeded', False))


def restore_faker(transformer: Any, found: Any, place: str) -> None:
    """Put the generators of a transformer's Faker where others stood.

    Raises:
        Unfit: If that is no place.
    """
    if found is None:
        return
    checked.record({'states': checked.items(VALUE), 'seen': checked.items(VALUE)})(found, place)
    factories = transformer.faker.factories
    checked.items(VALUE, length=len(factories))(found['states'], f'{place}.states')
    transformer.faker.seed_instance(transformer._faker_random_seed)
    for number, (factory, state) in enumerate(zip(factories, found['states'], strict=True)):
        _restore_python_random(factory.random, state, f'{place}.states[{number}]')
    seen = checked.record(
        {
            'function': checked.text,
            'arguments': checked.entries(VALUE),
            'values': checked.items(VALUE),
        }
    )
    proxy = transformer.faker.unique
    for number, entry in enumerate(found['seen']):
        seen(entry, f'{place}.seen[{number}]')
        arguments = tuple(sorted(entry['arguments'].items()))
        try:
            proxy._seen[entry['function'], (), arguments] = {proxy._sentinel, *entry['values']}
        except TypeError:
            raise Unfit(f'{place}.seen[{number}]', 'holds what cannot be a value.') from None


def _restore_python_random(generator: random.Random, state: Any, place: str) -> None:
    moved = isinstance(state, dict) and state.get('at_seed') is False
    fields = {
        'at_seed': checked.flag,
        'keys': checked.array('u4', (625,)),
        'next': checked.optional(_NUMBER),
    }
    checked.record(fields, absent=() if moved else fields)(state, place)
    if moved:
        keys = tuple(state['keys'].tolist())
        checked.whole(0, 624)(keys[-1], f'{place}.keys')
        generator.setstate((3, keys, state['next']))
