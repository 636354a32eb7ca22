"""A formula tells each of its three numbers by the two others."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.core.codecs.formulas import NAMES, UNITS, Formula
from sdv_tabdar.core.codecs.products import Product

X, Y = np.array([3.0, 0.5, 80.0, 1e200]), np.array([4.0, 9.0, 0.2, 1.0])
RESULTS = {
    'product': X * Y,
    'sum': X + Y,
    'excess': np.maximum(X - Y, 0.0),
    'quotient': X / Y,
    'per_square': X / Y**2,
    'increased': X * (1 + Y),
    'reduced': X * (1 - Y),
    'change': X / Y - 1,
    'rest': 1 - X / Y,
    'share': X / (X + Y),
    'balance': (X - Y) / (X + Y),
    'between': X - Y,
    'about_between': X - Y,
    'whole_between': X - Y - 0.5 + 1e-9,
}


@pytest.mark.parametrize('name', NAMES)
def test_each_number_follows_from_the_others(name: str) -> None:
    formula, result = Formula(name), RESULTS[name]
    assert formula.result(X, Y) == pytest.approx(result)
    own = formula.tells(result) & (X < 1e200)  # beside which a 1 is nothing
    assert formula.x(result[own], Y[own]) == pytest.approx(X[own])
    assert formula.y(result[own], X[own]) == pytest.approx(Y[own])


@pytest.mark.parametrize('name', NAMES)
def test_in_per_cent_it_is_the_same(name: str) -> None:
    if name.endswith('between'):
        assert Formula(name, 4.0).result(4 * X, 4 * Y) == pytest.approx(RESULTS[name])
    elif name in ('sum', 'increased', 'reduced'):
        assert Formula(name, 0.01).result(X, 100 * Y) == pytest.approx(RESULTS[name])
    else:
        assert Formula(name, 100.0).result(X, Y) == pytest.approx(100 * RESULTS[name])


def test_what_there_is_not_is_not_finite() -> None:
    zero, one = np.zeros(1), np.ones(1)
    assert np.isnan(Formula('share').result(zero, zero))
    assert np.isinf(Formula('change').result(one, zero))
    assert not np.isfinite(Formula('share', 100.0).x(100 * one, one))
    assert not np.isfinite(Formula('quotient').y(zero, zero))


@pytest.mark.parametrize(
    ('formula', 'text'),
    [
        (Formula('product'), "'a' * 'b'"),
        (Formula('product', 0.01), "'a' * 'b' / 100"),
        (Formula('quotient'), "'a' / 'b'"),
        (Formula('quotient', 1000.0), "'a' / 'b' * 1000"),
        (Formula('increased', 0.01), "'a' * (1 + 'b' / 100)"),
        (Formula('per_square', 1e4), "'a' / 'b'^2 * 10000"),
        (Formula('rest'), "('b' - 'a') / 'b'"),
        (Formula('change', 100.0), "('a' - 'b') / 'b' * 100"),
        (Formula('share'), "'a' / ('a' + 'b')"),
        (Formula('between', UNITS['days']), "'a' - 'b' in days"),
        (Formula('whole_between', UNITS['hours']), "'a' - 'b' in whole hours"),
    ],
)
def test_it_is_written_as_arithmetic(formula: Formula, text: str) -> None:
    assert formula.written('a', 'b') == text


def test_dates_are_exact() -> None:
    days, day = np.array([3.0, 40.0]), UNITS['days']
    start = np.array([1.7e18 // day, 1.9e18 // day]) * day
    formula = Formula('between', day)
    end = formula.x(days, start)
    assert (end == start + days * day).all()
    assert (formula.result(end, start) == days).all()
    assert (formula.y(days, end) == start).all()


@pytest.mark.parametrize(('name', 'digits'), [('whole_between', 0), ('about_between', 1)])
def test_a_date_that_is_moved_keeps_what_it_has_beside_the_unit(name: str, digits: int) -> None:
    random = np.random.default_rng(0)
    hour = UNITS['hours']
    second = random.integers(0, 10_000, 200) * 6e10
    before = second + random.integers(0, 3_000, 200) * 6e10 + 7e9  # never half a unit
    product = Product(0, (1, 2), Formula(name, hour), (digits, 0, 0))
    results = random.integers(0, 50, 200) + random.integers(0, 10**digits, 200) / 10**digits

    moved = product.first(results, second, before)

    assert product.holds(results, moved, second).all()
    earlier = product.second(results, before, second)
    assert product.holds(results, before, earlier).all()
    np.testing.assert_allclose(moved - before, second - earlier)
    steps = (moved - before) / (hour / 10**digits)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
    same = product.first(product.of(before, second), second, before)
    np.testing.assert_array_equal(same, before)
