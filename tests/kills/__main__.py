"""Kill a training again and again and go on from its checkpoint.

``python -m tests.kills --kills 100 --seed 0`` prints how often a training was killed, how many
trainings came to their end in spite of it, and how many of these ended with other weights than a
training that nobody disturbed; the exit status is 1 if any did.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from .killing import Killed, kill_trainings


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog='python -m tests.kills', description=__doc__)
    parser.add_argument('--kills', type=int, default=100, help='how many (default: 100)')
    parser.add_argument('--seed', type=int, default=0, help='of the moments (default: 0)')
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        killed = kill_trainings(options.kills, options.seed, Path(folder), progress=_show)
    print()
    print(killed.text())
    return 1 if killed.different else 0


def _show(killed: Killed) -> None:
    print(f'\r{killed.kills} kills, {killed.finished} trainings', end='', file=sys.stderr)


if __name__ == '__main__':
    sys.exit(main())
