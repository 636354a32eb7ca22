"""The documentation's page about the paper, renewed from what runs have kept.

What is printed stands in the page between ``<!-- printed: NAME -->`` and ``<!-- end -->``; whatever
is outside is written by hand. The raw rows of a command are kept beside the page as
``PAGE/COMMAND.csv``, and those of later runs are added to them or take their places; so the page
can grow run by run, and is renewed from what is kept alone where no run is named. Figures go into
the folder of the pictures; those of synthetic rows need the run that has made the rows. A part of
which there are no rows stays as it is; if nothing is there, it gets the published numbers alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from sdv_tabdar.benchmark.experiments import nested
from sdv_tabdar.benchmark.experiments.imputation import NUMBERS as IMPUTED
from sdv_tabdar.benchmark.experiments.paper import (
    TABLES,
    by_part_and_base,
    paper_grid,
    published_grid,
)
from sdv_tabdar.benchmark.experiments.paper_figures import figures
from sdv_tabdar.benchmark.methods.spec import OURS, parse_spec
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
# The commands, and what tells their raw rows apart.
_KEYS: Mapping[str, tuple[str, ...]] = {
    'paper': ('part', 'row', 'table', 'synthesizer', 'seed'),
    'nested_diffusion': ('table', 'setting', 'seed'),
    'imputation': ('table', 'method', 'seed'),
    'yardsticks': ('table', 'synthesizer', 'seed'),
}


def renew(page: Path, runs: Sequence[Path], pictures: Path) -> list[str]:
    """Write what runs have kept into the page, beside it and into the folder of the pictures.

    Args:
        page: The Markdown page; it is changed.
        runs: Run directories of the commands ``paper``, ``nested-diffusion``, ``imputation`` and
            ``yardsticks``; may be none.
        pictures: The folder of the pictures.

    Returns:
        What was written, by name.

    Raises:
        FileNotFoundError: If there is no such page.
        ValueError: If neither the runs nor the folder beside the page have rows of these commands.
    """
    if not page.is_file():
        raise FileNotFoundError(f"There is no page '{page}' to write into.")
    folder = page.with_suffix('')
    kept, later = kept_beside(page), rows_of_runs(runs)
    parts_of = {stem: [*kept.get(stem, []), *later.get(stem, [])] for stem in _KEYS}
    found = {stem: joined(parts, _KEYS[stem]) for stem, parts in parts_of.items() if parts}
    if not found:
        raise ValueError(
            f'There are no rows of {", ".join(_KEYS)} in {[str(run) for run in runs]} or in '
            f"'{folder}': no such command has come to its end there."
        )
    parts = parts_of_page(found)
    texts = {name: to_markdown([grid]) for name, grid in parts.items()}

    def renewed(block: re.Match[str]) -> str:
        text, table = texts.get(block[2]), TABLES.get(block[2])
        if text is None and not block[3] and table is not None and table.published:
            text = to_markdown([published_grid(table)])
        return block[0] if text is None else f'{block[1]}{text}\n{block[4]}'

    page.write_text(_BLOCK.sub(renewed, page.read_text(encoding='utf-8')), encoding='utf-8')
    folder.mkdir(exist_ok=True)
    for stem, rows in found.items():
        rows.dropna(axis=1, how='all').to_csv(folder / f'{stem}.csv', index=False)
    drawn = figures(runs, found.get('nested_diffusion'))
    pictures.mkdir(parents=True, exist_ok=True)
    for name, content in drawn.items():
        (pictures / name).write_text(content, encoding='utf-8')
    return [*parts, *drawn]


def kept_beside(page: Path) -> dict[str, list[pd.DataFrame]]:
    """The raw rows in the folder beside the page, by the command that has made them."""
    paths = {stem: page.with_suffix('') / f'{stem}.csv' for stem in _KEYS}
    return {stem: [raw.read(path)] for stem, path in paths.items() if path.is_file()}


def rows_of_runs(runs: Sequence[Path]) -> dict[str, list[pd.DataFrame]]:
    """The raw rows of each run, by the command that has made them."""
    found: dict[str, list[pd.DataFrame]] = {}
    for run in runs:
        for stem in set(raw.names(run)) & {*_KEYS}:
            found.setdefault(stem, []).append(raw.load(run, stem)[0])
    return found


def joined(parts: Sequence[pd.DataFrame], keys: Sequence[str]) -> pd.DataFrame:
    """The rows of all parts by the first key; of equal ones the last, in the place of the first."""
    every = pd.concat(parts, ignore_index=True)
    levels = [[keys[0]], list(keys)]
    places = [every.groupby(level, sort=False, dropna=False).ngroup() for level in levels]
    last = ~every.duplicated(list(keys), keep='last')
    order = pd.concat(places, axis=1)[last].sort_values([0, 1]).index
    return every.loc[order].reset_index(drop=True)


def parts_of_page(rows: dict[str, pd.DataFrame]) -> dict[str, Grid]:
    """The tables of the page by name."""
    found: dict[str, Grid] = {}
    if 'paper' in rows:
        for name, base, part in by_part_and_base(rows['paper']):
            table = TABLES[name]
            shown = _of_its_data(part, table.data)
            found[_block_of(name, base)] = _with_footer(paper_grid(table, shown), shown)
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


def _block_of(name: str, base: str) -> str:
    """The block of the page that has a table of the paper: our own defaults are the plain base."""
    is_plain = base in ('', OURS[0])
    return name if is_plain else re.sub(r'[^\w-]+', '-', f'{name}-{base}')


def _of_its_data(rows: pd.DataFrame, data: Sequence[str]) -> pd.DataFrame:
    """The rows of those tables of data that the paper has there; all if there are none of them.

    A run on some of the ten tables measures on these what the paper measures on others.
    """
    own = rows[rows['table'].isin(data)]
    return own if len(own) else rows


def runs_grid(rows: pd.DataFrame) -> Grid:
    """What was run on whole tables: settings of each method, processor seconds of its fits."""
    known = rows.dropna(subset='spec').drop_duplicates(['table', 'spec', 'seed', 'part'])
    is_other = {name: bool(table.variants) or table.halved for name, table in TABLES.items()}
    known = known[~known['part'].map(is_other)]
    known = known.drop_duplicates(['table', 'spec', 'seed', 'fit_cpu_seconds'])
    names = list(dict.fromkeys(known['table']))
    shown = []
    for (label, spec), part in known.groupby(['synthesizer', 'spec'], sort=False):
        method = parse_spec(str(spec))
        plain = 'rows of a file' if method.kind == 'csv' else 'defaults'
        told = ', '.join(f'{name}={value!r}' for name, value in method.options.items()) or plain
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
