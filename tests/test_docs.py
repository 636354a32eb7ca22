"""The code that people copy runs: README, documentation, examples.

The Python blocks of a page are run one after the other in one namespace, in an empty folder.
Examples are imported and their ``main`` called with settings that make them quick.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.adapter import blocks
from sdv_tabdar.cli.__main__ import cli
from sdv_tabdar.core import trained
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.training import trainer

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / 'README.md', *ROOT.glob('docs/**/*.md')])
BLOCK = re.compile(r'^```python\n(.*?)^```', re.MULTILINE | re.DOTALL)
SHELL = re.compile(r'^```(?:sh|console)\n(.*?)^```', re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r'(?:^|\|) *(?:\$ )?sdv-tabdar (\w+)((?:\\\n|[^\n|])*)', re.MULTILINE)
LINK = re.compile(r'\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)')
HEADING = re.compile(r'^#+ (.*)$', re.MULTILINE)
PASSES, STEPS, BLOCK_ROWS = 3, 20, 512
NETWORK = {
    'width': 16,
    'num_blocks': 1,
    'num_heads': 2,
    'head_width': 16,
    'denoiser_width': 16,
    'denoiser_blocks': 1,
}

pytestmark = [
    pytest.mark.docs,
    pytest.mark.changes_random_state('SDV itself draws from the global generators'),
]


def _relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def threads_put_back() -> Iterator[None]:
    """A page may say how many threads torch has, for itself only."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def small_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small network, a few passes or steps, and smaller blocks: what is asserted holds of any."""
    monkeypatch.setattr(blocks, 'BLOCK_ROWS', BLOCK_ROWS)
    monkeypatch.setattr(TabDARSynthesizer, 'BLOCK_ROWS', BLOCK_ROWS)
    fit_network, longest = trained.fit_network, trainer.longest_training
    create = TabDAR.__init__

    def create_small(self: TabDAR, model: ModelConfig, *others: Any, **options: Any) -> None:
        create(self, dataclasses.replace(model, **NETWORK), *others, **options)

    def fit_shortly(*arguments: Any, **options: Any) -> Any:
        *table, training = arguments
        assert isinstance(training, TrainingConfig)
        if training.epochs is not None:
            training = dataclasses.replace(training, epochs=min(training.epochs, PASSES))
        return fit_network(*table, training, **options)

    monkeypatch.setattr(TabDAR, '__init__', create_small)
    monkeypatch.setattr(trained, 'fit_network', fit_shortly)
    monkeypatch.setattr(trainer, 'longest_training', lambda *table: min(longest(*table), STEPS))


@pytest.mark.usefixtures('threads_put_back', 'small_work')
@pytest.mark.parametrize(
    'page', [page for page in PAGES if BLOCK.search(page.read_text())], ids=_relative
)
def test_code_of_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    names: dict[str, object] = {'__name__': 'page'}
    for block in BLOCK.finditer(text):
        # Blank lines in front, so that a traceback gives the line of the page.
        source = '\n' * (text[: block.start()].count('\n') + 1) + block[1]
        exec(compile(source, str(page), 'exec'), names)


def _command_lines() -> Iterator[tuple[str, str]]:
    """Each command of the command line that a page or a help text shows, and its arguments."""
    texts = [text for page in PAGES for text in SHELL.findall(page.read_text())]
    texts += [command.epilog or '' for command in (cli, *cli.commands.values())]
    for text in texts:
        yield from COMMAND.findall(text)


@pytest.mark.parametrize(('name', 'arguments'), sorted(set(_command_lines())))
def test_command_lines_are_understood(name: str, arguments: str) -> None:
    words = shlex.split(arguments.replace('\\\n', ' '), comments=True)
    words = words[: words.index('>')] if '>' in words else words
    assert cli.commands[name].make_context(name, words).params


@pytest.mark.parametrize('page', PAGES, ids=_relative)
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    broken = [
        f'{link}#{anchor}'
        for link, anchor in LINK.findall(page.read_text())
        if not _leads_somewhere(page.parent / link if link else page, anchor)
    ]
    assert not broken


def _leads_somewhere(target: Path, anchor: str) -> bool:
    """Whether a page, or the heading of it that an anchor names, is there."""
    if not target.exists():
        return False
    if not anchor or target.suffix != '.md':
        return True
    headings = (heading.lower() for heading in HEADING.findall(target.read_text()))
    return anchor in {re.sub(r'[^\w -]', '', heading).replace(' ', '-') for heading in headings}


@pytest.mark.parametrize('list_of_pages', ['README.md', 'index.md'])
def test_every_page_is_in_the_lists(list_of_pages: str) -> None:
    docs = ROOT / 'docs'
    listed = (docs / list_of_pages).read_text()
    pages = [*docs.glob('*/**/*.md'), *docs.glob('*/*.ipynb')]
    names = [page.relative_to(docs).with_suffix('').as_posix() for page in pages]
    missing = [name for name in names if name not in listed]
    assert len(pages) > 10
    assert not missing, f'add them to docs/{list_of_pages}'


@pytest.mark.parametrize('page', sorted(ROOT.glob('docs/notebooks/*.ipynb')), ids=_relative)
def test_notebooks_are_stored_without_results(page: Path) -> None:
    # `make docs` runs them: plots need a package that `make test` does without.
    cells = [cell for cell in json.loads(page.read_text())['cells'] if cell['cell_type'] == 'code']
    assert cells
    assert all(not cell['outputs'] and cell['execution_count'] is None for cell in cells)


def test_reference_of_hyperparameters_is_up_to_date() -> None:
    written = (ROOT / 'docs' / 'reference' / 'hyperparameters.md').read_text()
    expected = _module(ROOT / 'docs' / 'write_hyperparameters.py').page()
    assert written == expected, 'run `make reference`'


def _example(name: str) -> ModuleType:
    return _module(ROOT / 'examples' / f'{name}.py')


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f'{path.parent.name}_{path.stem}', path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_tested() -> None:
    source = Path(__file__).read_text()
    untested = [
        path.stem
        for path in (ROOT / 'examples').glob('*.py')
        if f"_example('{path.stem}')" not in source
    ]
    assert not untested


@pytest.mark.usefixtures('small_work')
def test_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = _example('demo').main(tmp_path, max_training_time=2, num_rows=300)
    rows = pd.read_csv(tmp_path / 'adult_synthetic.csv')
    assert rows.shape == (300, 15)
    assert (tmp_path / 'adult_report.html').stat().st_size > 10_000
    assert scores.notna().all(axis=None)
    assert str(tmp_path / 'adult_report.html') in capsys.readouterr().out


@pytest.mark.usefixtures('small_work')
def test_conditions() -> None:
    rare, completed = _example('conditions').main(max_training_time=2)
    assert (rare['region'] == 'north').all()
    assert rare['channel'].value_counts().to_dict() == {'web': 100, 'shop': 100}
    assert completed['price'].tolist() == [9.99, 49.5, 120.0] * 2
    assert completed.notna().all(axis=None)


@pytest.mark.usefixtures('small_work')
def test_imputation() -> None:
    with pytest.warns(UserWarning, match='1 in column .area. .* They are kept'):
        errors = _example('imputation').main(max_training_time=2)
    assert np.isfinite(errors).all(axis=None)


@pytest.mark.usefixtures('small_work')
def test_missing_and_dates() -> None:
    students = _example('missing_and_dates').main(max_training_time=2, num_rows=100)
    assert students['student_id'].is_unique
    assert pd.to_datetime(students['start_date'], format='%Y-%m-%d').notna().any()
    assert students['salary'].isna().any()


@pytest.mark.usefixtures('small_work')
def test_train_on_several(tmp_path: Path) -> None:
    synthesizer = _example('train_on_several').main(tmp_path, max_training_time=2)
    assert len(synthesizer.sample(10)) == 10
    assert [path.name for path in tmp_path.iterdir()] == ['trips.pkl']


@pytest.mark.usefixtures('small_work')
def test_constraints() -> None:
    rentals = _example('constraints').main(max_training_time=2, num_rows=100)
    assert len(rentals) == 100
    assert (rentals['back'] >= rentals['left']).all()
    assert (rentals.loc[rentals['model'] == 'child', 'size'] == 'XS').all()
