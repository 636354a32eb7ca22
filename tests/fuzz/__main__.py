"""Run many cases and count: ``python -m tests.fuzz --tables 2000 --pairs 2000 --seed 0``."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import sys
import time
from collections.abc import Callable, Iterator

from hypothesis import strategies as st

from .cases import SECONDS, run_pair, run_table
from .columns import DoesNotFit
from .drawing import cases, smaller
from .outcome import Outcome
from .tables import TableSpec, constrained_tables, related_tables, tables

Runner = Callable[[TableSpec, float], Outcome]
KINDS: dict[str, tuple[st.SearchStrategy[TableSpec], Runner]] = {
    'tables': (tables(), run_table),
    'pairs': (constrained_tables(), run_pair),
    'related': (related_tables(), run_pair),
}


class Counts:
    """What came of the cases so far."""

    def __init__(self) -> None:
        self.cases: collections.Counter[str] = collections.Counter()
        self.steps: collections.Counter[str] = collections.Counter()
        self.refused: dict[str, list[tuple[str, int, str]]] = {}
        self.broken: dict[str, list[tuple[str, int, str]]] = {}

    def add(self, kind: str, place: int, outcome: Outcome | None) -> None:
        """Count a case; None for one that could not be built."""
        if outcome is None:
            self.cases['no such table'] += 1
            return
        self.steps.update(outcome.done)
        for seen, findings in ((self.refused, outcome.refused), (self.broken, outcome.broken)):
            for finding in findings:
                seen.setdefault(finding.kind, []).append((kind, place, finding.detail))
        result = 'promise broken' if outcome.broken else 'kept its promises'
        self.cases['refused' if outcome.refused and not outcome.broken else result] += 1

    def text(self, seed: int) -> str:
        """The counts for a person to read."""
        lines = ['Cases', *(f'  {n:6d}  {name}' for name, n in self.cases.most_common())]
        lines += ['Steps gone through', *(f'  {n:6d}  {s}' for s, n in self.steps.most_common())]
        lines += ['Refused', *_examples(self.refused, seed, 1)]
        lines += ['Promises broken', *_examples(self.broken, seed, 3)]
        return '\n'.join(lines)


def _examples(
    findings: dict[str, list[tuple[str, int, str]]], seed: int, number: int
) -> Iterator[str]:
    """Each kind of finding with the number of its cases and how to see a few of them again."""
    for kind, seen in sorted(findings.items(), key=lambda item: -len(item[1])):
        yield f'  {len({entry[:2] for entry in seen}):6d}  {kind}'
        for case, place, detail in seen[:number]:
            yield f'          --{case} 1 --start {place} --seed {seed}: {detail[:500]}'


def main() -> int:
    """Run the command; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog='python -m tests.fuzz', description=__doc__)
    parser.add_argument('--tables', type=int, default=0, help='tables without constraints')
    parser.add_argument('--pairs', type=int, default=0, help='tables with constraints, conditions')
    parser.add_argument('--related', type=int, default=0, help='columns that follow from others')
    parser.add_argument('--start', type=int, default=0, help='number of the first case')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--jobs', type=int, default=1, help='processes, of one thread each')
    parser.add_argument('--limit', type=float, default=SECONDS, help='processor seconds a case')
    parser.add_argument('--seconds', type=float, help='begin no case after so many seconds')
    parser.add_argument('--shrink', action='store_true', help='print smaller cases that break too')
    parser.add_argument('--every', type=int, default=200, help='print counts every so many cases')
    arguments = parser.parse_args()
    counts, end = Counts(), time.monotonic() + (arguments.seconds or float('inf'))
    for done, (kind, place, outcome) in enumerate(_outcomes(arguments, end), 1):
        counts.add(kind, place, outcome)
        if done % arguments.every == 0:
            print(f'{kind} up to {place}\n{counts.text(arguments.seed)}\n', flush=True)
        if arguments.shrink and outcome is not None and outcome.broken:
            print(_smallest(kind, place, arguments.seed, arguments.limit), flush=True)
    print(counts.text(arguments.seed))
    return int(bool(counts.broken))


def _outcomes(
    arguments: argparse.Namespace, end: float
) -> Iterator[tuple[str, int, Outcome | None]]:
    stop = {kind: arguments.start + getattr(arguments, kind) for kind in KINDS}
    places = [
        (kind, place)
        for place in range(arguments.start, max(stop.values()))
        for kind in KINDS
        if place < stop[kind]
    ]
    if arguments.jobs == 1:
        for kind, place in places:
            if time.monotonic() > end:
                return
            yield kind, place, _outcome(kind, place, arguments.seed, arguments.limit)
        return
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        kinds, numbers = zip(*places, strict=True)
        seeds, limits = ([value] * len(places) for value in (arguments.seed, arguments.limit))
        results = pool.map(_outcome, kinds, numbers, seeds, limits, chunksize=10)
        for kind, place, outcome in zip(kinds, numbers, results, strict=True):
            yield kind, place, outcome
            if time.monotonic() > end:
                pool.shutdown(cancel_futures=True)
                return


def _outcome(kind: str, place: int, seed: int, limit: float) -> Outcome | None:
    strategy, run = KINDS[kind]
    drawn = [spec for _, spec in cases(strategy, number=seed, start=place, stop=place + 1)]
    try:
        return run(drawn[0], limit) if drawn else None
    except DoesNotFit:
        return None


def _smallest(kind: str, place: int, seed: int, limit: float) -> str:
    """A smaller case that breaks each of the promises that a case breaks."""
    strategy, run = KINDS[kind]
    ((_, spec),) = cases(strategy, number=seed, start=place, stop=place + 1)
    lines = []
    for wanted in dict.fromkeys(finding.kind for finding in run(spec, limit).broken):
        best, shrinking = spec, True
        while shrinking:
            shrinking = False
            for candidate in smaller(best):
                if wanted in _broken(run, candidate, limit):
                    best, shrinking = candidate, True
                    break
        lines.append(f'{wanted}\n    {best}\n    {_broken(run, best, limit)[wanted]}')
    return '\n'.join(lines)


def _broken(run: Runner, spec: TableSpec, limit: float) -> dict[str, str]:
    try:
        return {finding.kind: finding.detail for finding in run(spec, limit).broken}
    except DoesNotFit:
        return {}


if __name__ == '__main__':
    for variable in ('OMP_NUM_THREADS', 'MKL_NUM_THREADS'):
        os.environ.setdefault(variable, '1')
    sys.exit(main())
