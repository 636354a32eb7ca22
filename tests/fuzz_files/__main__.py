"""Load hostile files and count: ``python -m tests.fuzz_files --files 100000 --seed 0``."""

from __future__ import annotations

import argparse
import collections
import os
import resource
import sys
import time

os.environ.setdefault('OMP_NUM_THREADS', '1')

from .cases import DRAWN, Result, run_case
from .models import models

_ROOM = 4 * 2**30  # bytes of address space beside what is there at the start


def main() -> int:
    """Run the command; 1 if something was wrong."""
    parser = argparse.ArgumentParser(prog='python -m tests.fuzz_files', description=__doc__)
    parser.add_argument('--files', type=int, default=1_000)
    parser.add_argument('--start', type=int, default=0, help='number of the first case')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--seconds', type=float, help='begin no case after so many seconds')
    parser.add_argument('--drawn', type=int, default=DRAWN, help='one in so many draws rows')
    arguments = parser.parse_args()
    models()
    _limit_memory()
    counts: collections.Counter[str] = collections.Counter()
    findings: dict[str, list[tuple[int, Result]]] = {}
    begin = time.monotonic()
    end = begin + (arguments.seconds or float('inf'))
    done = 0
    for place in range(arguments.start, arguments.start + arguments.files):
        if time.monotonic() > end:
            break
        result = run_case(place, arguments.seed, arguments.drawn)
        done += 1
        counts[f'{result.change}: {"FINDING" if result.is_finding else result.kind}'] += 1
        if result.is_finding:
            findings.setdefault(result.kind, []).append((place, result))
    print(f'{done:,} files in {time.monotonic() - begin:,.0f} seconds, seed {arguments.seed}')
    for name, number in sorted(counts.items()):
        print(f'  {number:7,d}  {name}')
    print(f'{sum(map(len, findings.values())):,} findings of {len(findings)} kinds')
    for kind, seen in sorted(findings.items(), key=lambda item: -len(item[1])):
        print(f'  {len(seen):6,d}  {kind}')
        for place, result in seen[:2]:
            print(f'          --start {place} --files 1: {result.change}: {result.detail}')
    return int(bool(findings))


def _limit_memory() -> None:
    """Let an allocation far beyond what loading may take fail."""
    if not sys.platform.startswith('linux'):
        return
    with open('/proc/self/statm') as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + _ROOM, resource.RLIM_INFINITY))


if __name__ == '__main__':
    if os.environ.get('PYTHONHASHSEED') != '0':  # SDV goes through sets: another model each time
        os.environ['PYTHONHASHSEED'] = '0'
        os.execv(sys.executable, [sys.executable, '-m', 'tests.fuzz_files', *sys.argv[1:]])
    sys.exit(main())
