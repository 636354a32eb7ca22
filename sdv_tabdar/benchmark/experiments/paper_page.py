"""The documentation's page about the paper, renewed from what runs have kept.

What is printed stands in the page between ``<!-- printed: NAME -->`` and ``<!-- end -->``; whatever
is outside is written by hand. The raw rows of a command are written beside the page as
``PAGE/COMMAND.csv``, the figures into the folder of the pictures. A part of which no run has rows
stays as it is; if nothing is there, it gets the published numbers alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from sdv_tabdar.benchmark.experiments import nested
from sdv_tabdar.benchmark.experiments.imputation import NUMBERS as IMPUTED
from sdv_tabdar.benchmark.experiments.paper import TABLES, paper_grid, published_grid
from sdv_tabdar.benchmark.experiments.paper_figures import figures
from sdv_tabdar.benchmark.methods.spec import parse_spec
from sdv_tabdar.benchmark.output import raw, tables
from sdv_tabdar.benchmark.output.rendering import Cell, Grid, to_markdown
from sdv_tabdar.benchmark.output.tables import Number

RUNS_PART = 'runs'
YARDSTICKS = (
    Number('shape_error', 'Marginal, %', 'low', 100, 2),
    Number('trend_real_edges_error', 'Joint, %', 'low', 100, 2),
    Number('alpha_precision', 'alpha-precision error, %', factor=100, digits=2),
    Number('beta_recall', 'beta-recall error, % (50 is honest)', 0.5, 100, 2),
    Number('xgb_c2st', 'XGB-C2ST error, %', 'low', 100, 2),
    Number('dcr_share', 'DCR share, % (50 is honest)', 0.5, 100, 2),
    Number('utility', 'utility (1 is that of real rows)', 'high'),
    Number('fit_seconds', 'fit, processor s', digits=0),
)
_ERRORS = ('alpha_precision', 'beta_recall', 'xgb_c2st')
_BLOCK = re.compile(r'(<!-- printed: ([\w-]+) -->\n)(.*?)(<!-- end -->)', re.DOTALL)
_STEMS = ('paper', 'nested_diffusion', 'imputation', 'yardsticks')


def renew(page: Path, runs: Sequence[Path], pictures: Path) -> list[str]:
    """Write what runs have kept into the page, beside it and into the folder of the pictures.

    Args:
        page: The Markdown page; it is changed.
        runs: Run directories of the commands ``paper``, ``nested-diffusion``, ``imputation`` and
            ``yardsticks``.
        pictures: The folder of the pictures.

    Returns:
        What was written, by name.

    Raises:
        FileNotFoundError: If there is no such page.
        ValueError: If the runs have no rows of these commands.
    """
    if not page.is_file():
        raise FileNotFoundError(f"There is no page '{page}' to write into.")
    found = rows_of_runs(runs)
    if not found:
        raise ValueError(
            f'There are no rows of {", ".join(_STEMS)} in {[str(run) for run in runs]}: no such '
            'command has come to its end there.'
        )
    parts = parts_of_page(found)
    texts = {name: to_markdown([grid]) for name, grid in parts.items()}

    def renewed(block: re.Match[str]) -> str:
        text, table = texts.get(block[2]), TABLES.get(block[2])
        if text is None and not block[3] and table is not None and table.published:
            text = to_markdown([published_grid(table)])
        return block[0] if text is None else f'{block[1]}{text}\n{block[4]}'

    page.write_text(_BLOCK.sub(renewed, page.read_text(encoding='utf-8')), encoding='utf-8')
    folder = page.with_suffix('')
    folder.mkdir(exist_ok=True)
    for stem, rows in found.items():
        rows.dropna(axis=1, how='all').to_csv(folder / f'{stem}.csv', index=False)
    drawn = figures(runs, found.get('nested_diffusion'))
    pictures.mkdir(parents=True, exist_ok=True)
    for name, content in drawn.items():
        (pictures / name).write_text(content, encoding='utf-8')
    return [*parts, *drawn]


def rows_of_runs(runs: Sequence[Path]) -> dict[str, pd.DataFrame]:
    """The raw rows of all runs, by the command that has made them."""
    found: dict[str, list[pd.DataFrame]] = {}
    for run in runs:
        for stem in set(raw.names(run)) & {*_STEMS}:
            found.setdefault(stem, []).append(raw.load(run, stem)[0])
    every = {stem: pd.concat(parts, ignore_index=True) for stem, parts in found.items()}
    if 'yardsticks' in every:
        # Runs may share what they have kept, and a table's rows may come from several.
        own = every['yardsticks'].drop_duplicates(['table', 'synthesizer', 'seed'])
        places = own.groupby('table', sort=False).ngroup()
        every['yardsticks'] = own.loc[places.sort_values(kind='stable').index]
    return every


def parts_of_page(rows: dict[str, pd.DataFrame]) -> dict[str, Grid]:
    """The tables of the page by name."""
    found: dict[str, Grid] = {}
    if 'paper' in rows:
        for name, part in rows['paper'].groupby('part', sort=False):
            found[str(name)] = _with_footer(paper_grid(TABLES[str(name)], part), part)
        found[RUNS_PART] = runs_grid(rows['paper'])
    if 'nested_diffusion' in rows:
        part = rows['nested_diffusion']
        title, by = 'Numbers in their bins', ['table', 'setting']
        grid = tables.table(part, title, by, nested.NUMBERS, within='table')
        found['nested-diffusion'] = _with_footer(grid, part)
    if 'imputation' in rows:
        part = rows['imputation']
        grid = tables.table(part, 'Gaps filled', ['table', 'method'], IMPUTED, within='table')
        found['imputation'] = _with_footer(grid, part)
    if 'yardsticks' in rows:
        part = rows['yardsticks']
        errors = part.assign(**{key: 1 - part[key] for key in _ERRORS})
        by = ['table', 'synthesizer']
        grid = tables.table(errors, 'By defaults', by, YARDSTICKS, within='table')
        found['yardsticks'] = _with_footer(grid, part)
    return found


def runs_grid(rows: pd.DataFrame) -> Grid:
    """What was run: the settings of each method, and the processor seconds of its fits."""
    known = rows.dropna(subset='spec').drop_duplicates(['table', 'spec', 'seed', 'part'])
    known = known[~known['part'].map(lambda part: bool(TABLES[part].variants))]
    known = known.drop_duplicates(['table', 'spec', 'seed', 'fit_cpu_seconds'])
    names = list(dict.fromkeys(known['table']))
    shown = []
    for (label, spec), part in known.groupby(['synthesizer', 'spec'], sort=False):
        options = parse_spec(str(spec)).options
        told = ', '.join(f'{name}={value!r}' for name, value in options.items()) or 'defaults'
        seconds = Number('fit_cpu_seconds', '', digits=0)
        by_table = [part.loc[part['table'] == name, 'fit_cpu_seconds'].dropna() for name in names]
        cells = [told, *(seconds.text(values.tolist()) for values in by_table)]
        shown.append((str(label), [Cell(text) for text in cells]))
    header = ['method', 'settings', *(f'{name}: fit, processor s' for name in names)]
    return Grid('Methods and their settings', header, shown, tables.footer(known))


def _with_footer(grid: Grid, rows: pd.DataFrame) -> Grid:
    """With seeds and numbers of rows below; the machine stands on the page once."""
    told = tables.footer(rows.assign(machine=None))
    return Grid(grid.title, grid.header, grid.rows, f'{grid.note} {told}'.strip())
