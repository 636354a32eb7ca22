"""SDV's networks, which may be given a time in place of a number of epochs."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Iterable, Iterator

import pandas as pd
import sdv.single_table
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_tabdar.benchmark.methods.spec import ENDLESS, Request
from sdv_tabdar.benchmark.methods.synthesizers import SDV_CLASSES, SingleTable

# Each loops over ``tqdm(range(epochs))`` and has no other place at which a training could end.
LOOPS = ('ctgan.synthesizers.ctgan', 'ctgan.synthesizers.tvae')


def build(request: Request) -> SingleTable:
    """CTGAN, TVAE or CopulaGAN; the option ``seconds`` limits the processor time of a fit."""
    options = dict(request.spec.options)
    seconds = options.pop('seconds', None)
    if seconds is not None:
        options.setdefault('epochs', ENDLESS)
    factory = getattr(sdv.single_table, SDV_CLASSES[request.spec.kind])
    made = factory(request.dataset.metadata, **options)
    limit = None if seconds is None else float(str(seconds))
    return Network(made, request.dataset.name, seed=request.seed, seconds=limit)


class Network(SingleTable):
    """One of SDV's networks for one table.

    Args:
        synthesizer: Of SDV.
        table_name: The table's name in the metadata.
        seed: Decides about sampling.
        seconds: Processor seconds after which a fit begins no further epoch, counted from the
            start of the fit, preparation of the data included; None for all epochs.
    """

    def __init__(
        self,
        synthesizer: BaseSingleTableSynthesizer,
        table_name: str,
        *,
        seed: int | None = None,
        seconds: float | None = None,
    ) -> None:
        super().__init__(synthesizer, table_name, seed=seed)
        self.seconds_to_fit = seconds

    def fit(self, data: pd.DataFrame) -> None:
        """Fit on one frame, no longer than may be."""
        with _epochs_end_after(self.seconds_to_fit):
            super().fit(data)


@contextlib.contextmanager
def _epochs_end_after(seconds: float | None) -> Iterator[None]:
    """Within it SDV's networks train until so many processor seconds from now are over."""
    if seconds is None:
        yield
        return
    end = time.process_time() + seconds

    def until_the_end(epochs: Iterable[int], **_: object) -> Iterator[int]:
        for epoch in epochs:
            yield epoch
            if time.process_time() >= end:
                return

    modules = [importlib.import_module(name) for name in LOOPS]
    former = [module.__dict__['tqdm'] for module in modules]
    try:
        for module in modules:
            module.__dict__['tqdm'] = until_the_end
        yield
    finally:
        for module, tqdm in zip(modules, former, strict=True):
            module.__dict__['tqdm'] = tqdm
