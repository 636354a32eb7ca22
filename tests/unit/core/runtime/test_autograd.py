"""Gradients are recorded within, and what holds outside comes back."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.runtime.autograd import own_grad_mode


@pytest.mark.parametrize('outside', [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_within_whatever_holds_outside(outside: type[torch.no_grad]) -> None:
    weight = torch.ones(1, requires_grad=True)
    with outside():
        before = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        with own_grad_mode():
            (2 * weight).sum().backward()
        assert (torch.is_grad_enabled(), torch.is_inference_mode_enabled()) == before
    assert weight.grad == 2


def test_an_interrupt_at_the_end_of_a_no_grad_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def work() -> None:
        with own_grad_mode(), monkeypatch.context() as patch:
            patch.setattr(torch.no_grad, '__exit__', interrupted)
            with torch.no_grad():
                pass

    with pytest.raises(KeyboardInterrupt):
        work()
    assert torch.is_grad_enabled()
