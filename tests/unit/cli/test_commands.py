"""The commands, run in this process on a model that was fitted by one of them."""

from __future__ import annotations

import datetime
import decimal
import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import click
import pandas as pd
import pytest
from click.testing import Result

from sdv_tabdar.cli import sample as sample_module
from sdv_tabdar.cli.__main__ import cli

Run = Callable[..., Result]
pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')


def _frame(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), dtype={'code': str})


@pytest.mark.parametrize('command', [name for name in cli.commands if name != 'benchmark'])
def test_the_help_of_every_command_has_an_example(run: Run, command: str) -> None:
    assert f'  sdv-tabdar {command} ' in run(command, '--help').stdout


def test_the_benchmark_takes_all_that_follows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def main(arguments: tuple[str, ...], program: str) -> int:
        seen.append((arguments, program))
        return 3

    monkeypatch.setattr('sdv_tabdar.benchmark.__main__.main', main)
    run('benchmark', 'run', '--rows', '3', '--help', code=3)
    assert seen == [(('run', '--rows', '3', '--help'), 'sdv-tabdar benchmark')]


def test_fit_shows_the_columns_and_keeps_what_is_there(
    run: Run, folder: Path, tiny: list[str]
) -> None:
    model = folder / 'again.tabdar'
    metadata = ['--metadata', folder / 'people.json']
    arguments = ['fit', folder / 'people.csv', '-o', model, *metadata, '--epochs', 1, *tiny]

    result = run(*arguments)

    assert result.stdout == ''
    assert "Table 'people': 80 rows, 7 columns (sdtypes " in result.stderr
    assert 'since           datetime, %d/%m/%Y' in result.stderr
    assert 'Trained on 80 rows: 1 epoch in 0 s. ' in result.stderr
    refused = run(*arguments, code=1)
    assert f'Error: {model} exists. Give another name, or --force' in refused.stderr
    assert run(*arguments, '--force', '--quiet').stderr == ''


def test_rows_come_on_standard_output_and_the_same_with_a_seed(run: Run, model: Path) -> None:
    first, second = (run('sample', model, '-n', 7, '--seed', 1).stdout for _ in range(2))
    assert first == second
    assert _frame(first).shape == (7, 7)


def test_without_a_number_as_many_rows_as_in_training(
    run: Run, model: Path, tmp_path: Path
) -> None:
    result = run('sample', model, '-o', tmp_path / 'rows.parquet')
    assert result.stdout == ''
    assert 'Wrote 80 rows' in result.stderr
    assert len(pd.read_parquet(tmp_path / 'rows.parquet')) == 80


def test_every_kind_of_condition_is_met(run: Run, model: Path) -> None:
    asked = [
        'age between 30 and 40',
        'income is known',
        "marital status in ['married, again', \"widow's\"]",
        'code = 007',
        'rooms >= 2',
        'member = true',
        'since <= 31/12/2021',
    ]
    options = [part for text in asked for part in ('--where', text)]

    rows = _frame(run('sample', model, '-n', 9, *options).stdout)

    assert len(rows) == 9
    assert rows['age'].between(30, 40).all()
    assert rows['income'].notna().all()
    assert rows['marital status'].isin(['married, again', "widow's"]).all()
    assert (rows['code'] == '007').all()
    assert (rows['rooms'] >= 2).all()
    assert rows['member'].all()
    assert (pd.to_datetime(rows['since'], format='%d/%m/%Y') <= '2021-12-31').all()
    missing = run('sample', model, '-n', 3, '--where', 'income is missing')
    assert _frame(missing.stdout)['income'].isna().all()


@pytest.mark.parametrize(
    ('condition', 'code', 'message'),
    [
        ('age ! 30', 2, "'age ! 30' is no condition"),
        ('wage = 30', 1, "Error: The model has no column 'wage'. Did you mean 'age'?"),
        ('age = 30.5', 1, 'the column holds whole numbers'),
        ('since = yesterday', 1, "'since' cannot be 'yesterday'"),
        ('code in [B2]', 1, "'code' cannot be 'B2'"),
    ],
)
def test_what_cannot_be_met_is_refused(
    run: Run, model: Path, condition: str, code: int, message: str
) -> None:
    result = run('sample', model, '-n', 3, '--where', condition, code=code)
    assert result.stdout == ''
    assert message in result.stderr
    assert 'Traceback' not in result.stderr


def test_a_value_beyond_training_is_kept_with_a_note(run: Run, model: Path) -> None:
    result = run('sample', model, '-n', 2, '--where', 'code = B2')
    assert list(_frame(result.stdout)['code']) == ['B2', 'B2']
    assert 'Note: ' in result.stderr
    assert '.py' not in result.stderr


def test_gaps_are_filled_and_known_cells_stay(
    run: Run, model: Path, people: pd.DataFrame, tmp_path: Path
) -> None:
    gaps = people.head(6).drop(columns='rooms')
    gaps.loc[:3, 'code'] = None
    gaps.loc[4:, 'code'] = '007'  # alone in the column, so that it looks like a number
    gaps.to_csv(tmp_path / 'gaps.csv', index=False)

    result = run('impute', model, tmp_path / 'gaps.csv', '--seed', 1)

    filled = _frame(result.stdout)
    assert filled.notna().all(axis=None)
    assert list(filled['code'][4:]) == ['007', '007']
    assert filled['age'].equals(gaps['age'])
    assert set(filled['rooms']) <= {1, 2, 3}
    assert 'Missing cells filled: 4, absent columns: 1' in result.stderr


def test_a_table_on_standard_input_is_filled_too(run: Run, model: Path) -> None:
    result = run('impute', model, '-', input='age,code\n30,\n')
    assert _frame(result.stdout).notna().all(axis=None)


def test_predictions_are_probabilities_or_quantiles(run: Run, model: Path, folder: Path) -> None:
    data = folder / 'people.csv'
    shares = _frame(run('predict', model, data, 'code').stdout)
    assert list(shares) == ['007', '7', 'A1']
    assert shares.sum(axis=1).tolist() == pytest.approx([1.0] * 80)
    quantiles = _frame(run('predict', model, data, 'age', '--quantiles', '0.1,0.9').stdout)
    assert list(quantiles) == ['0.1', '0.9']
    assert (quantiles['0.1'] <= quantiles['0.9']).all()
    assert "no column 'wage'" in run('predict', model, data, 'wage', code=1).stderr
    assert 'is no list' in run('predict', model, data, 'age', '--quantiles', 'x', code=2).stderr
    of_levels = run('predict', model, data, 'code', '--quantiles', '0.5', code=2)
    assert "'code' has levels" in of_levels.stderr


def test_wrong_columns_of_the_data_are_refused(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / 'other.csv').write_text('age,weight\n30,70\n')
    for arguments in (['impute', model], ['predict', model]):
        column = ['code'] if arguments[0] == 'predict' else []
        result = run(*arguments, tmp_path / 'other.csv', *column, code=1)
        assert "'weight'" in result.stderr or 'weight' in result.stderr


def test_scores_are_lines_json_and_a_page(run: Run, model: Path, folder: Path) -> None:
    rows, page = folder / 'rows.csv', folder / 'report.html'
    run('sample', model, '-n', 80, '--seed', 0, '-o', rows)

    result = run('evaluate', folder / 'people.csv', rows, '--report', page)

    assert result.stdout.splitlines()[0].split() == ['metric', 'goal', 'score', 'floor', 'verdict']
    assert 'shape_error' in result.stdout
    assert page.stat().st_size > 10_000
    again = run('evaluate', folder / 'people.csv', rows, '--report', page, code=1)
    assert 'report.html exists' in again.stderr
    told = run('evaluate', folder / 'people.csv', rows, '--json', '--target', 'member')
    assert json.loads(told.stdout)['facts']['target'] == 'member'


def test_attackers_may_have_the_model(run: Run, folder: Path, model: Path) -> None:
    rows = folder / 'attacked.csv'
    run('sample', model, '-n', 80, '--seed', 0, '-o', rows)
    given = ['evaluate', folder / 'people.csv', rows, '--model', model, '--json']

    told = run(*given, '--test', folder / 'people.csv', '--reference-model', model)

    tried = {found['attack'] for found in json.loads(told.stdout)['attacks']}
    assert {'likelihood', 'likelihood_ratio'} <= tried
    assert '--model needs --test' in run(*given, code=2).stderr


def test_describe_lists_the_columns(run: Run, model: Path) -> None:
    told = run('describe', model).stdout
    assert all(repr(name) in told for name in ('age', 'marital status', 'since'))


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['describe', 'none.tabdar'], 'none.tabdar: No such file or directory.'),
        (['sample', 'people.csv'], 'people.csv'),
        (['sample', 'people.tabdar', '-o', 'rows.xlsx'], 'must end in .csv'),
        (['sample', 'people.tabdar', '-o', 'people.csv'], 'people.csv exists'),
        (['fit', 'none.csv', '-o', 'new.tabdar'], 'there is no such file'),
        (['fit', 'people.csv', '-o', '-'], 'give -o the name of a file'),
        (['fit', 'people.csv', '-o', 'new.tabdar', '--set', 'a=1'], 'sets no hyperparameter'),
        (['fit', 'people.csv', '-o', 'new.tabdar', '--set', 'width=7'], 'width'),
        (['fit', 'people.csv', '-o', 'new', '--metadata', 'people.csv'], 'holds no SDV metadata'),
        (['evaluate', 'people.csv', 'people.csv', '--target', 'wage'], "'wage'"),
    ],
)
def test_refusals_are_a_sentence(
    run: Run, folder: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    run('describe', 'people.tabdar')  # the files are there
    result = run(*arguments, code=1)
    assert result.stdout == ''
    assert result.stderr.splitlines()[-1].startswith('Error: ')
    assert message in result.stderr
    assert not (folder / 'new.tabdar').exists()


def _raising(error: BaseException) -> click.Command:
    def callback(**_: object) -> None:
        raise error

    return click.Command('raise', callback=callback)


def test_a_reader_that_has_seen_enough_is_no_error(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(sample_module, 'write_table', write)
    assert run('sample', model, '-n', 2).output == ''


def test_ctrl_c_ends_with_a_word(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.commands, 'raise', _raising(KeyboardInterrupt()))
    assert run('raise', code=130).stderr == 'Stopped.\n'


def test_a_fault_of_ours_is_no_refusal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.commands, 'raise', _raising(KeyError('ours')))
    with pytest.raises(KeyError):
        run('raise')
    monkeypatch.setitem(cli.commands, 'raise', _raising(ValueError('yours')))
    assert run('raise', code=1).stderr == 'Error: yours\n'
    with pytest.raises(ValueError, match='yours'):
        run('--traceback', 'raise')


def test_decimal_numbers_are_numbers(run: Run, tmp_path: Path, tiny: list[str]) -> None:
    table = tmp_path / 'prices.parquet'
    prices = [decimal.Decimal(number) / 4 for number in range(40)]
    pd.DataFrame({'price': [*prices, None]}).to_parquet(table)
    result = run('fit', table, '-o', tmp_path / 'prices.tabdar', '--epochs', 1, *tiny)
    assert '  price  numerical' in result.stderr
    rows = _frame(run('sample', tmp_path / 'prices.tabdar', '-n', 20, '--seed', 0).stdout)
    assert rows['price'].dropna().between(0, 10).all()


def test_zeros_in_front_and_gaps_in_whole_numbers_come_out_as_they_were(
    run: Run, tmp_path: Path, tiny: list[str]
) -> None:
    table, model, rows = (tmp_path / name for name in ('in.csv', 'zips.tabdar', 'out.csv'))
    zips, rooms = ('01234', '00501', '94110', ''), ('3', '', '4')
    cells = [f'{zips[row % 4]},{rooms[row % 3]}' for row in range(60)]
    table.write_text('\n'.join(['zip,rooms', *cells]))
    told = run('fit', table, '-o', model, '--epochs', 1, *tiny).stderr
    assert '  zip    categorical' in told

    run('sample', model, '-n', 60, '--seed', 0, '-o', rows)
    asked = run('sample', model, '-n', 2, '--where', 'zip = 01234', '--where', 'rooms = 3')
    filled = run('impute', model, '-', input='zip,rooms\n00501,\n01234,3\n').stdout
    scores = run('evaluate', table, rows, '--test', table, '--model', model, '--json').stdout

    for line in rows.read_text().splitlines()[1:]:
        zip_code, number = line.split(',')
        assert zip_code in zips
        assert number in rooms
    assert asked.stdout.splitlines()[1:] == ['01234,3'] * 2
    assert re.fullmatch('zip,rooms\n00501,[34]\n01234,3\n', filled)
    assert json.loads(scores)['facts']


def test_a_level_of_a_model_that_looks_missing_is_known(
    run: Run, tmp_path: Path, tiny: list[str]
) -> None:
    table, model = tmp_path / 'places.parquet', tmp_path / 'places.tabdar'
    pd.DataFrame({'country': ['NA', 'DE', None] * 20, 'size': range(60)}).to_parquet(table)
    run('fit', table, '-o', model, '--epochs', 1, *tiny)
    filled = run('impute', model, '-', input='country,size\nNA,3\n,5\n')
    assert filled.stdout.splitlines()[1] == 'NA,3'
    assert 'Missing cells filled: 1' in filled.stderr


def test_a_model_of_numbers_reads_zeros_in_front_as_numbers(run: Run, model: Path) -> None:
    filled = run('impute', model, '-', input='age,rooms\n030,01\n41,02\n').stdout
    assert [line.split(',')[:2] for line in filled.splitlines()[1:]] == [['30', '1'], ['41', '2']]


@pytest.mark.parametrize('sign', [';', '\t', '|'])
def test_fields_that_no_comma_separates_are_told_apart(run: Run, tmp_path: Path, sign: str) -> None:
    table = tmp_path / 'people.csv'
    table.write_text(f'age{sign}rooms\n30{sign}2,5\n41{sign}3\n')
    assert "Table 'people': 2 rows, 2 columns" in run('detect', table).stderr


@pytest.mark.parametrize('command', ['fit', 'detect'])
def test_objects_that_metadata_cannot_name_are_refused(
    run: Run, tmp_path: Path, command: str
) -> None:
    table, output = tmp_path / 'shifts.parquet', tmp_path / 'output'
    shifts = [datetime.time(hour) for hour in (6, 14, 22)] * 10
    pd.DataFrame({'place': list('abc') * 10, 'from': shifts}).to_parquet(table)
    refused = run(command, table, '-o', output, code=1).stderr
    assert "Columns of objects are 'from' (time). Write them as text or numbers" in refused
    assert not output.exists()


@pytest.mark.parametrize('command', ['fit', 'detect'])
def test_a_table_is_not_replaced_by_what_is_made_of_it(
    run: Run, tmp_path: Path, command: str
) -> None:
    table = tmp_path / 'people.csv'
    table.write_text('a\n1\n2\n')
    refused = run(command, table, '-o', table, '--force', code=1).stderr
    assert f'{table} is a file that this command reads; give another name' in refused
    assert table.read_text() == 'a\n1\n2\n'


def test_neither_are_models_and_the_rows_that_are_asked_about(
    run: Run, model: Path, tmp_path: Path
) -> None:
    known = tmp_path / 'known.csv'
    known.write_text('age\n30\n')
    shutil.copy(model, tmp_path / 'model.csv')
    for arguments in (
        ('predict', model, known, 'rooms', '-o', known),
        ('sample', tmp_path / 'model.csv', '-o', tmp_path / 'model.csv'),
        ('impute', tmp_path / 'model.csv', known, '-o', tmp_path / 'model.csv'),
    ):
        refused = run(*arguments, '--force', code=1).stderr
        assert 'is a file that this command reads' in refused
    assert known.read_text() == 'age\n30\n'
    assert (tmp_path / 'model.csv').read_bytes() == model.read_bytes()


def test_a_training_under_a_budget_tells_what_it_has_spent(
    run: Run, tmp_path: Path, tiny: list[str]
) -> None:
    pytest.importorskip('dp_accounting')
    table = tmp_path / 'people.csv'
    pd.DataFrame({'age': [20, 30] * 200}).to_csv(table, index=False)
    options = ('-o', tmp_path / 'people.tabdar', '--epochs', 1, '--set', 'epsilon=3')
    told = run('fit', table, *options, *tiny).stderr
    assert re.search(r'Trained on about \d+ rows with epsilon [\d.]+ and delta 0.0001\.', told)
    assert 'epochs in' not in told
