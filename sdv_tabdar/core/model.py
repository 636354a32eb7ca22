"""TabDAR on DataFrames, without SDV: what ctgan.CTGAN is to SDV's CTGANSynthesizer.

This class holds settings, device and random state, fits and is saved; ``trained.py`` has what
training leaves, and ``answering.py`` what is asked of it.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from sdv_tabdar.core.answering import AnsweringModel
from sdv_tabdar.core.codecs.level_places import NO_ORDERS, Orders
from sdv_tabdar.core.codecs.stored import Table
from sdv_tabdar.core.config import (
    ModelConfig,
    SamplingConfig,
    TrainingConfig,
)
from sdv_tabdar.core.presets import with_former_settings
from sdv_tabdar.core.runtime.device import answering_device, present_device, resolve_device
from sdv_tabdar.core.runtime.progress import training_bar
from sdv_tabdar.core.runtime.random import make_generator
from sdv_tabdar.core.runtime.ranks import Ranks, present_ranks
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.trained import Trained
from sdv_tabdar.core.training.history import Callback, TrainingHistory
from sdv_tabdar.core.training.private import PrivateRows, refuse_unpaid

_logger = logging.getLogger(__name__)

_STATE_VERSION = 5
_FORMER_VERSION = 4  # without settings that have come since


class TabDAR(AnsweringModel):
    """A generative model of one table.

    Args:
        model: Architecture and encoding.
        training: Training settings.
        sampling: Sampling settings.
        device: ``'auto'``, ``'cpu'``, ``'cuda'``, ``'mps'`` or another name that torch knows. On
            ``'mps'`` it is trained only; what is drawn is drawn on the CPU.
        random_state: Seed of training, and of sampling until :meth:`set_random_state`.
        verbose: Whether to show a progress bar while training.

    Source: Zhang et al., 'Diffusion-nested Auto-Regressive Synthesis of Heterogeneous Tabular
    Data', 2024, doi:10.48550/arXiv.2410.21523.
    """

    def __init__(
        self,
        model: ModelConfig | None = None,
        training: TrainingConfig | None = None,
        sampling: SamplingConfig | None = None,
        *,
        device: str = 'auto',
        random_state: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.model = model or ModelConfig()
        self.training = training or TrainingConfig()
        self.sampling = sampling or SamplingConfig()
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self._training_device = resolve_device(device)
        self._device = answering_device(self._training_device)
        self._generator = make_generator(random_state, self._device)
        self._trained = None

    def fit(
        self,
        frame: Table,
        kinds: Mapping[Any, ColumnKind],
        *,
        callbacks: Sequence[Callback] = (),
        checkpoint_path: str | Path | None = None,
        before: TabDAR | None = None,
        private: PrivateRows | None = None,
        told: Mapping[Any, str] | None = None,
        dates: Collection[Any] = (),
        replaced: pd.DataFrame | None = None,
        orders: Orders = NO_ORDERS,
        clock_times: Collection[Any] = (),
    ) -> TabDAR:
        """Learn a table; where ``torch.distributed`` has a process group, all ranks together.

        Args:
            frame: The table, in memory or in files. Missing cells are NaN, None or pandas.NA; that
                a cell is missing is learnt like any other value.
            kinds: For each column whether it is numerical or categorical.
            callbacks: Called with an ``EpochReport`` after each epoch; True ends training.
            checkpoint_path: File that keeps the state of the training while it goes on; the same
                call goes on from it if training was cut short.
            before: A fitted model of a table with the same columns and with the same architecture.
                Training goes on from its weights, at a lower rate and for a tenth of the default
                length; it is not changed.
            private: The rows to learn from by steps that a privacy budget pays for; ``frame`` is
                then a table that stands in for them, from which all else is learnt.
            told: What the log calls columns, of which alone it tells the relations; None for all
                by their names.
            dates: Columns whose numbers are nanoseconds, of which the log tells as times.
            replaced: Cells ``(B, C)`` that stand for others, which are not to be known: what holds
                in all rows where none of its columns is such a cell is kept as a relation, and no
                relation makes numbers that training has not left in their columns. None for no
                such cells.
            orders: For categorical columns their levels in an order that they are declared to be
                in. Numbers, text that begins with one, months and days of the week need none.
            clock_times: Columns of numbers that are known to be clock times, written hhmm, beside
                those that can hardly be anything else.

        Returns:
            Itself. Ctrl-C ends training early, with what was learnt by then. If anything goes
            wrong, what was fitted before stays in place.

        Raises:
            ValueError: If the table is empty, a numerical column holds infinite values, or the
                checkpoint is that of another table, ``random_state`` or settings, or
                ranks have such.
            TypeError: If a numerical column holds something that is not a number.
            FloatingPointError: If the training loss stops being finite again and again.
            RuntimeError: If ``before`` has not been fitted, or another rank no longer answers.
        """
        if before is not None and before.model != self.model:
            raise ValueError(
                'Training can go on with the architecture that it began with only; that was '
                f'{before.model}, and {self.model} is asked for. Fit anew, without warm_start.'
            )
        if private is not None:
            refuse_unpaid(self.model, checkpoint_path)
        with (
            present_ranks() as ranks,
            self._resources(),
            training_bar(self.verbose and ranks.leads) as show,
        ):
            if private is not None and ranks.number > 1:
                raise ValueError(
                    'A private training is that of one process: each of several would spend the '
                    'budget again. Fit it without torch.distributed.'
                )
            train = functools.partial(
                Trained.fit,
                frame,
                kinds,
                self.model,
                self.training,
                progress=show,
                callbacks=callbacks,
                checkpoint_path=checkpoint_path,
                before=None if before is None else before.trained,
                private=private,
                ranks=ranks,
                told=told,
                dates=dates,
                replaced=replaced,
                orders=orders,
                clock_times=clock_times,
            )
            if private is not None:  # on the CPU, and never a second time
                self._train(train, self._device, ranks)
                return self
            try:
                self._train(train, self._training_device, ranks)
            except (NotImplementedError, TypeError) as error:
                if self._training_device == self._device:
                    raise
                message = f'Training goes on on the CPU, as {self._training_device} cannot: {error}'
                _logger.warning(message)
                self._train(train, self._device, ranks)
        return self

    def _train(self, train: Callable[..., Trained], device: torch.device, ranks: Ranks) -> None:
        """Train on a device, from the seed of the first rank."""
        generator = make_generator(self.random_state, device)
        if ranks.number > 1:
            generator = make_generator(ranks.told(generator.initial_seed), device)
        random_state = ranks.told(lambda: self.random_state)
        self._trained = train(device=device, generator=generator, random_state=random_state)
        self._generator = make_generator(generator, self._device)

    @property
    def loss_values(self) -> pd.DataFrame:
        """Columns ``Epoch`` and ``Loss``: mean training loss of each epoch, in nats per cell.

        Where rows were held out, ``Training codes``, ``Training residuals``, ``Held-out codes``
        and ``Held-out residuals`` as well, in nats per row; see ``TrainingHistory.by_epoch``.
        """
        return self.training_history.by_epoch()

    @property
    def column_loss_values(self) -> pd.DataFrame:
        """The last four of these by column, see ``TrainingHistory.by_column``."""
        return self.training_history.by_column(self.column_names)

    @property
    def training_history(self) -> TrainingHistory:
        """All that is known of the training."""
        return TrainingHistory() if self._trained is None else self._trained.history

    def __getstate__(self) -> dict[str, Any]:
        """Plain values, arrays and the user's levels; tensors on the CPU. None of our classes."""
        history = self.training_history.plain()
        untrained: dict[str, Any] = {
            'history': history,
            'encoder': None,
            'weights': None,
            'precedence': [],
        }
        return {
            'version': _STATE_VERSION,
            'model': dataclasses.asdict(self.model),
            'training': dataclasses.asdict(self.training),
            'sampling': dataclasses.asdict(self.sampling),
            'device': self.device,
            'random_state': self.random_state,
            'verbose': self.verbose,
            **(untrained if self._trained is None else self._trained.to_state()),
            'generator': self._generator.get_state().cpu(),
            'generator_device': self._device.type,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Rebuild on the device asked for if it is here, else on the best there is."""
        if state['version'] not in (_FORMER_VERSION, _STATE_VERSION):
            raise ValueError(
                f'This model was saved in format {state["version"]}; this version of sdv_tabdar '
                f'reads formats {_FORMER_VERSION} and {_STATE_VERSION}. Fit the model again, or '
                'install the version that saved it.'
            )
        self.__init__(  # type: ignore[misc]
            ModelConfig(**with_former_settings(state['model'], ModelConfig)),
            TrainingConfig(**with_former_settings(state['training'], TrainingConfig)),
            SamplingConfig(**state['sampling']),
            device=present_device(state['device']),
            random_state=state['random_state'],
            verbose=state['verbose'],
        )
        if state['encoder'] is not None:
            self._trained = Trained.from_state(state, self.model, self._device)
        if state['generator_device'] == self._device.type:
            self._generator.set_state(state['generator'])
