"""What all tests share: markers by folder, a guard of the global random states, small tables."""

from __future__ import annotations

import gc
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from .fresh import FreshProcesses

_TESTS = Path(__file__).parent
_FOLDERS = ('unit', 'integration', 'statistical', 'golden', 'fuzz')


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by the folder it is in, so that ``pytest -m unit`` selects one."""
    for item in items:
        folder = item.path.relative_to(_TESTS).parts[0]
        if folder in _FOLDERS:
            item.add_marker(getattr(pytest.mark, folder))


def pytest_collection_finish() -> None:
    """Take what was imported out of garbage collection, which would look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """A test builds the same networks whatever ran before it in its process."""
    torch.manual_seed(0)


def _global_states() -> dict[str, object]:
    name, keys, position, has_gauss, gauss = np.random.get_state()
    return {
        'random': random.getstate(),
        'numpy.random': (name, keys.tobytes(), position, has_gauss, gauss),
        'torch': torch.get_rng_state().numpy().tobytes(),
    }


@pytest.fixture(autouse=True)
def _global_random_states_stay(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail the test that draws from, or seeds, a global random generator.

    A test that runs code of others which does so says ``@pytest.mark.changes_random_state(why)``.
    """
    before = _global_states()
    yield
    if request.node.get_closest_marker('changes_random_state') is None:
        after = _global_states()
        changed = [name for name in before if before[name] != after[name]]
        if changed:
            pytest.fail(f'The test changed the global random state of {", ".join(changed)}.')


@pytest.fixture(autouse=True, scope='session')
def _interrupts_as_in_a_terminal() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt; a shell's background processes start with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope='session')
def fresh() -> Iterator[FreshProcesses]:
    """Runs code in processes that have imported neither SDV nor this package."""
    processes = FreshProcesses()
    yield processes
    processes.close()


@pytest.fixture
def mixed_table() -> pd.DataFrame:
    """300 rows of six columns: decimals, integers, categories, booleans, dates and gaps.

    The gaps of ``income`` belong to the rows whose ``job`` is 'none'; a fifth of ``savings`` is 0.
    """
    generator = np.random.default_rng(0)
    rows = 300
    job = generator.choice(['nurse', 'clerk', 'none'], rows, p=[0.5, 0.3, 0.2])
    income = np.round(generator.lognormal(7.5, 0.4, rows), 2)
    savings = np.where(generator.random(rows) < 0.2, 0, generator.integers(1, 10_000, rows))
    days = pd.to_timedelta(generator.integers(0, 1000, rows), unit='D')
    return pd.DataFrame(
        {
            'age': generator.integers(18, 90, rows),
            'job': job,
            'income': np.where(job == 'none', np.nan, income),
            'savings': savings,
            'member': generator.random(rows) < 0.3,
            'since': pd.Timestamp('2020-01-01') + days,
        }
    )


@pytest.fixture
def mixed_metadata() -> dict[str, object]:
    """SDV metadata of ``mixed_table``, as the dictionary of ``Metadata.load_from_dict``."""
    columns = {
        'age': {'sdtype': 'numerical'},
        'job': {'sdtype': 'categorical'},
        'income': {'sdtype': 'numerical'},
        'savings': {'sdtype': 'numerical'},
        'member': {'sdtype': 'boolean'},
        'since': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    }
    return {'tables': {'people': {'columns': columns}}}
