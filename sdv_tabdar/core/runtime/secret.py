"""Random numbers from the operating system, which no seed repeats.

A guarantee of differential privacy holds only while nobody knows the noise. A seed would be in the
model file, and the state of a common generator can be computed from what it has drawn.
"""

from __future__ import annotations

import math
import os

import torch

_BITS = 53  # of a float64's mantissa


def secret_generator() -> torch.Generator:
    """A common generator on the CPU, with a seed from the operating system."""
    return torch.Generator().manual_seed(int.from_bytes(os.urandom(8), 'little') >> 1)


def secret_uniforms(count: int) -> torch.Tensor:
    """Uniform numbers ``(count,)`` in (0, 1), float64."""
    drawn = torch.frombuffer(bytearray(os.urandom(8 * max(count, 1))), dtype=torch.int64)[:count]
    return ((drawn >> (64 - _BITS)).bitwise_and((1 << _BITS) - 1).double() + 0.5) * 2.0**-_BITS


def secret_normals(count: int) -> torch.Tensor:
    """Standard normal numbers ``(count,)``, float64.

    Source: Box and Muller 1958, doi:10.1214/aoms/1177706645.
    """
    half = (count + 1) // 2
    radius = (-2 * secret_uniforms(half).log()).sqrt()
    angle = 2 * math.pi * secret_uniforms(half)
    return torch.cat([radius * angle.cos(), radius * angle.sin()])[:count]
