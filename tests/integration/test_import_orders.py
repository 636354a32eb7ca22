"""SDV finds the synthesizer, whichever of the two packages is imported first."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..fresh import FreshProcesses

ORDERS = {
    'SDV alone': 'from sdv.single_table import TabDARSynthesizer',
    'SDV, then the package': (
        'import sdv, sdv_tabdar; from sdv.single_table import TabDARSynthesizer'
    ),
    'the package first': ('import sdv_tabdar, sdv; from sdv.single_table import TabDARSynthesizer'),
    'the submodule first': (
        'import sdv_tabdar.synthesizer; from sdv.single_table import TabDARSynthesizer'
    ),
    'a pickle first': (
        'import sdv_tabdar.synthesizer.tabdar; from sdv.single_table import TabDARSynthesizer'
    ),
    'the adapter first': (
        'import sdv_tabdar.adapter.known; from sdv.single_table import TabDARSynthesizer'
    ),
    'the model first': (
        'import sdv_tabdar.core.model; from sdv.single_table import TabDARSynthesizer'
    ),
}


@pytest.mark.parametrize('imports', ORDERS.values(), ids=ORDERS.keys())
def test_registered_in_sdv_without_a_warning(imports: str, fresh: FreshProcesses) -> None:
    done = fresh.run(
        f'{imports}\nimport sdv_tabdar\nassert TabDARSynthesizer is sdv_tabdar.TabDARSynthesizer\n'
    )
    assert done.returncode == 0, done.stderr
    assert 'sdv_tabdar' not in done.stderr


def test_importing_sdv_imports_no_more_than_the_synthesizer_needs(fresh: FreshProcesses) -> None:
    done = fresh.run(
        'import sys, sdv\n'
        'others = ("sdv_tabdar.evaluation", "sdv_tabdar.benchmark")\n'
        'print([name for name in sys.modules if name.startswith(others)])\n'
    )
    assert done.stdout.strip() == '[]', done.stderr


def test_the_package_imports_nothing_heavy_until_a_name_of_it_is_used() -> None:
    code = (
        'import sys, sdv_tabdar\n'
        'print([name for name in ("sdv", "torch", "pandas") if name in sys.modules])\n'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == '[]', done.stderr
