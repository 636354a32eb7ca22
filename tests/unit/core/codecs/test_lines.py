"""Lines on which numbers of two columns lie: what they say, and that they are found."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.core.codecs.lines import Line, digits_of, lines_through, rounded

ROWS = 2_000
VAT = Line(1.19, 0.0, 2, 2)


def found(own: np.ndarray, source: np.ndarray) -> list[Line]:
    digits = digits_of(own), [digits_of(source)]
    return [line for _, line in lines_through(own, source[None], *digits)]


def prices() -> np.ndarray:
    return np.random.default_rng(0).gamma(2, 150, ROWS).round(2)


def some(numbers: np.ndarray, share: float, scatter: float) -> np.ndarray:
    """A share of the numbers, others elsewhere, with as many digits."""
    generator = np.random.default_rng(1)
    others = (numbers + generator.normal(0, scatter, numbers.size)).round(digits_of(numbers))
    return np.where(generator.random(numbers.size) < share, numbers, others)


@pytest.mark.parametrize(
    'line',
    [
        VAT,
        Line(1.19, 4.9, 2, 2),
        Line(1.0873, 0.0, 2, 2),
        Line(-2.45, 1000.0, 2, 2),
        Line(0.97, 0.0, 2, 2),
    ],
)
@pytest.mark.parametrize('share', [0.3, 1.0])
def test_rounded_numbers_are_found_on_their_line(line: Line, share: float) -> None:
    source = prices()
    own = some(line.of(source), share, 50)
    best = max(found(own, source), key=lambda line: int(line.holds(own, source).sum()))
    assert best == line


def test_degrees_are_turned_into_others() -> None:
    celsius = np.random.default_rng(0).normal(12, 8, ROWS).round(1)
    fahrenheit = (1.8 * celsius + 32).round(1)
    assert Line(1.8, 32.0, 1, 1) in found(fahrenheit, celsius)


def test_the_way_back_from_a_rounded_number_holds_for_nearly_all() -> None:
    gross = VAT.of(prices())
    net = (gross / 1.19).round(2)
    best = max(found(net, gross), key=lambda line: int(line.holds(net, gross).sum()))
    assert best.holds(net, gross).mean() > 0.98
    assert best.slope == pytest.approx(1 / 1.19, rel=1e-5)


def test_what_rounding_makes_alike_is_no_line() -> None:
    source = prices()
    assert found((source / 10).round(1), source) == []
    assert found(source.round(0), source) == []


def test_scattered_numbers_lie_on_no_line() -> None:
    source, generator = prices(), np.random.default_rng(2)
    own = (source * 1.19 + generator.normal(0, 5, ROWS)).round(2)
    assert not [line for line in found(own, source) if line.holds(own, source).mean() > 0.05]
    assert found(generator.normal(size=ROWS), source) == []


def test_missing_numbers_and_few_rows_are_no_trouble() -> None:
    source = prices()
    own = VAT.of(source)
    own[::3], source[::4] = np.nan, np.nan
    assert VAT in found(own, source)
    assert found(np.full(ROWS, np.nan), source) == []
    for rows in (0, 1, 2, 19):
        assert found(own[:rows], source[:rows]) == []


@pytest.mark.parametrize(
    ('numbers', 'digits'),
    [
        ([1.0, 20.0, np.nan], 0),
        ([0.1, 0.25], 2),
        ([1 / 3], None),
        ([1e15 + 1], 0),
        ([0.1 + 0.2], 1),
        ([], 0),
    ],
)
def test_digits_behind_the_point(numbers: list[float], digits: int | None) -> None:
    assert digits_of(np.array(numbers)) == digits


def test_decimals_that_stand_for_float32_are_no_digits() -> None:
    random = np.random.default_rng(0)
    logs = np.log(random.gamma(3, 8, 200)).astype(np.float32)
    written = logs.astype(str).astype(np.float64)
    assert written[0] != logs[0]
    assert digits_of(written) is None
    assert digits_of(written[:1].round(8) + 1e-8) == 8  # of no float32 the shortest
    prices = (random.gamma(3, 8, 200) * 1e6).round(2)
    for numbers in (prices, prices.round(), prices.astype(np.float32).round(-3).astype(float)):
        assert digits_of(numbers) is not None
    assert digits_of(random.random(200).astype(np.float32).round(3).astype(str).astype(float)) == 3


def test_back_and_forth_is_where_it_came_from() -> None:
    for own in VAT.of(prices())[:50]:
        assert VAT.of(VAT.back(float(own))) == own


@pytest.mark.parametrize(
    ('line', 'text'),
    [
        (Line(), "'a'"),
        (Line(-1, 1), "1 - 'a'"),
        (Line(1, -30), "'a' - 30"),
        (Line(1.8, 32), "1.8 * 'a' + 32"),
        (Line(-0.5), "0 - 0.5 * 'a'"),
        (VAT, "1.19 * 'a', rounded"),
    ],
)
def test_lines_are_told_as_formulas(line: Line, text: str) -> None:
    assert line.written('a') == text


@pytest.mark.parametrize(
    ('line', 'text'),
    [
        (Line(1, 30 * 86_400e9), "'a' + 30 days"),
        (Line(1, -5_400e9), "'a' - 0 days 01:30:00"),
        (Line(), "'a'"),
        (Line(-1, 1), "1 - 'a'"),
        (Line(1, 1e19), "'a' + 1e+19"),
    ],
)
def test_of_dates_they_are_told_as_times(line: Line, text: str) -> None:
    assert line.written('a', of_dates=True) == text


def test_a_line_back_is_where_it_came_from() -> None:
    numbers = np.array([0.1, -3.0, 1e6, np.nan])
    for line in (Line(), Line(-1, 1), Line(1.8, 32), Line(1e-3, 5)):
        np.testing.assert_allclose(line.back(line.of(numbers)), numbers, rtol=1e-9)
        assert line.holds(line.of(numbers), numbers).tolist() == [True, True, True, False]
        assert not line.holds(line.of(numbers) + 0.001, numbers).any()


@pytest.mark.parametrize('divisor', [0.84, 0.93, 1.37, 2.21, -3.0])
def test_the_ends_of_a_source_lead_to_those_of_its_column(divisor: float) -> None:
    source = np.random.default_rng(0).normal(50, 20, 200).round(2)
    own = source / divisor + 3.3  # whose last digit is not that of a product
    line = Line(1 / divisor, 3.3)
    assert line.leads_into(source, own.min(), own.max()).all()
    assert not line.leads_into(np.array([source.max() + 0.01]), own.min(), own.max()).any()
    assert not line.leads_into(np.array([np.nan]), own.min(), own.max()).any()


@pytest.mark.parametrize('size', [1.0, 2_000.0, 1e6, 1e9])
def test_rounding_to_the_digits_that_numbers_have_changes_none(size: float) -> None:
    numbers = size * np.random.default_rng(0).uniform(1, 9, 200)
    written = np.array([float(f'{number:.15g}') for number in numbers])
    np.testing.assert_array_max_ulp(rounded(written, digits_of(written)), written, 1)
    assert digits_of(written.round(2)) == 2
    assert size > 1e6 or digits_of(np.cumsum(written.round(2))) == 2  # but for what computing left
