"""Tables come from every layout with the types that were declared, and say what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import dataset_names, load_dataset


def own_metadata(name: str, columns: dict[str, str]) -> dict[str, object]:
    described = {column: {'sdtype': sdtype} for column, sdtype in columns.items()}
    return {'tables': {name: {'columns': described}}}


@pytest.fixture
def own(tmp_path: Path, table: pd.DataFrame) -> Path:
    folder = tmp_path / 'own'
    folder.mkdir()
    table.to_csv(folder / 'people.csv', index=False)
    types = {'age': 'numerical', 'wage': 'numerical', 'code': 'categorical', 'kind': 'categorical'}
    (folder / 'people.metadata.json').write_text(json.dumps(own_metadata('table', types)))
    return folder


def test_prepared_table_keeps_its_cells_and_takes_its_types_from_the_info(
    prepared: Path, table: pd.DataFrame
) -> None:
    dataset = load_dataset(prepared, 'one')
    pd.testing.assert_frame_equal(dataset.train, table)
    assert dataset.sdtypes['code'] == 'categorical'
    assert dataset.train['code'].dtype.kind == 'i'
    assert dataset.discrete == ['code', 'kind']
    assert (dataset.target, dataset.task, len(dataset.test)) == ('kind', 'binclass', 20)
    dataset.metadata.validate()


def test_names_of_prepared_tables(prepared: Path) -> None:
    assert dataset_names(prepared) == ['one', 'two']


def test_subsample_is_the_same_for_a_seed_and_leaves_the_test_part(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    small = dataset.subsample(10, seed=3)
    assert len(small.train) == 10
    assert list(small.train.index) == list(range(10))
    pd.testing.assert_frame_equal(small.train, dataset.subsample(10, seed=3).train)
    assert not small.train.equals(dataset.subsample(10, seed=4).train)
    assert len(small.test) == len(dataset.test)
    assert dataset.subsample(1000, seed=0) is dataset


def test_subsample_of_nothing_is_refused(prepared: Path) -> None:
    with pytest.raises(ValueError, match='must be at least 1, but it is 0'):
        load_dataset(prepared, 'one').subsample(0, seed=0)


def test_fingerprint_changes_with_a_cell(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    before = dataset.fingerprint()
    assert before == load_dataset(prepared, 'one').fingerprint()
    dataset.train.loc[5, 'age'] += 1
    assert dataset.fingerprint() != before


def test_columns_that_the_info_does_not_list_are_refused(prepared: Path) -> None:
    train = pd.read_csv(prepared / 'one' / 'train.csv.gz')
    train.assign(more=1).to_csv(prepared / 'one' / 'train.csv.gz', index=False)
    with pytest.raises(ValueError, match=r"must be the ones that 'info\.json' lists"):
        load_dataset(prepared, 'one')


def test_unknown_task_is_refused(prepared: Path) -> None:
    path = prepared / 'one' / 'info.json'
    path.write_text(path.read_text().replace('binclass', 'ranking'))
    with pytest.raises(ValueError, match="is 'ranking'; it must be one of"):
        load_dataset(prepared, 'one')


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('{', r"info\.json' is no JSON file in UTF-8"),
        ('[1]', r"info\.json' must hold a JSON object, but it holds \[1\]"),
        ('{}', r"info\.json' must name the sdtype of each column, .* columns are None"),
        ('{"columns": ["age"]}', r"must name the sdtype of each column, .* columns are \['age'\]"),
    ],
)
def test_broken_info_is_refused_in_words(prepared: Path, text: str, message: str) -> None:
    (prepared / 'one' / 'info.json').write_text(text)
    with pytest.raises(ValueError, match=message):
        load_dataset(prepared, 'one')


@pytest.mark.parametrize('name', ['task', 'target'])
def test_info_without_a_task_or_a_target_is_refused(prepared: Path, name: str) -> None:
    path = prepared / 'one' / 'info.json'
    info = json.loads(path.read_text())
    del info[name]
    path.write_text(json.dumps(info))
    with pytest.raises(ValueError, match=f'The {name} in .* is None; it must be one of'):
        load_dataset(prepared, 'one')
    assert load_dataset(prepared, 'one', target='kind').target == 'kind'


def test_an_absent_part_is_named(prepared: Path) -> None:
    (prepared / 'one' / 'test.csv.gz').unlink()
    with pytest.raises(FileNotFoundError, match=r"There is no file '.*test\.csv\.gz', which its"):
        load_dataset(prepared, 'one')


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        (b'', r"people\.csv' cannot be read as a CSV file in UTF-8: No columns"),
        (b'age,wage,code,kind\n', r"people\.csv' has no rows below its header line"),
        (
            b'age,wage,code,kind\n1,2,3,a\n',
            r"people\.csv' has 1 rows, of which a tenth .* at least 10",
        ),
        (
            b'age,wage,code,kind\n1,2,3,\xff\n',
            r"people\.csv' cannot be read as a CSV file in UTF-8",
        ),
        (b'age,wage,code,kind\n1,2\n1,2,3,4,5\n', r"people\.csv' cannot be read .* Expected 4"),
        (b'age,wage,code,kind\n1,2,3,4,5\n', r"people\.csv' cannot be read .* more fields than"),
    ],
)
def test_broken_csv_files_are_refused_in_words(own: Path, content: bytes, message: str) -> None:
    (own / 'people.csv').write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load_dataset(own, 'people')


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('age: numerical', r"people\.metadata\.json' is no JSON file"),
        ('{"tables": {}}', r"people\.metadata\.json' holds no metadata of SDV"),
        ('{"tables": {"people": {"columns": {"age": "numerical"}}}}', 'holds no metadata of SDV'),
    ],
)
def test_broken_metadata_is_refused_in_words(own: Path, text: str, message: str) -> None:
    (own / 'people.metadata.json').write_text(text)
    with pytest.raises(ValueError, match=message):
        load_dataset(own, 'people')


def test_a_test_part_of_other_columns_is_refused(own: Path, table: pd.DataFrame) -> None:
    table.drop(columns='age').to_csv(own / 'people.test.csv', index=False)
    with pytest.raises(ValueError, match=r"people\.test\.csv' must have the columns of"):
        load_dataset(own, 'people')


def test_own_csv_is_split_and_its_metadata_may_name_the_table_differently(own: Path) -> None:
    dataset = load_dataset(own, 'people', target='kind')
    assert dataset_names(own) == ['people']
    assert (len(dataset.train), len(dataset.test)) == (54, 6)
    assert (dataset.target, dataset.task) == ('kind', 'binclass')
    assert list(dataset.metadata.tables) == ['people']
    assert load_dataset(own, 'people', target='age').task == 'regression'
    assert load_dataset(own, 'people', target='code').task == 'multiclass'
    assert load_dataset(own, 'people').task is None


def test_own_test_part_is_taken_and_is_no_table(own: Path, table: pd.DataFrame) -> None:
    table.head(7).to_csv(own / 'people.test.csv', index=False)
    dataset = load_dataset(own, 'people')
    assert (len(dataset.train), len(dataset.test)) == (60, 7)
    assert dataset_names(own) == ['people']


def test_one_metadata_file_may_describe_several_tables(own: Path, table: pd.DataFrame) -> None:
    (own / 'people.metadata.json').unlink()
    types = dict.fromkeys(table.columns, 'numerical')
    tables = {**own_metadata('people', types)['tables'], **own_metadata('b', types)['tables']}
    (own / 'metadata.json').write_text(json.dumps({'tables': tables}))
    assert load_dataset(own, 'people').sdtypes == types
    table.to_csv(own / 'third.csv.gz', index=False)
    with pytest.raises(ValueError, match=r"describes the tables \['b', 'people'\] but not 'third'"):
        load_dataset(own, 'third')


def test_own_table_without_metadata_says_how_to_make_some(own: Path) -> None:
    (own / 'people.metadata.json').unlink()
    with pytest.raises(FileNotFoundError, match=r'Metadata\.detect_from_dataframes'):
        load_dataset(own, 'people')


def test_metadata_of_other_columns_is_refused(own: Path) -> None:
    types = {'age': 'numerical', 'height': 'numerical'}
    (own / 'people.metadata.json').write_text(json.dumps(own_metadata('people', types)))
    with pytest.raises(ValueError, match=r"only in the metadata: \['height'\]"):
        load_dataset(own, 'people')


def test_unknown_target_table_and_folder(own: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'height' is no column of table 'people'"):
        load_dataset(own, 'people', target='height')
    with pytest.raises(FileNotFoundError, match=r"no table 'cities' .* are \['people'\]"):
        load_dataset(own, 'cities')
    with pytest.raises(FileNotFoundError, match='There is no data folder'):
        load_dataset(tmp_path / 'nowhere', 'people')
    (tmp_path / 'empty').mkdir()
    with pytest.raises(ValueError, match='holds no tables'):
        dataset_names(tmp_path / 'empty')


def test_fresh_rows_are_in_no_other_part(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    parted = dataset.with_fresh_rows(0)
    assert parted.fresh is not None
    quarter = (len(dataset.train) + len(dataset.test)) // 4
    assert [len(part) for part in (parted.train, parted.test, parted.fresh)] == [
        2 * quarter,
        quarter,
        quarter,
    ]
    before = pd.concat([dataset.train, dataset.test]).value_counts(dropna=False)
    after = pd.concat([parted.train, parted.test, parted.fresh]).value_counts(dropna=False)
    assert (after <= before.reindex(after.index)).all()
    again = dataset.with_fresh_rows(0).fresh
    pd.testing.assert_frame_equal(parted.fresh, again)
