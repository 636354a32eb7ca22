"""Which device is chosen, and what is said where it is not there."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.runtime import device as device_module
from sdv_tabdar.core.runtime.device import (
    answering_device,
    matrix_type,
    present_device,
    resolve_device,
)


@pytest.mark.parametrize(
    ('available', 'expected'),
    [({'cuda', 'mps'}, 'cuda'), ({'cuda'}, 'cuda'), ({'mps'}, 'mps'), (set(), 'cpu')],
)
def test_auto_takes_a_gpu_where_there_is_one(
    available: set[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: 'cuda' in available)
    monkeypatch.setattr(torch.backends.mps, 'is_available', lambda: 'mps' in available)
    assert resolve_device('auto').type == expected


def test_what_is_trained_on_mps_answers_on_the_cpu() -> None:
    assert answering_device(torch.device('mps')) == torch.device('cpu')
    assert answering_device(torch.device('cuda', 1)) == torch.device('cuda', 1)


def test_cpu_is_cpu() -> None:
    assert resolve_device('cpu') == torch.device('cpu')


def test_a_gpu_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: False)
    monkeypatch.setattr(torch.backends.mps, 'is_available', lambda: False)
    with pytest.raises(ValueError, match=r"device='cuda' was asked .* no CUDA device. Use 'auto'"):
        resolve_device('cuda')
    with pytest.raises(ValueError, match=r"device='mps' was asked .* no MPS device. Use 'auto'"):
        resolve_device('mps')


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(
        ValueError, match="must be 'auto', 'cpu', 'cuda' or 'mps', however: device='abacus'"
    ):
        resolve_device('abacus')


@pytest.mark.parametrize(
    ('precision', 'fast', 'expected'),
    [
        ('float32', True, torch.float32),
        ('bfloat16', False, torch.bfloat16),
        ('auto', False, torch.float32),
        ('auto', True, torch.bfloat16),
    ],
)
def test_precision_of_matrix_products(
    precision: str, fast: bool, expected: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_module, 'has_fast_bfloat16', lambda device: fast)
    assert matrix_type(torch.device('cpu'), precision) == expected


def test_a_gpu_is_kept_only_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: False)
    monkeypatch.setattr(torch.backends.mps, 'is_available', lambda: False)
    names = ('cpu', 'cuda', 'cuda:1', 'mps')
    assert [present_device(name) for name in names] == ['cpu', 'auto', 'auto', 'auto']
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: True)
    assert present_device('cuda:1') == 'cuda:1'
