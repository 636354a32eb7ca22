"""Sums and products in a model's state, of all rows and of most: whether they fit their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.core.codecs.products import are_numbers
from sdv_tabdar.core.codecs.sums import Sum
from sdv_tabdar.core.schema import ColumnKind


def check(encoder: Mapping[str, Any], place: str) -> None:
    """Refuse sums and products that do not fit the columns, or each other.

    Raises:
        Unfit: If one does not.
    """
    codecs = encoder['codecs']
    for number, one in enumerate(sums := encoder.get('sums', ())):
        where = f'{place}.sums[{number}]'
        _check_sum(codecs, where, one)
        if {*one['parts']} & {later['total'] for later in sums[number:]}:
            raise Unfit(where, 'is not behind those of its parts.')
    for number, one in enumerate(products := encoder.get('products', ())):
        where = f'{place}.products[{number}]'
        _check_product(codecs, where, one)
        if {*one['factors']} & {later['result'] for later in products[number:]}:
            raise Unfit(where, 'is not behind those of its factors.')
    for number, one in enumerate(encoder.get('mostly', ())):
        _check_mostly(codecs, f'{place}.mostly[{number}]', one)


def _check_sum(codecs: Sequence[Mapping[str, Any]], where: str, one: Mapping[str, Any]) -> None:
    columns = [*Sum.from_state(one).columns]
    if (one['total'] is None) == (one.get('constant') is None):
        raise Unfit(where, 'is neither of a column nor of a constant, or of both.')
    if len({*columns}) != len(columns) or len(columns) < 3 or max(columns) >= len(codecs):
        raise Unfit(where, 'is not of three or more columns.')
    if any(codecs[at]['column']['kind'] != ColumnKind.NUMERICAL.value for at in columns):
        raise Unfit(where, 'is not of numbers.')
    if len(one['digits']) != len(columns):
        raise Unfit(f'{where}.digits', 'are not those of each of its columns.')


def _check_product(codecs: Sequence[Mapping[str, Any]], where: str, one: Mapping[str, Any]) -> None:
    columns = [one['result'], *one['factors']]
    if len({*columns}) != 3 or len(columns) != 3 or max(columns) >= len(codecs):
        raise Unfit(where, 'is not of a column and two others.')
    is_number = [
        codecs[at]['column']['kind'] == ColumnKind.NUMERICAL.value
        or are_numbers(codecs[at]['levels'])
        for at in columns
    ]
    if not all(is_number):
        raise Unfit(where, 'is not of numbers.')
    is_said = 'formula' in one and 'scale' in one
    if len(one['digits']) != len(columns) or not (is_said or one.get('exponent')):
        raise Unfit(where, 'has no formula, or not the digits of each of its columns.')


def _check_mostly(codecs: Sequence[Mapping[str, Any]], where: str, one: Mapping[str, Any]) -> None:
    if (one['sum'] is None) == (one['product'] is None):
        raise Unfit(where, 'is neither a sum nor a product, or both.')
    if one['sum'] is not None:
        _check_sum(codecs, f'{where}.sum', one['sum'])
        if one['sum']['total'] is None:
            raise Unfit(f'{where}.sum', 'is not of a column.')
    else:
        _check_product(codecs, f'{where}.product', one['product'])
    level = one['level']
    if level is not None and level >= len(codecs):
        raise Unfit(f'{where}.level', 'is no column.')
    if level is not None and codecs[level]['column']['kind'] != ColumnKind.CATEGORICAL.value:
        raise Unfit(f'{where}.level', 'is a column of numbers.')
    wanted = 1 if level is None else len(codecs[level]['column']['counts'])
    if len(one['shares']) != wanted:
        raise Unfit(f'{where}.shares', 'are not one for each code.')
