"""Sums and products that hold in most rows: which are found, how often, and that they last."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.mostly import Mostly
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 1_000
CONFIG = ModelConfig(num_bins=4)


def invoices(share: float, seed: int = 0) -> pd.DataFrame:
    """Lines of invoices, and what is paid of three parts; in some rows either is wrong."""
    random = np.random.default_rng(seed)
    quantity, price = random.integers(1, 40, N).astype(float), random.gamma(2, 20, N).round(2)
    is_wrong = random.random((2, N)) >= share
    amount = np.where(is_wrong[0], random.gamma(2, 300, N), quantity * price).round(2)
    fee, tax, net = (random.gamma(2, size, N).round(2) for size in (3, 9, 50))
    paid = (net + tax + fee - is_wrong[1] * random.uniform(1, 9, N)).round(2)
    columns = {'fee': fee, 'quantity': quantity, 'price': price, 'amount': amount}
    return pd.DataFrame({**columns, 'tax': tax, 'net': net, 'paid': paid})


def fitted(frame: pd.DataFrame, config: ModelConfig = CONFIG, *levels: str) -> TableEncoder:
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    return TableEncoder.fit(
        frame, {**kinds, **dict.fromkeys(levels, ColumnKind.CATEGORICAL)}, config
    )


def found(encoder: TableEncoder) -> dict[str, set[str]]:
    """The names of results, and of what makes them."""
    names = encoder.schema.names
    return {names[one.result]: {names[at] for at in one.columns[1:]} for one in encoder.mostly}


def test_sums_and_products_of_most_rows_are_found() -> None:
    encoder = fitted(invoices(0.98))
    assert found(encoder) == {'amount': {'price', 'quantity'}, 'paid': {'fee', 'net', 'tax'}}
    assert all(0.96 < one.shares[0] < 0.995 for one in encoder.mostly)
    assert not encoder.sums
    assert not encoder.products


def test_what_is_made_of_two_may_fail_more_often() -> None:
    assert found(fitted(invoices(0.85))) == {'amount': {'price', 'quantity'}}
    assert not found(fitted(invoices(0.7)))


def test_gaps_are_no_exceptions() -> None:
    frame = invoices(0.98).mask(np.random.default_rng(1).random((N, 7)) < 0.05)
    assert found(fitted(frame)) == {'amount': {'price', 'quantity'}, 'paid': {'fee', 'net', 'tax'}}


def test_what_holds_in_all_rows_is_not_among_them() -> None:
    encoder = fitted(invoices(1.0))
    assert not encoder.mostly
    assert encoder.sums
    assert encoder.products


def test_numbers_that_are_another_one_but_for_few_are_no_sum() -> None:
    random = np.random.default_rng(0)
    base, more = random.gamma(2, 20, N).round(2), random.gamma(2, 3, N).round(2)
    more *= np.arange(N) % 12 == 0
    total = (base + more * (random.random(N) < 0.7)).round(2)
    encoder = fitted(pd.DataFrame({'base': base, 'more': more, 'total': total}))
    assert not encoder.mostly


def test_levels_that_are_numbers_multiply_and_do_not_add_up() -> None:
    frame = invoices(0.9)
    frame['both'] = frame['quantity'] + frame['price'].round() + (np.arange(N) % 20 == 0)
    encoder = fitted(frame, CONFIG, 'quantity')
    assert found(encoder) == {'amount': {'price', 'quantity'}}


def test_settings_turn_them_off() -> None:
    frame = invoices(0.98)
    assert found(fitted(frame, ModelConfig(num_bins=4, sums=False))).keys() == {'amount'}
    assert found(fitted(frame, ModelConfig(num_bins=4, products=False))).keys() == {'paid'}


def test_a_level_may_say_how_often() -> None:
    random, frame = np.random.default_rng(2), invoices(1.0)
    by_phone = random.random(N) < 0.3
    wrong = by_phone & (random.random(N) < 0.5)
    frame.loc[wrong, 'amount'] += 1.25
    frame['way'] = np.where(by_phone, 'phone', 'web')
    (one,) = fitted(frame, CONFIG, 'way').mostly
    assert one.level == frame.columns.get_loc('way')
    codec = fitted(frame, CONFIG, 'way').codecs[one.level]
    codes = codec.encode(pd.Series(['phone', 'web'], name='way'))[0].astype(np.int64)
    by_level = one.probabilities(codes)
    assert abs(by_level[0] - 0.5) < 0.1
    assert by_level[1] > 0.99


def test_another_table_keeps_those_that_hold_in_most_of_its_rows() -> None:
    frame = invoices(0.98)
    encoder, kinds = fitted(frame), dict.fromkeys(frame, ColumnKind.NUMERICAL)
    again = encoder.grown(invoices(0.9, seed=3), kinds, CONFIG)
    assert found(again) == found(encoder)
    assert all(0.87 < one.shares[0] < 0.93 for one in again.mostly)
    assert not encoder.grown(invoices(0.5, seed=3), kinds, CONFIG).mostly
    exact = encoder.grown(invoices(1.0, seed=3), kinds, CONFIG)
    assert [one.shares for one in exact.mostly] == [(1.0,), (1.0,)]


def test_they_last() -> None:
    encoder = fitted(invoices(0.98))
    assert tuple(Mostly.from_state(one.to_state()) for one in encoder.mostly) == encoder.mostly
    assert TableEncoder.from_state(encoder.to_state()).mostly == encoder.mostly


def test_from_files_they_are_what_they_are_from_a_frame(tmp_path: Path) -> None:
    frame = invoices(0.98)
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    with StoredTable(tmp_path, kinds) as stored:
        for start in range(0, N, 300):
            stored.append(frame[start : start + 300])
        mostly = TableEncoder.fit(stored, kinds, CONFIG).mostly
    assert mostly == fitted(frame).mostly


def test_those_that_hold_stand_beside_those_of_all_rows() -> None:
    frame = invoices(0.98)
    frame['twice'] = (frame['paid'] + frame['amount']).round(2)
    encoder = fitted(frame)
    both = encoder.with_held(range(len(encoder.mostly)))
    assert len(both.sums) == len(encoder.sums) + 1
    assert len(both.products) == len(encoder.products) + 1
    totals = [one.total for one in both.sums]
    assert all(not {*one.parts} & {*totals[place:]} for place, one in enumerate(both.sums))
    assert encoder.with_held([]).sums == encoder.sums


def loans(share: float = 1.0) -> pd.DataFrame:
    """Loans, of which those that were paid have paid all rates, in a share of the rows at least."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'rate': random.gamma(9, 30, N).round(2)})
    frame['term'] = random.choice([36.0, 60.0], N)
    frame['status'] = random.choice(['paid', 'running', 'lost'], N, p=[0.4, 0.5, 0.1])
    frame['kind'] = random.choice(['a', 'b', 'c'], N)
    is_whole = (frame['status'] == 'paid') & (random.random(N) < share)
    parts = np.where(is_whole, 1.0, random.uniform(0, 0.9, N))
    frame['paid'] = (frame['term'] * frame['rate'] * parts).round(2)
    return frame


def test_what_holds_in_the_rows_of_a_level_is_found_with_the_level() -> None:
    (one,) = (encoder := fitted(loans(), CONFIG, 'status', 'kind')).mostly
    assert found(encoder) == {'paid': {'rate', 'term'}}
    assert one.level == encoder.schema.position('status')
    levels = encoder.codec('status').levels
    shares = dict(zip(levels, one.shares, strict=False))
    assert shares['paid'] > 0.99
    assert max(shares['running'], shares['lost']) < 0.02


def test_what_often_fails_in_the_level_as_well_is_none() -> None:
    assert not found(fitted(loans(0.6), CONFIG, 'status', 'kind'))


def test_what_follows_from_itself_by_a_rate_is_none() -> None:
    random = np.random.default_rng(0)
    quantity, price = random.integers(1, 9, N).astype(float), random.gamma(3, 8, N).round(2)
    level = random.choice(['none', 'some', 'much'], N)
    amount = (quantity * price).round(2)
    rate = pd.Series(level).map({'none': 1.0, 'some': 0.95, 'much': 0.8}).to_numpy()
    cells = {'quantity': quantity, 'price': price, 'amount': amount, 'level': level}
    encoder = fitted(pd.DataFrame({**cells, 'net': (amount * rate).round(2)}), CONFIG, 'level')
    assert len(encoder.rates) == len(encoder.products) == 1
    assert not encoder.mostly
