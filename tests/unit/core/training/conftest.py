"""Trainings of a moment, on the small table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.ranks import ALONE, Ranks
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import held_out, trainer
from sdv_tabdar.core.training.history import Callback, TrainingHistory
from sdv_tabdar.core.training.loop import Finish, fit_network
from sdv_tabdar.core.training.trainer import Progress

Fitted = tuple[TabDARNetwork, TrainingHistory]
Train = Callable[..., Fitted]


@pytest.fixture
def train(
    encoded: EncodedTable,
    encoder: TableEncoder,
    tiny: ModelConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> Train:
    """``train(seed, **settings)``: two epochs, if nothing else is asked for.

    Without ``epochs`` it evaluates held-out rows often, and takes 11 epochs at most.
    """
    monkeypatch.setattr(trainer, 'longest_training', lambda rows, _, size: 11 * (rows // size))
    monkeypatch.setattr(trainer, 'default_epochs', lambda *_: 8)
    monkeypatch.setattr(held_out, '_EVALUATION_SHARE', 1)

    def run(
        seed: int = 0,
        progress: Progress | None = None,
        callbacks: Sequence[Callback] = (),
        checkpoint_path: Path | None = None,
        rows: slice = slice(None),
        table: EncodedTable = encoded,
        ranks: Ranks = ALONE,
        finish: Finish | None = None,
        first: EncodedTable | None = None,
        **settings: object,
    ) -> Fitted:
        config = TrainingConfig(**{'epochs': 2, 'batch_size': 64, **settings})  # type: ignore[arg-type]
        return fit_network(
            table.rows(rows),
            encoder.schema,
            tiny,
            config,
            generator=torch.Generator().manual_seed(seed),
            progress=progress,
            callbacks=callbacks,
            checkpoint_path=checkpoint_path,
            ranks=ranks,
            finish=finish,
            first=first,
        )

    return run


@pytest.fixture
def weights() -> Callable[[TabDARNetwork], torch.Tensor]:
    """All parameters of a network as one vector."""
    return lambda network: torch.cat([p.detach().flatten() for p in network.parameters()])
