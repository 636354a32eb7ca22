"""A progress bar for training."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator

import tqdm


@contextlib.contextmanager
def training_bar(shown: bool) -> Iterator[Callable[[float, int, float], None] | None]:
    """A bar in percent of the training, with the loss and the time left.

    Yields:
        ``show(share of the training done, epochs done, loss of the last one)``, or None where
        nothing is to be shown.
    """
    if not shown:
        yield None
        return
    layout = '{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}'
    with tqdm.tqdm(desc='Training', total=100.0, bar_format=layout) as bar:

        def show(share: float, epochs: int, loss: float) -> None:
            if not math.isnan(loss):
                bar.set_postfix_str(f'epoch {epochs + 1}, loss {loss:.4f}', refresh=False)
            bar.update(max(100 * share - bar.n, 0))  # a training may turn out to take longer

        yield show
