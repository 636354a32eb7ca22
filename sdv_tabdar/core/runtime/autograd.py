"""Whether torch records gradients: a setting of each thread, put back whatever happens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def own_grad_mode() -> Iterator[None]:
    """Within it gradients are recorded; afterwards the caller's setting holds again.

    A ``KeyboardInterrupt`` that comes while a ``torch.no_grad`` ends leaves gradients off, in all
    that the thread does later. And a caller may be within a ``no_grad``.
    """
    before = torch.is_grad_enabled()
    try:
        with torch.inference_mode(False):
            torch.set_grad_enabled(True)
            yield
    finally:
        torch.set_grad_enabled(before)
