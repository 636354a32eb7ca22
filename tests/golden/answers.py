"""The tables, models and questions whose answers are kept in this folder.

`python tests/golden/answers.py` writes the answers anew. They change only by decision, in a
commit of their own that says why.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from sdv.cag import FixedCombinations, Inequality
from sdv.metadata import Metadata
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar import Between, NotNull, OneOf, TabDARSynthesizer

FOLDER = Path(__file__).parent
_GENERATED = ['key', 'email']  # by other libraries, whose random values are theirs to change
_SETTINGS: dict[str, Any] = {
    'width': 16,
    'num_blocks': 2,
    'num_heads': 2,
    'head_width': 16,
    'denoiser_width': 16,
    'denoiser_blocks': 1,
    'num_bins': 4,
    'max_atoms': 8,
    'epochs': 4,
    'batch_size': 32,
    'learning_rate': 0.003,
    'weight_decay': 1e-6,
    'num_steps': 3,
    'num_particles': 8,
    'precision': 'float32',
    'random_state': 7,
    'enable_gpu': False,
}


def _fitted(
    frame: pd.DataFrame,
    columns: dict[str, dict[str, Any]],
    constraints: list[Any] | None = None,
    **table: Any,
) -> TabDARSynthesizer:
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns, **table}}})
    synthesizer = TabDARSynthesizer(metadata, **_SETTINGS)
    if constraints:
        synthesizer.add_constraints(constraints)
    synthesizer.fit(frame)
    return synthesizer


def _people(num_rows: int) -> pd.DataFrame:
    """Every sdtype; 'bonus' is missing where 'city' is 'c'; half of 'savings' is 0."""
    random = np.random.default_rng(1)
    city = random.choice(np.array(['a', 'b', 'c', None], dtype=object), num_rows)
    start = pd.Timestamp('2020-01-01')
    days = start + pd.to_timedelta(random.integers(0, 300, num_rows), 'D')
    income = np.round(random.lognormal(3, 1, num_rows), 2)
    return pd.DataFrame(
        {
            'key': np.arange(num_rows) + 5_000_000,
            'age': random.integers(18, 90, num_rows),
            'income': income,
            'savings': np.where(random.random(num_rows) < 0.5, 0, np.round(income * 7)),
            'bonus': np.where(city == 'c', np.nan, random.normal(size=num_rows).round(3)),
            'city': city,
            'flag': random.random(num_rows) < 0.3,
            'level': random.integers(1, 5, num_rows),
            'day': days.strftime('%d/%m/%Y').to_series(index=range(num_rows)).astype(object),
            'moment': start + pd.to_timedelta(random.integers(0, 10**7, num_rows), 's'),
            'email': [f'person{number}@example.org' for number in range(num_rows)],
            'constant': 3,
        }
    )


_PEOPLE = {
    'key': {'sdtype': 'id'},
    'age': {'sdtype': 'numerical'},
    'income': {'sdtype': 'numerical'},
    'savings': {'sdtype': 'numerical'},
    'bonus': {'sdtype': 'numerical'},
    'city': {'sdtype': 'categorical'},
    'flag': {'sdtype': 'boolean'},
    'level': {'sdtype': 'ordinal', 'range_values': [1, 2, 3, 4]},
    'day': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
    'moment': {'sdtype': 'datetime'},
    'email': {'sdtype': 'email', 'pii': True},
    'constant': {'sdtype': 'numerical'},
}


def _answers_about_people() -> dict[str, Callable[[], pd.DataFrame]]:
    frame = _people(160)
    synthesizer = _fitted(frame, _PEOPLE, primary_key='key')
    gaps = frame.head(20).drop(columns='savings')
    gaps.loc[::2, 'age'] = np.nan
    gaps.loc[::3, 'city'] = None
    gaps.loc[1::3, 'day'] = None
    conditions = [
        Condition({'city': 'b', 'age': 40}, num_rows=8),
        Condition({'age': Between(20, 30), 'level': OneOf([1, 4])}, num_rows=8),
        Condition({'city': None}, num_rows=4),
        DataFrameCondition(pd.DataFrame({'bonus': [NotNull(), Between(0, 1)] * 4})),
    ]
    known = pd.DataFrame({'day': ['03/02/2020', Between('01/03/2020', '05/03/2020')] * 4})
    return {
        'sample': lambda: synthesizer.sample(40),
        'conditions': lambda: synthesizer.sample_from_conditions(conditions),
        'remaining': lambda: synthesizer.sample_remaining_columns(known),
        'impute': lambda: synthesizer.impute(gaps),
        'draws': lambda: pd.concat(synthesizer.impute(gaps, num_draws=2)),
        'probabilities': lambda: synthesizer.predict_proba(gaps, 'city'),
        'quantiles': lambda: synthesizer.predict_quantiles(gaps, 'age'),
        'likelihood': lambda: synthesizer.log_likelihood(frame.head(20), 10).to_frame(),
    }


def _answers_under_constraints() -> dict[str, Callable[[], pd.DataFrame]]:
    random = np.random.default_rng(2)
    low = random.integers(0, 50, 120)
    country = random.integers(0, 3, 120)
    frame = pd.DataFrame(
        {
            'low': low,
            'high': low + random.integers(1, 20, 120),
            'country': np.array(['at', 'be', 'ch'])[country],
            'town': np.array([['graz', 'linz'], ['gent', 'mons'], ['bern', 'biel']])[
                country, random.integers(0, 2, 120)
            ],
        }
    )
    columns = {
        'low': {'sdtype': 'numerical'},
        'high': {'sdtype': 'numerical'},
        'country': {'sdtype': 'categorical'},
        'town': {'sdtype': 'categorical'},
    }
    constraints = [Inequality('low', 'high'), FixedCombinations(['country', 'town'])]
    synthesizer = _fitted(frame, columns, constraints)
    gaps = frame.head(12).astype({'low': float})
    gaps.loc[::2, 'low'] = np.nan
    gaps.loc[1::2, 'town'] = None
    conditions = [
        Condition({'low': 20}, num_rows=6),
        Condition({'country': 'be', 'town': 'mons'}, num_rows=6),
    ]
    return {
        'sample': lambda: synthesizer.sample(30),
        'conditions': lambda: synthesizer.sample_from_conditions(conditions),
        'impute': lambda: synthesizer.impute(gaps),
        'likelihood': lambda: synthesizer.log_likelihood(frame.head(12), 10).to_frame(),
    }


def _answers_of_nullable_columns() -> dict[str, Callable[[], pd.DataFrame]]:
    random = np.random.default_rng(3)
    whole = random.integers(0, 12, 100)
    frame = pd.DataFrame(
        {
            'whole': pd.array(np.where(whole == 0, None, whole), dtype='Int64'),
            'text': pd.array(np.array(['x', 'y', 'z'])[whole % 3], dtype='string'),
            'choice': pd.Categorical(np.array(['p', 'q'])[whole % 2], categories=['q', 'p', 'r']),
            'truth': pd.array(random.random(100) < 0.4, dtype='boolean'),
            'smooth': random.normal(size=100),
        }
    )
    columns = {
        'whole': {'sdtype': 'numerical'},
        'text': {'sdtype': 'categorical'},
        'choice': {'sdtype': 'categorical'},
        'truth': {'sdtype': 'boolean'},
        'smooth': {'sdtype': 'numerical'},
    }
    synthesizer = _fitted(frame, columns)
    conditions = [Condition({'whole': 4}, num_rows=5), Condition({'whole': None}, num_rows=5)]
    return {
        'sample': lambda: synthesizer.sample(30),
        'conditions': lambda: synthesizer.sample_from_conditions(conditions),
        'impute': lambda: synthesizer.impute(frame[['smooth']].head(12)),
        'probabilities': lambda: synthesizer.predict_proba(frame.head(12), 'text'),
        'likelihood': lambda: synthesizer.log_likelihood(frame.head(12), 10).to_frame(),
    }


TABLES: dict[str, Callable[[], dict[str, Callable[[], pd.DataFrame]]]] = {
    'people': _answers_about_people,
    'constraints': _answers_under_constraints,
    'nullable': _answers_of_nullable_columns,
}


def answers(table: str) -> dict[str, pd.DataFrame]:
    """Every question about one table, answered in the order of their names, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        asked = TABLES[table]()
        return {
            name: ask().reset_index(drop=True).drop(columns=_GENERATED, errors='ignore')
            for name, ask in asked.items()
        }
    finally:
        torch.set_num_threads(threads)


def path_of(table: str, question: str) -> Path:
    """The file of an answer."""
    return FOLDER / f'{table}_{question}.csv'


if __name__ == '__main__':
    for table in TABLES:
        for question, answer in answers(table).items():
            answer.to_csv(path_of(table, question), index=False)
