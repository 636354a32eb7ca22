"""What a fitted TabDAR answers: rows, completed rows, what its columns hold, random numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing
from sdv_tabdar.core.schema import ColumnKind

from .conftest import seeded

Kinds = dict[str, ColumnKind]
NUMBERS = ['smooth', 'spiked', 'rounded', 'holes']


def test_sampled_rows_have_the_columns_dtypes_and_index_promised(fitted: TabDAR) -> None:
    rows = seeded(fitted).sample(150)
    assert list(rows.columns) == ['smooth', 'colour', 'spiked', 'rounded', 'flag', 'holes']
    assert rows.index.equals(pd.RangeIndex(150))
    assert isinstance(rows.index, pd.RangeIndex)
    dtypes = rows.dtypes.astype(str).to_dict()
    assert {dtypes[name] for name in NUMBERS} == {'float64'}
    assert dtypes['colour'] == dtypes['flag'] == 'object'


def test_sampled_values_were_possible(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    rows = seeded(fitted).sample(300)
    for name in NUMBERS:
        assert rows[name].min() >= mixed[name].min()
        assert rows[name].max() <= mixed[name].max()
    assert set(rows['rounded']) <= {0.0, 1.0, 2.0, 3.0}
    assert (rows['spiked'] == 0).mean() > 0.2
    assert set(rows['colour']) <= {'red', 'green', 'blue'}
    assert rows['flag'].isna().any()
    assert rows['holes'].isna().any()
    assert not rows[['smooth', 'colour', 'spiked', 'rounded']].isna().any(axis=None)


def test_no_rows(fitted: TabDAR) -> None:
    rows = seeded(fitted).sample(0)
    assert rows.shape == (0, 6)
    assert rows.dtypes.astype(str)['smooth'] == 'float64'


def test_progress_of_sampling(fitted: TabDAR) -> None:
    sizes: list[int] = []
    seeded(fitted).sample(200, progress=sizes.append)
    assert sizes == [128, 72]


def test_names_levels_and_limits(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    assert fitted.column_names == tuple(mixed.columns)
    assert fitted.levels('colour') == mixed['colour'].value_counts().index.tolist()
    assert set(fitted.levels('flag')) == {True, False, None}
    assert fitted.limits('holes') == (mixed['holes'].min(), mixed['holes'].max())
    assert fitted.can_be_missing('flag')
    assert fitted.can_be_missing('holes')
    assert not fitted.can_be_missing('smooth')


def test_levels_of_a_number_and_limits_of_a_category_are_errors(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match="'smooth' is numerical and has no levels; see limits"):
        fitted.levels('smooth')
    with pytest.raises(ValueError, match="'colour' is categorical and has no limits; see levels"):
        fitted.limits('colour')
    for ask in (fitted.levels, fitted.limits, fitted.can_be_missing):
        with pytest.raises(ValueError, match="There is no column 'size'"):
            ask('size')


@pytest.mark.parametrize(
    'ask',
    [
        lambda model: model.sample(1),
        lambda model: model.complete(pd.DataFrame({'a': [1]})),
        lambda model: model.levels('a'),
        lambda model: model.column_names,
    ],
)
def test_before_fit_everything_says_so(ask: Callable[[TabDAR], object]) -> None:
    with pytest.raises(RuntimeError, match=r'has not been fitted. Call fit\(\) first'):
        ask(TabDAR(device='cpu'))


def test_questions_about_no_rows_have_no_answers(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    nothing = mixed.head(0)
    assert fitted.predict_proba(nothing, None, 'colour').shape == (0, 3)
    assert fitted.predict_quantiles(nothing, None, 'smooth', [0.5]).shape == (0, 1)
    assert fitted.log_likelihood(nothing).shape == (0,)


def test_excluded_numbers_are_those_without_likelihood(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    rows = mixed.head(3).assign(smooth=[mixed['smooth'].max() + 1, mixed['smooth'][1], 1e9])
    observed = np.ones(rows.shape, dtype=bool)
    observed[2] = False
    excluded = fitted.excluded(rows, observed)

    assert excluded.sum() == 1
    assert excluded[0, list(rows.columns).index('smooth')]
    by_column = seeded(fitted).log_likelihood(rows, observed, num_orders=2, by_column=True)
    np.testing.assert_array_equal(np.isneginf(by_column), excluded)
    assert fitted.log_unseen('smooth') < 0


def test_masses_of_rounded_numbers_add_up_to_one() -> None:
    numbers = np.random.default_rng(0).binomial(12, 0.4, 400)
    train = pd.DataFrame({'x': numbers / 2, 'kind': np.where(numbers > 5, 'a', 'b')})
    kinds = {'x': ColumnKind.NUMERICAL, 'kind': ColumnKind.CATEGORICAL}
    for atoms, bins in ((0, 1), (0, 3), (3, 2), (100, 1)):
        model = TabDAR(
            ModelConfig(width=8, num_blocks=1, num_heads=1, max_atoms=atoms, num_bins=bins),
            TrainingConfig(epochs=1),
            random_state=0,
        ).fit(train, kinds)
        grid = np.arange(train['x'].min(), train['x'].max() + 0.5, 0.5)
        every = pd.MultiIndex.from_product([grid, ['a', 'b']], names=['x', 'kind']).to_frame(False)
        logs = model.log_likelihood(every, num_orders=1, steps={'x': 0.5})
        assert np.exp(logs).sum() == pytest.approx(1, abs=0.01)
        parts = model.log_likelihood(every, num_orders=1, steps={'x': 0.5}, by_column=True)
        np.testing.assert_array_less(parts, 1e-3)
    with pytest.raises(ValueError, match='a distance above 0'):
        model.log_likelihood(every, steps={'kind': 1})


def test_a_seed_holds_for_what_is_within_it(fitted: TabDAR) -> None:
    model = seeded(fitted)
    first, second = model.sample(3), model.sample(3)
    seeded(fitted)
    pd.testing.assert_frame_equal(model.sample(3), first)
    found = []
    for _ in range(2):
        with model.seeded(5):
            found.append(model.sample(3))
    pd.testing.assert_frame_equal(*found)
    pd.testing.assert_frame_equal(model.sample(3), second)


def test_known_cells_come_back_bit_equal(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    observed = np.random.default_rng(3).random(mixed.shape) < 0.6
    filled = seeded(fitted).complete(mixed, observed).rows
    for position, name in enumerate(mixed.columns):
        rows = observed[:, position]
        given, back = mixed[name][rows].reset_index(drop=True), filled[name][rows]
        pd.testing.assert_series_equal(
            given, back.reset_index(drop=True), check_exact=True, check_dtype=name in NUMBERS
        )


def test_complete_does_not_write_into_what_it_was_given(
    fitted: TabDAR, mixed: pd.DataFrame
) -> None:
    frame, observed = mixed.copy(), np.ones(mixed.shape, dtype=bool)
    wanted = {'colour': [Members(('red',))] * len(mixed)}
    seeded(fitted).complete(frame, observed, restrictions=wanted)
    pd.testing.assert_frame_equal(frame, mixed)
    assert observed.all()


def test_any_order_and_subset_of_columns_with_any_index(
    fitted: TabDAR, mixed: pd.DataFrame
) -> None:
    given = mixed[['flag', 'smooth']].head(9).set_axis(list('aabbccdde'), axis=0)
    filled = seeded(fitted).complete(given).rows
    assert list(filled.columns) == list(fitted.column_names)
    assert filled.index.equals(pd.RangeIndex(9))
    assert filled['smooth'].tolist() == given['smooth'].tolist()
    assert filled['flag'].tolist() == given['flag'].tolist()


def test_nullable_and_category_dtypes_are_understood(fitted: TabDAR) -> None:
    given = pd.DataFrame(
        {
            'rounded': pd.array([1, 2], dtype='Int64'),
            'holes': pd.array([50.0, None], dtype='Float64'),
            'colour': pd.Categorical(['red', 'blue']),
            'flag': pd.array([True, None], dtype='boolean'),
        }
    )
    filled = seeded(fitted).complete(given).rows
    assert filled['rounded'].tolist() == [1, 2]
    assert filled['holes'][0] == 50
    assert np.isnan(filled['holes'][1])
    assert filled['colour'].tolist() == ['red', 'blue']
    assert filled['flag'][0] is True
    assert pd.isna(filled['flag'][1])


def test_numbers_outside_the_training_range_come_back_as_given(fitted: TabDAR) -> None:
    given = pd.DataFrame({'smooth': [-1e6, 1e6], 'rounded': [1.5, 77.0]})
    filled = seeded(fitted).complete(given).rows
    assert filled[['smooth', 'rounded']].equals(given)
    assert filled['spiked'].notna().all()


def test_missing_is_known_to_be_missing_or_filled(fitted: TabDAR) -> None:
    given = pd.DataFrame({'holes': [np.nan] * 400})
    assert seeded(fitted).complete(given).rows['holes'].isna().all()
    filled = seeded(fitted).complete(given, np.zeros((400, 1), dtype=bool)).rows
    assert 0 < filled['holes'].isna().mean() < 0.6


def test_a_row_does_not_depend_on_the_values_of_its_mates(
    fitted: TabDAR, mixed: pd.DataFrame
) -> None:
    first = mixed[['smooth', 'colour']].head(50)
    second = first.copy()
    second.iloc[10:] = first.iloc[10:].to_numpy()[::-1]
    one, two = seeded(fitted).complete(first).rows, seeded(fitted).complete(second).rows
    pd.testing.assert_frame_equal(one.head(10), two.head(10), rtol=1e-4)


def test_restricted_cells_obey_their_restriction(fitted: TabDAR) -> None:
    size = 200
    wanted: dict[str, list[Any]] = {
        'smooth': [Interval(50.0, 50.5)] * size,
        'spiked': [Interval(0.1, None) if row % 2 else None for row in range(size)],
        'colour': [Members(('green', 'blue'))] * size,
        'rounded': [Members((1, 3))] * size,
        'flag': [NotMissing()] * size,
        'holes': [Members((None, 50))] * size,
    }
    rows = seeded(fitted).complete(pd.DataFrame(index=range(size)), restrictions=wanted).rows
    assert rows['smooth'].between(50.0, 50.5).all()
    assert (rows['spiked'][1::2] >= 0.1).all()
    assert (rows['spiked'][::2] == 0).any()
    assert set(rows['colour']) <= {'green', 'blue'}
    assert set(rows['rounded']) <= {1.0, 3.0}
    assert rows['flag'].notna().all()
    assert set(rows['holes'].dropna()) <= {50.0}


@pytest.mark.parametrize('width', [1e-3, 1e-9, 0.0])
def test_a_narrow_interval_is_met_exactly(fitted: TabDAR, width: float) -> None:
    low = 47.123456789
    wanted = {'smooth': [Interval(low, low + width)] * 50}
    rows = seeded(fitted).complete(pd.DataFrame(index=range(50)), restrictions=wanted).rows
    assert rows['smooth'].between(low, low + width).all()


def test_a_restriction_overrules_the_given_value(fitted: TabDAR) -> None:
    given = pd.DataFrame({'colour': ['red', 'red']})
    wanted = {'colour': [Members(('blue',)), None]}
    assert seeded(fitted).complete(given, restrictions=wanted).rows['colour'].tolist() == [
        'blue',
        'red',
    ]


def test_rare_members_are_met_where_levels_share_a_code(
    tiny: ModelConfig, quick: TrainingConfig
) -> None:
    names = [f'rare {i}' for i in range(40)]
    frame = pd.DataFrame({'name': ['often'] * 200 + names + [None]})
    config = dataclasses.replace(tiny, max_categories=5)
    model = TabDAR(config, quick, device='cpu', random_state=0)
    model.fit(frame, {'name': ColumnKind.CATEGORICAL})
    wanted = {'name': [Members(('rare 3', 'rare 33', None))] * 100}
    rows = model.complete(pd.DataFrame(index=range(100)), restrictions=wanted).rows
    assert set(rows['name'].dropna()) <= {'rare 3', 'rare 33'}
    free = model.complete(
        pd.DataFrame(index=range(100)), restrictions={'name': [NotMissing()] * 100}
    ).rows
    assert free['name'].notna().all()
    assert any(str(name).startswith('rare') for name in free['name'])


def test_dates_as_levels_stay_objects(tiny: ModelConfig, quick: TrainingConfig) -> None:
    frame = pd.DataFrame({'day': pd.to_datetime(['2020-01-01', '2020-01-02'] * 20)})
    model = TabDAR(tiny, quick, device='cpu').fit(frame, {'day': ColumnKind.CATEGORICAL})
    rows = model.sample(20)
    assert rows['day'].dtype == object
    assert set(rows['day']) <= set(frame['day'])


def test_observed_of_another_shape_is_an_error(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r'shape of the frame, \(240, 6\), however: \(2, 2\)'):
        fitted.complete(mixed, np.ones((2, 2), dtype=bool))


def test_restrictions_of_another_length_are_an_error(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match=r"\['colour'\] must have one entry a row \(3\), .*: 1"):
        fitted.complete(pd.DataFrame(index=range(3)), restrictions={'colour': [None]})


def test_unknown_columns_are_errors(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match="There is no column 'size'"):
        fitted.complete(pd.DataFrame({'size': [1]}))
    with pytest.raises(ValueError, match="There is no column 'size'"):
        fitted.complete(pd.DataFrame(index=[0]), restrictions={'size': [NotMissing()]})


def test_an_unseen_category_is_an_error(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match=r"Column 'colour' .* never seen: \['pink'\]"):
        fitted.complete(pd.DataFrame({'colour': ['pink']}))


def test_an_impossible_restriction_is_an_error(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match="Column 'smooth' cannot be Interval"):
        fitted.complete(pd.DataFrame(index=[0]), restrictions={'smooth': [Interval(1e9, None)]})


def test_draws_go_on_and_start_again(fitted: TabDAR) -> None:
    first, second = seeded(fitted).sample(20), fitted.sample(20)
    assert not first.equals(second)
    assert seeded(fitted).sample(20).equals(first)
    assert fitted.sample(20).equals(second)


def test_random_states_of_other_kinds(fitted: TabDAR) -> None:
    expected = seeded(fitted, 4).sample(10)
    generator = torch.Generator().manual_seed(4)
    fitted.set_random_state((np.random.RandomState(1), generator))
    assert fitted.sample(10).equals(expected)
    with pytest.raises(TypeError, match='A random state must be an integer seed'):
        fitted.set_random_state('4')  # type: ignore[arg-type]


def test_densities_of_cells_sum_to_one_over_the_levels(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    name = next(
        name
        for name, kind in zip(fitted.column_names, mixed.dtypes, strict=True)
        if pd.api.types.is_object_dtype(kind)
    )
    row = mixed.head(1)
    chances = fitted.predict_proba(row, None, name).iloc[0]
    for level, chance in chances.items():
        asked = row.assign(**{name: pd.Series([level], index=row.index, dtype=object)})
        assert fitted.log_density(asked, None, name)[0] == pytest.approx(np.log(chance), abs=1e-4)
    hidden = np.ones(row.shape, dtype=bool)
    hidden[:, row.columns.get_loc(name)] = False
    with pytest.raises(ValueError, match='are hidden and have no density'):
        fitted.log_density(row, hidden, name)


def test_random_numbers_are_those_of_sampling(own: TabDAR) -> None:
    seeded(own)
    first = own.random_numbers(3)
    assert ((first >= 0) & (first < 1)).all()
    assert not np.array_equal(first, own.random_numbers(3))
    np.testing.assert_array_equal(seeded(own).random_numbers(3), first)
