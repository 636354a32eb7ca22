"""The paper's figures from rows that runs have kept: densities, errors of pairs, distances."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from sdv_tabdar import evaluation
from sdv_tabdar.benchmark.data.datasets import Dataset
from sdv_tabdar.benchmark.experiments.nested import EVENLY, TIED
from sdv_tabdar.benchmark.experiments.yardsticks import COPY, INDEPENDENT, REAL, parts_of
from sdv_tabdar.benchmark.files import read_json
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.steps import ROWS
from sdv_tabdar.benchmark.methods.exchange import read_rows
from sdv_tabdar.benchmark.output import raw
from sdv_tabdar.benchmark.output.pictures import (
    Floats,
    Panel,
    Range,
    curves,
    density,
    pixels,
    sheet,
)

# The columns of the paper's densities, and into how many cells each is cut.
DENSITIES: Mapping[str, tuple[tuple[str, int], tuple[str, int]]] = {
    'adult': (('age', 37), ('education.num', 16)),
    'california': (('longitude', 60), ('latitude', 60)),
}
CORRELATIONS = ('letter', 'adult', 'default', 'magic')
DISTANCES = ('default', 'shoppers')
DARKEST = 0.15  # the error of a pair from which on a cell is darkest
COLUMNS = 4  # panels side by side
# How the folder of a run says that rows were made, and what they were made from.
_MADE = {'steps.generate-*.json': Job.load, 'yardsticks.draw-*.json': parts_of}


@dataclasses.dataclass(frozen=True)
class Kept:
    """Rows that a run has kept.

    Attributes:
        job: What made them.
        dataset: The table, with the part that was trained on.
        rows: The rows.
        halved: Whether as many rows as were trained on, or half of them, were held out at random.
    """

    job: Job
    dataset: Dataset
    rows: pd.DataFrame
    halved: bool


def kept_rows(runs: Sequence[Path]) -> list[Kept]:
    """What runs have kept, of the first seed of each method and table; the last run counts."""
    found: dict[tuple[str, str, bool], Kept] = {}
    for run in runs:
        own: dict[tuple[str, str, bool], Kept] = {}
        for kept in _kept_in(run):
            own.setdefault((kept.job.table, kept.job.label, kept.halved), kept)
        found.update(own)
    return list(found.values())


def _kept_in(run: Path) -> Iterator[Kept]:
    names = raw.names(run)
    if not names:
        return
    data = raw.load(run, names[0])[1]['data']
    for path in sorted(run.glob(f'*/*/*/seed=*/{ROWS}')):
        for pattern, load in _MADE.items():
            for told in path.parent.glob(pattern):
                asked = (read_json(told) or {})['asked']['arguments']['job']
                job = Job.from_dict({**asked, 'data': data, 'metrics': ()})
                dataset = load(job)
                halved = job.halved or load is parts_of
                yield Kept(job, dataset, read_rows(path, dataset.train), halved)


def figures(runs: Sequence[Path], nested: pd.DataFrame | None) -> dict[str, str]:
    """All figures that there are rows for: SVG documents by the names of their files.

    Args:
        runs: Run directories of the commands ``paper`` and ``yardsticks``; of a table that the
            latter has rows of, those alone are drawn.
        nested: The raw rows of the command ``nested-diffusion``; None if there are none.
    """
    found = {}
    kept = kept_rows(runs)
    for kind, tables, draw in (
        ('density', DENSITIES, densities),
        ('pairs', CORRELATIONS, pair_errors),
        ('distances', DISTANCES, distances),
    ):
        for table in tables:
            own = of_one_kind([one for one in kept if one.job.table == table])
            if draw is distances:  # which need as many rows that were held out
                own = [one for one in own if one.halved]
            if any(one.job.label not in (REAL, COPY, INDEPENDENT) for one in own):
                found[f'paper_{kind}_{table}.svg'] = draw(own)
    if nested is not None:
        found['paper_nested.svg'] = nested_picture(nested)
    return found


def of_one_kind(kept: Sequence[Kept]) -> list[Kept]:
    """The rows of ``yardsticks`` where there are any: a figure compares what was trained alike."""
    return [one for one in kept if one.halved] or list(kept)


def densities(kept: Sequence[Kept]) -> str:
    """Two columns of a table: real rows, then those of each method, all shaded alike."""
    (x, across), (y, up) = DENSITIES[kept[0].job.table]
    real = pd.concat([kept[0].dataset.train, kept[0].dataset.test])[[x, y]].dropna()
    ranges = (_range(real[x]), _range(real[y]))
    pictures = {'real rows': density(real.to_numpy(dtype=float), ranges, (across, up))}
    for one in _by_method(kept, without=(REAL, COPY, INDEPENDENT)):
        rows = one.rows[[x, y]].dropna().to_numpy(dtype=float)
        pictures[one.job.label] = density(rows, ranges, (across, up))
    top = float(np.sqrt(pictures['real rows'].max()))
    axes = [
        (f'{low:g}', name, f'{high:g}') for name, (low, high) in zip((x, y), ranges, strict=True)
    ]
    panels = [
        Panel(title, pixels(np.sqrt(shares), top), *axes) for title, shares in pictures.items()
    ]
    return sheet(panels, COLUMNS, title=f'{x} and {y} of {kept[0].job.table}, by method')


def pair_errors(kept: Sequence[Kept]) -> str:
    """How far the relation of each two columns is from that in training rows, by method."""
    panels = []
    for one in _by_method(kept, without=(COPY,)):
        dataset = one.dataset
        report = evaluation.evaluate(
            dataset.train,
            one.rows,
            dataset.metadata,
            metrics=['trend'],
            floors=False,
            verbose=False,
        )
        pairs = report.tables['pairs']
        names = list(dict.fromkeys([*pairs['column_1'], *pairs['column_2']]))
        errors = pd.DataFrame(0.0, index=names, columns=names)
        for first, second, score in zip(
            pairs['column_1'], pairs['column_2'], pairs['real_edges_score'], strict=True
        ):
            errors.loc[first, second] = errors.loc[second, first] = 1 - score
        panels.append(Panel(one.job.label, pixels(errors.to_numpy(), DARKEST)))
    title = f'Errors of pairs of columns of {kept[0].job.table}, by method'
    return sheet(panels, COLUMNS, title=title)


def distances(kept: Sequence[Kept]) -> str:
    """How far drawn rows are from rows trained on and from as many held out, by method.

    Args:
        kept: Rows of halved runs.
    """
    panels = []
    for one in _by_method(kept, without=(INDEPENDENT,)):
        dataset = one.dataset
        report = evaluation.evaluate(
            dataset.train,
            one.rows,
            dataset.metadata,
            dataset.test,
            metrics=['dcr'],
            floors=False,
            verbose=False,
        )
        found = report.figures['dcr'][0]
        middles = (found['edges'][1:] + found['edges'][:-1]) / 2
        lines = [(middles, np.asarray(found[key])) for key in ('draw_to_real', 'draw_to_holdout')]
        highest = max(float(shares.max()) for _, shares in lines)
        low, high = float(found['edges'][0]), float(found['edges'][-1])
        content = curves(lines, ((low, high), (0.0, highest)))
        title = f'{one.job.label}, {report.scores["dcr_share"]:.3f}'
        panels.append(Panel(title, content, (f'{low:g}', 'distance', f'{high:.2g}')))
    legend = ('to rows trained on', 'to as many rows held out')
    title = f'Distances of drawn rows of {kept[0].job.table}, by method'
    return sheet(panels, COLUMNS, legend, title)


def nested_picture(rows: pd.DataFrame) -> str:
    """Likelihood of test rows by the number of bins, with the diffusion and evenly.

    All of its panels span as many nats, so that what is next to nothing looks so.
    """
    settings = rows['setting'].str.extract(r'(?P<bins>\d+) bins (?P<how>\w+)')
    rows = rows.assign(bins=np.log2(settings['bins'].astype(float)), how=settings['how'])
    means = rows.groupby(['table', 'how', 'bins'])['likelihood'].mean().groupby('table')
    nats = float((means.max() - means.min()).max())
    panels = []
    for table, part in rows.groupby('table', sort=False):
        panels.append(_by_bins(part, 'likelihood', f'{table}: test rows, nats', nats))
        if table == TIED:
            panels.append(_by_bins(part, 'tie', f'{table}: distance of y and x'))
    return sheet(panels, COLUMNS, ('nested diffusion', 'evenly'), 'The nested diffusion, by bins')


def _by_bins(rows: pd.DataFrame, key: str, title: str, span: float = 0.0) -> Panel:
    means = rows.groupby(['how', 'bins'])[key].mean()
    lines = [
        (means[how].index.to_numpy(dtype=float), means[how].to_numpy(dtype=float))
        for how in sorted(set(rows['how']), key=EVENLY.__eq__)
    ]
    low, high = _margins(means.to_numpy(dtype=float), span)
    ends = (float(rows['bins'].min()), float(rows['bins'].max()))
    x = (f'{2 ** ends[0]:g}', 'bins', f'{2 ** ends[1]:g}')
    return Panel(title, curves(lines, (ends, (low, high))), x, (f'{low:.3g}', '', f'{high:.3g}'))


def _margins(values: Floats, span: float) -> Range:
    """The range of the values, made as wide as a span, with a twentieth of it on either side."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    wide = max(span, high - low)
    return (low + high) / 2 - 0.55 * wide, (low + high) / 2 + 0.55 * wide


def _range(column: pd.Series) -> Range:
    return float(column.min()), float(column.max())


def _by_method(kept: Sequence[Kept], without: Sequence[str]) -> list[Kept]:
    """The first of each label, real rows first, then as the runs have them."""
    found = {one.job.label: one for one in reversed(kept) if one.job.label not in without}
    ordered = sorted(found, key=lambda label: (label != REAL, not _is_ours(label), label))
    return [found[label] for label in ordered]


def _is_ours(label: str) -> bool:
    return re.match(r'tabdar|paper-encoding', label) is not None
