"""TabDAR as an SDV synthesizer. No tensors here: the model takes and gives DataFrames."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import numpy as np
import pandas as pd
import plotly.express as px
import tqdm
from rdt.transformers import FloatFormatter, UnixTimestampEncoder
from sdv.errors import NotFittedError, SynthesizerInputError, VersionError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.complete import missing_operation
from sdv_tabdar.adapter.hooks import ConditionalSynthesizer
from sdv_tabdar.adapter.processed import ProcessedFormat
from sdv_tabdar.adapter.tables import check_bool
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR

_MODEL, _TRAINING, _SAMPLING = ModelConfig(), TrainingConfig(), SamplingConfig()
_CONFIGS = (ModelConfig, TrainingConfig, SamplingConfig)
_STATE_VERSION = 1


class TabDARSynthesizer(ConditionalSynthesizer):
    """A generative model of a table that also conditions and imputes, for SDV.

    Cells are learnt in every order, so the one trained model draws rows, completes rows of which
    any cells are known, and fills gaps. Missing cells are learnt like values.

    Args:
        metadata (sdv.metadata.Metadata): What the table's columns are.
        enforce_min_max_values (bool): Whether numbers and dates stay within the range of the
            training data; also whether conditions must.
        enforce_rounding (bool): Whether numbers are rounded as the training data are.
        locales (list or str): Locales of generated personal data.
        width (int): Width of the transformer's tokens; a multiple of ``num_heads``.
        num_blocks (int): Transformer blocks.
        num_heads (int): Attention heads.
        feedforward_factor (int): Width of feed-forward layers in multiples of ``width``.
        head_width (int): Hidden width of the categorical heads.
        head_layers (int): Linear layers of the categorical heads.
        denoiser_width (int): Width of the nested diffusion's network.
        denoiser_blocks (int): Hidden layers of the nested diffusion's network.
        max_atoms (int): Numbers of a column that may come back exactly, the most frequent ones.
        num_bins (int): Bins of equal mass that the other numbers of a column are cut into.
        max_categories (int): Levels of a column with a code of their own; rarer ones share one.
        precision (str): ``'float32'``, ``'bfloat16'`` or ``'auto'``, of the transformer's products.
        numerical_head (str): What places numbers in their bins, ``'diffusion'`` or ``'bins'``.
        column_order (str): ``'random'`` or ``'fixed'``.
        epochs (int): Passes over the table; None chooses by its size.
        max_training_time (float): Seconds after which training ends; None for no limit.
        batch_size (int): Rows of a training step; None chooses by the table and the cores.
        learning_rate (float): Highest learning rate; None chooses by the size of a step.
        optimizer (str): ``'muon'`` or ``'adamw'``.
        weight_decay (float): Decoupled weight decay.
        scheduler (str): ``'cosine'`` or ``'plateau'``.
        ema_decay (float): Decay of the moving average of the weights that is sampled from.
        noise_draws (int): Noise levels for each hidden number of a training step.
        loss_weighting (str): ``'order'`` or ``'sum'``.
        num_steps (int): Solver steps of the nested diffusion.
        sigma_max (float): Noise level at which the solver starts.
        sampling_batch_size (int): Rows that go through the network together.
        num_particles (int): Draws tried for each row with several conditions that are no values.
        random_state (int): Seed of training; None for another model each time.
        verbose (bool): Whether to show progress bars of training and sampling.
        enable_gpu (bool): Whether to use a GPU if there is one.

    Raises:
        sdv.errors.SynthesizerInputError: If a parameter has a value that is not allowed.

    The hyperparameters are those of ``ModelConfig``, ``TrainingConfig`` and ``SamplingConfig``,
    and documented there at length; ``sdv_tabdar.PAPER`` holds the paper's.
    """

    _model_sdtype_transformers = {  # noqa: RUF012 - SDV's name for a constant of the class
        # The model encodes values itself, with missing ones among them.
        'categorical': None,
        'boolean': None,
        'ordinal': None,
        # Missing cells pass through both ways. By default SDV would fill them with the mean and
        # put new ones at random places.
        'numerical': FloatFormatter(missing_value_replacement=None, missing_value_generation=None),
        'datetime': UnixTimestampEncoder(
            missing_value_replacement=None, missing_value_generation=None
        ),
    }

    def __init__(
        self,
        metadata: Any,
        enforce_min_max_values: bool = True,
        enforce_rounding: bool = True,
        locales: list[str] | str = ['en_US'],  # noqa: B006 - as in SDV's synthesizers
        width: int = _MODEL.width,
        num_blocks: int = _MODEL.num_blocks,
        num_heads: int = _MODEL.num_heads,
        feedforward_factor: int = _MODEL.feedforward_factor,
        head_width: int = _MODEL.head_width,
        head_layers: int = _MODEL.head_layers,
        denoiser_width: int = _MODEL.denoiser_width,
        denoiser_blocks: int = _MODEL.denoiser_blocks,
        max_atoms: int = _MODEL.max_atoms,
        num_bins: int = _MODEL.num_bins,
        max_categories: int = _MODEL.max_categories,
        precision: str = _MODEL.precision,
        numerical_head: str = _MODEL.numerical_head,
        column_order: str = _MODEL.column_order,
        epochs: int | None = _TRAINING.epochs,
        max_training_time: float | None = _TRAINING.max_training_time,
        batch_size: int | None = _TRAINING.batch_size,
        learning_rate: float | None = _TRAINING.learning_rate,
        optimizer: str = _TRAINING.optimizer,
        weight_decay: float = _TRAINING.weight_decay,
        scheduler: str = _TRAINING.scheduler,
        ema_decay: float = _TRAINING.ema_decay,
        noise_draws: int = _TRAINING.noise_draws,
        loss_weighting: str = _TRAINING.loss_weighting,
        num_steps: int = _SAMPLING.num_steps,
        sigma_max: float = _SAMPLING.sigma_max,
        sampling_batch_size: int = _SAMPLING.sampling_batch_size,
        num_particles: int = _SAMPLING.num_particles,
        random_state: int | None = None,
        verbose: bool = False,
        enable_gpu: bool = True,
    ) -> None:
        given = dict(locals())
        super().__init__(
            metadata=metadata,
            enforce_min_max_values=enforce_min_max_values,
            enforce_rounding=enforce_rounding,
            locales=locales,
        )
        # SDV's get_parameters reads each argument from the attribute of its name.
        for name in inspect.signature(TabDARSynthesizer).parameters:
            if name != 'metadata':
                setattr(self, name, given[name])
        self.random_state = random_state
        self.verbose = verbose
        self.enable_gpu = enable_gpu
        self._check_parameters()

    def get_loss_values(self) -> pd.DataFrame:
        """The training loss of each epoch: columns ``Epoch`` and ``Loss`` (nats per cell).

        Raises:
            sdv.errors.NotFittedError: If the synthesizer has not been fitted, or has learnt
                nothing because all columns are generated.
        """
        if not private_names.is_fitted(self) or self._model is None:
            raise NotFittedError(
                'Loss values are not available yet. Please fit your synthesizer first (with at '
                'least one column that is not generated).'
            )
        return self._model.loss_values.copy()

    def get_loss_values_plot(self, title: str = 'TabDAR loss function') -> Any:
        """The training loss over the epochs as a plotly figure.

        Args:
            title: Title of the figure.

        Raises:
            sdv.errors.NotFittedError: As :meth:`get_loss_values`.
        """
        figure = px.line(self.get_loss_values(), x='Epoch', y='Loss', template='plotly_white')
        figure.update_layout(title=title, xaxis_title='Epoch', yaxis_title='Loss')
        return figure

    def _check_parameters(self) -> None:
        check_bool('verbose', self.verbose)
        check_bool('enable_gpu', self.enable_gpu)
        state = self.random_state
        whole = isinstance(state, (int, np.integer)) and not isinstance(state, bool)
        if state is not None and (not whole or not 0 <= state < 2**63):
            raise SynthesizerInputError(
                f"Invalid value {state!r} for parameter 'random_state'. Please provide a whole "
                'number from 0 to 2**63 - 1, or None.'
            )
        locales = [self.locales] if isinstance(self.locales, str) else self.locales
        valid = isinstance(locales, (list, tuple)) and all(isinstance(n, str) for n in locales)
        if locales is not None and not valid:
            raise SynthesizerInputError(
                f"Invalid value {self.locales!r} for parameter 'locales'. Please provide a list of "
                "locale names such as ['en_US']."
            )
        self._configs()

    def _configs(self) -> list[Any]:
        """The three settings objects.

        Raises:
            SynthesizerInputError: If a hyperparameter has a value that is not allowed.
        """
        try:
            return [
                config(
                    **{
                        field.name: getattr(self, field.name)
                        for field in dataclasses.fields(config)
                    }
                )
                for config in _CONFIGS
            ]
        except (TypeError, ValueError) as error:
            raise SynthesizerInputError(f'Invalid parameter: {error}') from error

    def _fit(self, processed_data: pd.DataFrame) -> None:
        """Train the model on SDV's processed table."""
        processed = ProcessedFormat.learn(processed_data, self)
        model, training, sampling = self._configs()
        network = TabDAR(
            model,
            training,
            sampling,
            device='auto' if self.enable_gpu else 'cpu',
            random_state=None if self.random_state is None else int(self.random_state),
            verbose=self.verbose,
        )
        network.fit(processed.to_model(processed_data), processed.kinds)
        self._model, self._processed = network, processed

    def _sample(self, num_rows: int, conditions: dict[str, Any] | None = None) -> pd.DataFrame:
        """Draw processed rows, all with the same known cells if ``conditions`` gives any."""
        assert self._model is not None
        assert self._processed is not None
        known = pd.DataFrame(index=pd.RangeIndex(num_rows))
        for name, value in (conditions or {}).items():
            known[name] = pd.Series([value] * num_rows, dtype=object)
        bar = tqdm.tqdm(total=num_rows, desc='Drawing rows', leave=False, disable=not self.verbose)
        try:
            with bar:
                rows = self._model.complete(known, progress=bar.update)
        except NotImplementedError as error:
            raise missing_operation(error) from error
        return self._processed.from_model(rows)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, '_state_version': _STATE_VERSION}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get('_state_version') != _STATE_VERSION:
            raise VersionError(
                f'This TabDARSynthesizer was saved in format {state.get("_state_version")}; this '
                f'version of sdv_tabdar reads format {_STATE_VERSION}. Install the version that '
                'saved it, or fit again.'
            )
        self.__dict__.update(state)
