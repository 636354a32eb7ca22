"""AIM and MST, run by ``dpmm_script`` in a Python that has dpmm."""

from __future__ import annotations

from pathlib import Path

from sdv_tabdar.benchmark.methods.outside import OutsideSynthesizer
from sdv_tabdar.benchmark.methods.spec import Request


def build(request: Request) -> Dpmm:
    """AIM or MST for the table of a request; the option ``python`` says where dpmm is."""
    return Dpmm.of(request, {'method': 'mst'})


class Dpmm(OutsideSynthesizer):
    """AIM or MST of the package dpmm, run by a script in a Python that has it.

    Source:
        McKenna et al. 2022, doi:10.14778/3551793.3551817 (AIM); McKenna et al. 2021,
        doi:10.29012/jpc.778 (MST); Mahiou et al. 2025, 'dpmm', doi:10.48550/arXiv.2506.00322.
    """

    name, package, option = 'dpmm', 'dpmm', 'dpmm:python=PYTHON (or --dpmm-python)'
    script = Path(__file__).with_name('dpmm_script.py')
