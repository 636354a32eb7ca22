"""TabDAR on DataFrames, without SDV: what ctgan.CTGAN is to SDV's CTGANSynthesizer.

This class encodes, trains, completes and decodes, decides the device, and keeps the random state.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.crosses import find_crosses
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.inference.complete import complete
from sdv_tabdar.core.inference.frames import known_cells, without, write_back
from sdv_tabdar.core.inference.likelihood import frame_log_likelihood
from sdv_tabdar.core.inference.order import check_all_before, check_leading
from sdv_tabdar.core.inference.particles import restricted_cells
from sdv_tabdar.core.inference.predict import (
    cell_log_densities,
    level_probabilities,
    quantiles_of,
)
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.runtime.device import fast_products, resolve_device
from sdv_tabdar.core.runtime.progress import training_bar
from sdv_tabdar.core.runtime.random import RandomState, default_generator_at, make_generator
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.history import Callback, TrainingHistory
from sdv_tabdar.core.training.loop import fit_network

_STATE_VERSION = 4


@dataclasses.dataclass(frozen=True)
class CompletedRows:
    """What :meth:`TabDAR.complete` returns.

    Attributes:
        rows: The completed rows.
        effective_sample_size: For each row with several restricted cells, how many independent
            draws its particles were worth; NaN for the other rows, which are exact.
    """

    rows: pd.DataFrame
    effective_sample_size: npt.NDArray[np.float32]


class TabDAR:
    """A generative model of one table.

    Args:
        model: Architecture and encoding.
        training: Training settings.
        sampling: Sampling settings.
        device: ``'auto'``, ``'cpu'``, ``'cuda'`` or another name that torch knows.
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
        """Keep the settings; :meth:`fit` builds the rest."""
        self.model = model or ModelConfig()
        self.training = training or TrainingConfig()
        self.sampling = sampling or SamplingConfig()
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self._device = resolve_device(device)
        self._generator = make_generator(random_state, self._device)
        self._encoder: TableEncoder | None = None
        self._network: TabDARNetwork | None = None
        self._history = TrainingHistory()

    def fit(
        self,
        frame: pd.DataFrame,
        kinds: Mapping[Any, ColumnKind],
        *,
        callbacks: Sequence[Callback] = (),
        checkpoint_path: str | Path | None = None,
    ) -> TabDAR:
        """Learn a table.

        Args:
            frame: The table. Missing cells are NaN, None or pandas.NA; that a cell is missing is
                learnt like any other value.
            kinds: For each column whether it is numerical or categorical.
            callbacks: Called with an ``EpochReport`` at the end of each epoch; training ends if
                one returns True.
            checkpoint_path: File that keeps the state of the training while it goes on; the same
                call goes on from it if training was cut short.

        Returns:
            Itself. Ctrl-C ends training early, with what was learnt by then. If anything goes
            wrong, what was fitted before stays in place.

        Raises:
            ValueError: If the table is empty or a numerical column holds infinite values.
            TypeError: If a numerical column holds something that is not a number.
            FloatingPointError: If the training loss stops being finite again and again.
            ValueError: If the checkpoint is that of another table or of other settings.
        """
        encoder = TableEncoder.fit(frame, kinds, self.model)
        table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
        crosses = find_crosses(table, encoder.schema, self.model.max_crosses)
        encoder = encoder.with_crosses(crosses)
        generator = make_generator(self.random_state, self._device)
        with self._resources(), training_bar(self.verbose) as show:
            network, history = fit_network(
                table.to(self._device),
                encoder.schema,
                self.model,
                self.training,
                generator=generator,
                progress=show,
                callbacks=callbacks,
                checkpoint_path=checkpoint_path,
            )
        self._encoder, self._network, self._history = encoder, network, history
        self._generator = generator
        return self

    def sample(
        self, num_rows: int, *, progress: Callable[[int], None] | None = None
    ) -> pd.DataFrame:
        """Draw rows.

        Args:
            num_rows: How many.
            progress: Called with the number of rows finished, after each chunk.

        Returns:
            The fitted columns in order with a RangeIndex; float64 for numerical columns, object
            for categorical ones, NaN and None where missing.
        """
        empty = pd.DataFrame(index=pd.RangeIndex(num_rows))
        return self.complete(empty, progress=progress).rows

    def complete(
        self,
        frame: pd.DataFrame,
        observed: npt.NDArray[np.bool_] | None = None,
        *,
        restrictions: Mapping[str, Sequence[Restriction | None]] | None = None,
        num_particles: int | None = None,
        num_copies: int = 1,
        progress: Callable[[int], None] | None = None,
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
        encoder, network = self._working()
        config = self.sampling
        if num_particles is not None:
            config = dataclasses.replace(config, num_particles=num_particles)
        restrictions = restrictions or {}
        known = known_cells(frame, observed, restrictions)
        table, pieces = encoder.encode(frame, known), encoder.restrict(restrictions)
        if network.fixed_order:
            # a single particle weighs nothing that comes before a restricted cell
            weighed = pieces if config.num_particles > 1 else {}
            restricted = restricted_cells(table.observed.shape, weighed)
            check_leading(encoder.schema.names, table.observed, restricted)
        with self._resources():
            completion = complete(
                network,
                table,
                config=config,
                generator=self._generator,
                restrictions=pieces,
                num_copies=num_copies,
                progress=progress,
            )
        filled = encoder.decode(completion.table, generator=self._generator)
        encoder.enforce(filled, restrictions, generator=self._generator)
        write_back(filled, frame, known)
        return CompletedRows(filled, completion.effective_sample_size.numpy())

    def predict_proba(
        self, frame: pd.DataFrame, observed: npt.NDArray[np.bool_] | None, column: str
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
        levels = self.levels(column)
        encoder, network = self._working()
        rest, known = without(frame, observed, column)
        table = encoder.encode(rest, known)
        position = self._predicted(column, table)
        found = level_probabilities(encoder, network, table, position, self.sampling)
        columns = pd.Index(levels, dtype=object, tupleize_cols=False)
        return pd.DataFrame(found, index=frame.index, columns=columns)

    def predict_quantiles(
        self,
        frame: pd.DataFrame,
        observed: npt.NDArray[np.bool_] | None,
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
        self.limits(column)
        outside = [level for level in quantiles if not 0 <= level <= 1]
        if outside:
            raise ValueError(f'quantiles must lie in [0, 1], however: {outside}.')
        encoder, network = self._working()
        rest, known = without(frame, observed, column)
        table = encoder.encode(rest, known)
        found = quantiles_of(
            encoder,
            network,
            table,
            self._predicted(column, table),
            np.array(quantiles, dtype=np.float64),
            self.sampling,
        )
        return pd.DataFrame(found, index=frame.index, columns=list(quantiles))

    def log_likelihood(
        self,
        frame: pd.DataFrame,
        observed: npt.NDArray[np.bool_] | None = None,
        *,
        num_orders: int = 10,
        by_column: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Log-likelihood of the known cells of each row.

        Args:
            frame: Any of the fitted columns.
            observed: As in :meth:`complete`; cells that are not known are left out.
            num_orders: Random orders of the columns to average over, in the log-mean-exp way.
            by_column: Whether to give each cell's part, see ``inference.likelihood``.
            progress: Called with the number of rows finished, after each chunk.

        Returns:
            ``(B,)`` in nats, or ``(B, C)`` by column: log mass for categories, missing cells and
            values that occur often, log density per unit of the column for other numbers; -inf
            where the model excludes a value (outside the training range).

        Raises:
            ValueError: If a category was never seen in training, or num_orders is below 1.
        """
        if num_orders < 1:
            raise ValueError(f'num_orders must be at least 1, however: num_orders={num_orders}.')
        encoder, network = self._working()
        table = encoder.encode(frame, known_cells(frame, observed, {}))
        return frame_log_likelihood(
            encoder,
            network,
            table,
            frame,
            num_orders=num_orders,
            config=self.sampling,
            generator=self._generator,
            by_column=by_column,
            progress=progress,
        )

    def log_density(
        self, frame: pd.DataFrame, observed: npt.NDArray[np.bool_] | None, column: str
    ) -> npt.NDArray[np.float64]:
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
        encoder, network = self._working()
        position = encoder.schema.position(column)
        known = known_cells(frame, observed, {})
        if not known[:, frame.columns.get_loc(column)].all():
            raise ValueError(f"Cells of column '{column}' are hidden and have no density.")
        table = encoder.encode(frame, known)
        return cell_log_densities(network, table, position, self.sampling) + encoder.codecs[
            position
        ].log_volume(frame[column])

    def excluded(
        self, frame: pd.DataFrame, observed: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
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
        encoder, _ = self._fitted()
        positions = [encoder.schema.position(name) for name in frame.columns]
        known = np.zeros((len(frame), len(encoder.codecs)), dtype=bool)
        known[:, positions] = observed
        return np.isneginf(encoder.log_volume(frame, known)[:, positions])

    def log_unseen(self, column: str) -> float:
        """What may stand for the log-likelihood of a value that training has not seen, in nats.

        Raises:
            ValueError: If there is no such column.
        """
        return self._codec(column).log_unseen

    @property
    def loss_values(self) -> pd.DataFrame:
        """Columns ``Epoch`` and ``Loss``: mean training loss of each epoch, in nats per cell.

        Where rows were held out, ``Training codes``, ``Training residuals``, ``Held-out codes``
        and ``Held-out residuals`` as well, in nats per row; see ``TrainingHistory.by_epoch``.
        """
        return self._history.by_epoch()

    @property
    def column_loss_values(self) -> pd.DataFrame:
        """The last four of these by column, see ``TrainingHistory.by_column``."""
        return self._history.by_column(self.column_names)

    @property
    def training_history(self) -> TrainingHistory:
        """All that is known of the training."""
        return self._history

    @property
    def training_seconds(self) -> float:
        """How long training took."""
        return self._history.seconds

    @property
    def column_names(self) -> tuple[str, ...]:
        """The fitted columns in order."""
        return self._fitted()[0].schema.names

    def levels(self, column: str) -> list[Hashable]:
        """Known values of a categorical column, most frequent first; None stands for missing.

        Raises:
            ValueError: If there is no such column, or it is numerical.
        """
        return list(self._codec(column).levels)

    def limits(self, column: str) -> tuple[float, float]:
        """Least and greatest training value of a numerical column.

        Raises:
            ValueError: If there is no such column, or it is categorical.
        """
        return self._codec(column).limits

    def can_be_missing(self, column: str) -> bool:
        """Whether training saw a missing value in ``column``."""
        return self._codec(column).column.missing is not None

    def random_numbers(self, count: int) -> npt.NDArray[np.float64]:
        """Uniform numbers in [0, 1), the next ones of those that sampling uses.

        They are for choices between rows that were drawn.
        """
        device = self._generator.device
        numbers = torch.rand(count, generator=self._generator, device=device, dtype=torch.float64)
        found: npt.NDArray[np.float64] = numbers.cpu().numpy()
        return found

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

    def _fitted(self) -> tuple[TableEncoder, TabDARNetwork]:
        if self._encoder is None or self._network is None:
            raise RuntimeError('This model has not been fitted. Call fit() first.')
        return self._encoder, self._network

    def _codec(self, column: str) -> Codec:
        encoder, _ = self._fitted()
        return encoder.codecs[encoder.schema.position(column)]

    def _predicted(self, column: str, table: EncodedTable) -> int:
        """The position of a column that is to be predicted from the known cells of a table."""
        encoder, network = self._fitted()
        position = encoder.schema.position(column)
        if network.fixed_order:
            check_all_before(encoder.schema.names, table.observed, position)
        return position

    def _working(self) -> tuple[TableEncoder, TabDARNetwork]:
        """The encoder, and the network as it computes fastest here."""
        encoder, network = self._fitted()
        return encoder, lowered(network)

    @contextlib.contextmanager
    def _resources(self) -> Iterator[None]:
        """Memory and matrix products as long computations want them."""
        with kept_memory(), fast_products(self._device, self.model.precision):
            yield

    def __getstate__(self) -> dict[str, Any]:
        """Plain values, arrays and the user's levels; tensors on the CPU. None of our classes."""
        return {
            'version': _STATE_VERSION,
            'model': dataclasses.asdict(self.model),
            'training': dataclasses.asdict(self.training),
            'sampling': dataclasses.asdict(self.sampling),
            'device': self.device,
            'random_state': self.random_state,
            'verbose': self.verbose,
            'history': self._history.plain(),
            'encoder': None if self._encoder is None else self._encoder.to_state(),
            'weights': None
            if self._network is None
            else {name: value.cpu() for name, value in self._network.state_dict().items()},
            'generator': self._generator.get_state().cpu(),
            'generator_device': self._device.type,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Rebuild on the device asked for if it is here, else on the best there is."""
        if state['version'] != _STATE_VERSION:
            raise ValueError(
                f'This model was saved in format {state["version"]}; this version of sdv_tabdar '
                f'reads format {_STATE_VERSION}. Fit the model again, or install the version that '
                'saved it.'
            )
        device = state['device']
        if device.startswith('cuda') and not torch.cuda.is_available():
            device = 'auto'
        self.__init__(  # type: ignore[misc]
            ModelConfig(**state['model']),
            TrainingConfig(**state['training']),
            SamplingConfig(**state['sampling']),
            device=device,
            random_state=state['random_state'],
            verbose=state['verbose'],
        )
        self._history = TrainingHistory.from_plain(state['history'])
        if state['encoder'] is not None:
            self._encoder = TableEncoder.from_state(state['encoder'])
            with default_generator_at(0):  # every weight is replaced
                network = TabDARNetwork(self._encoder.schema, self.model)
            network.load_state_dict(state['weights'])
            self._network = network.requires_grad_(False).eval().to(self._device)
        if state['generator_device'] == self._device.type:
            self._generator.set_state(state['generator'])
