"""The relations in a model's state: what does not fit the columns is refused."""

from __future__ import annotations

from typing import Any

import pytest

from sdv_tabdar.adapter.checked import Unfit
from sdv_tabdar.core.codecs.sums import Sum
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.files import model_state, relations

CONSTANT = {'total': None, 'parts': [0, 1, 2], 'digits': [0, 0, 0], 'constant': 100.0}


def state_with(model: TabDAR, **relations: object) -> dict[str, Any]:
    """The state of a model of four columns of numbers and one of levels with such relations."""
    state, _ = model_state.written(model)
    number, level = state['encoder']['codecs']
    columns = [{**number, 'column': {**number['column'], 'name': name}} for name in 'abcd']
    encoder = {**state['encoder'], 'codecs': [*columns, level], 'crosses': [], 'echoes': []}
    return {**state, 'encoder': {**encoder, **relations}, 'precedence': []}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('two others', {'factors': [1]}),
        ('two others', {'factors': [1, 1]}),
        ('two others', {'factors': [1, 9]}),
        ('not of numbers', {'factors': [1, 4]}),
        ('digits', {'digits': [0, None]}),
        ('digits', {'digits': [0, 0, 99]}),
        ('no formula', {'exponent': 0}),
        ('exponent', {'exponent': 2}),
        ('formula', {'formula': 'power', 'scale': 1.0}),
        ('scale', {'formula': 'share', 'scale': 0.0}),
        ('not behind those of its factors', {'factors': [3, 1]}),
    ],
)
def test_products_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    entry = {'result': 0, 'factors': [1, 2], 'exponent': 1, 'digits': [0, None, 2]}
    later = {**entry, 'result': 3}
    products = [{**entry, **changed}, later]
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, products=products), 'model')


@pytest.mark.parametrize(
    ('sums', 'wrong'),
    [
        ([{'total': 0, 'parts': [1], 'digits': [0, 0]}], 'three or more columns'),
        ([{'total': 0, 'parts': [1, 1], 'digits': [0, 0, 0]}], 'three or more columns'),
        ([{'total': 0, 'parts': [1, 9], 'digits': [0, 0, 0]}], 'three or more columns'),
        ([{'total': 0, 'parts': [1, 4], 'digits': [0, 0, 0]}], 'not of numbers'),
        ([{'total': 0, 'parts': [1, 2], 'digits': [0, None]}], 'digits'),
        ([{'total': 0, 'parts': [1, 2], 'digits': [0, 0, 99]}], 'digits'),
        ([{'total': None, 'parts': [0, 1, 2], 'digits': [0, 0, 0]}], 'of a constant'),
        ([CONSTANT | {'total': 3, 'digits': [0, 0, 0, 0]}], 'of a constant'),
        ([CONSTANT | {'parts': [0, 1]}], 'three or more columns'),
        ([CONSTANT | {'parts': [0, 1, 1]}], 'three or more columns'),
        ([CONSTANT | {'digits': [0, 0]}], 'digits'),
        ([CONSTANT | {'constant': float('nan')}], 'constant'),
        ([CONSTANT | {'constant': 10**400}], 'constant'),
        (
            [CONSTANT, {'total': 1, 'parts': [2, 3], 'digits': [0, 0, 0]}],
            'not behind those of its parts',
        ),
        (
            [
                {'total': 0, 'parts': [1, 2], 'digits': [0, 0, 0]},
                {'total': 1, 'parts': [2, 3], 'digits': [0, 0, 0]},
            ],
            'not behind those of its parts',
        ),
    ],
)
def test_sums_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, sums: list[object], wrong: str
) -> None:
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, sums=sums), 'model')


def test_sums_of_former_versions_and_constants_are_read(model: TabDAR) -> None:
    former = {'total': 0, 'parts': [1, 2], 'digits': [0, 0, 0]}
    state = state_with(model, sums=[former, former | {'constant': None}, CONSTANT])
    state = model_state.checked_description(state, 'model')
    first, second, third = map(Sum.from_state, state['encoder']['sums'])
    assert first == second == Sum(0, (1, 2), (0, 0, 0))
    assert third == Sum(None, (0, 1, 2), (0, 0, 0), 100.0)


def test_whether_values_are_kept_is_a_truth_value_and_unknown_to_former_versions(
    model: TabDAR,
) -> None:
    with pytest.raises(Unfit, match='keeps_values'):
        model_state.checked_description(state_with(model, keeps_values='no'), 'model')
    state = state_with(model)
    del state['encoder']['keeps_values']
    assert model_state.checked_description(state, 'model')


RATE = {'result': 0, 'source': 1, 'level': 4, 'rates': [0.1, None], 'digits': [2, None]}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('two others', {'result': 1}),
        ('two others', {'level': 9}),
        ('not of numbers', {'source': 4, 'level': 1}),
        ('without bins', {'level': 2}),
        ('without bins', {'rates': [0.1]}),
        ('rates', {'rates': [0.1, float('nan')]}),
        ('digits', {'digits': [2]}),
        ('another one has', {'result': 3}),
        ('close a circle', {'result': 1, 'source': 3}),
        ('another one has', {'result': 2}),
    ],
)
def test_rates_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    product = {'result': 2, 'factors': [0, 3], 'exponent': 1, 'digits': [0, 0, 0]}
    later = {**RATE, 'result': 3, 'source': 1}
    fits = state_with(model, products=[product], rates=[RATE, later])
    assert model_state.checked_description(fits, 'model')['encoder']['rates']
    rates = [later, RATE | changed]
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, products=[product], rates=rates), 'model')


ZEROS = {'determinant': 4, 'dependent': 0, 'allowed': [[0]], 'says': [0, -1]}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('no pair', {'determinant': 0}),
        ('no pair', {'determinant': 9}),
        ('not codes of the dependent', {'allowed': [[]]}),
        ('not codes of the dependent', {'allowed': [[999]]}),
        ('not one of these', {'says': [0]}),
        ('not one of these', {'says': [0, 1]}),
        ('says', {'says': [0, -2]}),
    ],
)
def test_structural_zeros_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    fits = model_state.checked_description(state_with(model, zeros=[ZEROS]), 'model')
    assert fits['encoder']['zeros'] == [ZEROS]
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, zeros=[ZEROS | changed]), 'model')


def test_more_structural_zeros_than_may_be_kept_are_refused(
    model: TabDAR, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_with(model, zeros=[ZEROS] * 4)
    codes = len(state['encoder']['codecs'][0]['column']['counts'])
    monkeypatch.setattr(relations, 'LARGEST', 3 * 2 * codes)
    with pytest.raises(Unfit, match=r'zeros\[3\]'):
        model_state.checked_description(state, 'model')


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('not of three columns', {'second': 0}),
        ('not of three columns', {'dependent': 9}),
        ('of a column with bins', {'dependent': 3}),
        ('not one for each pair', {'num_second': 1}),
        ('not one for each pair', {'codes': [0]}),
        ('not codes of the dependent', {'codes': None}),
    ],
)
def test_joints_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    state = state_with(model)
    *_, number, level = state['encoder']['codecs']
    levels = [{**level, 'column': {**level['column'], 'name': name}} for name in 'abc']
    size = len(level['column']['counts'])
    entry = {'first': 0, 'second': 1, 'dependent': 2, 'num_second': size, 'codes': [0] * size**2}
    encoder = {**state['encoder'], 'codecs': [*levels, number], 'joints': [entry]}
    relations.check(encoder, 'model')
    if 'codes' in changed and changed['codes'] is None:
        changed = {'codes': [size] * size**2}
    with pytest.raises(Unfit, match=wrong):
        relations.check({**encoder, 'joints': [{**entry, **changed}]}, 'model')


DATED = {
    'position': 4,
    'source': 0,
    'part': 'weekday',
    'step': 1e9,
    'keys': [0, 3],
    'codes': [1, 0],
}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('two columns', {'position': 0}),
        ('two columns', {'source': 9}),
        ('not of a date', {'position': 0, 'source': 4}),
        ('part', {'part': 'eon'}),
        ('step', {'step': 0.0}),
        ('step', {'step': float('nan')}),
        ('not in order', {'keys': []}),
        ('not in order', {'keys': [3, 0]}),
        ('not in order', {'keys': [3, 3]}),
        ('keys', {'keys': [0, 10**30]}),
        ('as many', {'codes': [1]}),
        ('codes', {'codes': [1, -1]}),
        ('not those of the column', {'codes': [1, 99]}),
    ],
)
def test_parts_of_dates_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    fits = state_with(model, calendar_parts=[DATED])
    assert model_state.checked_description(fits, 'model')['encoder']['calendar_parts']
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(
            state_with(model, calendar_parts=[DATED | changed]), 'model'
        )


MEAN = {
    'result': 0,
    'sources': [1, 2],
    'kind': 'weighted',
    'weights': [0.5, 0.5],
    'constant': 0.0,
    'digits': [1, 0, None],
}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('two or more', {'sources': []}),
        ('two or more', {'sources': [1], 'kind': 'least', 'weights': [], 'digits': [1, 0]}),
        ('two or more', {'sources': [1, 1]}),
        ('two or more', {'sources': [0, 1]}),
        ('two or more', {'sources': [1, 9]}),
        ('one other column', {'kind': 'log', 'weights': []}),
        ('two or more', {'kind': 'years', 'weights': [], 'sources': [1], 'digits': [0, 0]}),
        ('one for each date', {'kind': 'years', 'weights': []}),
        ('one for each date', {'steps': [1.0, 1.0]}),
        ('steps', {'kind': 'years', 'weights': [], 'steps': [1.0, 0.0]}),
        ('two or more', {'kind': 'years since', 'weights': [], 'steps': [1.0, 1.0]}),
        ('one for each source', {'kind': 'months later', 'steps': [1.0]}),
        ('two or more', {'kind': 'year less', 'weights': [], 'sources': [1], 'steps': [1.0]}),
        ('one for each date', {'kind': 'months later', 'weights': [], 'steps': [1.0, 1.0]}),
        ('not of numbers', {'sources': [1, 4]}),
        ('kind', {'kind': 'median'}),
        ('one for each source', {'weights': [0.5]}),
        ('one for each source', {'kind': 'least'}),
        ('other than 0', {'weights': [0.5, 0.0]}),
        ('is_loose', {'is_loose': 1}),
        ('above 0, nor all -1', {'weights': [0.5, -1.0], 'is_loose': True}),
        ('weights', {'weights': [0.5, float('inf')]}),
        ('constant', {'constant': float('nan')}),
        ('one for each column', {'digits': [1, 0]}),
        ('digits', {'digits': [1, 0, 99]}),
        ('not behind those of its sources', {'sources': [1, 3]}),
    ],
)
def test_aggregates_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    later = MEAN | {'result': 3, 'kind': 'greatest', 'weights': []}
    rest = MEAN | {'weights': [-1.0, -1.0], 'is_loose': True}
    signed = MEAN | {'weights': [2.0, -0.25]}
    age = MEAN | {'kind': 'years', 'weights': [], 'steps': [8.64e13, 1e9]}
    term = MEAN | {'kind': 'months later', 'weights': [], 'steps': [8.64e13]}
    fixed = term | {'sources': [1], 'weights': [12.0], 'digits': [0, 0]}
    year = term | {'kind': 'year less'}
    for first in (MEAN, rest, signed, age, term, fixed, year):
        fits = state_with(model, aggregates=[first, later])
        assert model_state.checked_description(fits, 'model')
    assert model_state.checked_description(fits, 'model')['encoder']['aggregates']
    aggregates = [MEAN | changed, later]
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, aggregates=aggregates), 'model')


BAND = {'position': 4, 'source': 0, 'edges': [1.5, 2.0], 'codes': [1, 0, 1], 'digits': 1}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('two columns', {'position': 0}),
        ('two columns', {'source': 9}),
        ('a number', {'position': 0, 'source': 4}),
        ('one other column', {'less': [0], 'units': [1.0, 1.0]}),
        ('one other column', {'less': [2, 3], 'units': [1.0, 1.0, 1.0]}),
        ('two columns', {'less': [9], 'units': [1.0, 1.0]}),
        ('a number', {'position': 1, 'less': [4], 'units': [1.0, 1.0]}),
        ('each of two', {'less': [2], 'units': [1.0]}),
        ('each of two', {'units': [1.0, 1.0]}),
        ('units', {'less': [2], 'units': [-1.0, 1.0]}),
        ('not in order', {'edges': [], 'codes': [1]}),
        ('not in order', {'edges': [2.0, 1.5]}),
        ('not in order', {'edges': [2.0, 2.0]}),
        ('edges', {'edges': [1.5, float('nan')]}),
        ('each range', {'codes': [1, 0]}),
        ('codes', {'codes': [1, -1, 0]}),
        ('not those of the column', {'codes': [1, 99, 0]}),
        ('digits', {'digits': -1}),
    ],
)
def test_bands_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    of_two = BAND | {'less': [2], 'units': [0.1, 0.0]}
    fits = state_with(model, bands=[BAND, of_two])
    assert model_state.checked_description(fits, 'model')['encoder']['bands']
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, bands=[BAND | changed]), 'model')


CHOICE = {'result': 3, 'sources': [0, 2], 'level': 4, 'picks': [0, 1, -1], 'is_whole': True}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('two or more others', {'sources': [0]}),
        ('two or more others', {'sources': [0, 0]}),
        ('two or more others', {'sources': [0, 3]}),
        ('no other column', {'level': 3}),
        ('no other column', {'level': 9}),
        ('no other column', {'sources': [0, 9]}),
        ('not of numbers', {'sources': [0, 4]}),
        ('one of the sources', {'picks': [0]}),
        ('one of the sources', {'picks': [0, 2, -1]}),
        ('picks', {'picks': [0, 1, -2]}),
        ('not behind', {'sources': [0, 1]}),
    ],
)
def test_choices_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    size = len(state_with(model)['encoder']['codecs'][4]['column']['counts'])
    entry = CHOICE | {'picks': [0, 1, *[-1] * (size - 2)]}
    fits = state_with(model, choices=[entry])
    assert model_state.checked_description(fits, 'model')['encoder']['choices']
    if len(changed.get('picks', ())) == 3:
        changed = {'picks': [*changed['picks'], *[-1] * (size - 3)]}
    later = entry | {'result': 1, 'sources': [0, 2]}
    state = state_with(model, choices=[entry | changed, later])
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state, 'model')


COPULA = {
    'positions': [0, 2, 3],
    'correlations': [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]],
    'scales': [1.0, 1.0, 2.0],
    'weights': [[0.7, 0.2, 0.1]] * 3,
    'reach': 0.1,
}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('two or more columns', {'positions': [0]}),
        ('two or more columns', {'positions': [0, 2, 2]}),
        ('not among', {'positions': [0, 2, 9]}),
        ('not of numbers', {'positions': [0, 2, 4]}),
        ('scales', {'scales': [1.0, 1.0]}),
        ('scales', {'scales': [1.0, 1.0, 0.0]}),
        ('weights', {'weights': [[1.0]] * 3}),
        ('leave nothing of a column', {'weights': [[0.7, 0.3, 0.0]] * 3}),
        ('not one for each pair', {'correlations': [[1.0, 0.9, 0.0]]}),
        ('from -1 to 1', {'correlations': [[1.0, 1.1, 0], [1.1, 1.0, 0.0], [0, 0, 1.0]]}),
        ('with each other', {'correlations': [[1.0, 0.9, 0], [0.1, 1.0, 0.0], [0, 0, 1.0]]}),
        ('with each other', {'correlations': [[0.5, 0.1, 0], [0.1, 1.0, 0.0], [0, 0, 1.0]]}),
        ('of no law', {'correlations': [[1.0, 1.0, 0], [1.0, 1.0, 0.0], [0, 0, 1.0]]}),
        ('of no law', {'correlations': [[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]]}),
        ('reach', {'reach': 2.0}),
    ],
)
def test_a_copula_that_does_not_fit_the_columns_is_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    fits = model_state.checked_description(state_with(model, copula=COPULA), 'model')
    assert fits['encoder']['copula'] == COPULA
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, copula=COPULA | changed), 'model')


GAP = {
    'first': 0,
    'second': 2,
    'grids': [[1.0, 0.5], [0.0, 0.0]],
    'pieces': [[-0.5, 0.5], [0.5, 2.5]],
    'shares': [0.25, 0.75],
    'rest': 0.01,
    'gain': 2.0,
}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('not of two', {'second': 0}),
        ('not of two', {'second': 9}),
        ('several numbers', {'second': 4}),
        ('in order', {'pieces': [[0.5, -0.5], [0.5, 2.5]]}),
        ('in order', {'pieces': [[-0.5, 0.5], [0.0, 2.5]]}),
        ('in order', {'pieces': [], 'shares': []}),
        ('in order', {'pieces': [[0.0, 1.0]] * 33, 'shares': [1 / 33] * 33}),
        ('pieces', {'pieces': [[-0.5, 0.5], [0.5, float('inf')]]}),
        ('one for each piece', {'shares': [1.0]}),
        ('one for each piece', {'shares': [0.25, 0.25]}),
        ('rest', {'rest': 0.0}),
        ('grids', {'grids': [[-1.0, 0.5], [0.0, 0.0]]}),
    ],
)
def test_gaps_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    fits = model_state.checked_description(state_with(model, gaps=[GAP]), 'model')
    assert fits['encoder']['gaps']
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, gaps=[GAP | changed]), 'model')


LAW = {'pieces': [[0.0, 1.0]], 'shares': [1.0], 'rest': 0.1}
LEVELS = {'position': 4, 'of_code': [0, -1], 'laws': [LAW], 'gain': 0.5}


@pytest.mark.parametrize(
    ('wrong', 'changed'),
    [
        ('none of', {'position': 99}),
        ('with gaps itself', {'position': 2}),
        ('column of levels', {'position': 1}),
        ('of_code', {'of_code': [0]}),
        ('of_code', {'of_code': [0, 1]}),
        ('of_code', {'of_code': [0, -2]}),
        ('laws', {'laws': []}),
        ('laws', {'laws': [LAW] * 65}),
        (r'laws\[0\].pieces', {'laws': [LAW | {'pieces': [[1.0, 0.0]]}]}),
        (r'laws\[0\].rest', {'laws': [LAW | {'rest': 0.0}]}),
    ],
)
def test_gaps_by_level_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, wrong: str, changed: dict[str, object]
) -> None:
    num_codes = len(state_with(model)['encoder']['codecs'][4]['column']['counts'])
    own = LEVELS | {'of_code': [0, *[-1] * (num_codes - 1)]}
    fits = model_state.checked_description(state_with(model, gaps=[GAP | {'by_level': own}]), 'm')
    assert fits['encoder']['gaps'][0]['by_level']
    state = state_with(model, gaps=[GAP | {'by_level': own | changed}])
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state, 'm')


def test_a_gap_is_of_a_pair_once(model: TabDAR) -> None:
    twice = [GAP, GAP | {'first': 2, 'second': 0}]
    with pytest.raises(Unfit, match='each once'):
        model_state.checked_description(state_with(model, gaps=twice), 'model')


SUM = {'total': 0, 'parts': [1, 2], 'digits': [0, 0, 0]}
PRODUCT = {'result': 0, 'factors': [1, 2], 'formula': 'product', 'scale': 1.0, 'digits': [0, 0, 0]}


@pytest.mark.parametrize(
    ('changed', 'wrong'),
    [
        ({'sum': None}, 'neither a sum nor a product'),
        ({'product': PRODUCT}, 'neither a sum nor a product'),
        ({'sum': {**SUM, 'parts': [1, 9]}}, 'three or more columns'),
        ({'sum': CONSTANT}, 'not of a column'),
        ({'sum': None, 'product': {**PRODUCT, 'factors': [1, 1]}}, 'two others'),
        ({'level': 9}, 'no column'),
        ({'level': 3}, 'column of numbers'),
        ({'shares': []}, 'one for each code'),
        ({'shares': [0.9, 0.9]}, 'one for each code'),
        ({'level': 4}, 'one for each code'),
        ({'shares': [1.5]}, 'shares'),
    ],
)
def test_relations_of_most_rows_that_do_not_fit_the_columns_are_refused(
    model: TabDAR, changed: dict[str, object], wrong: str
) -> None:
    entry = {'sum': SUM, 'product': None, 'shares': [0.9], 'level': None}
    fits = [entry, {**entry, 'sum': None, 'product': PRODUCT}]
    model_state.checked_description(state_with(model, mostly=fits), 'model')
    with pytest.raises(Unfit, match=wrong):
        model_state.checked_description(state_with(model, mostly=[{**entry, **changed}]), 'model')
