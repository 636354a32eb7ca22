"""Charts as geometry."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation.report import charts


def test_picture_is_a_png():
    assert charts.density_image(np.eye(3), 1.0, (1, 2, 3)).startswith('iVBORw0KGgo')


@pytest.mark.parametrize(
    ('value', 'text'),
    [(0.0, '0'), (12345.0, '12.35k'), (2.5e7, '2.5e7'), (250.4, '250'), (np.nan, '-')],
)
def test_numbers_on_axes_are_short(value, text):
    assert charts.number_text(value) == text


def test_histogram_draws_both_on_common_edges():
    chart = charts.histogram([0.0, 1.0, 2.0], [0.25, 0.75], [0.5, 0.5], label='x')
    assert chart['line'] is not None
    assert [tip['tip'] for tip in chart['tips']] == [
        '0 to 1: real 25 %, synthetic 50 %',
        '1 to 2: real 75 %, synthetic 50 %',
    ]
    assert [tick['text'] for tick in chart['ticks']] == ['0', '1', '2']


def test_bins_of_whole_numbers_are_named_by_the_number():
    chart = charts.histogram([0.5, 1.5, 2.5], [0.5, 0.5], None)
    assert chart['line'] is None
    assert [tip['tip'] for tip in chart['tips']] == ['1: real 50 %', '2: real 50 %']


def test_bars_are_as_long_as_their_shares():
    bars = charts.category_bars(['a', 'b' * 30], [0.8, 0.2], [0.4, 0.6])['bars']
    assert float(bars[0]['real']['width']) == pytest.approx(4 * float(bars[1]['real']['width']))
    assert bars[1]['label'] == 'b' * 14 + '…'
    (bar,) = charts.importance_bars(['a'], [0.5], ['a: 50 %'])['bars']
    assert (bar['share'], bar['tip']) == ('50 %', 'a: 50 %')


def test_undefined_pairs_have_no_shade():
    errors = np.array([[np.nan, 0.5, np.nan], [0.5, np.nan, 0.1], [np.nan, 0.1, np.nan]])
    cells = charts.error_heat_map(['a', 'b', 'c'], errors)['cells']
    assert len(cells) == 6
    assert [cell['opacity'] for cell in cells[:2]] == ['1.000', None]
    assert cells[1]['tip'] == 'a x c: undefined'


def test_gauge_marks_the_floor_if_there_is_one():
    assert charts.gauge(0.4, np.nan, 'low', 'high')['tick'] is None
    tick = charts.gauge(0.4, 0.99, 'low', 'high')['tick']
    assert (tick['text'], tick['anchor']) == ('real data: 0.990', 'end')


def test_dots_lie_on_their_intervals():
    chart = charts.interval_dots(
        ['a', 'b'], [(0.6, 0.5, 0.7), (0.9, 0.8, 1.0)], [0.55, np.nan], ['', '']
    )
    assert float(chart['height']) > 2 * 20
    for row in chart['rows']:
        assert float(row['low']) < float(row['x']) < float(row['high'])
    assert float(chart['rows'][0]['usual']) > 0 == float(chart['rows'][1]['usual'])
    assert float(chart['guess']) == float(chart['rows'][0]['low'])
