"""Run a case: fit a synthesizer on a table and ask it everything it can be asked."""

from __future__ import annotations

import contextlib
import io
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sdv.sampling import Condition
from sdv.single_table import GaussianCopulaSynthesizer
from sdv.utils import load_synthesizer

from sdv_tabdar import TabDARSynthesizer

from ..processor_time import time_limit
from .outcome import Finding, Outcome, OutOfTime, Stopped, restored_random_states
from .promises import Promises
from .questions import ask, meets
from .tables import Case, TableSpec, build

SECONDS = 20.0
_ROWS = 12
_ASKED = 4
_MAX_ATOMS = 256, 12  # of few rows, numbers are few, or have codes if they belong to other columns
TINY: dict[str, Any] = {
    'width': 8,
    'num_blocks': 1,
    'num_heads': 1,
    'head_width': 8,
    'denoiser_width': 8,
    'denoiser_blocks': 1,
    'epochs': 1,
    'num_steps': 1,
    'num_particles': 4,
    'precision': 'float32',
    'random_state': 0,
    'enable_gpu': False,
}


def run_table(spec: TableSpec, seconds: float = SECONDS) -> Outcome:
    """Fit, sample, complete, impute, predict, save and load one table.

    Raises:
        DoesNotFit: If there is no such table.
    """
    return _run(spec, _table_steps, seconds)


def run_pair(spec: TableSpec, seconds: float = SECONDS) -> Outcome:
    """Fit a table with constraints; sample and impute it, and ask conditions of it.

    Raises:
        DoesNotFit: If there is no such table.
    """
    return _run(spec, _pair_steps, seconds)


Synthesizer = TabDARSynthesizer
Steps = Callable[[Case, Synthesizer, Promises, Outcome], None]


def _run(spec: TableSpec, steps: Steps, seconds: float) -> Outcome:
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter('ignore')
        with restored_random_states():
            case = build(spec)
        outcome = Outcome(list(case.data.columns))
        try:
            with time_limit(seconds, OutOfTime()):
                synthesizer = _fitted(case, outcome)
                steps(case, synthesizer, Promises(case, outcome), outcome)
        except Stopped:
            pass
        except Exception as error:  # a check could not cope with what it was given
            place = traceback.extract_tb(error.__traceback__)[-1]
            kind = f'{outcome.step}: not to be checked ({type(error).__name__} in {place.name})'
            outcome.broken.append(Finding(kind, f'{error}; {spec}'))
        except OutOfTime:
            kind = f'more than {seconds:g} s of processor time in {outcome.step}'
            outcome.broken.append(Finding(kind, f'{outcome.asked} of {spec}'))
    return outcome


def _fitted(case: Case, outcome: Outcome) -> Synthesizer:
    synthesizer = outcome.attempt(
        'create',
        lambda: TabDARSynthesizer(
            case.metadata,
            enforce_min_max_values=case.spec.limits,
            enforce_rounding=case.spec.rounding,
            max_atoms=_MAX_ATOMS[case.spec.seed % len(_MAX_ATOMS)],
            **TINY,
        ),
    )
    if case.constraints:
        outcome.attempt('constraints', lambda: synthesizer.add_constraints(case.constraints))
    before = case.data.copy(deep=True)
    try:
        outcome.attempt('fit', lambda: synthesizer.fit(case.data))
    except Stopped:
        # Of dates beyond nanoseconds in a time zone, which SDV refuses as well, pandas 2 crashes.
        is_far = any('Dates must lie between' in found.detail for found in outcome.refused[-1:])
        if not is_far and _gaussian_copula_works(case):
            for finding in outcome.refused[-1:]:
                kind = f'SDV fits what we refuse: {finding.kind}'
                outcome.broken.append(Finding(kind, finding.detail))
        raise
    finally:
        unchanged = before.equals(case.data) and before.index.equals(case.data.index)
        outcome.promise('fit: changes the table', unchanged)
    return synthesizer


def _gaussian_copula_works(case: Case) -> bool:
    """Whether SDV's own synthesizer fits the table and draws from it."""
    with restored_random_states():
        try:
            other = GaussianCopulaSynthesizer(case.metadata)
            other.fit({'table': case.data.copy(deep=True)})
            return len(other.sample(5)['table']) == 5
        except Exception:  # whatever it says, it does not work
            return False


def _quietly(action: Callable[[], None]) -> None:
    """Run steps; one that fails was noted and ends only them."""
    with contextlib.suppress(Stopped):
        action()


def _table_steps(
    case: Case, synthesizer: Synthesizer, promises: Promises, outcome: Outcome
) -> None:
    random = np.random.default_rng(case.spec.seed)

    def sample() -> None:
        rows = outcome.attempt('sample', lambda: synthesizer.sample(_ROWS))
        promises.of_rows('sample', rows, _ROWS)

    def complete() -> None:
        data = case.data
        names = [name for name in data.columns if str(name) != promises.primary_key]
        if not names:
            return
        kept = random.permutation(len(names))[: random.integers(1, len(names) + 1)]
        rows = random.permutation(len(data))[:_ASKED]
        labels = pd.Index([names[place] for place in kept], tupleize_cols=False)
        known = data.iloc[rows].loc[:, [name in set(labels) for name in data.columns]]
        _complete(promises, outcome, synthesizer, known)

    def likelihood() -> None:
        rows = case.data.head(_ASKED)
        nats = outcome.attempt(
            'log_likelihood', lambda: synthesizer.log_likelihood(rows, num_orders=2)
        )
        outcome.promise('log_likelihood: index', nats.index.equals(rows.index))
        finite = np.isfinite(nats.to_numpy())
        outcome.promise('log_likelihood: not finite for training rows', finite.all(), str(nats))

    def save() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / 'synthesizer.pkl')
            outcome.attempt('save', lambda: synthesizer.save(path))
            loaded = outcome.attempt('load', lambda: load_synthesizer(path))
            outcome.attempt('save_safe', lambda: synthesizer.save_safe(path))
            safe = outcome.attempt('load_safe', lambda: TabDARSynthesizer.load_safe(path))
        synthesizer.reset_sampling()
        loaded.reset_sampling()
        safe.reset_sampling()
        first = outcome.attempt('sample again', lambda: synthesizer.sample(_ASKED))
        second = outcome.attempt('sample of loaded', lambda: loaded.sample(_ASKED))
        outcome.promise('load: other rows', first.equals(second), f'{first}\n{second}')
        third = outcome.attempt('sample of loaded safely', lambda: safe.sample(_ASKED))
        outcome.promise('load_safe: other rows', first.equals(third), f'{first}\n{third}')

    _quietly(sample)
    _quietly(complete)
    _quietly(lambda: _impute(case, synthesizer, promises, outcome, random))
    for name in promises.of_role('level')[:1]:
        _quietly(lambda name=name: _probabilities(case, synthesizer, promises, outcome, name))
    for name in promises.of_role('number', 'date')[:2]:
        _quietly(lambda name=name: _quantiles(case, synthesizer, promises, outcome, name))
    _quietly(likelihood)
    _quietly(save)


def _complete(
    promises: Promises, outcome: Outcome, synthesizer: Synthesizer, known: pd.DataFrame
) -> None:
    rows = outcome.attempt(
        'sample_remaining_columns',
        lambda: synthesizer.sample_remaining_columns(known),
        must='training rows',
    )
    promises.of_rows('sample_remaining_columns', rows, len(known))
    promises.of_known('sample_remaining_columns', rows, known)


def _impute(
    case: Case,
    synthesizer: Synthesizer,
    promises: Promises,
    outcome: Outcome,
    random: np.random.Generator,
) -> None:
    gaps = case.data.head(_ASKED).copy()
    masked = {
        name: gaps.iloc[:, place].mask(random.random(len(gaps)) < 0.4)
        for place, name in enumerate(gaps.columns)
    }
    for place, name in enumerate(gaps.columns):
        gaps.isetitem(place, masked[name])
    if random.random() < 0.3 and gaps.shape[1] > 1:
        gaps = gaps.iloc[:, :-1]
    before = gaps.copy(deep=True)
    samples = int(random.integers(1, 3))
    filled = outcome.attempt(
        'impute', lambda: synthesizer.impute(gaps, num_samples=samples), must='training rows'
    )
    outcome.promise('impute: changes the table', before.equals(gaps))
    promises.of_filled(filled, gaps)


def _probabilities(
    case: Case, synthesizer: Synthesizer, promises: Promises, outcome: Outcome, name: Any
) -> None:
    rows = case.data.head(_ASKED)
    shares = outcome.attempt('predict_proba', lambda: synthesizer.predict_proba(rows, name))
    total = shares.sum(axis=1).to_numpy(dtype=float)
    outcome.promise('predict_proba: index', shares.index.equals(rows.index))
    detail = f'{promises.described(name)}: {total}'
    outcome.promise('predict_proba: sum is not 1', np.allclose(total, 1, atol=1e-4), detail)
    seen = set(case.data[name].dropna().tolist())
    levels = {level for level in shares.columns if level is not None and not pd.isna(level)}
    detail = f'{promises.described(name)}: {levels} for {seen}'
    outcome.promise('predict_proba: levels', levels == seen, detail)


def _quantiles(
    case: Case, synthesizer: Synthesizer, promises: Promises, outcome: Outcome, name: Any
) -> None:
    rows = case.data.head(_ASKED)
    if case.data[name].isna().all():
        return
    table = outcome.attempt(
        'predict_quantiles', lambda: synthesizer.predict_quantiles(rows, name, (0.1, 0.5, 0.9))
    )
    outcome.promise('predict_quantiles: index', table.index.equals(rows.index))
    low, middle, high = (table.iloc[:, place].to_numpy() for place in range(3))
    ordered = bool((low <= middle).all() and (middle <= high).all())
    outcome.promise('predict_quantiles: order', ordered, f'{promises.described(name)}: {table}')


def _pair_steps(case: Case, synthesizer: Synthesizer, promises: Promises, outcome: Outcome) -> None:
    random = np.random.default_rng(case.spec.seed)

    def sample() -> None:
        rows = outcome.attempt('sample', lambda: synthesizer.sample(_ROWS))
        promises.of_rows('sample', rows, _ROWS)

    def complete() -> None:
        names = [name for name in case.data.columns if random.random() < 0.4]
        if names:
            known = case.data[names].iloc[random.permutation(len(case.data))[:_ASKED]]
            _complete(promises, outcome, synthesizer, known)

    _quietly(sample)
    _quietly(complete)
    _quietly(lambda: _impute(case, synthesizer, promises, outcome, random))
    for _ in range(2):
        _quietly(lambda: _conditions(synthesizer, promises, outcome, random))


def _conditions(
    synthesizer: Synthesizer, promises: Promises, outcome: Outcome, random: np.random.Generator
) -> None:
    question = ask(promises, random)
    cells = {str(name): cell for name, cell in question.cells.items()}
    must = f'met conditions ({_kinds(cells)})' if question.expected == 'rows' else ''
    step = f'conditions that {_STEPS[question.expected]}'
    rows = outcome.attempt(
        step,
        lambda: synthesizer.sample_from_conditions([Condition(cells, num_rows=_ASKED)]),
        must=must,
        asked=str(cells),
    )
    detail = f'{cells}: {len(rows)} rows'
    outcome.promise(f'{step}: rows', question.expected != 'error' or not len(rows), detail)
    if question.expected == 'rows':
        promises.of_rows(step, rows, _ASKED)
    promises.of_constraints(step, rows)
    for name, cell in question.cells.items():
        met = all(meets(promises, name, value, cell) for value in rows[name].tolist())
        seen = f'{promises.described(name)}: {rows[name].tolist()[:3]} for {cell!r}'
        outcome.promise(f'{step}: not met ({type(cell).__name__})', met, seen)


_STEPS = {'rows': 'a row meets', 'error': 'contradict', 'either': 'go beyond training'}


def _kinds(cells: dict[str, Any]) -> str:
    named = ('Between', 'OneOf', 'NotNull', 'NoneType')
    kinds = (type(cell).__name__ for cell in cells.values())
    return ', '.join(sorted({kind if kind in named else 'value' for kind in kinds}))
