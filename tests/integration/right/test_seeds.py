"""A seed for drawing: the same rows wherever and whenever it is given."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import AnonymizedFaker
from sdv.cag import Inequality
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer

from ..conftest import TINY, fit_tiny, make_metadata

GAPS = pd.DataFrame({'age': [30, None, 50, None], 'city': ['a', 'b', None, None]})

DRAWS: dict[str, Callable[..., Any]] = {
    'sample': lambda synth, **seed: synth.sample(8, **seed),
    'sample in batches': lambda synth, **seed: synth.sample(8, batch_size=3, **seed),
    'sample_from_conditions': lambda synth, **seed: synth.sample_from_conditions(
        [Condition({'city': 'a'}, num_rows=5), Condition({'age': 30}, num_rows=3)], **seed
    ),
    'sample_remaining_columns': lambda synth, **seed: synth.sample_remaining_columns(
        pd.DataFrame({'city': ['a', 'b'] * 4}), **seed
    ),
    'impute': lambda synth, **seed: synth.impute(GAPS, **seed),
    'impute with one sample': lambda synth, **seed: synth.impute(GAPS, num_samples=1, **seed),
    'impute with draws': lambda synth, **seed: pd.concat(synth.impute(GAPS, num_draws=3, **seed)),
}


@pytest.mark.parametrize('name', DRAWS)
def test_the_same_seed_draws_the_same_rows(fitted: TabDARSynthesizer, name: str) -> None:
    """Generated columns (keys, emails) among them, whatever was drawn in between."""
    draw = DRAWS[name]
    rows = draw(fitted, seed=7)
    fitted.sample(3)

    pd.testing.assert_frame_equal(draw(fitted, seed=7), rows)


@pytest.mark.parametrize('name', DRAWS)
def test_copies_with_seeds_of_their_own_draw_other_rows(
    fitted: TabDARSynthesizer, name: str
) -> None:
    """As in several processes, each with a copy. Keys and emails differ as well."""
    draw = DRAWS[name]
    copies = [pickle.loads(pickle.dumps(fitted)) for _ in range(2)]
    rows = [draw(other, seed=seed) for seed, other in enumerate(copies)]

    assert not rows[0].equals(rows[1])
    pd.testing.assert_frame_equal(draw(copy.deepcopy(fitted), seed=0), rows[0])
    for column in ('key', 'email'):
        assert not set(rows[0][column]) & set(rows[1][column])


@pytest.mark.parametrize('name', DRAWS)
def test_a_seed_is_for_one_call_only(fitted: TabDARSynthesizer, name: str) -> None:
    """Rows without a seed go on where they were, as if nothing had been drawn between."""
    draw = DRAWS[name]
    fitted.reset_sampling()
    first, second = fitted.sample(4), fitted.sample(4)
    fitted.reset_sampling()

    pd.testing.assert_frame_equal(fitted.sample(4), first)
    draw(fitted, seed=3)
    pd.testing.assert_frame_equal(fitted.sample(4), second)


@pytest.mark.parametrize('name', DRAWS)
def test_without_a_seed_rows_go_on(fitted: TabDARSynthesizer, name: str) -> None:
    draw = DRAWS[name]
    fitted.reset_sampling()
    first, second = draw(fitted), draw(fitted)
    fitted.reset_sampling()

    assert not first.equals(second)
    pd.testing.assert_frame_equal(draw(fitted), first)
    pd.testing.assert_frame_equal(draw(fitted), second)


def test_no_seed_is_the_default(fitted: TabDARSynthesizer) -> None:
    fitted.reset_sampling()
    rows = fitted.sample(4)
    fitted.reset_sampling()

    pd.testing.assert_frame_equal(fitted.sample(4, seed=None), rows)


def test_rows_on_disk_follow_the_seed(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    for number in (0, 1):
        fitted.sample(
            6,
            seed=5,
            batch_size=2,
            output_folder_path=str(tmp_path / str(number)),
            return_rows=False,
        )
    texts = [(tmp_path / name / 'table.csv').read_text() for name in '01']

    assert texts[0] == texts[1]


@pytest.mark.parametrize('seed', [-1, 1.5, 'one', True])
def test_what_is_no_seed_is_refused(fitted: TabDARSynthesizer, seed: Any) -> None:
    with pytest.raises(ValueError, match="'seed' must be a whole number"):
        fitted.sample(2, seed=seed)
    with pytest.raises(ValueError, match="'seed' must be a whole number"):
        fitted.impute(GAPS, seed=seed)


@pytest.mark.filterwarnings('ignore:The table can be learnt as it is')  # it says: invented anew
def test_personal_data_of_few_values_follow_the_seed() -> None:
    """With SDV's rule 'match' the values are invented by whichever call comes first."""
    data = pd.DataFrame({'city': ['a', 'b', None] * 10, 'age': range(30)})
    synthesizer = TabDARSynthesizer(
        make_metadata({'city': {'sdtype': 'city', 'pii': True}, 'age': {'sdtype': 'numerical'}}),
        **TINY,
    )
    synthesizer.auto_assign_transformers(data)
    faker = AnonymizedFaker('address', 'city', cardinality_rule='match')
    synthesizer.update_transformers({'city': faker})
    synthesizer.fit(data)
    rows = synthesizer.sample(9, seed=1)
    synthesizer.sample(3)

    pd.testing.assert_frame_equal(synthesizer.sample(9, seed=1), rows)
    assert set(synthesizer.sample(9, seed=2)['city']) != set(rows['city'])


def test_a_table_of_generated_columns_follows_the_seed() -> None:
    data = pd.DataFrame({'mail': [f'm{number}@example.org' for number in range(20)]})
    synthesizer = fit_tiny(data, {'mail': {'sdtype': 'email', 'pii': True}})

    pd.testing.assert_frame_equal(synthesizer.sample(5, seed=1), synthesizer.sample(5, seed=1))
    assert not synthesizer.sample(5, seed=1).equals(synthesizer.sample(5, seed=2))


def test_predictions_that_are_drawn_follow_the_seed() -> None:
    """Those of a column that a constraint replaces."""
    random = np.random.default_rng(0)
    low = random.normal(size=80).round(2)
    data = pd.DataFrame({'low': low, 'high': low + random.random(80).round(2)})
    synthesizer = TabDARSynthesizer(
        make_metadata({name: {'sdtype': 'numerical'} for name in data}), **TINY
    )
    synthesizer.add_constraints([Inequality('low', 'high')])
    synthesizer.fit(data)
    rows = pd.DataFrame(index=range(3))

    def predicted(seed: int | None) -> pd.DataFrame:
        return synthesizer.predict_quantiles(rows, 'high', [0.3], num_samples=20, seed=seed)

    found = predicted(1)
    predicted(None)
    pd.testing.assert_frame_equal(predicted(1), found)
    assert not predicted(2).equals(found)
