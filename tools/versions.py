"""Run part of the tests with the lowest and with the newest allowed versions: ``make versions``.

Each environment is made anew below ``build/versions``, with uv, from the bounds in
``pyproject.toml``:

- ``lowest``: every dependency at its lower bound;
- ``newest``: every package as new as the bounds allow;
- ``copy-on-write``: as ``newest``, with what pandas 3 does by default switched on in pandas 2.

uv's own variables say where packages come from: ``UV_TORCH_BACKEND=cpu`` takes the small builds of
torch, ``UV_CONSTRAINT=file`` keeps packages at a version.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / 'build' / 'versions'
RUNS = {
    'lowest': ('lowest-direct', {}),
    'newest': ('highest', {}),
    'copy-on-write': ('highest', {'PANDAS_COPY_ON_WRITE': '1'}),
}
# A few minutes, and something of every dependency.
TESTS = [
    'tests/integration/test_fit_and_sample.py',
    'tests/integration/test_dtypes.py',
    'tests/integration/test_conditions.py',
    'tests/integration/test_imputation.py',
    'tests/integration/test_private_names.py',
    'tests/unit/cli',
    'tests/unit/files',
    'tests/unit/evaluation/test_evaluate.py',
    'tests/unit/evaluation/report',
]
# The tests' own tools are not what is tried; pyarrow is, as the extra `parquet`.
TOOLS = ['pytest>=8', 'hypothesis>=6.100']


def main() -> int:
    """Run what the arguments ask for; the number of environments in which a test failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').splitlines()[0])
    parser.add_argument('runs', nargs='*', metavar='run', help=f'of {", ".join(RUNS)}; all if none')
    parser.add_argument(
        '--python', default=sys.executable, help='the interpreter; this one if none'
    )
    options = parser.parse_args()
    unknown = set(options.runs) - set(RUNS)
    if unknown:
        parser.error(f'{", ".join(sorted(unknown))}: choose from {", ".join(RUNS)}')
    failed = [name for name in options.runs or RUNS if not _passes(name, options.python)]
    for name in failed:
        sys.stderr.write(f'Tests fail with the {name} versions.\n')
    return len(failed)


def _passes(name: str, interpreter: str) -> bool:
    resolution, variables = RUNS[name]
    environment = ENVIRONMENTS / resolution
    if name in ('lowest', 'newest') or not environment.exists():
        _install(environment, resolution, interpreter)
    python = str(_python(environment))
    sys.stdout.write(f'\n{name}\n')
    sys.stdout.flush()
    _uv('pip', 'list', '--python', python)
    return (
        subprocess.run(
            [python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', *TESTS],
            cwd=ROOT,
            env={**os.environ, **variables, 'PYTHONPATH': str(ROOT)},
            check=False,
        ).returncode
        == 0
    )


def _install(environment: Path, resolution: str, interpreter: str) -> None:
    _uv('venv', '--quiet', '--clear', '--python', interpreter, str(environment))
    to = ['--quiet', '--python', str(_python(environment))]
    _uv('pip', 'install', *to, '--resolution', resolution, '--editable', f'{ROOT}[parquet]')
    _uv('pip', 'install', *to, *TOOLS)


def _python(environment: Path) -> Path:
    windows = environment / 'Scripts' / 'python.exe'
    return windows if windows.exists() else environment / 'bin' / 'python'


def _uv(*arguments: str) -> None:
    subprocess.run([sys.executable, '-m', 'uv', *arguments], check=True)


if __name__ == '__main__':
    sys.exit(main())
