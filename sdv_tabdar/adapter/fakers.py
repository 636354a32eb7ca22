"""Which of Faker's functions and locales a saved transformer may name."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping
from typing import Any

import faker

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Unfit

# Faker's functions whose result is as long as an argument says, or that call others by name.
_NOT_WRITTEN = frozenset(
    (
        'add_element',
        'binary',
        'csv',
        'dsv',
        'enum',
        'fixed_width',
        'image',
        'json',
        'json_bytes',
        'psv',
        'pyobject',
        'tar',
        'tsv',
        'xml',
        'zip',
    )
)
_PROVIDER = re.compile(r'[a-z_]{1,40}(\.[A-Za-z_]{2,10})?')


def check_faker(parameters: Mapping[str, Any], place: str) -> None:
    """Refuse what is no plain function of one of Faker's own providers."""
    provider, function = parameters['provider_name'], parameters['function_name']
    known = {name.removeprefix('faker.providers.') for name in faker.config.PROVIDERS}
    owner: Any = faker.providers.BaseProvider
    if provider != 'BaseProvider':
        if not _PROVIDER.fullmatch(provider) or provider.split('.')[0] not in known:
            checked.refuse(f'{place}.provider_name', provider, "one of Faker's own providers")
        if '.' in provider:
            check_locale(provider.split('.')[1], f'{place}.provider_name')
        owner = _provider(provider, f'{place}.provider_name')
    method = None if function.startswith('_') else getattr(owner, function, None)
    if function in _NOT_WRITTEN or not inspect.isfunction(method):
        checked.refuse(f'{place}.function_name', function, "a plain function of Faker's provider")
    try:
        inspect.signature(method).bind(None, **parameters['function_kwargs'])
    except TypeError as error:
        raise Unfit(f'{place}.function_kwargs', f'does not suit {function}: {error}.') from None
    check_locales(parameters['locales'], f'{place}.locales')


def _provider(name: str, place: str) -> Any:
    """One of Faker's own providers, which knows more functions where a locale is named."""
    try:
        return importlib.import_module(f'faker.providers.{name}').Provider
    except ModuleNotFoundError:
        checked.refuse(place, name, "one of Faker's own providers")


def check_locale(value: Any, place: str) -> None:
    """Refuse what is no locale of Faker's."""
    checked.text(value, place)
    if value.replace('-', '_') not in faker.config.AVAILABLE_LOCALES:
        checked.refuse(place, value, "a locale of Faker's such as 'en_US'")


def check_locales(value: Any, place: str) -> None:
    """Refuse what is neither None, nor a locale of Faker's, nor a list of some."""
    if isinstance(value, (list, tuple)):
        for locale in value:
            check_locale(locale, place)
        if len(set(value)) > len(faker.config.AVAILABLE_LOCALES):
            raise Unfit(place, 'has more locales than there are.')
    elif value is not None:
        check_locale(value, place)
