"""Rows like an example: which cells are held, and how near numbers stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.conditions import Between
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import make_table

pytestmark = [
    pytest.mark.changes_random_state('SDV itself draws from the global generators'),
    pytest.mark.filterwarnings('ignore:In .* rows the conditions are so unlikely'),
]


@pytest.fixture
def example() -> dict[str, Any]:
    return {'number': 0.25, 'whole': 20, 'day': '01.06.2020', 'level': 'b'}


def ranks(synthesizer: TabDARSynthesizer, name: str) -> pd.Series:
    rows = synthesizer.sample(1000, seed=1)[name].dropna()
    return pd.to_datetime(rows, format='%d.%m.%Y') if name == 'day' else rows


def test_all_the_same_is_a_copy(synthesizer: TabDARSynthesizer, example: dict[str, Any]) -> None:
    rows = synthesizer.sample_like(example, 5, 1)

    assert len(rows) == 5
    for name, value in example.items():
        assert (rows[name] == value).all()
    assert rows['key'].is_unique


def test_so_many_columns_are_held_in_each_row(
    synthesizer: TabDARSynthesizer, example: dict[str, Any]
) -> None:
    rows = synthesizer.sample_like(example, 60, 0.5, seed=0)
    near = pd.DataFrame(
        {
            'number': rows['number'].between(-0.9, 1.4),
            'whole': rows['whole'].between(7, 33),
            'day': pd.to_datetime(rows['day'], format='%d.%m.%Y').between(
                '2020-03-01', '2020-09-05'
            ),
            'level': rows['level'] == 'b',
        }
    )
    assert (near.sum(axis=1) >= 2).all()
    assert not near.all(axis=None)
    assert rows['level'].nunique() > 1


def test_numbers_stay_within_a_share_of_the_rows(
    synthesizer: TabDARSynthesizer, example: dict[str, Any]
) -> None:
    rows = synthesizer.sample_like({'whole': 20}, 200, 0.9, seed=0)
    usual = ranks(synthesizer, 'whole')

    # One column of which .9 is held is the one column. A twentieth of the rows on either side.
    low, high = np.quantile(usual, [(usual < 20).mean() - 0.08, (usual <= 20).mean() + 0.08])
    assert rows['whole'].between(low, high).all()
    assert rows['whole'].nunique() > 1


def test_nothing_alike_is_a_sample(synthesizer: TabDARSynthesizer, example: dict[str, Any]) -> None:
    rows = synthesizer.sample_like(example, 50, 0)
    assert rows['level'].nunique(dropna=False) > 1
    assert rows['whole'].nunique() > 5


def test_missing_cells_are_held_as_well(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample_like({'number': None, 'level': None}, 6, 0.9)
    assert rows[['number', 'level']].isna().all(axis=None)


@pytest.mark.parametrize('kind', ['series', 'frame'])
def test_an_example_may_be_a_row_of_a_table(synthesizer: TabDARSynthesizer, kind: str) -> None:
    table = make_table()
    row = table.iloc[3] if kind == 'series' else table.iloc[[3]]
    rows = synthesizer.sample_like(row, 4, 1)
    assert list(rows) == list(table)
    assert (rows['whole'] == table['whole'].iloc[3]).all()


def test_seed_file_and_batches(
    synthesizer: TabDARSynthesizer, example: dict[str, Any], tmp_path: Path
) -> None:
    rows = synthesizer.sample_like(
        example, 9, batch_size=4, output_folder_path=str(tmp_path), seed=3
    )
    again = synthesizer.sample_like(example, 9, batch_size=4, seed=3)

    pd.testing.assert_frame_equal(rows, again)
    assert len(pd.read_csv(tmp_path / 'table.csv')) == 9


@pytest.mark.parametrize(
    ('row', 'settings', 'error', 'message'),
    [
        ({'level': 'a'}, {'similarity': 1.5}, ValueError, 'from 0 to 1, however: 1.5'),
        ({'level': 'a'}, {'similarity': True}, ValueError, 'from 0 to 1, however: True'),
        ({'level': 'a'}, {'num_rows': 0}, ValueError, "'num_rows' must be a whole number"),
        ({'colour': 1}, {}, ValueError, r"columns \['colour'\], which the training table had not"),
        ({'key': 1}, {}, ValueError, 'no column that is learnt'),
        ({'whole': 'x'}, {}, ValueError, "column 'whole' cannot be 'x'"),
        ({'whole': Between(1, 2)}, {}, TypeError, 'must be values, however: Between'),
        (3, {}, TypeError, 'must be a row of the table'),
        (pd.DataFrame({'whole': [1, 2]}), {}, TypeError, 'a DataFrame of 2 rows'),
    ],
    ids=str,
)
def test_what_is_no_example_is_refused(
    synthesizer: TabDARSynthesizer,
    row: Any,
    settings: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        synthesizer.sample_like(row, **{'num_rows': 3, **settings})
