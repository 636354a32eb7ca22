"""predict_proba, predict_quantiles and log_likelihood in the user's columns."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import LogScaler, UniformEncoder
from sdv.cag import FixedCombinations, Inequality
from sdv.sampling import Condition

from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY, fit_tiny, make_metadata, make_table


@pytest.fixture(scope='module')
def rows() -> pd.DataFrame:
    frame = make_table(12, seed=5).drop(columns='key').assign(day=make_table()['day'])
    return frame.set_index(pd.Index([f'r{i}' for i in range(12)]))


@pytest.mark.parametrize('column', ['city', 'flag', 'maybe', 'level', 'group'])
def test_probabilities_of_levels(
    fitted: TabDARSynthesizer, table: pd.DataFrame, rows: pd.DataFrame, column: str
) -> None:
    found = fitted.predict_proba(rows, column)

    pd.testing.assert_index_equal(found.index, rows.index)
    assert set(found.columns) == set(table[column])
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    without = fitted.predict_proba(rows.drop(columns=column), column)
    pd.testing.assert_frame_equal(found, without)


def test_missing_cells_count_as_unknown(fitted: TabDARSynthesizer, rows: pd.DataFrame) -> None:
    nothing_known = fitted.predict_proba(pd.DataFrame(index=rows.index), 'city')
    all_missing = fitted.predict_proba(rows[['age']].astype(float) * np.nan, 'city')

    pd.testing.assert_frame_equal(nothing_known, all_missing)


@pytest.mark.parametrize('column', ['age', 'income', 'gap', 'day', 'moment'])
def test_quantiles(
    fitted: TabDARSynthesizer, rows: pd.DataFrame, table: pd.DataFrame, column: str
) -> None:
    found = fitted.predict_quantiles(rows, column, [0.1, 0.5, 0.9])

    pd.testing.assert_index_equal(found.index, rows.index)
    assert list(found.columns) == [0.1, 0.5, 0.9]
    assert (found[0.1] <= found[0.5]).all()
    assert (found[0.5] <= found[0.9]).all()
    training = table[column]
    if column == 'day':
        training = pd.to_datetime(training, format='%d/%m/%Y')
        assert (found[0.5].dt.normalize() == found[0.5]).all()
    assert found[0.1].min() >= training.min()
    assert found[0.9].max() <= training.max()


def test_quantiles_of_dates_keep_their_zone() -> None:
    zoned = pd.date_range('2020-01-01', periods=40, freq='D', tz='Europe/Rome')
    data = pd.DataFrame({'x': zoned, 'y': range(40)})
    columns = {'x': {'sdtype': 'datetime'}, 'y': {'sdtype': 'numerical'}}
    synthesizer = fit_tiny(data, columns)

    assert synthesizer.predict_quantiles(data[['y']], 'x')[0.5].dtype == data['x'].dtype


def test_log_likelihood(fitted: TabDARSynthesizer, table: pd.DataFrame) -> None:
    rows = table.head(12).set_index(pd.Index([f'r{i}' for i in range(12)]))
    found = fitted.log_likelihood(rows, num_orders=2)

    pd.testing.assert_index_equal(found.index, rows.index)
    assert np.isfinite(found).all()
    assert found.name == 'log_likelihood'
    odd = rows.assign(age=200)
    assert (fitted.log_likelihood(odd, num_orders=1) == -np.inf).all()
    with pytest.warns(UserWarning, match='hold what the training data had not'):
        unseen = fitted.log_likelihood(rows.assign(city='z'), num_orders=1)
    assert (unseen == -np.inf).all()


def test_likelihood_of_one_column_is_its_probability(fitted: TabDARSynthesizer) -> None:
    data = pd.DataFrame({'city': ['a', 'b', 'c', None]})

    found = np.exp(fitted.log_likelihood(data, num_orders=1))
    law = fitted.predict_proba(pd.DataFrame(index=[0]), 'city').iloc[0]
    np.testing.assert_allclose(found, [law[level] for level in data['city']], rtol=1e-4)


@pytest.fixture(scope='module')
def small() -> TabDARSynthesizer:
    """Levels, numbers that have a density, and whole numbers that have a mass."""
    random = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            'level': random.choice(list('ab'), 400),
            'size': random.normal(size=400),
            'count': random.integers(0, 4, 400),
        }
    )
    columns = {
        'level': {'sdtype': 'categorical'},
        'size': {'sdtype': 'numerical'},
        'count': {'sdtype': 'numerical'},
    }
    return fit_tiny(data, columns, enforce_rounding=False)


ROWS = pd.DataFrame({'level': ['a', 'z', 'b'], 'size': [0.1, 0.2, 99.0], 'count': [1, 2, 3]})
NEW = 'the training data had not'


@pytest.mark.filterwarnings(f'ignore:.*{NEW}')
def test_what_training_has_not_seen_can_be_skipped_or_rare(small: TabDARSynthesizer) -> None:
    def likelihood(rows: pd.DataFrame, unseen: str) -> np.ndarray:
        found = small.log_likelihood(rows, num_orders=3, unseen=unseen, seed=0)
        return found.to_numpy()

    impossible, skipped, rare = (likelihood(ROWS, way) for way in ('impossible', 'skip', 'rare'))
    assert list(np.isneginf(impossible)) == [False, True, True]
    np.testing.assert_allclose(skipped[0], impossible[0])
    np.testing.assert_allclose(
        skipped, likelihood(ROWS.assign(level=['a', None, 'b'], size=[0.1, 0.2, None]), 'skip')
    )
    size = small.sample(3000, seed=0)['size']
    width = np.log(size.max() - size.min())
    np.testing.assert_allclose(rare - skipped, [0, -np.log(401), -np.log(401) - width], atol=0.5)
    assert rare[1] - skipped[1] == pytest.approx(-np.log(401), abs=1e-6)


@pytest.mark.filterwarnings(f'ignore:.*{NEW}')
def test_rounded_numbers_have_a_mass(small: TabDARSynthesizer) -> None:
    steps = {'size': 0.001, 'count': 1}
    dense = small.log_likelihood(ROWS, unseen='rare', seed=0)
    massive = small.log_likelihood(ROWS, unseen='rare', steps=steps, seed=0)
    np.testing.assert_allclose((massive - dense)[:2], np.log(0.001), atol=0.05)
    assert massive[2] == pytest.approx(dense[2], abs=1e-6)  # of an unseen number as it was
    between = ROWS.head(1).assign(count=1.5)
    assert np.isfinite(small.log_likelihood(between, unseen='rare', steps=steps, seed=0)).all()
    for wrong in ({'other': 1.0}, {'level': 1.0}, {'size': 0.0}, {'size': 'fine'}):
        with pytest.raises(ValueError, match='steps'):
            small.log_likelihood(ROWS, unseen='rare', steps=wrong)
    with pytest.raises(TypeError, match="'steps' must be a dictionary"):
        small.log_likelihood(ROWS, unseen='rare', steps=0.1)


@pytest.mark.filterwarnings(f'ignore:.*{NEW}')
def test_likelihood_by_column(small: TabDARSynthesizer) -> None:
    rows = ROWS.set_index(pd.Index(['r0', 'r1', 'r2']))[['count', 'level', 'size']]
    whole = small.log_likelihood(rows, num_orders=1, unseen='rare', seed=0)
    parts = small.log_likelihood(rows, num_orders=1, by_column=True, unseen='rare', seed=0)

    pd.testing.assert_index_equal(parts.index, rows.index)
    assert list(parts.columns) == ['level', 'size', 'count']  # as in the training table
    np.testing.assert_allclose(parts.sum(axis=1), whole, atol=1e-4)
    skipped = small.log_likelihood(rows, num_orders=2, by_column=True, unseen='skip')
    assert list(skipped['level'].isna()) == [False, True, False]
    assert list(skipped['size'].isna()) == [False, False, True]
    impossible = small.log_likelihood(rows, num_orders=2, by_column=True)
    assert list(np.isneginf(impossible).sum()) == [1, 1, 0]
    assert list(small.log_likelihood(rows[['size']], by_column=True)) == ['size']


def test_likelihood_of_no_rows_has_their_columns(small: TabDARSynthesizer) -> None:
    rows = small.sample(3)

    parts = small.log_likelihood(rows.iloc[:0], by_column=True)

    assert list(parts.columns) == list(small.log_likelihood(rows, by_column=True).columns)


def test_likelihood_by_column_under_a_constraint() -> None:
    data = pd.DataFrame({'a': range(30), 'b': range(3, 33), 'c': list('xy' * 15)})
    columns = {name: {'sdtype': 'numerical'} for name in 'ab'}
    synthesizer = TabDARSynthesizer(
        make_metadata({**columns, 'c': {'sdtype': 'categorical'}}), **TINY
    )
    synthesizer.add_constraints([Inequality('a', 'b')])
    synthesizer.fit(data)
    rows = data.head(3).assign(b=[3, -9, 500], c=['x', 'y', 'x'])
    parts = synthesizer.log_likelihood(rows, by_column=True, unseen='rare', seed=0)

    assert list(parts.columns[:2]) == ['b', 'c']
    assert len(parts.columns) > 3  # those in place of a and b
    assert np.isneginf(parts.iloc[1]).all()  # breaks it
    assert np.isfinite(parts.iloc[2].dropna()).all()
    assert parts['b'].notna().sum() == 2


def test_constraints_are_asked_of_known_cells_alone() -> None:
    """Cells that are missing where training had none are left out, whatever a constraint says."""
    data = pd.DataFrame({'city': ['a', 'b', 'c'] * 10, 'zip': [1, 2, 2] * 10, 'x': range(30)})
    columns = {'city': {'sdtype': 'categorical'}, 'zip': {'sdtype': 'categorical'}}
    synthesizer = TabDARSynthesizer(
        make_metadata({**columns, 'x': {'sdtype': 'numerical'}}), **TINY
    )
    synthesizer.add_constraints([FixedCombinations(['city', 'zip'])])
    synthesizer.fit(data)
    rows = data.head(3)

    def likelihood(table: pd.DataFrame) -> pd.Series:
        return synthesizer.log_likelihood(table, seed=0)

    without = likelihood(rows[['city', 'x']])
    np.testing.assert_allclose(likelihood(rows.assign(zip=[None] * 3)), without)
    some = likelihood(rows.assign(zip=[np.nan, 1, 2]))
    assert some[0] == pytest.approx(without[0])
    assert list(np.isneginf(some)) == [False, True, False]
    absent = likelihood(rows[['city', 'zip']].assign(zip=[1, 1, 2]))
    assert list(np.isneginf(absent)) == [False, True, False]
    with pytest.warns(UserWarning, match=NEW):
        assert np.isneginf(likelihood(rows.assign(zip=['x', 'y', 'z']))).all()


def test_combinations_of_numbers_with_gaps() -> None:
    data = pd.DataFrame({'city': ['a', 'b', 'a'] * 10, 'zip': [1, 2, np.nan] * 10})
    columns = {'city': {'sdtype': 'categorical'}, 'zip': {'sdtype': 'categorical'}}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints([FixedCombinations(['city', 'zip'])])
    synthesizer.fit(data)

    assert np.isfinite(synthesizer.log_likelihood(data)).all()
    drawn = synthesizer.sample_from_conditions([Condition({'zip': None}, num_rows=3)])
    assert list(drawn['city']) == ['a'] * 3
    rows = pd.DataFrame({'city': ['a', 'b', 'a'], 'zip': [1, 'x', 2]})
    with pytest.warns(UserWarning, match=NEW):
        found = synthesizer.log_likelihood(rows)
    assert list(np.isneginf(found)) == [False, True, True]


def test_words_for_unseen_values(small: TabDARSynthesizer) -> None:
    message = r"'unseen' must be one of \['impossible', 'skip', 'rare'\], however: 'never'"
    with pytest.raises(ValueError, match=message):
        small.log_likelihood(ROWS, unseen='never')


def test_the_orders_follow_the_seed(small: TabDARSynthesizer) -> None:
    rows = ROWS.head(1)
    found = [small.log_likelihood(rows, num_orders=1, seed=seed).iloc[0] for seed in (1, 1, 2, 3)]

    assert found[0] == found[1]
    assert len(set(found)) > 1


def test_scoring_shows_progress_where_asked_for(
    small: TabDARSynthesizer, capsys: pytest.CaptureFixture[str]
) -> None:
    small.log_likelihood(ROWS.head(1))
    assert capsys.readouterr().err == ''
    loud = copy.deepcopy(small)
    loud.verbose = True
    loud.log_likelihood(ROWS.head(1))
    assert 'Scoring rows' in capsys.readouterr().err


@pytest.mark.parametrize(
    ('method', 'column', 'message'),
    [
        ('predict_proba', 'age', "'age' is numerical; use predict_quantiles"),
        ('predict_quantiles', 'city', "'city' is categorical; use predict_proba"),
        ('predict_proba', 'email', "'email' is generated and not learnt"),
        ('predict_proba', 'nothing', "no column 'nothing'"),
    ],
)
def test_wrong_columns_are_refused(
    fitted: TabDARSynthesizer, rows: pd.DataFrame, method: str, column: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(fitted, method)(rows, column)


@pytest.mark.parametrize('quantiles', [[-0.1], [0.5, 2]])
def test_levels_outside_zero_and_one(
    fitted: TabDARSynthesizer, rows: pd.DataFrame, quantiles: Any
) -> None:
    with pytest.raises(ValueError, match=r'must lie in \[0, 1\]'):
        fitted.predict_quantiles(rows, 'age', quantiles)


def test_orders_are_counted(fitted: TabDARSynthesizer, rows: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="'num_orders' must be a whole number of at least 1"):
        fitted.log_likelihood(rows, num_orders=0)


def test_columns_that_a_constraint_replaces() -> None:
    data = pd.DataFrame({'a': range(30), 'b': range(3, 33), 'c': list('xy' * 15)})
    columns = {
        'a': {'sdtype': 'numerical'},
        'b': {'sdtype': 'numerical'},
        'c': {'sdtype': 'categorical'},
    }
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints([Inequality('a', 'b')])
    synthesizer.fit(data)

    found = synthesizer.predict_quantiles(data, 'b', [0.5])[0.5]
    assert found.between(data['a'], data['b'].max()).all()
    broken = data.assign(b=data['a'] - 1)
    np.testing.assert_allclose(synthesizer.predict_proba(data, 'c').sum(axis=1), 1, atol=1e-5)
    assert np.isfinite(synthesizer.log_likelihood(data, num_orders=1)).any()
    assert (synthesizer.log_likelihood(broken, num_orders=1) == -np.inf).all()


@pytest.mark.filterwarnings('ignore:Replacing the default transformer')
def test_columns_that_a_transformer_replaces_are_drawn() -> None:
    data = pd.DataFrame({'a': [0.5, 1.5, 2.5] * 10, 'b': [*'xxxxy'] * 6})
    columns = {'a': {'sdtype': 'numerical'}, 'b': {'sdtype': 'categorical'}}
    settings = {**TINY, 'enforce_rounding': False, 'enforce_min_max_values': False}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **settings)
    synthesizer.auto_assign_transformers(data)
    synthesizer.update_transformers({'b': UniformEncoder(), 'a': LogScaler()})
    synthesizer.fit(data)

    chances = synthesizer.predict_proba(data.head(3), 'b', num_samples=40, seed=1)
    again = synthesizer.predict_proba(data.head(3), 'b', num_samples=40, seed=1)
    pd.testing.assert_frame_equal(chances, again)
    assert list(chances) == ['x', 'y']
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    quantiles = synthesizer.predict_quantiles(data.head(3), 'a', [0.0, 1.0], num_samples=40)
    assert ((quantiles > 0.4) & (quantiles < 2.6)).all(axis=None)
    with pytest.raises(ValueError, match='num_samples'):
        synthesizer.predict_proba(data, 'b', num_samples=0)


def test_tables_of_generated_columns_have_no_law() -> None:
    columns = {'email': {'sdtype': 'email', 'pii': True}}
    synthesizer = fit_tiny(pd.DataFrame({'email': ['a@b.c'] * 5}), columns)

    with pytest.raises(ValueError, match='nothing to predict'):
        synthesizer.log_likelihood(pd.DataFrame({'email': ['a@b.c']}))
