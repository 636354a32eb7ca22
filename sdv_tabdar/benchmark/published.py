"""Published numbers, as printed by their authors, for the tables that are printed beside ours.

Nobody's numbers here were computed by this package, and the protocols differ in details (hardware,
splits, seeds); each table names its source. What could not be read in a source is not here: the
TabDAR paper's times and its numbers for each single table of data are among that.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping

TABDAR_PAPER = (
    "the TabDAR paper (Zhang et al. 2024, 'Diffusion-nested Auto-Regressive Synthesis of "
    "Heterogeneous Tabular Data', doi:10.48550/arXiv.2410.21523)"
)
TABPC_RUNS = 'the result files of the repository april-tools/tabpc, means of five trainings'
ARGN_BENCHMARK = "the benchmark chart of TabularARGN's authors (repository mostly-ai/mostlyai)"

# What the papers call the methods that can be run here.
NAMES: Mapping[str, str] = types.MappingProxyType(
    {
        'tabdar': 'TabDAR',
        'tabdar-paper': 'TabDAR',
        'smote': 'SMOTE',
        'ctgan': 'CTGAN',
        'tvae': 'TVAE',
        'tabularargn': 'TabularARGN',
    }
)


@dataclasses.dataclass(frozen=True)
class Number:
    """A printed number.

    Attributes:
        mean: The number.
        std: The spread printed beside it, if there is one.
    """

    mean: float
    std: float | None = None


@dataclasses.dataclass(frozen=True)
class Table:
    """A published table.

    Attributes:
        source: Where it was printed.
        columns: The keys of its columns.
        rows: One number a column for each method or setting; None where the paper has a dash.
        remark: What a reader should know before comparing, one sentence.
    """

    source: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Number | None, ...]]
    remark: str = ''

    def number(self, row: str, column: str) -> Number | None:
        """The number of a method or setting; None if there is none."""
        if row not in self.rows or column not in self.columns:
            return None
        return self.rows[row][self.columns.index(column)]


def _plain(values: Mapping[str, tuple[float | None, ...]]) -> dict[str, tuple[Number | None, ...]]:
    return {
        name: tuple(None if value is None else Number(value) for value in row)
        for name, row in values.items()
    }


def _spread(
    values: Mapping[str, tuple[tuple[float, float] | None, ...]],
) -> dict[str, tuple[Number | None, ...]]:
    return {
        name: tuple(None if pair is None else Number(*pair) for pair in row)
        for name, row in values.items()
    }


FIDELITY = Table(
    TABDAR_PAPER,
    ('marginal', 'joint', 'alpha_precision', 'beta_recall', 'c2st', 'jsd'),
    _spread(
        {
            'SMOTE': (
                *((1.72, 1.36), (2.95, 1.66), (3.78, 3.94)),
                *((16.7, 9.16), (3.00, 3.66), (0.11, 0.10)),
            ),
            'TVAE': (
                *((15.8, 17.1), (17.4, 18.3), (18.2, 20.1)),
                *((70.9, 26.3), (43.9, 22.7), (1.01, 0.70)),
            ),
            'GOGGLE': ((17.2, 6.28), (29.1, 11.8), (21.8, 17.3), (90.8, 5.64), None, None),
            'CTGAN': (
                *((17.9, 6.99), (18.4, 9.11), (17.7, 15.1)),
                *((69.1, 33.8), (53.0, 22.5), (1.18, 0.69)),
            ),
            'GReaT': (
                *((12.9, 6.05), (44.3, 27.3), (17.2, 12.8)),
                *((53.2, 26.0), (42.4, 19.2), (1.43, 1.18)),
            ),
            'STaSy': (
                *((14.3, 7.40), (13.5, 9.76), (21.8, 24.7)),
                *((55.6, 29.6), (53.9, 16.6), (1.25, 1.13)),
            ),
            'CoDi': (
                *((17.4, 11.3), (15.2, 19.8), (10.0, 5.93)),
                *((51.7, 31.1), (44.0, 33.3), (0.76, 0.50)),
            ),
            'TabDDPM': (
                *((15.0, 25.3), (7.92, 8.16), (23.6, 2.93)),
                *((49.6, 34.5), (24.6, 38.9), (1.03, 1.60)),
            ),
            'TabSyn': (
                *((1.73, 0.76), (2.53, 1.45), (2.52, 2.93)),
                *((44.1, 24.5), (2.76, 2.19), (0.12, 0.09)),
            ),
            'DP-TBART': (
                *((3.24, 1.76), (2.71, 1.56), (2.11, 2.15)),
                *((48.0, 27.8), (5.36, 4.58), (0.16, 0.11)),
            ),
            'Tab-MT': (
                *((14.9, 15.1), (8.11, 10.8), (23.2, 31.9)),
                *((63.5, 38.3), (48.6, 47.7), (0.60, 0.83)),
            ),
            'TabDAR': (
                *((1.21, 0.51), (1.80, 0.72), (1.33, 1.10)),
                *((37.2, 20.1), (1.50, 1.42), (0.09, 0.048)),
            ),
        }
    ),
    'Averages over the ten tables of the paper. C2ST is the one with logistic regression, which '
    'sees little; an honest sample has a beta-recall error of about 50, and less comes from '
    'copying.',
)

MLE = Table(
    TABDAR_PAPER,
    (
        *('california', 'letter', 'car', 'nursery', 'adult', 'default', 'shoppers', 'magic'),
        *('news', 'beijing'),
    ),
    _plain(
        {
            'Real data': (0.999, 0.989, 0.999, 1.000, 0.927, 0.770, 0.926, 0.946, 0.842, 0.423),
            'TVAE': (0.986, 0.989, 0.746, 0.939, 0.846, 0.744, 0.898, 0.912, 0.979, 1.010),
            'GOGGLE': (None, None, None, None, 0.778, 0.584, 0.658, 0.654, 1.09, 0.877),
            'CTGAN': (0.925, 0.729, 0.899, 1.000, 0.874, 0.736, 0.868, 0.874, 0.845, 1.065),
            'GReaT': (0.996, 0.983, 0.979, 0.999, 0.913, 0.755, 0.902, 0.888, None, 0.653),
            'STaSy': (0.997, 0.990, 0.927, 0.982, 0.903, 0.749, 0.909, 0.923, 0.933, 0.672),
            'CoDi': (0.981, 0.998, 0.995, 1.000, 0.829, 0.497, 0.855, 0.930, 0.999, 0.750),
            'TabDDPM': (0.992, 0.513, 0.995, 1.000, 0.911, 0.763, 0.915, 0.933, None, 2.665),
            'TabSyn': (0.993, 0.990, 0.971, 0.997, 0.904, 0.764, 0.913, 0.934, 0.862, 0.669),
            'DP-TBART': (0.993, 0.985, 0.990, 0.917, 0.918, 0.717, 0.896, 0.924, 0.896, 0.676),
            'Tab-MT': (0.988, 0.985, 0.981, 1.000, 0.873, 0.714, 0.912, 0.822, 1.002, 2.098),
            'TabDAR': (0.994, 0.994, 0.996, 1.000, 0.904, 0.764, 0.916, 0.935, 0.856, 0.579),
        }
    ),
    'AUC, but RMSE of the logarithm on news and beijing; the published script chooses its trees '
    'there by chance.',
)

DCR = Table(
    TABDAR_PAPER,
    ('default', 'shoppers'),
    _plain(
        {
            'SMOTE': (91.41, 96.40),
            'TabDDPM': (51.30, 51.74),
            'TabSyn': (50.88, 51.50),
            'TabDAR': (51.13, 50.97),
        }
    ),
    'All real rows in two halves, one to train on; 50 is honest. Published numbers count ties as '
    'not closer.',
)

ABLATION = Table(
    TABDAR_PAPER,
    ('marginal', 'joint'),
    _plain(
        {
            'w/o both': (14.82, 8.94),
            'w/o diffusion loss': (12.35, 6.11),
            'w/o random order': (1.83, 2.05),
            'TabDAR': (1.21, 1.80),
        }
    ),
    "Averages over the ten tables of the paper, whose variant 'w/o diffusion loss' has 100 bins of "
    'equal width; ours has 100 bins of equal mass.',
)

DEPTH = Table(
    TABDAR_PAPER,
    ('marginal', 'joint', 'alpha_precision', 'beta_recall'),
    _plain(
        {
            '2': (1.10, 2.37, 0.56, 47.56),
            '4': (1.02, 2.19, 1.56, 47.37),
            '6': (0.79, 1.81, 0.50, 45.88),
            '8': (0.96, 2.09, 1.02, 46.84),
        }
    ),
    'Averages over Adult and Beijing, at width 32.',
)

DIMENSION = Table(
    TABDAR_PAPER,
    ('marginal', 'joint', 'alpha_precision', 'beta_recall'),
    _plain(
        {
            '8': (1.15, 2.88, 1.15, 53.37),
            '16': (0.99, 2.25, 0.68, 50.27),
            '32': (0.79, 1.81, 0.50, 45.88),
            '64': (1.05, 2.24, 1.62, 42.21),
        }
    ),
    'Averages over Adult and Beijing, at depth 6.',
)

TIMING = Table(
    f"{TABPC_RUNS}; the TabularARGN row: {ARGN_BENCHMARK}; the paper's own times are not known",
    ('fit_seconds', 'sample_seconds'),
    _plain(
        {
            'CTGAN': (3798, 1.9),
            'TVAE': (1310, 1.2),
            'TabDDPM': (2956, None),
            'TabSyn': (3083, 5.0),
            'TabDiff': (11605, 10.8),
            'TabPC': (272, 38.9),
            'TabularARGN': (89, None),
        }
    ),
    'Published times are those on Adult, on hardware that the sources do not state.',
)

# Errors of the best re-runs, by table: what is drawn as a line to compare with.
BEST_COLUMNS = ('shape_error', 'trend_error', 'xgb_c2st')
BEST = {
    method: Table(TABPC_RUNS, BEST_COLUMNS, _plain(rows))
    for method, rows in {
        'TabSyn': {
            'adult': (0.0079, 0.0205, 0.7942),
            'beijing': (0.0261, 0.0450, 0.5266),
            'default': (0.0132, 0.0288, 0.4024),
            'magic': (0.0098, 0.0082, 0.7602),
            'news': (0.0234, 0.0167, 0.1208),
            'shoppers': (0.0148, 0.0229, 0.6554),
        },
        'TabDiff': {
            'adult': (0.0068, 0.0154, 0.8409),
            'beijing': (0.0105, 0.0259, 0.7723),
            'default': (0.0116, 0.0274, 0.5914),
            'magic': (0.0080, 0.0084, 0.7732),
            'news': (0.0275, 0.0164, 0.0296),
            'shoppers': (0.0149, 0.0191, 0.7361),
        },
        'TabPC': {
            'adult': (0.0058, 0.0144, 0.8554),
            'beijing': (0.0057, 0.0219, 0.5704),
            'default': (0.0054, 0.0504, 0.2617),
            'magic': (0.0098, 0.0170, 0.8602),
            'news': (0.0064, 0.0185, 0.1286),
            'shoppers': (0.0090, 0.0178, 0.8936),
        },
    }.items()
}


def best_published(table: str, key: str) -> tuple[str, float] | None:
    """The method with the best published number of a table of data, and the number.

    Args:
        table: The table of data.
        key: One of ``BEST_COLUMNS``.

    Returns:
        None if none is known.
    """
    found = [
        (method, number.mean)
        for method, published in BEST.items()
        if (number := published.number(table, key)) is not None
    ]
    if not found:
        return None
    pick = max if key == 'xgb_c2st' else min
    return pick(found, key=lambda pair: pair[1])
