"""TabDDPM, run by ``tabddpm_script`` in a Python that has synthcity."""

from __future__ import annotations

from pathlib import Path

from sdv_tabdar.benchmark.methods.outside import OutsideSynthesizer, class_label
from sdv_tabdar.benchmark.methods.spec import Request


def build(request: Request) -> TabDDPM:
    """TabDDPM for the table of a request; the option ``python`` says where synthcity is."""
    return TabDDPM.of(request, label=class_label(request.dataset))


class TabDDPM(OutsideSynthesizer):
    """TabDDPM of the package synthcity, run by a script in a Python that has it.

    Rows are drawn given the class of the table's target, if it has classes.

    Source:
        Kotelnikov et al. (2023), doi:10.48550/arXiv.2209.15421.
    """

    name, package, option = 'tabddpm', 'synthcity', 'tabddpm:python=PYTHON'
    script = Path(__file__).with_name('tabddpm_script.py')
