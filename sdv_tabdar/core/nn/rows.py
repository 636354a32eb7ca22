"""Which rows of a batch a step of drawing is about."""

from __future__ import annotations

import torch

Rows = torch.Tensor | slice
"""Their index ``(N,)``, or ``slice(None)`` for all of them, which needs no copies."""
