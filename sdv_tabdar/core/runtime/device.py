"""Which device to compute on, in which precision, and whether shapes may depend on the data.

The device is decided once, in :class:`~sdv_tabdar.core.model.TabDAR`; the rest follows from it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

_GPUS = {'cuda': 'CUDA', 'mps': 'MPS'}


def resolve_device(device: str) -> torch.device:
    """The torch device for ``device``.

    Args:
        device: ``'auto'`` (a CUDA device if there is one, else Apple's ``'mps'``, else the CPU)
            or any name that torch knows, such as ``'cpu'`` or ``'cuda:1'``.

    Raises:
        ValueError: If the device is unknown to torch or not there.
    """
    if device == 'auto':
        return torch.device(next((kind for kind in _GPUS if _is_there(kind)), 'cpu'))
    try:
        resolved = torch.device(device)
    except RuntimeError:
        raise ValueError(
            f"device must be 'auto', 'cpu', 'cuda' or 'mps', however: device={device!r}."
        ) from None
    if not _is_there(resolved.type):
        raise ValueError(
            f'device={device!r} was asked for, but torch sees no {_GPUS[resolved.type]} device. '
            "Use 'auto' or 'cpu'."
        )
    return resolved


def present_device(device: str) -> str:
    """``device``, or ``'auto'`` if it asks for a GPU that is not there."""
    return device if _is_there(device.split(':')[0]) else 'auto'


def has_float64(device: torch.device) -> bool:
    """Whether there are numbers of 64 bits on ``device``."""
    return device.type != 'mps'


def answering_device(device: torch.device) -> torch.device:
    """Where a network answers that was trained on ``device``: what draws a number needs float64."""
    return device if has_float64(device) else torch.device('cpu')


def _is_there(kind: str) -> bool:
    """Whether torch can use a kind of device; of those that we do not know, it will tell."""
    if kind == 'cuda':
        return torch.cuda.is_available()
    return kind != 'mps' or torch.backends.mps.is_available()


def has_fast_bfloat16(device: torch.device) -> bool:
    """Whether matrix products in bfloat16 are faster on ``device`` than in float32."""
    if device.type == 'cuda':
        return torch.cuda.is_bf16_supported()
    if device.type == 'cpu' and hasattr(torch.cpu, 'get_capabilities'):
        found = torch.cpu.get_capabilities()
        return bool(found.get('avx512_bf16') or found.get('amx_bf16'))
    return False


def matrix_type(device: torch.device, precision: str) -> torch.dtype:
    """The type that matrices are multiplied in.

    Args:
        device: Where the tensors are.
        precision: ``'float32'``, ``'bfloat16'``, or ``'auto'``: bfloat16 where the processor
            multiplies it faster.
    """
    fast = precision == 'bfloat16' or (precision == 'auto' and has_fast_bfloat16(device))
    return torch.bfloat16 if fast else torch.float32


@contextlib.contextmanager
def fast_products(device: torch.device, precision: str) -> Iterator[None]:
    """Within it, a GPU multiplies float32 matrices in TF32, unless ``precision`` is float32."""
    if device.type != 'cuda' or precision == 'float32':
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision('high')
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def shapes_are_fixed(device: torch.device) -> bool:
    """Whether a training step must have the same shapes whatever the rows hold.

    On a GPU a shape that depends on the data makes the CPU wait for the GPU, and only a step of
    fixed shapes can be recorded as a CUDA graph. On a CPU cells without a loss are left out.
    """
    return device.type != 'cpu'
