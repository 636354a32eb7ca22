"""Where a run was made: processor, memory, threads, Python and the versions that matter."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path

PACKAGES = (
    'sdv_tabdar',
    'sdv',
    'rdt',
    'sdmetrics',
    'torch',
    'ctgan',
    'copulas',
    'xgboost',
    'scikit-learn',
    'numpy',
    'pandas',
    'imbalanced-learn',
)
# Each numerical library reads its own one when it is loaded.
THREAD_VARIABLES = (
    'OMP_NUM_THREADS',
    'MKL_NUM_THREADS',
    'OPENBLAS_NUM_THREADS',
    'NUMEXPR_NUM_THREADS',
)


def describe_environment() -> dict[str, object]:
    """Facts about the machine and the process, as JSON values."""
    return {
        'cpu': _cpu_model(),
        'cores': os.cpu_count(),
        'usable_cores': usable_cores(),
        'omp_num_threads': os.environ.get('OMP_NUM_THREADS'),
        'platform': platform.platform(),
        'python': platform.python_version(),
        'gpu': _gpu(),
        'source': source_fingerprint(),
        'versions': {name: version for name in PACKAGES if (version := _version(name))},
    }


def source_fingerprint() -> str:
    """Twelve hexadecimal digits that change with any line of this package's code."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for path in sorted(package.rglob('*.py')):
        digest.update(str(path.relative_to(package)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def thread_settings(threads: int | None) -> dict[str, str]:
    """Environment variables that hold numerical libraries to a number of threads.

    Args:
        threads: How many; None leaves it to the libraries.

    Raises:
        ValueError: If ``threads`` is smaller than 1.
    """
    if threads is None:
        return {}
    if threads < 1:
        raise ValueError(f'The number of threads must be at least 1, but it is {threads}.')
    return dict.fromkeys(THREAD_VARIABLES, str(threads))


def usable_cores() -> int:
    """How many cores this process may run on."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def summary(environment: Mapping[str, object]) -> str:
    """One line for under a table."""
    versions = environment.get('versions')
    listed = versions if isinstance(versions, Mapping) else {}
    parts = [
        f'{environment.get("usable_cores")} of {environment.get("cores")} cores of '
        f'{environment.get("cpu")}',
        f'Python {environment.get("python")}',
        *(f'{name} {listed[name]}' for name in PACKAGES[1:8] if name in listed),
    ]
    if environment.get('gpu'):
        parts.insert(1, str(environment['gpu']))
    return ', '.join(parts)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        # The processor-only build of XGBoost is a package of another name.
        return _version('xgboost-cpu') if package == 'xgboost' else None


def _cpu_model() -> str:
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.split(':', 1)[1].strip() for line in lines if line.startswith('model name')]
    return models[0] if models else platform.machine()


def _gpu() -> str | None:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else None
