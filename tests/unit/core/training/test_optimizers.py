"""Optimizers: each parameter has one, and the work is shared out evenly."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.training.muon import Muon, updating_work
from sdv_tabdar.core.training.optimizers import make_optimizers


def _parameters(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group['params']]


@pytest.mark.parametrize('number', [1, 2, 3])
@pytest.mark.parametrize('kind', ['muon', 'adamw'])
def test_every_parameter_has_one_optimizer(network: TabDARNetwork, kind: str, number: int) -> None:
    found = make_optimizers(network, TrainingConfig(optimizer=kind), 1e-3, 0.1, number)
    of_all = [id(parameter) for optimizer in found for parameter in _parameters(optimizer)]
    assert sorted(of_all) == sorted(id(parameter) for parameter in network.parameters())
    assert len(found) == (number + 1 if kind == 'muon' else 1)


def test_matrices_of_hidden_layers_go_to_muon_at_a_higher_rate(network: TabDARNetwork) -> None:
    adamw, muon = make_optimizers(network, TrainingConfig(), 1e-3, 0.1, 1)
    assert isinstance(muon, Muon)
    assert {id(matrix) for matrix in network.hidden_matrices()} == {
        id(matrix) for matrix in _parameters(muon)
    }
    assert adamw.param_groups[0]['initial_lr'] == adamw.param_groups[0]['lr'] == 1e-3
    assert muon.param_groups[0]['initial_lr'] == pytest.approx(3e-3)


def test_the_work_is_shared_out_about_evenly(network: TabDARNetwork) -> None:
    _, *muons = make_optimizers(network, TrainingConfig(), 1e-3, 0.1, 2)
    work = [sum(map(updating_work, _parameters(muon))) for muon in muons]
    assert max(work) < 2 * min(work)


def test_biases_norms_and_positions_are_not_decayed(network: TabDARNetwork) -> None:
    adamw, muon = make_optimizers(network, TrainingConfig(), 1e-3, 0.1, 1)
    decayed, rest = adamw.param_groups
    assert decayed['weight_decay'] == muon.param_groups[0]['weight_decay'] == 0.1
    assert rest['weight_decay'] == 0
    kept = {id(parameter) for parameter in rest['params']}
    for name, parameter in network.named_parameters():
        if 'bias' in name or 'norm' in name or name in ('pad', 'positions'):
            assert id(parameter) in kept
    assert id(network.tokenizer.code) in {id(parameter) for parameter in decayed['params']}
