"""The paper's tables again, for the methods that run here, beside the published numbers.

Everything is kept in one run directory, and what several tables need is run once. The paper's
figure of imputation errors is printed by the command ``imputation``.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sdv_tabdar.benchmark import paper_tables, published
from sdv_tabdar.benchmark.arguments import add_data_options, plan_settings
from sdv_tabdar.benchmark.datasets import dataset_names
from sdv_tabdar.benchmark.jobs import Job
from sdv_tabdar.benchmark.paper_tables import Row
from sdv_tabdar.benchmark.rendering import Grid, to_html, to_markdown
from sdv_tabdar.benchmark.results import footer, load_floors
from sdv_tabdar.benchmark.runner import Launch, plan, run_all, run_floor
from sdv_tabdar.benchmark.synthesizers import OURS, Spec, parse_spec
from sdv_tabdar.core.config import PAPER, ModelConfig

HELP = "the paper's tables for the methods that run here, beside the published numbers"
METHODS = ('tabdar', 'tabdar-paper', 'smote', 'ctgan', 'tvae')
DEPTHS = (2, 4, 6, 8)
DIMENSIONS = (8, 16, 32, 64)
NO_DIFFUSION = {'numerical_head': 'bins', 'num_bins': 100}
NO_ORDER = {'column_order': 'fixed'}
ABLATIONS: Mapping[str, Mapping[str, object]] = {
    'w/o both': {**NO_DIFFUSION, **NO_ORDER},
    'w/o diffusion loss': NO_DIFFUSION,
    'w/o random order': NO_ORDER,
}
# Runs on one half of all rows have a place of their own within the run directory.
HALVES = 'halves'
FLOOR = 'real against real'
IMPUTATION = "The paper's figure of imputation errors is printed by the command 'imputation'."


@dataclasses.dataclass(frozen=True)
class PaperTable:
    """What a table of the paper takes.

    Attributes:
        metrics: Names that ``evaluation.score`` knows.
        tables: The paper's tables of data; empty for all.
        halved: Whether its runs are trained on one half of all rows.
    """

    metrics: tuple[str, ...]
    tables: tuple[str, ...] = ()
    halved: bool = False


_FIDELITY = ('shape', 'trend', 'alpha_precision', 'lr_c2st', 'xgb_c2st', 'jsd')
_SENSITIVITY = ('shape', 'trend', 'alpha_precision')
TABLES = {
    'fidelity': PaperTable(_FIDELITY),
    'mle': PaperTable(('mle',)),
    'dcr': PaperTable(('dcr',), ('default', 'shoppers'), halved=True),
    'ablation': PaperTable(('shape', 'trend')),
    'depth': PaperTable(_SENSITIVITY, ('adult', 'beijing')),
    'dimension': PaperTable(_SENSITIVITY, ('adult', 'beijing')),
    'timing': PaperTable((), ('adult',)),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data_options(parser, out='benchmark_runs/paper')
    parser.add_argument(
        '--only',
        nargs='+',
        choices=list(TABLES),
        metavar='TABLE',
        default=list(TABLES),
        help=f"which of the paper's tables: {', '.join(TABLES)} (default: all)",
    )
    parser.add_argument(
        '--synthesizers',
        nargs='+',
        metavar='SYNTHESIZER',
        default=list(METHODS),
        help=f'the methods (default: {" ".join(METHODS)})',
    )
    parser.add_argument(
        '--base',
        default='tabdar',
        metavar='SYNTHESIZER',
        help="what ablation, depth and dimension vary; 'tabdar-paper' for the paper's settings, "
        'which want a GPU (default: %(default)s)',
    )
    parser.add_argument(
        '--max-training-time',
        type=float,
        metavar='SECONDS',
        help='how long our own synthesizer may train (the others have no such setting)',
    )
    parser.add_argument(
        '--floors',
        action='store_true',
        help="in 'fidelity', also score one half of the real rows against the other",
    )
    parser.add_argument(
        '--argn-python',
        metavar='PYTHON',
        help='the Python that has mostlyai-engine, for the synthesizer tabularargn',
    )


def main(options: argparse.Namespace, *, launch: Launch | None = None) -> list[dict[str, Any]]:
    """Run what is missing, print the tables, keep them as ``paper.md`` and ``paper.html``.

    Raises:
        ValueError: If ``--base`` is not ours, or two runs of one name have different settings.
    """
    names = [name for name in TABLES if name in options.only]
    jobs = {name: planned(name, options) for name in names}
    results: list[dict[str, Any]] = []
    for halved, out in ((False, options.out), (True, options.out / HALVES)):
        wanted = [jobs[name] for name in names if TABLES[name].halved == halved]
        if wanted:
            results += run_all(merged(wanted), out, launch=launch)
    floors = _floors(jobs.get('fidelity', []), options.out, launch) if options.floors else []
    if results:
        grids = [
            grid
            for name in names
            for grid in _GRIDS[name](options, _runs_of(jobs[name], results), floors)
        ]
        note = f'{footer(results)} {IMPUTATION}'
        text = to_markdown(grids, note)
        (options.out / 'paper.md').write_text(text, encoding='utf-8')
        (options.out / 'paper.html').write_text(to_html(grids, note), encoding='utf-8')
        print('\n' + text)
    return results


def planned(name: str, options: argparse.Namespace) -> list[Job]:
    """The runs of one table of the paper."""
    table = TABLES[name]
    jobs = plan(
        synthesizers=list(dict.fromkeys(_specs(name, options))),
        max_training_time=options.max_training_time,
        argn_python=options.argn_python,
        **{**plan_settings(options), 'metrics': table.metrics, 'tables': _data(table, options)},
    )
    return [dataclasses.replace(job, halved=table.halved, paper_compatible=True) for job in jobs]


def merged(groups: Sequence[Sequence[Job]]) -> list[Job]:
    """Each run once, with the metrics of all tables that need it.

    Raises:
        ValueError: If two runs of one name have different settings.
    """
    found: dict[Path, Job] = {}
    for job in (job for group in groups for job in group):
        other = found.setdefault(job.folder, job)
        if job.differences(other):
            raise ValueError(
                f"The label '{job.label}' stands for both '{other.spec}' and '{job.spec}'. Give "
                "--base or --synthesizers another label, as in 'mine=tabdar:width=64'."
            )
        metrics = tuple(dict.fromkeys([*other.metrics, *job.metrics]))
        found[job.folder] = dataclasses.replace(other, metrics=metrics)
    return list(found.values())


def variant(base: Spec, title: str, changes: Mapping[str, object]) -> Spec:
    """The base with other settings; the base itself if they are its own."""
    own = {**dataclasses.asdict(ModelConfig()), **(PAPER if base.kind == OURS[1] else {})}
    own.update(base.options)
    if all(own[name] == value for name, value in changes.items()):
        return base
    # Without a label of its own the base is called by its text, which no label may hold.
    stem = base.kind if base.label == str(base) else base.label
    return dataclasses.replace(base, label=f'{stem} {title}', options={**base.options, **changes})


def variants(name: str, base: Spec) -> dict[str, Spec]:
    """The rows of 'ablation', 'depth' or 'dimension': what the table calls them, and settings.

    Raises:
        ValueError: If the base is not this package's synthesizer.
    """
    if base.kind not in OURS:
        raise ValueError(f"--base must be one of {list(OURS)}, but it is '{base.kind}'.")
    if name == 'ablation':
        rows = {title: variant(base, title, changes) for title, changes in ABLATIONS.items()}
        return {**rows, base.label: base}
    field, values = ('num_blocks', DEPTHS) if name == 'depth' else ('width', DIMENSIONS)
    rows = {str(value): variant(base, f'{name} {value}', {field: value}) for value in values}
    if base not in rows.values():
        rows[f'{base.label} as it is'] = base
    return rows


def _specs(name: str, options: argparse.Namespace) -> list[str]:
    if name in ('ablation', 'depth', 'dimension'):
        chosen = variants(name, parse_spec(options.base)).values()
        return [str(spec) if spec.label == str(spec) else f'{spec.label}={spec}' for spec in chosen]
    return list(options.synthesizers)


def _data(table: PaperTable, options: argparse.Namespace) -> list[str]:
    """The paper's tables of data as far as they are wanted; else the wanted ones."""
    wanted = options.tables or dataset_names(options.data)
    return [name for name in table.tables if name in wanted] or list(wanted)


def _runs_of(jobs: Sequence[Job], results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    wanted = {(job.folder, job.halved) for job in jobs}
    found = [(result, Job.from_dict(result['job'])) for result in results]
    return [result for result, job in found if (job.folder, job.halved) in wanted]


def _floors(jobs: Sequence[Job], out: Path, launch: Launch | None) -> list[dict[str, Any]]:
    """Floors in the form of runs."""
    for job in {job.table: job for job in jobs}.values():
        run_floor(job, out, launch=launch)
    tables = {job.table for job in jobs}
    return [
        {'job': {'table': table, 'label': FLOOR}, 'scores': scores}
        for table, scores in load_floors(out).items()
        if table in tables
    ]


def _methods(options: argparse.Namespace) -> list[Row]:
    specs = [parse_spec(text) for text in options.synthesizers]
    return [Row(spec.label, spec.label, published.NAMES.get(spec.kind)) for spec in specs]


def _data_names(results: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(result['job']['table'] for result in results))


_Runs = Sequence[dict[str, Any]]


def _fidelity(options: argparse.Namespace, results: _Runs, floors: _Runs) -> list[Grid]:
    rows = _methods(options) + ([Row(FLOOR, FLOOR)] if floors else [])
    names = _data_names(results)
    title = f'Fidelity, averages over {", ".join(names)}' if names else 'Fidelity'
    return [
        paper_tables.table_grid(
            title, [*results, *floors], rows, paper_tables.FIDELITY, published.FIDELITY
        )
    ]


def _mle(options: argparse.Namespace, results: _Runs, floors: _Runs) -> list[Grid]:
    rows, names = _methods(options), _data_names(results)
    # What a model learns from real rows does not depend on the synthesizer.
    real = [
        {**result, 'job': {**result['job'], 'label': 'Real data'}, 'scores': scores}
        for result in results
        if (beside := result['scores'].get('mle_real')) is not None
        for scores in [{'mle': beside}]
    ]
    return [
        paper_tables.table_grid(
            'MLE by the published protocol',
            results,
            rows,
            paper_tables.mle_columns(names, 'mle_paper'),
            published.MLE,
        ),
        paper_tables.table_grid(
            "MLE without the protocol's faults (AUC, or RMSE in the target's units)",
            [*results, *real],
            [Row('Real data', 'Real data'), *rows],
            paper_tables.mle_columns(names, 'mle'),
        ),
    ]


def _dcr(options: argparse.Namespace, results: _Runs, floors: _Runs) -> list[Grid]:
    columns = paper_tables.dcr_columns(_data_names(results))
    return [
        paper_tables.table_grid(
            'DCR: share of rows closer to the training half',
            results,
            _methods(options),
            columns,
            published.DCR,
        )
    ]


def _variation(
    name: str, title: str, columns: Sequence[paper_tables.Column], beside: published.Table
) -> Callable[[argparse.Namespace, _Runs, _Runs], list[Grid]]:
    """How 'ablation', 'depth' and 'dimension' are printed."""

    def grids(options: argparse.Namespace, results: _Runs, floors: _Runs) -> list[Grid]:
        base = parse_spec(options.base)
        rows = [
            Row(row, spec.label, 'TabDAR' if row == base.label else row)
            for row, spec in variants(name, base).items()
        ]
        over = ', '.join(_data_names(results))
        return [
            paper_tables.table_grid(
                f'{title} of {base}, averages over {over}',
                results,
                rows,
                columns,
                beside,
                name='variant' if name == 'ablation' else name,
            )
        ]

    return grids


def _timing(options: argparse.Namespace, results: _Runs, floors: _Runs) -> list[Grid]:
    title = f'Time on {", ".join(_data_names(results))}'
    return [
        paper_tables.table_grid(
            title, results, _methods(options), paper_tables.TIMING, published.TIMING
        )
    ]


_GRIDS: dict[str, Callable[[argparse.Namespace, _Runs, _Runs], list[Grid]]] = {
    'fidelity': _fidelity,
    'mle': _mle,
    'dcr': _dcr,
    'ablation': _variation('ablation', 'Ablation', paper_tables.ABLATION, published.ABLATION),
    'depth': _variation('depth', 'Depth', paper_tables.SENSITIVITY, published.DEPTH),
    'dimension': _variation(
        'dimension', 'Dimension', paper_tables.SENSITIVITY, published.DIMENSION
    ),
    'timing': _timing,
}
