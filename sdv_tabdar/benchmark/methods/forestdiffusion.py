"""ForestDiffusion, run by ``forestdiffusion_script`` in a Python that has it."""

from __future__ import annotations

from pathlib import Path

from sdv_tabdar.benchmark.methods.outside import OutsideSynthesizer, class_label
from sdv_tabdar.benchmark.methods.spec import Request


def build(request: Request) -> ForestDiffusion:
    """ForestDiffusion for the table of a request; the option ``python`` says where it is."""
    return ForestDiffusion.of(request, label=class_label(request.dataset))


class ForestDiffusion(OutsideSynthesizer):
    """Flows of boosted trees of the package ForestDiffusion, run in a Python that has it.

    As its authors do, each class of the table's target has trees of its own, if it has classes.

    Source:
        Jolicoeur-Martineau et al. (2024), doi:10.48550/arXiv.2309.09968.
    """

    name, package, option = 'forestdiffusion', 'ForestDiffusion', 'forestdiffusion:python=PYTHON'
    script = Path(__file__).with_name('forestdiffusion_script.py')
