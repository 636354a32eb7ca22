"""The paper's tables again, for the methods that run here, beside the published numbers.

Everything is kept in one run directory, and what several tables need is run once. The paper's
figure of imputation errors is printed by the experiment ``imputation``.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from sdv_tabdar.benchmark.data.datasets import dataset_names
from sdv_tabdar.benchmark.experiments.comparison import run_rows
from sdv_tabdar.benchmark.experiments.experiment import Rows, plan_settings
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.runs import plan, run_all, run_floors
from sdv_tabdar.benchmark.methods.spec import BINNED, OURS, Spec, parse_spec
from sdv_tabdar.benchmark.output.published import Published, method_names, published_table
from sdv_tabdar.benchmark.output.rendering import Cell, Grid
from sdv_tabdar.benchmark.output.tables import FLOOR_LABEL, NOTHING, Number
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.presets import PAPER

PAPERS_ENCODING = 'paper-encoding=tabdar:max_atoms=0,num_bins=1,num_steps=50,sigma_max=80.0'
"""Ours with numbers as in the paper, by one diffusion and as many steps."""

METHODS = ['tabdar', PAPERS_ENCODING, 'tabdar-paper', 'smote', 'ctgan', 'tvae']
REAL = 'Real data'
LEFT_TO_RIGHT = {'column_order': 'fixed', 'attention': 'causal'}


@dataclasses.dataclass(frozen=True)
class Variant:
    """A row of a table of variants.

    Attributes:
        changes: Settings in place of the base's.
        published: What the published table calls it; empty if it is not there.
        kind: The kind of synthesizer in place of the base's; empty for that.
    """

    changes: Mapping[str, object]
    published: str = ''
    kind: str = ''


@dataclasses.dataclass(frozen=True)
class PaperNumber(Number):
    """A column of a table of the paper.

    Attributes:
        published: What the published table calls it; empty if it is not there.
        error: Whether one minus the number is printed.
        table: The table of data whose runs are meant; None for all, averaged.
    """

    published: str = ''
    error: bool = False
    table: str | None = None


@dataclasses.dataclass(frozen=True)
class PaperTable:
    """What a table of the paper takes and shows.

    Attributes:
        title: Above it.
        metrics: Names that ``evaluation.score`` knows.
        numbers: Its columns; if empty, ``by_table`` for each table of data.
        by_table: Columns that there are once for each table of data, by their ends of a title.
        data: The paper's tables of data; empty for all.
        halved: Whether its runs are trained on one half of all rows.
        variants: Changes of the base by row; if empty, the rows are the methods.
        published: The published table; empty for none.
    """

    title: str
    metrics: tuple[str, ...] = ()
    numbers: tuple[PaperNumber, ...] = ()
    by_table: Mapping[str, PaperNumber] = dataclasses.field(default_factory=dict)
    data: tuple[str, ...] = ()
    halved: bool = False
    variants: Mapping[str, Variant] = dataclasses.field(default_factory=dict)
    published: str = ''


def _percent(key: str, title: str, published: str = '', *, error: bool = False) -> PaperNumber:
    return PaperNumber(key, f'{title}, %', factor=100, digits=2, published=published, error=error)


MARGINALS = (
    _percent('shape_error', 'Marginal', 'marginal'),
    # Published numbers were computed with numbers cut at the edges of the real table.
    _percent('trend_real_edges_error', 'Joint', 'joint'),
)
RECALL_TITLE = 'beta-recall error (50 is honest)'
FIDELITY = (
    *MARGINALS,
    _percent('alpha_precision', 'alpha-precision error', 'alpha_precision', error=True),
    _percent('beta_recall', RECALL_TITLE, 'beta_recall', error=True),
)
_FIDELITY_METRICS = ('shape', 'trend', 'alpha_precision')
_ALL_METRICS = (*_FIDELITY_METRICS, 'lr_c2st', 'xgb_c2st', 'jsd')
_SENSITIVITY_DATA = ('adult', 'beijing')


def _by_table(
    key: str, title: str, published: str = '', *, error: bool = False, factor: int = 100
) -> PaperTable:
    """One number of the fidelity by table of data."""
    number = PaperNumber(key, '', factor=factor, digits=2, error=error)
    return PaperTable(title, _ALL_METRICS, by_table={'': number}, published=published)


TABLES: Mapping[str, PaperTable] = {
    'fidelity': PaperTable(
        'Fidelity',
        _ALL_METRICS,
        (
            *FIDELITY,
            _percent('lr_c2st', 'LR-C2ST error', 'c2st', error=True),
            PaperNumber('jsd_paper', 'JSD, 1e-2', factor=100, digits=2, published='jsd'),
            _percent('xgb_c2st', 'XGB-C2ST error', error=True),
        ),
        published='fidelity',
    ),
    'marginal': _by_table('shape_error', 'Marginal, %', 'marginal'),
    'joint': _by_table('trend_real_edges_error', 'Joint, %', 'joint'),
    'alpha-precision': _by_table(
        'alpha_precision', 'alpha-precision error, %', 'alpha_precision', error=True
    ),
    'beta-recall': _by_table('beta_recall', f'{RECALL_TITLE}, %', 'beta_recall', error=True),
    'c2st': _by_table('lr_c2st', 'LR-C2ST error, %', 'c2st', error=True),
    'xgb-c2st': _by_table('xgb_c2st', 'XGB-C2ST error, %', 'xgb_c2st', error=True),
    'jsd': _by_table('jsd_paper', 'JSD, 1e-2'),
    'mle': PaperTable(
        'MLE by the published protocol',
        ('mle',),
        by_table={'': PaperNumber('mle_paper', '')},
        published='mle',
    ),
    'mle-without-faults': PaperTable(
        "MLE without the protocol's faults (AUC, or RMSE in the target's units)",
        ('mle',),
        by_table={'': PaperNumber('mle', '')},
    ),
    'dcr': PaperTable(
        'DCR: share of rows closer to the training half',
        ('dcr',),
        by_table={
            ', %': PaperNumber('dcr_share', '', factor=100, digits=2),
            ', ties as published, %': PaperNumber('dcr_share_paper', '', factor=100, digits=2),
        },
        data=('default', 'shoppers'),
        halved=True,
        published='dcr',
    ),
    'ablation': PaperTable(
        'Ablation of {base}',
        ('shape', 'trend'),
        MARGINALS,
        variants={
            'bins of equal width and left to right': Variant(
                {'edges': 'width', **LEFT_TO_RIGHT}, 'w/o both', BINNED
            ),
            'bins of equal width': Variant({'edges': 'width'}, 'w/o diffusion loss', BINNED),
            'bins by k-means': Variant({'edges': 'kmeans'}, kind=BINNED),
            'bins of equal mass': Variant({'numerical_head': 'bins', 'num_bins': 100}),
            'left to right': Variant(LEFT_TO_RIGHT, 'w/o random order'),
            'left to right and bidirectional': Variant({'column_order': 'fixed'}),
            'more telling columns sooner': Variant({'column_order': 'weighted'}),
            'any order alike': Variant({'column_order': 'random'}),
        },
        published='ablation',
    ),
    'depth': PaperTable(
        'Depth of {base}',
        _FIDELITY_METRICS,
        FIDELITY,
        data=_SENSITIVITY_DATA,
        variants={str(depth): Variant({'num_blocks': depth}, str(depth)) for depth in (2, 4, 6, 8)},
        published='depth',
    ),
    'dimension': PaperTable(
        'Dimension of {base}',
        _FIDELITY_METRICS,
        FIDELITY,
        data=_SENSITIVITY_DATA,
        variants={str(width): Variant({'width': width}, str(width)) for width in (8, 16, 32, 64)},
        published='dimension',
    ),
    'timing': PaperTable(
        'Time',
        numbers=(
            PaperNumber('fit_seconds', 'Fit, s', digits=1, published='fit_seconds'),
            PaperNumber('sample_seconds', 'Sample, s', digits=1, published='sample_seconds'),
            PaperNumber('fit_peak_memory', 'Peak memory of fit, MiB', digits=0),
        ),
        data=('adult',),
        published='timing',
    ),
}


def collect(options: argparse.Namespace) -> Rows:
    """Run what is missing; a run occurs once in each of the paper's tables that shows it.

    Raises:
        ValueError: If a table of the paper is unknown, or ``--base`` is not ours.
    """
    unknown = [name for name in options.only if name not in TABLES]
    if unknown:
        raise ValueError(f'--only must be of {list(TABLES)}, but it has {unknown}.')
    plans = {name: planned(name, options) for name in TABLES if name in options.only}
    rows: Rows = []
    for name, jobs in plans.items():
        found = run_all(jobs, options.out)
        wants = options.floors and name == 'fidelity' and found
        floors = run_floors(jobs, options.out) if wants else {}
        titles = _row_titles(name, options)
        begin = {'part': name, 'base': options.base}
        rows += [
            {**begin, 'row': titles.get(row['synthesizer'], row['synthesizer']), **row}
            for row in run_rows(found, floors)
            if row['synthesizer'] != FLOOR_LABEL or wants or 'mle' in row
        ]
    return rows


def planned(name: str, options: argparse.Namespace) -> list[Job]:
    """The runs of one table of the paper, on its tables of data as far as they are wanted."""
    table = TABLES[name]
    wanted = options.tables or dataset_names(options.data)
    chosen = [data for data in table.data if data in wanted] or list(wanted)
    if table.variants:
        specs = list(dict.fromkeys(map(_text, variants(name, parse_spec(options.base)).values())))
    else:
        specs = list(options.synthesizers)
    settings = {**plan_settings(options), 'metrics': table.metrics, 'tables': chosen}
    return plan(synthesizers=specs, halved=table.halved, paper_compatible=True, **settings)


def variants(name: str, base: Spec) -> dict[str, Spec]:
    """The rows of 'ablation', 'depth' or 'dimension': what the table calls them, and settings.

    Raises:
        ValueError: If the base is not this package's synthesizer.
    """
    if base.kind not in OURS:
        raise ValueError(f"--base must be one of {list(OURS)}, but it is '{base.kind}'.")
    settings = {**(PAPER if base.kind == OURS[1] else {}), **base.options}
    own = {**dataclasses.asdict(ModelConfig()), **settings}
    # Without a label of its own the base is called by its text, which no label may hold.
    stem = base.kind if base.label == str(base) else base.label
    found = {}
    for title, variant in TABLES[name].variants.items():
        label = f'{stem} {title}' if name == 'ablation' else f'{stem} {name} {title}'
        if variant.kind:
            found[title] = Spec(label, variant.kind, {**settings, **variant.changes})
            continue
        options = {**base.options, **variant.changes}
        is_base = all(own[key] == value for key, value in variant.changes.items())
        found[title] = base if is_base else dataclasses.replace(base, label=label, options=options)
    if base not in found.values():
        found[base.label if name == 'ablation' else f'{base.label} as it is'] = base
    return found


def _text(spec: Spec) -> str:
    return str(spec) if spec.label == str(spec) else f'{spec.label}={spec}'


def _row_titles(name: str, options: argparse.Namespace) -> dict[str, str]:
    """What a table with variants calls its rows, by the labels of the runs."""
    if not TABLES[name].variants:
        return {}
    return {spec.label: title for title, spec in variants(name, parse_spec(options.base)).items()}


def paper_tables(rows: pd.DataFrame) -> list[Grid]:
    """All tables that there are rows for, those of variants once for each base."""
    return [paper_grid(TABLES[name], part) for name, _, part in by_part_and_base(rows)]


def by_part_and_base(rows: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The rows of each of the paper's tables, apart by what they vary if they vary a base.

    Returns:
        The table's name, the base ('' where nothing is varied) and the rows.
    """
    for part, found in rows.groupby('part', sort=False):
        table = TABLES[str(part)]
        bases = found.groupby('base', sort=False) if table.variants else [('', found)]
        for base, own in bases:
            yield str(part), str(base), own


def paper_grid(table: PaperTable, rows: pd.DataFrame) -> Grid:
    """A table of the paper, with the published numbers of each method below its own row."""
    names = list(dict.fromkeys(rows['table']))
    published = published_table(table.published) if table.published else None
    numbers = table.numbers or _numbers_by_table(table, names, published)
    shown: list[tuple[str, list[Cell]]] = []
    titles = list(dict.fromkeys(rows['row']))
    known = {title: _published_name(table, rows[rows['row'] == title]) for title in titles}
    for index, title in enumerate(titles):
        part = rows[rows['row'] == title]
        done = len(set(part['table']))
        incomplete = f' ({done} of {len(names)} tables)' if done < len(names) else ''
        cells = [_cell(part, number) for number in numbers]
        shown.append(
            (f'{REAL if title == FLOOR_LABEL and table.by_table else title}{incomplete}', cells)
        )
        # Two rows may stand for one published method; it is printed below the last.
        later = {known[following] for following in titles[index + 1 :]}
        if published is not None and known[title] not in later:
            shown += _published_row(known[title], numbers, published)
    note = ''
    if published is not None:
        for method in published.rows:
            if method not in known.values():
                shown += _published_row(method, numbers, published)
        note = f'{published.remark} Published: {published.source}.'
    average = '' if table.by_table else f', averages over {", ".join(names)}'
    title = table.title.format(base=rows['base'].iloc[0]) + average
    return Grid(title, ['method', *(number.title for number in numbers)], shown, note)


def _numbers_by_table(
    table: PaperTable, names: Sequence[str], published: Published | None
) -> list[PaperNumber]:
    """The columns of each table of data that was run, and what is published of the others."""
    others = [name for name in published.columns if name not in names] if published else []
    found = [
        dataclasses.replace(
            number, title=f'{name}{end}', table=name, published='' if end == ', %' else name
        )
        for name in [*names, *others]
        for end, number in table.by_table.items()
    ]
    return [number for number in found if number.table in names or number.published]


def published_grid(table: PaperTable) -> Grid:
    """The published numbers of a table of the paper of which nothing was run.

    Raises:
        ValueError: If there are none.
    """
    if not table.published:
        raise ValueError(f"Nothing is published of '{table.title}'.")
    published = published_table(table.published)
    titles = {number.published: number.title for number in table.numbers}
    rows = [
        (f'{method}, published', [Cell(text or NOTHING) for text in texts])
        for method, texts in published.rows.items()
    ]
    note = f'Not run yet. {published.remark} Published: {published.source}.'
    header = ['method', *(titles.get(name, name) for name in published.columns)]
    return Grid(table.title.format(base='TabDAR'), header, rows, note)


def _published_name(table: PaperTable, rows: pd.DataFrame) -> str:
    """What the published table calls a row."""
    run = rows.iloc[0]
    if table.variants:
        variant = table.variants.get(str(run['row']))
        return 'TabDAR' if variant is None else variant.published
    if run['synthesizer'] == FLOOR_LABEL:
        return REAL
    return method_names().get(str(run['kind']), '')


def _cell(rows: pd.DataFrame, number: PaperNumber) -> Cell:
    """The mean over seeds of one table, or mean and standard deviation over tables."""
    if number.key not in rows:
        return Cell(NOTHING)
    chosen = rows if number.table is None else rows[rows['table'] == number.table]
    values = chosen.dropna(subset=number.key).groupby('table', sort=False)[number.key]
    means = [statistics.fmean(found) for _, found in values]
    return Cell(number.text([1 - mean if number.error else mean for mean in means]))


def _published_row(
    method: str, numbers: Sequence[PaperNumber], published: Published
) -> list[tuple[str, list[Cell]]]:
    """One row, or none if nothing is known for these columns."""
    found = [published.number(method, number.published) for number in numbers]
    if not any(found):
        return []
    return [(f'{method}, published', [Cell(text or NOTHING) for text in found])]
