"""Columns that are the sum of others in all rows: which they are, and that they are saved."""

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.codecs.sums import Sum, written, written_constant
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 400
RANDOM = np.random.default_rng(3)
NET = RANDOM.gamma(2, 30, N).round(2)
TAX = RANDOM.gamma(1, 9, N).round(2)
TIP = np.where(RANDOM.random(N) < 0.7, 0.0, RANDOM.integers(1, 9, N))
CONFIG = ModelConfig(num_bins=4)


def fitted(frame: pd.DataFrame, config: ModelConfig = CONFIG) -> TableEncoder:
    return TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), config)


def found(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """The names of totals and their parts."""
    return [tuple(frame.columns[place] for place in one.columns) for one in fitted(frame).sums]


def constants(frame: pd.DataFrame) -> list[tuple[float, str]]:
    """What parts make in all rows, and the names of these parts."""
    return [
        (one.constant, ' '.join(frame.columns[place] for place in one.parts))
        for one in fitted(frame).sums
        if one.constant is not None
    ]


def shares(names: str = 'abc', total: float = 100.0, digits: int = 1) -> pd.DataFrame:
    """Columns of some digits that make a constant."""
    weights = np.random.default_rng(len(names)).dirichlet(np.ones(len(names)), N)
    frame = pd.DataFrame((weights * total).round(digits), columns=list(names))
    last = frame.columns[-1]
    frame[last] = (total - frame.drop(columns=last).sum(axis=1)).round(digits)
    return frame


def bills() -> pd.DataFrame:
    gross = (NET + TAX).round(2)
    return pd.DataFrame(
        {'paid': (gross + TIP).round(2), 'net': NET, 'tip': TIP, 'gross': gross, 'tax': TAX}
    )


@pytest.mark.parametrize('order', range(6))
def test_sums_of_sums_are_found_in_any_order_of_the_columns(order: int) -> None:
    frame = bills().sample(frac=1, axis=1, random_state=order)
    assert [one[0] for one in found(frame)] == ['gross', 'paid']
    assert [{*one[1:]} for one in found(frame)] == [{'net', 'tax'}, {'gross', 'tip'}]


def test_digits_are_those_of_each_column() -> None:
    assert fitted(bills()).sums == (Sum(3, (1, 4), (2, 2, 2)), Sum(0, (2, 3), (2, 0, 2)))
    exact = pd.DataFrame({'p': RANDOM.normal(size=N), 'q': RANDOM.normal(size=N)})
    assert fitted(exact.assign(r=exact.sum(axis=1))).sums == (Sum(2, (0, 1), (None,) * 3),)


def test_what_float32_has_left_of_a_sum_is_enough() -> None:
    parts = pd.DataFrame(RANDOM.gamma(1, 90, (N, 3)), columns=list('pqr')).astype(np.float32)
    frame = parts.assign(total=parts.sum(axis=1)).astype(float)
    assert fitted(frame).sums == (Sum(3, (0, 1, 2), (None,) * 4, is_single=True),)
    shares = frame[list('pqr')].div(frame['total'], axis=0).astype(np.float32).astype(float)
    assert fitted(shares).sums == (Sum(None, (0, 1, 2), (None,) * 3, 1.0, is_single=True),)
    frame.loc[7, 'total'] += 0.01
    assert fitted(frame).sums == ()
    cents = bills().mul(1_000_000).round(2)  # of rounded numbers each digit counts
    cents.loc[7, 'net'] += 0.01
    assert [one.parts for one in fitted(cents).sums] == [(2, 3)]


def test_a_part_that_is_rarely_there_is_one() -> None:
    fee = np.zeros(9 * N)
    fee[5::280] = 3.5
    net = RANDOM.gamma(2, 30, 9 * N).round(2)
    assert found(pd.DataFrame({'net': net, 'fee': fee, 'due': net + fee})) == [
        ('due', 'net', 'fee')
    ]


def test_two_ways_to_make_a_total() -> None:
    left = (NET * 0.3).round(2)
    frame = pd.DataFrame({'net': NET, 'tax': TAX, 'gross': NET + TAX, 'left': left})
    frame['right'] = (frame['gross'] - left).round(2)
    assert sorted(found(frame)) == [('gross', 'left', 'right'), ('gross', 'net', 'tax')]


def test_a_sum_holds_in_all_rows_that_have_its_cells() -> None:
    frame = bills()
    frame.loc[::5, 'net'] = np.nan
    frame.loc[::7, 'paid'] = np.nan
    assert len(found(frame)) == 2
    frame.loc[1, 'paid'] += 0.01
    assert found(frame) == [('gross', 'net', 'tax')]


def test_some_rows_are_enough() -> None:
    assert found(bills().head(30)) == [('gross', 'net', 'tax')]


def test_what_is_no_sum() -> None:
    few = bills().head(19)
    line = pd.DataFrame({'one': NET, 'two': 2 * NET, 'three': 3 * NET})
    copies = pd.DataFrame({'one': NET, 'same': NET, 'again': NET, 'tax': TAX})
    weighted = pd.DataFrame({'net': NET, 'tax': TAX, 'other': 2 * NET - TAX})
    constant = pd.DataFrame({'net': NET, 'fee': 3.0, 'due': NET + 3})
    shares = pd.DataFrame({'cash': NET, 'card': 500 - NET, 'tax': TAX})
    for frame in (few, line, copies, weighted, constant, shares, pd.DataFrame({'net': NET})):
        assert found(frame) == []


def test_parts_that_make_a_constant() -> None:
    assert fitted(shares()).sums == (Sum(None, (0, 1, 2), (1, 1, 1), 100.0),)
    assert constants(shares('abcdef', 24, 2)) == [(24, 'a b c d e f')]
    topics = pd.DataFrame(RANDOM.dirichlet(np.ones(5), N), columns=list('abcde'))
    assert fitted(topics).sums == (Sum(None, (0, 1, 2, 3, 4), (None,) * 5, 1.0),)
    errors = pd.DataFrame({'a': RANDOM.normal(size=N), 'b': RANDOM.normal(size=N)})
    assert constants(errors.assign(c=-errors.sum(axis=1))) == [(0, 'a b c')]
    third = errors.assign(c=1 / 3 - errors.sum(axis=1))
    assert constants(third)[0][0] == pytest.approx(1 / 3, rel=1e-14)
    is_one = pd.get_dummies(pd.Series(RANDOM.integers(0, 4, N)).map(lambda kind: 'abcd'[kind]))
    assert constants(is_one.astype('float64')) == [(1, 'a b c d')]


@pytest.mark.parametrize('order', range(4))
def test_constants_beside_each_other_and_beside_sums(order: int) -> None:
    frame = pd.concat([bills(), shares('abcd'), shares('xyz', 1, 3)], axis=1)
    frame['ab'] = (frame['a'] + frame['b']).round(1)
    frame = frame.sample(frac=1, axis=1, random_state=order)
    sums, names = fitted(frame).sums, frame.columns
    totals = {names[one.total]: {*names[[*one.parts]]} for one in sums if one.total is not None}
    assert totals == {'gross': {'net', 'tax'}, 'paid': {'gross', 'tip'}, 'ab': {'a', 'b'}}
    told = [(total, {*parts.split()}) for total, parts in constants(frame)]
    assert sorted(told, key=str) == [(1, {'x', 'y', 'z'}), (100, {'ab', 'c', 'd'})]
    for place, one in enumerate(sums):
        assert {*one.parts}.isdisjoint(later.total for later in sums[place:])


def test_the_same_shares_as_percentages_and_as_fractions() -> None:
    frame = shares()
    for name in 'abc':
        frame[name.upper()] = (frame[name] / 100).round(3)
    assert constants(frame) == [(100, 'a b c'), (1, 'A B C')]


def test_a_sum_of_shares_is_still_one() -> None:
    frame = shares().assign(fee=RANDOM.integers(0, 9, N))
    frame['due'] = frame['a'] + frame['b'] + frame['fee']
    assert found(frame) == [('due', 'a', 'b', 'fee'), ('a', 'b', 'c')]


def test_a_constant_holds_in_all_rows_without_gaps() -> None:
    frame = shares()
    frame.loc[::4, 'b'] = np.nan
    assert constants(frame) == [(100, 'a b c')]
    frame.loc[1, 'c'] += 0.1
    assert found(frame) == []
    assert found(pd.DataFrame({'a': NET, 'b': TAX, 'c': 50 + NET - TAX})) == []
    assert found(pd.DataFrame({'a': NET, 'b': NET, 'c': 500 - 2 * NET})) == []


def test_columns_that_are_mostly_empty_hide_no_sum() -> None:
    frame = bills()
    for number in range(5):
        cells = RANDOM.normal(size=N)
        frame[f'rare {number}'] = np.where(RANDOM.random(N) < 0.9, np.nan, cells)
    assert len(found(frame)) == 2


def test_a_change_that_is_known_in_some_rows_alone_is_found() -> None:
    """Of firms the year before is not known in their first one, and of others something else."""
    now, change = RANDOM.gamma(9, 40, N).round(2), RANDOM.normal(0, 9, N).round(2)
    first = np.arange(N) % 4 != 0
    frame = pd.DataFrame({'now': now, 'change': change, 'before': (now - change).round(2)})
    frame.loc[first, ['change', 'before']] = np.nan
    frame['when known'] = np.where(first, RANDOM.normal(size=N), np.nan)
    frame['rarely'] = np.where(np.arange(N) % 7 == 0, RANDOM.normal(size=N), np.nan)
    assert found(frame) == [('now', 'change', 'before')]


def test_off_there_are_none() -> None:
    assert fitted(bills(), ModelConfig(sums=False)).sums == ()
    assert fitted(bills(), ModelConfig(column_order='fixed')).sums == ()


def test_a_saved_encoder_has_the_same_and_a_former_one_none() -> None:
    encoder = fitted(bills())
    state = encoder.to_state()
    assert TableEncoder.from_state(state).sums == encoder.sums
    for one in state['sums']:
        del one['constant']
    assert TableEncoder.from_state(state).sums == encoder.sums
    del state['sums']
    assert TableEncoder.from_state(state).sums == ()
    encoder = fitted(shares())
    assert TableEncoder.from_state(encoder.to_state()).sums == encoder.sums


def test_training_goes_on_with_those_that_still_hold() -> None:
    encoder, frame = fitted(bills()), bills()
    frame.loc[0, 'paid'] += 5
    frame.loc[3, ['tax', 'gross']] += 0.001
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    assert encoder.grown(frame, kinds, CONFIG).sums == (Sum(3, (1, 4), (3, 2, 3)),)


def test_training_goes_on_with_constants_that_still_hold() -> None:
    frame = shares()
    encoder, kinds = fitted(frame), dict.fromkeys(frame, ColumnKind.NUMERICAL)
    frame.loc[0] = [20.25, 30.25, 49.5]
    (kept,) = encoder.grown(frame, kinds, CONFIG).sums
    assert kept == Sum(None, (0, 1, 2), (2, 2, 1), 100.0)
    frame.loc[0, 'a'] += 1
    assert encoder.grown(frame, kinds, CONFIG).sums == ()


def test_what_is_written_names_all_parts() -> None:
    assert written_constant('bcd', 100.0) == "'b', 'c' and 'd' make 100"
    assert written_constant('bcd', 0.1 + 0.2) == "'b', 'c' and 'd' make 0.3"
    assert written(['b', 'c']) == "the sum of 'b' and 'c'"
    assert written('bcd') == "the sum of 'b', 'c' and 'd'"


def test_from_files_they_are_what_they_are_from_a_frame(tmp_path) -> None:
    frame = pd.concat([bills(), shares()], axis=1)
    with StoredTable(tmp_path, dict.fromkeys(frame, ColumnKind.NUMERICAL)) as stored:
        for start in range(0, N, 150):
            stored.append(frame[start : start + 150])
        sums = TableEncoder.fit(stored, stored.kinds, CONFIG).sums
    assert len(sums) == 3
    assert sums == fitted(frame).sums
