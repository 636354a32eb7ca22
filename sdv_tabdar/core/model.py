"""TabDAR on DataFrames, without SDV: what ctgan.CTGAN is to SDV's CTGANSynthesizer.

This class encodes, trains, completes and decodes, decides the device, and keeps the random state.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
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
from sdv_tabdar.core.inference.predict import level_probabilities, quantiles_of
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.runtime.device import fast_products, resolve_device
from sdv_tabdar.core.runtime.progress import training_bar
from sdv_tabdar.core.runtime.random import RandomState, make_generator
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.training.history import TrainingHistory
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

    def fit(self, frame: pd.DataFrame, kinds: Mapping[Any, ColumnKind]) -> TabDAR:
        """Learn a table.

        Args:
            frame: The table. Missing cells are NaN, None or pandas.NA; that a cell is missing is
                learnt like any other value.
            kinds: For each column whether it is numerical or categorical.

        Returns:
            Itself. If anything goes wrong, what was fitted before stays in place.

        Raises:
            ValueError: If the table is empty or a numerical column holds infinite values.
            TypeError: If a numerical column holds something that is not a number.
            FloatingPointError: If the training loss stops being finite.
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
            ValueError: If a column or a known value was never seen in training, or a
                restriction allows nothing that was.
        """
        encoder, network = self._working()
        config = self.sampling
        if num_particles is not None:
            config = dataclasses.replace(config, num_particles=num_particles)
        restrictions = restrictions or {}
        known = known_cells(frame, observed, restrictions)
        with self._resources():
            completion = complete(
                network,
                encoder.encode(frame, known),
                config=config,
                generator=self._generator,
                restrictions=encoder.restrict(restrictions),
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
            ValueError: If ``column`` is unknown or numerical, or a known value is.
        """
        levels = self.levels(column)
        encoder, network = self._working()
        rest, known = without(frame, observed, column)
        table = encoder.encode(rest, known)
        position = encoder.schema.position(column)
        found = level_probabilities(encoder, network, table, position, self.sampling)
        return pd.DataFrame(found, index=frame.index, columns=pd.Index(levels, dtype=object))

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
            ValueError: If ``column`` is unknown or categorical, or a level outside [0, 1].
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
            encoder.schema.position(column),
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
        progress: Callable[[int], None] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Log-likelihood of the known cells of each row.

        Args:
            frame: Any of the fitted columns.
            observed: As in :meth:`complete`; cells that are not known are left out.
            num_orders: Random orders of the columns to average over, in the log-mean-exp way.
            progress: Called with the number of rows finished, after each chunk.

        Returns:
            ``(B,)`` in nats: log mass for categories, missing cells and values that occur often,
            log density per unit of the column for other numbers; -inf where the model excludes a
            value (outside the training range).

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
            progress=progress,
        )

    @property
    def loss_values(self) -> pd.DataFrame:
        """Mean training loss of each epoch, in nats per cell: columns ``Epoch`` and ``Loss``."""
        losses = self._history.losses
        return pd.DataFrame({'Epoch': range(len(losses)), 'Loss': losses})

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

    def set_random_state(self, state: RandomState) -> None:
        """Restart the random numbers of sampling.

        Args:
            state: A seed, None for a fresh one, or a generator (see ``make_generator``).
        """
        self._generator = make_generator(state, self._device)

    def _fitted(self) -> tuple[TableEncoder, TabDARNetwork]:
        if self._encoder is None or self._network is None:
            raise RuntimeError('This model has not been fitted. Call fit() first.')
        return self._encoder, self._network

    def _codec(self, column: str) -> Codec:
        encoder, _ = self._fitted()
        return encoder.codecs[encoder.schema.position(column)]

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
            'history': dataclasses.asdict(self._history),
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
        self._history = TrainingHistory(**state['history'])
        if state['encoder'] is not None:
            self._encoder = TableEncoder.from_state(state['encoder'])
            with torch.random.fork_rng(devices=[]):
                network = TabDARNetwork(self._encoder.schema, self.model)
            network.load_state_dict(state['weights'])
            self._network = network.requires_grad_(False).eval().to(self._device)
        if state['generator_device'] == self._device.type:
            self._generator.set_state(state['generator'])
