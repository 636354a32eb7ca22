"""TabDAR on DataFrames, without SDV: what ctgan.CTGAN is to SDV's CTGANSynthesizer.

This class holds settings, device and random state; ``trained.py`` has what training leaves, and
``inference/answers.py`` what is done with it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from sdv_tabdar.core.codecs.encoder import Table
from sdv_tabdar.core.config import (
    ModelConfig,
    SamplingConfig,
    TrainingConfig,
    with_former_settings,
)
from sdv_tabdar.core.inference.answers import Answers, CompletedRows, Floats, Marks, Progress
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.runtime.autograd import own_grad_mode
from sdv_tabdar.core.runtime.device import (
    answering_device,
    fast_products,
    present_device,
    resolve_device,
)
from sdv_tabdar.core.runtime.progress import training_bar
from sdv_tabdar.core.runtime.random import RandomState, make_generator, uniform_numbers
from sdv_tabdar.core.runtime.ranks import Ranks, present_ranks
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.trained import Trained
from sdv_tabdar.core.training.history import Callback, TrainingHistory
from sdv_tabdar.core.training.private import PrivateRows, refuse_unpaid

_logger = logging.getLogger(__name__)

_STATE_VERSION = 5
_FORMER_VERSION = 4  # without settings that have come since


class TabDAR:
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
        self._trained: Trained | None = None

    def fit(
        self,
        frame: Table,
        kinds: Mapping[Any, ColumnKind],
        *,
        callbacks: Sequence[Callback] = (),
        checkpoint_path: str | Path | None = None,
        before: TabDAR | None = None,
        private: PrivateRows | None = None,
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

        Returns:
            Itself. Ctrl-C ends training early, with what was learnt by then. If anything goes
            wrong, what was fitted before stays in place.

        Raises:
            ValueError: If the table is empty, a numerical column holds infinite values, or the
                checkpoint is that of another table or of other settings, or ranks have such.
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
        self._trained = train(device=device, generator=generator)
        self._generator = make_generator(generator, self._device)

    def sample(self, num_rows: int, *, progress: Progress | None = None) -> pd.DataFrame:
        """Draw rows.

        Args:
            num_rows: How many.
            progress: Called with the number of rows finished, after each chunk.

        Returns:
            The fitted columns in order with a RangeIndex; float64 for numerical columns, object
            for categorical ones, NaN and None where missing.
        """
        return self.complete(pd.DataFrame(index=pd.RangeIndex(num_rows)), progress=progress).rows

    def complete(
        self,
        frame: pd.DataFrame,
        observed: Marks | None = None,
        *,
        restrictions: Mapping[str, Sequence[Restriction | None]] | None = None,
        num_particles: int | None = None,
        num_copies: int = 1,
        progress: Progress | None = None,
    ) -> CompletedRows:
        """Fill cells by draws from the model, given the others.

        Args:
            frame: Any of the fitted columns; the absent ones are filled.
            observed: ``(rows, columns of frame)``; True = the cell is known (a NaN then means
                'known to be missing'), False = fill it. Default: all cells are known.
            restrictions: For a column, what each row's cell may be; None leaves it as
                ``observed`` says. A restricted cell is filled.
            num_particles: In place of the number in the sampling settings.
            num_copies: Every so many rows are the same, and of their draws the mean or the vote
                is wanted: these draws are then stratified over the row's distribution.
            progress: Called with the number of rows finished, after each chunk.

        Returns:
            The rows, all fitted columns in order with a RangeIndex; known cells are as they were
            given.

        Raises:
            ValueError: If a column or a known value was never seen in training, a restriction
                allows nothing that was, or the order of columns is fixed and something is given
                behind an unknown cell (with one particle restrictions may be).
        """
        answers = self._answers(num_particles)
        with self._resources():
            return answers.complete(
                frame, observed, restrictions or {}, num_copies=num_copies, progress=progress
            )

    def predict_proba(
        self, frame: pd.DataFrame, observed: Marks | None, column: str
    ) -> pd.DataFrame:
        """Distribution of a categorical column given the other known cells of each row.

        Args:
            frame: Any of the fitted columns; the given values of ``column`` itself are ignored.
            observed: As in :meth:`complete`.
            column: A categorical column.

        Returns:
            One row a row of ``frame`` (same index), one column a level (None = missing).

        Raises:
            ValueError: If ``column`` is unknown or numerical, a known value is unknown, or the
                order of columns is fixed and others are known than those before ``column``.
        """
        with self._resources():
            return self._answers().predict_proba(frame, observed, column)

    def predict_quantiles(
        self,
        frame: pd.DataFrame,
        observed: Marks | None,
        column: str,
        quantiles: Sequence[float],
    ) -> pd.DataFrame:
        """Quantiles of a numerical column given the other known cells of each row.

        Args:
            frame: Any of the fitted columns; the given values of ``column`` itself are ignored.
            observed: As in :meth:`complete`.
            column: A numerical column.
            quantiles: Levels in [0, 1].

        Returns:
            One row a row of ``frame`` (same index), one column a level; in the column's unit,
            given that the cell is not missing.

        Raises:
            ValueError: If ``column`` is unknown or categorical, a level outside [0, 1], or the
                order of columns is fixed and others are known than those before ``column``.
        """
        with self._resources():
            return self._answers().predict_quantiles(frame, observed, column, quantiles)

    def log_likelihood(
        self,
        frame: pd.DataFrame,
        observed: Marks | None = None,
        *,
        num_orders: int = 1,
        by_column: bool = False,
        steps: Mapping[str, float] | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """Log-likelihood of the known cells of each row.

        Args:
            frame: Any of the fitted columns.
            observed: As in :meth:`complete`; cells that are not known are left out.
            num_orders: Random orders of the columns to average over, in the log-mean-exp way.
            by_column: Whether to give each cell's part, see ``inference.likelihood``.
            steps: Of columns of numbers the distance of neighbouring values: what counts is the
                mass of all numbers that round to a value, not its density.
            progress: Called with the number of rows finished, after each chunk.

        Returns:
            ``(B,)`` in nats, or ``(B, C)`` by column: log mass for categories, missing cells and
            values that occur often, log density per unit of the column for other numbers; -inf
            where the model excludes a value (outside the training range).

        Raises:
            ValueError: If a category was never seen in training, or num_orders is below 1.
        """
        with self._resources():
            return self._answers().log_likelihood(
                frame,
                observed,
                num_orders=num_orders,
                by_column=by_column,
                steps=steps or {},
                progress=progress,
            )

    def log_density(self, frame: pd.DataFrame, observed: Marks | None, column: str) -> Floats:
        """How likely the cells of one column are given the other known cells of their rows.

        Args:
            frame: Any of the fitted columns, ``column`` among them.
            observed: As in :meth:`complete`; it must mark every cell of ``column``.
            column: A column.

        Returns:
            ``(B,)`` in nats, as in :meth:`log_likelihood`.

        Raises:
            ValueError: If ``column`` is unknown, or a cell of it is not known.
        """
        with self._resources():
            return self._answers().log_density(frame, observed, column)

    def excluded(self, frame: pd.DataFrame, observed: Marks) -> Marks:
        """Which known cells have a number that the model gives no probability.

        Args:
            frame: Any of the fitted columns.
            observed: As in :meth:`complete`.

        Returns:
            Of the shape of ``observed``: numbers outside the training range, and in columns
            of values that occur often all others.

        Raises:
            ValueError: If a category was never seen in training.
        """
        return self.trained.encoder.excluded(frame, observed)

    def log_unseen(self, column: str) -> float:
        """What may stand for the log-likelihood of a value that training has not seen, in nats.

        Raises:
            ValueError: If there is no such column.
        """
        return self.trained.encoder.codec(column).log_unseen

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

    @property
    def trained(self) -> Trained:
        """The encoder and the network.

        Raises:
            RuntimeError: If the model has not been fitted.
        """
        if self._trained is None:
            raise RuntimeError('This model has not been fitted. Call fit() first.')
        return self._trained

    @property
    def column_names(self) -> tuple[str, ...]:
        """The fitted columns in order."""
        return self.trained.encoder.schema.names

    def levels(self, column: str) -> list[Hashable]:
        """Known values of a categorical column, most frequent first; None stands for missing.

        Raises:
            ValueError: If there is no such column, or it is numerical.
        """
        return list(self.trained.encoder.codec(column).levels)

    def limits(self, column: str) -> tuple[float, float]:
        """Least and greatest training value of a numerical column.

        Raises:
            ValueError: If there is no such column, or it is categorical.
        """
        return self.trained.encoder.codec(column).limits

    def can_be_missing(self, column: str) -> bool:
        """Whether training saw a missing value in ``column``."""
        return self.trained.encoder.codec(column).column.missing is not None

    def random_numbers(self, count: int) -> Floats:
        """Uniform numbers in [0, 1) from sampling's generator, for choices between drawn rows."""
        return uniform_numbers(count, generator=self._generator)

    def set_random_state(self, state: RandomState) -> None:
        """Restart the random numbers of sampling.

        Args:
            state: A seed, None for a fresh one, or a generator (see ``make_generator``).
        """
        self._generator = make_generator(state, self._device)

    @contextlib.contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        """Within it sampling starts at ``seed``; afterwards its random numbers go on as before."""
        before = self._generator
        self._generator = make_generator(seed, self._device)
        try:
            yield
        finally:
            self._generator = before

    def _answers(self, num_particles: int | None = None) -> Answers:
        config = self.sampling
        if num_particles is not None:
            config = dataclasses.replace(config, num_particles=num_particles)
        return self.trained.answers(config, self._generator)

    @contextlib.contextmanager
    def _resources(self) -> Iterator[None]:
        """Memory, matrix products and gradients as long computations want them."""
        precise = fast_products(self._device, self.model.precision)
        with kept_memory(), precise, own_grad_mode():
            yield

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
