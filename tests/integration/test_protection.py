"""protect_values: what is refused, what is said, and what a protected synthesizer still does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import PseudoAnonymizedFaker
from sdv.cag import FixedIncrements, Inequality, Range
from sdv.errors import InvalidDataError, SynthesizerInputError
from sdv.sampling import Condition

from sdv_tabdar import FixedSum, TabDARSynthesizer

from .conftest import TINY, make_metadata

pytestmark = pytest.mark.filterwarnings('ignore:The table can be learnt')

COLUMNS: dict[str, dict[str, Any]] = {
    'city': {'sdtype': 'categorical'},
    'income': {'sdtype': 'numerical'},
    'grade': {'sdtype': 'ordinal', 'range_values': ['low', 'mid', 'high', 'top']},
}


def make_table(seed: int = 0, rows: int = 300) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            'city': random.choice(['Rome', 'Oslo', 'Lima'], rows),
            'income': random.lognormal(3, 1, rows).round(2),
            'grade': random.choice(['low', 'mid', 'high'], rows),
        }
    )
    table.loc[7, 'city'], table.loc[8, 'grade'] = 'Village', 'top'
    return table


def protected(
    table: pd.DataFrame, columns: dict[str, dict[str, Any]] = COLUMNS, **settings: Any
) -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(
        make_metadata(columns), **{**TINY, 'protect_values': True, **settings}
    )
    synthesizer.fit(table)
    return synthesizer


def test_rows_keep_the_grid_and_the_other_levels() -> None:
    table = make_table()
    drawn = protected(table).sample(300, seed=0)

    assert set(drawn['city']) == {'Rome', 'Oslo', 'Lima'}
    assert set(drawn['grade']) == {'low', 'mid', 'high'}
    assert np.array_equal(drawn['income'].round(2), drawn['income'])
    assert table['income'].min() < drawn['income'].min()
    assert drawn['income'].max() < table['income'].max()


def test_a_condition_on_a_protected_level_is_kept_as_one_on_an_unseen_level() -> None:
    for level in ('Village', 'Atlantis'):
        synthesizer = protected(make_table())
        with pytest.warns(UserWarning, match=f"'city'.*{level}"):
            drawn = synthesizer.sample_from_conditions([Condition({'city': level}, num_rows=3)])
        assert drawn['city'].tolist() == [level] * 3


def test_the_same_seed_gives_the_same_model_and_the_table_is_not_changed() -> None:
    table = make_table()
    before = table.copy()
    first, second = protected(table), protected(table)

    pd.testing.assert_frame_equal(first.sample(20), second.sample(20))
    pd.testing.assert_frame_equal(table, before)
    assert first.get_parameters()['protect_values'] is True


def test_it_can_be_fitted_again_with_what_was_taken_out() -> None:
    synthesizer = protected(make_table())
    synthesizer.fit(make_table(1), warm_start=True)
    assert 'Village' not in set(synthesizer.sample(100)['city'])


def test_training_goes_on_with_protection_only_if_it_began_with_it(tmp_path: Path) -> None:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    synthesizer.fit(make_table())
    synthesizer.protect_values = True
    with pytest.raises(SynthesizerInputError, match='holds rare values. Fit anew'):
        synthesizer.fit(make_table(), warm_start=True)
    synthesizer.fit(make_table())
    synthesizer.save_safe(tmp_path / 'protected.tabdar')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'protected.tabdar')
    loaded.fit(make_table(1), warm_start=True)
    assert 'Village' not in set(loaded.sample(500, seed=0)['city'])


def test_transformers_can_be_assigned_before_and_processed_data_learnt() -> None:
    table = make_table()
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY, protect_values=True)
    synthesizer.auto_assign_transformers(table)
    processed = synthesizer.preprocess(table)
    synthesizer.fit_processed_data(processed)
    assert set(synthesizer.sample(100)['city']) <= {'Rome', 'Oslo', 'Lima'}
    assert processed['income'].max() < table['income'].max()


def test_a_higher_threshold_takes_out_more() -> None:
    table = make_table()
    table.loc[:19, 'city'] = 'Town'
    assert 'Town' in set(protected(table).sample(400)['city'])
    assert 'Town' not in set(protected(table, protect_values=40).sample(400)['city'])


def test_columns_under_constraints_stay_protected() -> None:
    random = np.random.default_rng(0)
    low = random.lognormal(2, 1, 400).round(2)
    steps = random.integers(-100, 100, 400) * 5
    table = pd.DataFrame(
        {
            'low': low,
            'middle': low + random.lognormal(0, 1, 400).round(2) + 0.01,
            'steps': steps,
            'begin': low + 5,
            'end': low + 5 + random.lognormal(0, 1, 400),
        }
    )
    table['high'] = table['middle'] + random.lognormal(0, 1, 400).round(2) + 0.01
    columns = {name: {'sdtype': 'numerical'} for name in table}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY, protect_values=True)
    synthesizer.add_constraints(
        [Range('low', 'middle', 'high'), FixedIncrements('steps', 5), Inequality('begin', 'end')]
    )
    synthesizer.fit(table)
    drawn = synthesizer.sample(200)

    assert (drawn['steps'] % 5 == 0).all()
    for name in table:
        assert table[name].min() < drawn[name].min() <= drawn[name].max() < table[name].max()


def test_what_a_constraint_keeps_from_being_protected_is_said() -> None:
    table = make_table()
    table['rest'] = np.random.default_rng(9).lognormal(3, 1, len(table)).round(2)
    table['total'] = (table['income'] + table['rest']).round(2)
    columns = {name: {'sdtype': 'numerical'} for name in ('income', 'rest', 'total')}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY, protect_values=True)
    synthesizer.add_constraints([FixedSum(['income', 'rest'], total_column='total')])
    with pytest.warns(UserWarning, match='rows are left out: .* they break a constraint') as found:
        synthesizer.fit(table[list(columns)])
    assert any('still that of a few rows' in str(entry.message) for entry in found)


def test_a_column_that_is_mostly_others_now_is_said() -> None:
    table = make_table()
    table['city'] = [f'{city} {n}' if n % 3 else city for n, city in enumerate(table['city'])]
    with pytest.warns(UserWarning, match="Column 'city' has another value in 67% of its rows"):
        protected(table)


def test_what_is_refused() -> None:
    table = make_table()
    with pytest.raises(InvalidDataError, match="Column 'city': no value is shared by 5 rows"):
        protected(table.assign(city=[f'c{n}' for n in range(300)]))
    with pytest.raises(InvalidDataError, match='has 9 rows. .* it needs at least 10'):
        protected(table.head(9))
    with pytest.raises(InvalidDataError, match="categorical column 'grade'|column 'grade'"):
        protected(table.assign(grade=['unheard of', *['low'] * 3] * 75))
    for value in (1, -1, 0.5, 'yes', None):
        with pytest.raises(SynthesizerInputError, match="parameter 'protect_values'"):
            TabDARSynthesizer(make_metadata(COLUMNS), protect_values=value)  # type: ignore[arg-type]
    with pytest.raises(SynthesizerInputError, match="parameter 'rare_token'"):
        TabDARSynthesizer(make_metadata(COLUMNS), rare_token=3)  # type: ignore[arg-type]


def test_pseudonyms_are_refused() -> None:
    table = make_table().assign(name=[f'n{number}' for number in range(300)])
    columns = {**COLUMNS, 'name': {'sdtype': 'first_name', 'pii': True}}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY, protect_values=True)
    synthesizer.auto_assign_transformers(table)
    synthesizer.update_transformers({'name': PseudoAnonymizedFaker('person', 'first_name')})
    with pytest.raises(SynthesizerInputError, match="PseudoAnonymizedFaker of column 'name'"):
        synthesizer.fit(table)
