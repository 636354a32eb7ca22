"""A page is renewed between its marks, with CSV files and pictures, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import nested, paper, paper_figures, paper_page
from sdv_tabdar.benchmark.jobs import steps
from sdv_tabdar.benchmark.output import raw

PAGE = """# A page

By hand.

<!-- printed: fidelity -->
old
<!-- end -->

<!-- printed: ablation -->
stays
<!-- end -->

<!-- printed: runs -->
<!-- end -->

<!-- printed: depth -->
<!-- end -->
"""
SCORES = {'shape_error': 0.01, 'alpha_precision': 0.99, 'beta_recall': 0.5, 'lr_c2st': 0.98}


@pytest.fixture
def run(
    prepared: Path,
    tmp_path: Path,
    bootstrap: str,
    called: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    command: Callable[..., str],
) -> Path:
    """A run of the command 'paper' on a table of the paper, on all rows and on halves."""
    (prepared / 'one').rename(prepared / 'default')

    def fixed(*_: object, **__: object) -> dict[str, float]:
        return SCORES

    monkeypatch.setattr(steps, 'evaluation', SimpleNamespace(score=fixed, floor_scores=fixed))
    given = ['--data', prepared, '--tables', 'default', '--only', 'fidelity', 'dcr', '--threads', 1]
    command('paper', *given, '--synthesizers', f'mine={bootstrap}', '--out', tmp_path / 'run')
    return tmp_path / 'run'


def test_only_what_is_printed_is_renewed(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., str]
) -> None:
    columns = (('age', 10), ('wage', 8))
    monkeypatch.setattr(paper_figures, 'DENSITIES', {'default': columns})
    page = tmp_path / 'page.md'
    page.write_text(PAGE)
    asked = ('paper-page', run, '--page', page, '--pictures', tmp_path / 'pictures')
    printed = command(*asked)
    text = page.read_text()
    assert text.startswith('# A page\n\nBy hand.\n')
    assert '| mine | 1.00 | - | 1.00 | 50.00 | 2.00 |' in text
    assert '| TabDAR, published | 1.21 ± 0.51 |' in text
    assert '<!-- printed: ablation -->\nstays\n<!-- end -->' in text
    assert '| mine | defaults |' in text
    assert 'old' not in text
    # Nothing was run, and nothing was there.
    assert '| 6, published | 0.79 | 1.81 | 0.5 | 45.88 |' in text
    rows = pd.read_csv(tmp_path / 'page' / 'paper.csv')
    assert rows['part'].tolist() == ['fidelity', 'dcr']
    assert rows['shape_error'].tolist() == [0.01] * 2
    pictures = [f'paper_{kind}_default.svg' for kind in ('density', 'pairs', 'distances')]
    assert sorted(path.name for path in (tmp_path / 'pictures').iterdir()) == sorted(pictures)
    assert set(pictures) <= set(printed.split())
    for name in pictures:
        root = ElementTree.parse(tmp_path / 'pictures' / name).getroot()
        assert any((element.text or '').startswith('mine') for element in root.iter())
    command(*asked)
    assert page.read_text() == text


def test_later_runs_are_added_to_the_rows_kept_beside_the_page(
    tmp_path: Path, command: Callable[..., str]
) -> None:
    page = tmp_path / 'page.md'
    page.write_text('<!-- printed: yardsticks -->\n<!-- end -->\n')
    scores = {'alpha_precision': 0.9, 'beta_recall': 0.4, 'xgb_c2st': 0.7}
    row = {'seed': 0, 'threads': 1, 'machine': 'A chip', 'table': 'one', 'synthesizer': 'mine'}
    row |= scores
    first = [{**row, 'utility': 0.5}, {**row, 'table': 'two', 'utility': 0.6}]
    second = [{**row, 'utility': 0.7}, {**row, 'synthesizer': 'other', 'utility': 0.8}]
    for name, rows in (('first', first), ('second', second)):
        raw.save(tmp_path / name, 'yardsticks', rows, {'data': 'DATA'})
        command('paper-page', tmp_path / name, '--page', page, '--pictures', tmp_path)
    text = page.read_text()
    found = [
        line.split('|')[1].strip()
        for line in text.splitlines()
        if line.startswith(('| one', '| two'))
    ]
    assert found[:3] == ['one: mine', 'one: other', 'two: mine']
    assert ' 0.500 ' not in text
    page.write_text('<!-- printed: yardsticks -->\n<!-- end -->\n')
    command('paper-page', '--page', page, '--pictures', tmp_path)
    assert page.read_text() == text


def test_rows_are_those_of_the_parts_that_were_trained_on(run: Path) -> None:
    found = {one.halved: one for one in paper_figures.kept_rows([run])}
    assert set(found) == {True, False}
    for kept in found.values():
        assert len(kept.rows) == len(kept.dataset.train)
        assert kept.rows['wage'].dropna().isin(kept.dataset.train['wage']).all()
    assert len(found[True].dataset.train) == len(found[True].dataset.test)


def test_a_figure_compares_what_was_trained_alike(run: Path) -> None:
    kept = paper_figures.kept_rows([run])
    assert [one.halved for one in paper_figures.of_one_kind(kept)] == [True]
    whole = [one for one in kept if not one.halved]
    assert paper_figures.of_one_kind(whole) == whole


def test_without_halves_there_is_no_figure_of_distances(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 'paper_distances_default.svg' in paper_figures.figures([run], None)
    whole = [one for one in paper_figures.kept_rows([run]) if not one.halved]
    monkeypatch.setattr(paper_figures, 'kept_rows', lambda _: whole)
    found = paper_figures.figures([run], None)
    assert 'paper_pairs_default.svg' in found
    assert 'paper_distances_default.svg' not in found


def test_without_rows_or_a_page_there_is_nothing_to_renew(
    tmp_path: Path, command: Callable[..., str]
) -> None:
    page = tmp_path / 'page.md'
    assert 'There is no page' in command('paper-page', tmp_path, '--page', page, code=2)
    page.write_text(PAGE)
    assert 'There are no rows of paper' in command('paper-page', tmp_path, '--page', page, code=2)
    assert page.read_text() == PAGE


@pytest.mark.parametrize(('tables', 'title'), [(['adult', 'car'], 'adult'), (['car'], 'car')])
def test_a_table_shows_the_data_that_the_paper_has_there(tables: list[str], title: str) -> None:
    row = {'part': 'timing', 'row': 'mine', 'base': 'tabdar', 'synthesizer': 'mine', 'kind': 'x'}
    row |= {'seed': 0, 'threads': 1, 'machine': 'M', 'spec': 'tabdar', 'fit_cpu_seconds': 1.0}
    rows = [{**row, 'table': name, 'fit_seconds': len(name)} for name in tables]
    grid = paper_page.parts_of_page({'paper': pd.DataFrame(rows)})['timing']
    assert grid.title == f'Time, averages over {title}'
    assert grid.rows[0][1][0].text == f'{len(title):.1f}'


def test_what_varies_another_base_has_a_table_of_its_own() -> None:
    row = {'part': 'depth', 'row': '2', 'table': 'adult', 'kind': 'tabdar', 'seed': 0}
    row |= {'threads': 1, 'machine': 'M', 'spec': 'tabdar', 'fit_cpu_seconds': 1.0}
    bases = {'tabdar': 0.01, 'tabdar-paper': 0.02, 'tabdar-paper:width=8': 0.03}
    rows = pd.DataFrame(
        {**row, 'base': base, 'synthesizer': base, 'shape_error': error}
        for base, error in bases.items()
    )
    found = paper_page.parts_of_page({'paper': rows})
    blocks = ['depth', 'depth-tabdar-paper', 'depth-tabdar-paper-width-8']
    assert [name for name in found if name.startswith('depth')] == blocks
    for name, (base, error) in zip(blocks, bases.items(), strict=True):
        assert found[name].title == f'Depth of {base}, averages over adult'
        assert found[name].rows[0][1][0].text == f'{100 * error:.2f}'
    assert len(paper.paper_tables(rows)) == 3


def test_yardsticks_that_runs_share_count_once_and_errors_are_one_minus_scores(
    tmp_path: Path,
) -> None:
    row = {'table': 'one', 'synthesizer': 'tabdar', 'seed': 0, 'threads': 1, 'machine': 'A chip'}
    scores = {'alpha_precision': 0.9, 'beta_recall': 0.4, 'xgb_c2st': 0.7, 'shape_error': 0.02}
    for name in ('first', 'second'):
        raw.save(tmp_path / name, 'yardsticks', [{**row, **scores}], {'data': 'DATA'})
    rows = paper_page.rows_of_runs([tmp_path / 'first', tmp_path / 'second'])['yardsticks']
    once = paper_page.joined(rows, ('table', 'synthesizer', 'seed'))
    assert len(once) == 1
    [(label, cells)] = paper_page.parts_of_page({'yardsticks': once})['yardsticks'].rows
    assert label == 'one: tabdar'
    assert [cell.text for cell in cells[:5]] == ['2.00', '-', '10.00', '60.00', '30.00']


def test_the_nested_diffusion_is_drawn_by_bins() -> None:
    rows = pd.DataFrame(
        [
            {'table': table, 'setting': text.partition(':')[0], 'likelihood': place, 'tie': place}
            for table in ('magic', nested.TIED)
            for place, text in enumerate(nested.SETTINGS)
        ]
    )
    root = ElementTree.fromstring(paper_figures.nested_picture(rows))
    texts = {element.text for element in root.iter()}
    assert {'magic: test rows, nats', 'tied: distance of y and x', 'nested diffusion'} <= texts
    lines = [element for element in root.iter() if element.tag.endswith('polyline')]
    assert len(lines) == 3 * 2
