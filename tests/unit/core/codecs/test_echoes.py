"""Columns that often have the number of an earlier one: which they are, and what is counted."""

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs.echoes import (
    Echo,
    behind_sources,
    echoed,
    find_echoes,
    sources_last_first,
)
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Line
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

CONFIG = ModelConfig(num_bins=4)
ROWS = 1_000


def bills(share: float) -> pd.DataFrame:
    """Bills, of which a share is paid in full and some of the rest are not paid at all."""
    generator = np.random.default_rng(0)
    bill = generator.gamma(2, 100, ROWS)
    paid = np.where(generator.random(ROWS) < share, bill, bill * generator.random(ROWS))
    paid[::10] = 0.0
    return pd.DataFrame({'age': generator.normal(50, 9, ROWS), 'bill': bill, 'paid': paid})


def fitted(frame: pd.DataFrame, config: ModelConfig = CONFIG) -> TableEncoder:
    return TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), config)


def encode_all(encoder: TableEncoder, frame: pd.DataFrame) -> np.ndarray:
    return encoder.encode_all(frame).codes.numpy()


def test_the_later_column_has_the_number_of_the_earlier_one() -> None:
    frame = bills(0.3)
    (echo,) = fitted(frame).echoes
    same = int((frame['bill'] == frame['paid']).sum())
    assert (echo.position, echo.source, echo.counts[-1]) == (2, 1, same)
    assert sum(echo.counts) == ROWS
    turned = frame[['paid', 'age', 'bill']]
    assert [(echo.position, echo.source) for echo in fitted(turned).echoes] == [(2, 0)]


def test_few_equal_numbers_are_no_echo() -> None:
    assert not fitted(bills(0.015)).echoes


def test_equal_atoms_are_no_echo() -> None:
    frame = bills(0.0)
    frame.loc[::10, 'bill'] = 0.0
    assert not fitted(frame).echoes


@pytest.mark.parametrize('order', [('marks', 'completed'), ('completed', 'marks')])
def test_a_column_completes_another_of_nothing_but_atoms(order: tuple[str, str]) -> None:
    generator = np.random.default_rng(0)
    marks = generator.integers(0, 100, ROWS).astype(float)
    marks[generator.random(ROWS) < 0.3] = np.nan
    guesses = generator.normal(50, 20, ROWS)
    completed = np.where(np.isnan(marks), guesses, marks)
    frame = pd.DataFrame({'marks': marks, 'completed': completed})[[*order]]
    (echo,) = fitted(frame).echoes
    assert (order[echo.position], order[echo.source]) == ('completed', 'marks')
    assert echo.line.is_same
    assert echo.always
    frame.loc[frame['marks'].notna().idxmax(), 'completed'] += 1
    (echo,) = fitted(frame).echoes
    assert (order[echo.position], echo.always) == ('completed', False)
    frame['completed'] = np.where(generator.random(ROWS) < 0.5, marks, guesses)
    (echo,) = fitted(frame).echoes
    assert echo.counts[-1] == (frame['completed'] == frame['marks']).sum()


def stays(share: float, apart: int = 20) -> pd.DataFrame:
    """Days in hospital, and the day of an order: in a share of the rows the last one."""
    generator = np.random.default_rng(0)
    days = 1 + generator.poisson(generator.gamma(2, 8, 3_000))
    earlier = (days - 1 - generator.integers(0, apart, 3_000)).clip(min=0)
    ordered = np.where(generator.random(3_000) < share, days, earlier)
    return pd.DataFrame({'days': days, 'ordered': ordered}, dtype=float)


def test_many_atoms_that_follow_do_so_as_one() -> None:
    frame = stays(0.5)
    encoder = fitted(frame)
    (echo,) = encoder.echoes
    assert (echo.position, echo.source, echo.always) == (1, 0, False)
    codes, same = encode_all(encoder, frame)[:, 1], (frame['days'] == frame['ordered']).to_numpy()
    follow = np.isin(frame['ordered'], echo.atoms)
    assert ((codes == echo.code) >= (same & follow)).all()
    assert (same & follow).sum() > 0.9 * same.sum()
    assert ((codes == echo.code) <= same).all()
    assert Echo.from_state(echo.to_state()) == echo


def test_numbers_that_are_only_close_do_not_follow() -> None:
    assert not fitted(stays(0.0, apart=3)).echoes


def test_few_atoms_that_follow_are_learnt_one_by_one() -> None:
    frame = stays(0.5).clip(upper=6)
    assert not fitted(frame).echoes


def test_numbers_that_are_equal_by_chance_are_no_echo() -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.integers(0, 15, (ROWS, 2)) * 1.0, columns=['a', 'b'])
    codecs = [NumericalCodec.fit(name, frame[name], ModelConfig(max_atoms=0)) for name in frame]
    assert (frame['a'] == frame['b']).mean() > 0.02
    assert not find_echoes(frame, codecs)


def test_off_there_are_none() -> None:
    assert not fitted(bills(0.3), ModelConfig(num_bins=4, echoes=False)).echoes


def test_of_several_sources_the_most_frequent_one_counts() -> None:
    frame = bills(0.3).assign(again=lambda frame: frame['bill'])
    assert [(echo.position, echo.source) for echo in fitted(frame).echoes] == [(2, 1), (3, 1)]


def test_an_echo_is_the_number_of_its_source_to_the_last_digit() -> None:
    frame = bills(0.3)
    encoder = fitted(frame)
    table = encoder.encode_all(frame)
    same = (frame['bill'] == frame['paid']).to_numpy()
    assert np.array_equal(table.codes[:, 2].numpy() == encoder.echoes[0].code, same)
    assert not table.residuals[same, 2].any()
    decoded = encoder.decode(table, generator=None)
    assert np.array_equal(decoded['bill'] == decoded['paid'], same)
    assert np.array_equal(encoder.numbers(table, 2), decoded['paid'])


def test_a_cell_without_its_source_has_a_code_of_its_own() -> None:
    frame = bills(0.3)
    encoder = fitted(frame)
    alone = encoder.encode(frame[['paid']], np.ones((ROWS, 1), dtype=bool))
    assert (alone.codes[:, 2] < encoder.echoes[0].code).all()


def test_the_density_of_an_echo_is_a_mass() -> None:
    frame = bills(0.3)
    volumes = fitted(frame).log_volume(frame, np.ones(frame.shape, dtype=bool))
    same = (frame['bill'] == frame['paid']).to_numpy()
    assert not volumes[same, 2].any()
    assert volumes[~same & (frame['paid'] > 0), 2].all()


def test_missing_numbers_are_not_the_same() -> None:
    frame = bills(0.3)
    codec = NumericalCodec.fit('paid', frame['paid'], CONFIG)
    own, source = np.array([1.5, np.nan, 0.0]), np.array([1.5, np.nan, 0.0])
    assert echoed(codec, Echo(0, 1, Line(), (1, 1)), own, source).tolist() == [True, False, False]


def test_from_files_it_is_what_it_is_from_a_frame(tmp_path) -> None:
    frame = bills(0.3)
    with StoredTable(tmp_path, dict.fromkeys(frame, ColumnKind.NUMERICAL)) as table:
        for start in range(0, ROWS, 300):
            table.append(frame[start : start + 300])
        encoder = TableEncoder.fit(table, table.kinds, CONFIG)
        encoded = encoder.encode_all(table)
    expected = fitted(frame)
    assert encoder.echoes == expected.echoes
    assert np.array_equal(encoded.codes.numpy(), encode_all(expected, frame))


def test_a_saved_encoder_has_the_same_echoes() -> None:
    encoder = fitted(bills(0.3))
    again = TableEncoder.from_state(encoder.to_state())
    assert again.echoes == encoder.echoes
    assert again.schema == encoder.schema


def test_a_state_from_before_there_were_echoes_has_none() -> None:
    state = fitted(bills(0.3)).to_state()
    del state['echoes']
    assert not TableEncoder.from_state(state).echoes


def test_training_goes_on_with_the_same_echoes() -> None:
    frame = bills(0.3)
    before = fitted(frame)
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    now = before.grown(bills(0.0), kinds, CONFIG)
    assert [echo.counts[-1] for echo in now.echoes] == [1]
    codes = now.codes_in(before)[2].tolist()
    assert codes[-1] == before.echoes[0].code
    assert len(codes) == now.schema.columns[2].num_codes


@pytest.mark.parametrize('rows', [1, 2, 30])
def test_small_tables_have_none(rows: int) -> None:
    frame = bills(1.0).head(rows)
    assert [echo.counts[-1] for echo in fitted(frame).echoes] in ([], [(frame['paid'] > 0).sum()])


def test_its_code_is_behind_the_others() -> None:
    assert Echo(2, 1, Line(), (5, 4, 3)).code == 2


def shares(slope: float, shift: float, share: float) -> pd.DataFrame:
    """Numbers, and others of which a share lies on a line of the first ones."""
    generator = np.random.default_rng(0)
    first = generator.random(ROWS).round(6)
    on_it = generator.random(ROWS) < share
    second = np.where(on_it, shift + slope * first, generator.normal(size=ROWS)).round(9)
    return pd.DataFrame({'first': first, 'second': second})


@pytest.mark.parametrize(
    ('slope', 'shift'), [(-1, 1), (1, 30), (100, 0), (-0.5, 0), (1.8, 32), (1e6, -2.5e9)]
)
def test_a_column_may_follow_by_a_line(slope: float, shift: float) -> None:
    frame = shares(slope, shift, 0.5)
    encoder = fitted(frame)
    (echo,) = encoder.echoes
    assert (echo.line.slope, echo.line.shift) == (slope, shift)
    assert echo.counts[-1] == pytest.approx(ROWS / 2, abs=60)
    decoded = encoder.decode(encoder.encode_all(frame), generator=None)
    on_it = echo.line.holds(*(frame[name].to_numpy() for name in ('second', 'first')))
    expected = echo.line.of(decoded['first'].to_numpy())
    assert np.array_equal(decoded['second'][on_it], expected[on_it])
    assert np.allclose(expected, shift + slope * frame['first'], rtol=0.01, atol=0.01)


def test_lines_may_have_any_digits() -> None:
    frame = shares(1 / 3, 2 / 7, 0.0)
    frame['second'] = frame['first'] / 3 + 2 / 7
    (echo,) = fitted(frame).echoes
    assert echo.counts[-1] == ROWS
    assert (echo.line.slope, echo.line.shift) == pytest.approx((1 / 3, 2 / 7), rel=1e-12)


def test_lines_of_numbers_of_any_size_have_the_fewest_digits() -> None:
    generator = np.random.default_rng(0)
    first = generator.normal(size=ROWS) * 1e9
    frame = pd.DataFrame({'first': first, 'second': 2 * first - 1000.5})
    (echo,) = fitted(frame).echoes
    assert (echo.line.slope, echo.line.shift) == (2, -1000.5)


def test_lines_with_few_rows_or_by_chance_are_no_echo() -> None:
    assert not fitted(shares(-1, 1, 0.03)).echoes
    assert not fitted(shares(-1, 1, 0.0)).echoes
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.integers(0, 12, (ROWS, 2)) * 1.0, columns=['a', 'b'])
    codecs = [NumericalCodec.fit(name, frame[name], ModelConfig(max_atoms=0)) for name in frame]
    assert not find_echoes(frame, codecs)


def test_the_same_number_comes_before_a_line_that_holds_as_often() -> None:
    frame = bills(1.0)
    frame['half'] = frame['bill'] / 2
    lines = {echo.position: (echo.source, echo.line) for echo in fitted(frame).echoes}
    assert lines == {2: (1, Line()), 3: (1, Line(0.5))}


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('largest', [1e300, 1.7e308, 1e-300])
def test_numbers_of_any_size_are_searched(largest: float) -> None:
    generator = np.random.default_rng(0)
    first = generator.normal(size=ROWS) * (largest / 8)
    frame = pd.DataFrame({'first': first, 'second': -first, 'third': generator.random(ROWS)})
    frame.loc[::7, 'first'] = np.nan
    frame.loc[::50, 'third'] = 0.25 * largest
    assert [(echo.position, echo.line.slope) for echo in fitted(frame).echoes] == [(1, -1)]


def prices() -> pd.DataFrame:
    """Gross prices before the net ones that they were made of, and what has been paid of them."""
    generator = np.random.default_rng(2)
    net = generator.gamma(2, 100, ROWS).round(2)
    gross = np.round(1.19 * net, 2)
    paid = np.where(generator.random(ROWS) < 0.6, gross, generator.gamma(2, 100, ROWS).round(2))
    return pd.DataFrame({'paid': paid, 'gross': gross, 'net': net})


def test_rounded_numbers_follow_from_those_that_they_were_made_of() -> None:
    frame = prices()
    encoder = fitted(frame)
    lines = {echo.position: (echo.source, echo.line.slope) for echo in encoder.echoes}
    assert lines == {1: (2, 1.19), 0: (1, 1.0)}
    decoded = encoder.decode(encoder.encode_all(frame), generator=np.random.default_rng(0))
    assert (np.round(1.19 * decoded['net'].round(2), 2) == decoded['gross']).all()
    assert (decoded['paid'] == decoded['gross']).sum() == (frame['paid'] == frame['gross']).sum()
    # Where several numbers do become one, it is the one that follows.
    coarse = pd.DataFrame({'fine': frame['net'], 'coarse': np.round(0.8 * frame['net'], 2)})
    assert [(echo.position, echo.source) for echo in fitted(coarse).echoes] == [(1, 0)]


def test_what_came_before_follows_from_what_is_turned() -> None:
    frame = prices()[['gross', 'net']]
    frame.insert(1, 'due', np.round(frame['gross'] + 5, 2))
    frame.loc[::6, 'gross'] = np.nan
    lines = {echo.position: (echo.source, echo.line.slope) for echo in fitted(frame).echoes}
    assert lines == {1: (2, 1.19), 0: (1, 1.0)}


def means() -> pd.DataFrame:
    """Means, often of a single number, with the least and the greatest, which are whole."""
    generator = np.random.default_rng(3)
    least = generator.gamma(2, 500, ROWS).round()
    greatest = np.where(generator.random(ROWS) < 0.5, least, least + generator.integers(1, 900))
    mean = np.where(least == greatest, least, least + generator.random(ROWS))
    return pd.DataFrame({'mean': mean, 'least': least, 'greatest': greatest})


@pytest.mark.parametrize('order', [('mean', 'least'), ('least', 'mean')])
def test_a_number_of_more_digits_follows_from_one_of_fewer(order: tuple[str, str]) -> None:
    frame = means()[[*order]]
    encoder = fitted(frame)
    own, source = order.index('mean'), order.index('least')
    assert [(echo.position, echo.source) for echo in encoder.echoes] == [(own, source)]
    assert encoder.echoes[0].line == Line(source_digits=0)
    decoded = encoder.decode(encoder.encode_all(frame), generator=torch.Generator())
    pd.testing.assert_series_equal(decoded['least'], frame['least'])
    assert ((decoded['mean'] == decoded['least']) == (frame['mean'] == frame['least'])).all()


def test_the_digits_of_all_rows_count() -> None:
    generator = np.random.default_rng(4)
    mean = generator.gamma(2, 500, 25_000)
    least = np.where(generator.random(25_000) < 0.5, mean.round(), (mean / 2).round())
    mean = np.where(mean.round() == least, least, mean)
    least[1] = 0.125  # in a row that the search does not look at
    frame = pd.DataFrame({'mean': mean, 'least': least})
    assert [echo.line for echo in fitted(frame).echoes] == [Line(source_digits=3)]


def test_echoes_are_behind_their_sources() -> None:
    frame = prices()[['gross', 'paid', 'net']]
    encoder = fitted(frame)
    assert [(echo.position, echo.source) for echo in encoder.echoes] == [(0, 2), (1, 0)]
    assert sources_last_first(encoder.echoes) == [0, 2]
    assert behind_sources({1: 0, 2: 1, 4: 1}) == [1, 2, 4]
    assert behind_sources({1: 3, 3: 4, 5: 0}) == [3, 1, 5]
