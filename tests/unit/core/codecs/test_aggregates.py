"""Columns that are made of several others: which they are, and that they are saved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.aggregates import Aggregate, kept_aggregates
from sdv_tabdar.core.codecs.curves import CURVES, source, value
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.stored import StoredTable
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 400
EXAMS = ['first', 'second', 'third']


def grades(seed: int = 0, num_rows: int = N) -> pd.DataFrame:
    """Three exams, and what is made of them."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.integers(0, 101, (num_rows, 3)), columns=EXAMS)
    frame['age'] = random.integers(17, 30, num_rows)
    frame['mean'] = frame[EXAMS].mean(axis=1).round(2)
    frame['grade'] = (5 + 0.35 * frame['first'] + 0.65 * frame['third']).round(1)
    frame['best'], frame['worst'] = frame[EXAMS].max(axis=1), frame[EXAMS].min(axis=1)
    return frame.astype(float)


def found_in(frame: pd.DataFrame) -> tuple[TableEncoder, Sequence[Aggregate]]:
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    return encoder, encoder.aggregates


def named(frame: pd.DataFrame) -> dict[str, str]:
    names = list(frame)
    return {
        names[one.result]: one.written([names[source] for source in one.sources])
        for one in found_in(frame)[1]
    }


OF_OTHERS = {'log or 0', 'exp'}  # where a logarithm does not do
ALL = {
    'best': "the greatest of 'first', 'second' and 'third'",
    'worst': "the least of 'first', 'second' and 'third'",
    'mean': "the mean of 'first', 'second' and 'third'",
    'grade': "0.35 times 'first' + 0.65 times 'third' + 5",
}


def without(*names: str) -> dict[str, str]:
    return {name: line for name, line in ALL.items() if name not in names}


def test_they_are_found_as_somebody_wrote_them() -> None:
    frame = grades()
    assert named(frame) == ALL
    for one in found_in(frame)[1]:
        cells = frame.to_numpy()
        made = one.of(cells[:, [*one.sources]])  # halves may be rounded to either side
        assert np.abs(made - cells[:, one.result]).max() <= 0.1001
        assert (made == cells[:, one.result]).mean() > 0.9
        assert one.holds(cells[:, one.result], cells[:, [*one.sources]]).all()
    assert dict.fromkeys(one.digits for one in found_in(frame)[1]) == dict.fromkeys(
        [(0, 0, 0, 0), (2, 0, 0, 0), (1, 0, 0)]
    )


def test_weights_are_those_of_the_coarser_columns_not_of_each_other() -> None:
    random = np.random.default_rng(3)
    level = random.normal(65, 12, N)[:, None]
    marks = np.clip(level + random.normal(0, 8, (N, 3)), 0, 100).round()
    frame = pd.DataFrame(marks, columns=EXAMS)
    frame['mean'] = frame[EXAMS].mean(axis=1).round(2)
    frame['grade'] = (0.5 * frame['first'] + 0.3 * frame['second'] + 0.2 * frame['third']).round(1)
    assert named(frame) == {
        'mean': "the mean of 'first', 'second' and 'third'",
        'grade': "0.5 times 'first' + 0.3 times 'second' + 0.2 times 'third'",
    }


def test_the_result_of_an_exact_equation_is_the_number_of_the_smallest_steps() -> None:
    random = np.random.default_rng(4)
    blood = pd.DataFrame(random.normal([200, 55], [35, 12], (N, 2)).round(), columns=['all', 'hdl'])
    blood['fats'] = random.lognormal(4.8, 0.4, N).round()
    blood['ldl'] = (blood['all'] - blood['hdl'] - blood['fats'] / 5).round(1)
    assert named(blood) == {'ldl': "'all' - 'hdl' - 0.2 times 'fats'"}
    test = pd.DataFrame({'right': random.integers(0, 60, N), 'wrong': random.integers(0, 40, N)})
    test['points'] = 2 * test['right'] - test['wrong']
    assert named(test.astype(float)) == {'points': "2 times 'right' - 'wrong'"}


def test_a_third_is_taken_for_a_third_and_no_rate_of_a_number() -> None:
    random = np.random.default_rng(5)
    frame = pd.DataFrame({'high': random.normal(125, 15, N).round()})
    frame['low'] = (0.6 * frame['high'] + random.normal(5, 6, N)).round()
    frame['pulse'] = frame['high'] - frame['low']
    frame['middle'] = ((frame['high'] + 2 * frame['low']) / 3).round(1)
    encoder, _ = found_in(frame)
    assert not encoder.relations.rates
    assert named(frame) == {'middle': "'low' + 0.333333 times 'pulse'"}  # beside a sum


def test_a_column_is_no_share_of_what_follows_from_it() -> None:
    random = np.random.default_rng(6)
    frame = pd.DataFrame({'net': random.gamma(3, 40, N).round(2)})
    frame['same'] = frame['net']
    frame['gross'] = (1.25 * frame['net']).round(2)
    assert named(frame) == {}  # both are on lines


def test_the_order_of_columns_does_not_matter() -> None:
    frame = grades()
    for seed in range(4):
        names = np.random.default_rng(seed).permutation(list(frame)).tolist()
        assert named(frame[names]).keys() == ALL.keys()


def test_missing_cells_are_passed_over() -> None:
    frame = grades()
    frame.loc[::7, 'second'] = np.nan
    frame.loc[1::9, 'grade'] = np.nan
    assert named(frame) == ALL


@pytest.mark.parametrize('column', ALL)
def test_one_row_that_is_otherwise_takes_it_away(column: str) -> None:
    frame = grades()
    frame.loc[3, column] += 1
    assert column not in named(frame)
    assert without(column).keys() <= named(frame).keys() | {column}


@pytest.mark.parametrize('num_rows', [1, 2, 19])
def test_few_rows_say_nothing(num_rows: int) -> None:
    assert named(grades(num_rows=num_rows)) == {}


def test_some_rows_show_weights_and_more_of_them_what_each_source_is_needed_for() -> None:
    few, many = named(grades(num_rows=30)), named(grades())
    assert few == {key: many[key] for key in ('mean', 'grade')}


def test_numbers_that_are_not_rounded_and_weights_as_they_are() -> None:
    random = np.random.default_rng(1)
    frame = pd.DataFrame(random.normal(size=(N, 3)), columns=EXAMS)
    frame['index'] = frame @ [0.1234567, 2.7, 1 / 7]
    (one,) = found_in(frame)[1]
    assert one.weights == pytest.approx([0.1234567, 2.7, 1 / 7], rel=1e-6)
    assert one.digits[0] is None
    assert one.constant == pytest.approx(0, abs=1e-9)


def test_a_weight_that_has_few_digits_nearly_does_not_take_the_place_of_a_fraction() -> None:
    random = np.random.default_rng(0)
    year, month = random.integers(2000, 2016, N), random.integers(1, 13, N)
    date = [float(f'{number:.15g}') for number in year + (month - 1) / 12]
    frame = pd.DataFrame({'year': year, 'month': month, 'date': date}).astype(float)
    encoder, (one,) = found_in(frame)
    assert one.weights == (1.0, 1 / 12)
    assert one.digits == (None, 0, 0)
    assert encoder.schema.names[one.result] == 'date'


def test_sums_and_independent_columns_are_none() -> None:
    random = np.random.default_rng(2)
    frame = pd.DataFrame(random.integers(0, 50, (N, 3)).astype(float), columns=EXAMS)
    frame['total'] = frame[EXAMS].sum(axis=1)  # a sum
    frame['rest'] = 80 - frame['second']  # a line
    frame['flag'] = (frame['first'] > 20).astype(float)
    assert named(frame) == {}


def test_of_two_that_tell_each_other_one_follows() -> None:
    random = np.random.default_rng(2)
    frame = pd.DataFrame({'twice': 0.0, 'first': random.integers(0, 50, N).astype(float)})
    frame['twice'] = 2 * frame['first']  # of few numbers, that levels tell
    frame['other'] = random.normal(size=N)
    assert named(frame) == {'twice': "2 times 'first'"}
    single = pd.DataFrame({'exact': random.normal(500, 90, N).round(1)})
    single['score'] = ((single['exact'] - 500) / 100).astype(np.float32).astype(float)
    assert named(single) == {'score': "0.01 times 'exact' - 5"}


@pytest.mark.parametrize('kind', [*sorted(CURVES.keys() - OF_OTHERS), 'mean', 'weighted'])
def test_what_float32_has_left_of_a_relation_is_enough(kind: str) -> None:
    random = np.random.default_rng(4)
    frame = pd.DataFrame(random.lognormal(0, 1, (N, 3)), columns=EXAMS)
    frame.loc[::2, 'first'] *= -1 if kind == 'absolute' else 1
    made = {'mean': frame.mean(axis=1), 'weighted': 0.3 * frame['first'] + 0.7 * frame['third']}
    frame['made'] = made[kind] if kind in made else value(kind, frame['first'].to_numpy())
    single = frame.astype(np.float32).astype(float)
    (one,) = found_in(single)[1]  # of positive numbers either is a curve of the other
    assert 3 in one.columns
    assert one.kind in (kind, 'weighted' if kind in made else 'sqrt')
    off = single['made'] + np.where(np.arange(N) == 7, 1e-4, 0.0)
    assert named(single.assign(made=off)) == {}


def test_a_flag_is_no_rounded_sum_of_what_says_it() -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame(random.normal(size=(N, 3)).round(2), columns=EXAMS)
    frame['flag'] = (frame @ [1.0, 2.0, 0.5] > 0).astype(float)
    assert named(frame) == {}


def test_flags_of_which_one_is_set_are_none() -> None:
    random = np.random.default_rng(3)
    flags = pd.get_dummies(pd.Series(random.integers(0, 4, N)).map(lambda kind: 'abcd'[kind]))
    assert named(flags.astype(float)) == {}


@pytest.mark.parametrize('size', [1e-300, 1e150, 1.7e308])
def test_numbers_of_any_size_are_looked_at(size: float) -> None:
    frame = pd.DataFrame(np.random.default_rng(7).uniform(-1, 1, (N, 4)) * size, columns=[*'abcd'])
    assert named(frame) == {}


def test_extremes_of_two_and_of_dates() -> None:
    random = np.random.default_rng(4)
    day = 8.64e13
    frame = pd.DataFrame(
        {
            'opened': 1.6e18 + day * random.integers(0, 900, N),
            'changed': 1.6e18 + day * random.integers(0, 900, N),
            'price': random.gamma(3, 5, N).round(2),
        }
    )
    frame['last'] = frame[['opened', 'changed']].max(axis=1)
    frame['charged'] = frame['price'].clip(lower=9.0)  # of one column and a constant: none
    assert named(frame) == {'last': "the greatest of 'opened' and 'changed'"}


@pytest.mark.parametrize('name', sorted(CURVES.keys() - OF_OTHERS))
@pytest.mark.parametrize('digits', [3, None])
def test_curves_of_another_column(name: str, digits: int | None) -> None:
    random = np.random.default_rng(5)
    own = random.gamma(2, 40, N).round(2) + 0.5
    own[::2] *= -1 if name in ('square', 'absolute') else 1
    made = value(name, own)
    made = made if digits is None else made.round(4 if name == 'reciprocal' else digits)
    frame = pd.DataFrame({'made': made, 'own': own, 'other': random.gamma(2, 40, N).round(2)})
    frame.loc[::8, 'own'] = np.nan
    assert named(frame) == {'made': f"{CURVES[name].words} 'own'"}
    (one,) = found_in(frame)[1]
    present = frame['own'].notna().to_numpy()
    back = source(name, made[present], own[present])
    assert np.allclose(back, own[present], rtol=0.2)
    assert one.holds(made, frame[['own']].to_numpy()).all()
    off = made + 0.01 + 1e-6 * np.abs(made)
    assert not one.holds(off, frame[['own']].to_numpy())[present].any()


def test_a_column_is_no_absolute_value_of_one_without_negative_numbers() -> None:
    own = np.random.default_rng(5).gamma(2, 40, N)
    assert named(pd.DataFrame({'own': own, 'made': own.round(1)})) == {'made': "'own'"}
    signs = np.where(np.arange(N) % 7 == 0, -1, 1)
    assert named(pd.DataFrame({'own': own * signs, 'made': own})) == {
        'made': "the absolute value of 'own'"
    }


def test_a_curve_and_its_inverse_are_one() -> None:
    random = np.random.default_rng(6)
    frame = pd.DataFrame({'own': random.gamma(2, 40, N)})
    frame['root'] = np.sqrt(frame['own'])
    assert len(named(frame)) == 1
    frame['coarse'] = np.log(frame['own']).round(0)  # whose numbers nearly any curve makes
    assert len(named(frame)) == 1


def test_a_curve_makes_nothing_of_some_numbers() -> None:
    one = Aggregate(0, (1,), 'log', (), 0.0, (3, 2))
    sources = np.array([[1.0], [0.0], [-2.0], [np.nan]])
    assert np.array_equal(one.of(sources), [0.0, -np.inf, np.nan, np.nan], equal_nan=True)
    assert one.holds(np.zeros(4), sources).tolist() == [True, False, False, True]
    assert one.holds(np.full(4, np.nan), sources).all()


def test_each_stands_behind_those_that_make_its_sources() -> None:
    frame = grades()
    frame['overall'] = (0.5 * frame['best'] + 0.5 * frame['age']).round(1)
    frame = frame[[*frame][::-1]]
    _, found = found_in(frame)
    results = [list(frame)[one.result] for one in found]
    assert results.index('best') < results.index('overall')


def test_other_rows_keep_what_holds_in_them() -> None:
    encoder, found = found_in(grades())
    more = grades(1)
    more.loc[0, 'grade'] += 1
    kept = kept_aggregates(more, encoder.codecs, found)
    assert {list(more)[one.result] for one in kept} == without('grade').keys()


def test_a_table_in_files_has_the_same(tmp_path: Path) -> None:
    frame = grades()
    kinds = dict.fromkeys(frame, ColumnKind.NUMERICAL)
    with StoredTable(tmp_path, kinds) as stored:
        for start in range(0, N, 150):
            stored.append(frame[start : start + 150])
        found = TableEncoder.fit(stored, kinds, ModelConfig()).aggregates
    assert found == tuple(found_in(frame)[1])


@pytest.mark.parametrize('lost', [(), ('aggregates',)])
def test_a_state_is_plain_and_comes_back(lost: Collection[str]) -> None:
    encoder, found = found_in(grades())
    state = {name: value for name, value in encoder.to_state().items() if name not in lost}
    assert TableEncoder.from_state(state).aggregates == (() if lost else tuple(found))


def rounded_since(seed: int = 5) -> pd.DataFrame:
    """Totals and shares whose parts were rounded after they had been made of them."""
    random = np.random.default_rng(seed)
    reached, hit = random.beta(8, 18, N), random.beta(8, 12, N)
    frame = pd.DataFrame({'reached': reached, 'hit': hit, 'both': reached + hit}).round(3)
    shares = 100 * random.dirichlet([3, 2, 4], N)
    frame[['sand', 'silt', 'clay']] = shares.round(1)
    costs = random.gamma(2, 300, (N, 3))
    frame[['rent', 'food', 'rest']] = costs.round(0)
    frame['all'] = costs.sum(axis=1).round(0)
    return frame


def test_figures_that_do_not_add_up_due_to_rounding_are_found() -> None:
    frame = rounded_since()
    assert named(frame) == {
        'both': "the sum of 'reached' and 'hit'",
        'sand': "100 less 'silt' and 'clay'",
        'all': "the sum of 'rent', 'food' and 'rest'",
    }
    encoder, found = found_in(frame)
    assert all(one.is_loose for one in found)
    assert not encoder.sums
    for one in found:
        cells = frame.iloc[:, [*one.columns]].to_numpy()
        steps = np.array([0, 1, -1, 2, -2]) * 10.0 ** -(one.digits[0] or 0)
        holds = [one.holds(cells[:, 0] + step, cells[:, 1:]).all() for step in 10 * steps]
        assert holds == [True, False, False, False, False]
    frame.loc[7, ['both', 'clay', 'all']] += [0.004, 0.4, 4]
    assert named(frame) == {}


def test_what_is_alike_but_for_a_few_units_is_none() -> None:
    random = np.random.default_rng(6)
    own = random.gamma(2, 300, N)
    alike = pd.DataFrame({'own': own, 'like': own + random.normal(0, 0.2, N)}).round(1)
    alike['more'] = (1.01 * own + random.normal(0, 3, N)).round(1)
    alike['narrow'] = random.integers(0, 4, N)
    alike['both'] = alike['narrow'] + random.integers(0, 2, N)
    assert named(alike) == {}


def test_a_constant_is_no_curve_of_what_is_there_beside_it() -> None:
    random = np.random.default_rng(7)
    frame = pd.DataFrame({'closed': random.uniform(1e17, 2e17, N), 'left': 0.0})
    is_open = random.random(N) < 0.3
    frame.loc[is_open, 'closed'] = np.nan
    frame.loc[is_open, 'left'] = random.gamma(2, 50, int(is_open.sum())).round(2)
    assert named(frame) == {}


@pytest.mark.parametrize('significant', [7, None])
def test_curves_of_numbers_written_to_seven_digits_are_seen(significant: int | None) -> None:
    """As by software that computes in float32; a root that is rounded is no root."""
    random = np.random.default_rng(5)
    size = random.integers(100, 10**6, 400).astype(float)
    log = np.log(size).astype(np.float32).astype(float)
    if significant:
        log = np.array([float(f'{number:.{significant}g}') for number in log])
    side = random.integers(1, 60, 400).astype(float)
    frame = pd.DataFrame({'log': log, 'size': size, 'side': side, 'area': side**2})
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    found = {(encoder.schema.names[one.result], one.kind) for one in encoder.aggregates}
    assert found == {('log', 'log'), ('area', 'square')}


def test_logarithms_of_zero_are_zero_and_one_that_a_sum_makes_tells_the_number() -> None:
    random = np.random.default_rng(8)
    paid = np.where(random.random(N) < 0.3, 0.0, random.gamma(2, 40, N).round(2) + 2)
    before, growth = random.normal(2, 1, N).round(3), random.normal(0, 0.1, N).round(3)
    frame = pd.DataFrame({'paid': paid, 'log paid': value('log or 0', paid)})
    frame = frame.assign(before=before, growth=growth, log=(before + growth).round(3))
    frame['price'] = np.exp(frame['log'])
    assert named(frame) == {
        'log paid': "the natural logarithm, 0 for 0, of 'paid'",
        'price': "e to the power of 'log'",
    }
    assert np.allclose(source('log or 0', frame['log paid'].to_numpy(), paid), paid)
