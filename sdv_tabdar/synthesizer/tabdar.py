"""TabDAR as an SDV synthesizer: its settings, and how it learns, is saved and says how it went.

The methods that draw rows are in ``drawing.py``, those that answer questions about rows in
``answering.py``. No public method does the work itself: what they are made of is in
``adapter/learning.py`` and ``adapter/calls.py``, and what SDV calls in ``adapter/hooks.py``. SDV's
own methods call each other through the public ones here, with tables that are in plain form already
(``PlainTables``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.calls import OUTDATED
from sdv_tabdar.adapter.losses import loss_plot, loss_values
from sdv_tabdar.adapter.one_at_a_time import one_at_a_time
from sdv_tabdar.adapter.parameters import (
    check_constraints,
    check_transformers,
    settings_text,
)
from sdv_tabdar.adapter.subclasses import made_with, settings_of
from sdv_tabdar.adapter.tables import PlainTables, Tables, plain_tables
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.training.history import EpochReport
from sdv_tabdar.files.errors import ModelFileError
from sdv_tabdar.files.read import read
from sdv_tabdar.files.write import write
from sdv_tabdar.synthesizer.answering import Answering
from sdv_tabdar.synthesizer.drawing import Drawing

_MODEL, _TRAINING, _SAMPLING = ModelConfig(), TrainingConfig(), SamplingConfig()


class TabDARSynthesizer(Drawing, Answering):
    """A generative model of a table that also conditions and imputes, for SDV.

    Cells are learnt in every order, so the one trained model draws rows, completes rows of which
    any cells are known, and fills gaps. Missing cells are learnt like values.

    Args:
        metadata (sdv.metadata.Metadata): What the table's columns are.
        enforce_min_max_values (bool): Whether drawn numbers and dates stay within the range of the
            training data; also whether members of ``OneOf`` must. Known cells are kept.
        enforce_rounding (bool): Whether numbers are rounded as the training data are.
        locales (list or str): Locales of generated personal data.
        width (int): Width of the transformer's tokens; a multiple of ``num_heads``.
        num_blocks (int): Transformer blocks.
        num_heads (int): Attention heads.
        feedforward_factor (int): Width of feed-forward layers in multiples of ``width``.
        feedforward (str): What these layers are, ``'relu'`` or ``'gated'``.
        head_width (int): Hidden width of the categorical heads.
        head_layers (int): Linear layers of the categorical heads.
        head_activation (str): What follows their hidden layers, ``'relu'`` or ``'gated'``.
        num_scales (int): Scales at which neighbouring numbers act alike, 0 to 4.
        ordered_levels (bool): Whether levels in an order act alike where they are near.
        num_members (int): Networks that are trained side by side and averaged.
        denoiser_width (int): Width of the nested diffusion's network.
        denoiser_blocks (int): Hidden layers of the nested diffusion's network.
        max_atoms (int): Numbers of a column that may come back exactly, the most frequent ones.
        num_bins (int): Bins of equal mass that the other numbers of a column are cut into.
        max_categories (int): Codes of a column; of more levels the rarest share some of them.
        max_crosses (int): Sets of columns that the network may also see together.
        echoes (bool): Whether a number may be drawn as what follows from another column's.
        inequalities (bool): Whether what is in order in all training rows is in all drawn ones.
        dependencies (bool): Whether what follows from another level, or from two together, in all
            training rows does so in all drawn ones.
        sums (bool): Whether what is the sum of others in all training rows is in all drawn ones,
            and what makes a constant (percentages) makes it; so are means and extremes. Clock times
            written as hhmm (517, 2359) are read as minutes.
        products (bool): Whether what is the product or the quotient of two others in all training
            rows, or their share or change, also in per cent, is in all drawn ones.
        structural_zeros (bool): Whether what never meets in training rows, though by chance it
            would, does not in drawn ones.
        copula (bool): Whether numbers that nearly follow from others are learnt beside their
            Gaussian copula, or the law of their difference.
        precision (str): ``'float32'``, ``'bfloat16'`` or ``'auto'``, of the transformer's products.
        numerical_head (str): What places numbers in their bins, ``'diffusion'`` or ``'bins'``.
        column_order (str): In which columns are drawn, ``'weighted'``, ``'random'`` or ``'fixed'``.
        attention (str): ``'auto'``, ``'bidirectional'`` or ``'causal'``.
        epochs (int): Passes over the table; None holds rows out and ends by their likelihood.
        max_training_time (float): Seconds after which training ends; None for no limit.
        batch_size (int): Rows of a training step; None chooses by the table and the cores.
        learning_rate (float): Highest learning rate; None chooses by the size of a step.
        optimizer (str): ``'muon'`` or ``'adamw'``.
        weight_decay (float): Decoupled weight decay; None chooses by the size of the table.
        dropout (float): Share of the hidden numbers of the categorical heads that a step leaves
            out; None chooses by the size of the table.
        scheduler (str): ``'cosine'`` or ``'plateau'``.
        ema_decay (float): Decay of the moving average of the weights that is sampled from.
        noise_draws (int): Noise levels for each hidden number of a training step.
        loss_weighting (str): ``'order'`` or ``'sum'``.
        calibration (bool): Whether each column's shares among drawn rows are corrected at the end.
        copula_rows (bool): Whether the network of a small table learns rows of a copula first.
        num_steps (int): Solver steps of the nested diffusion.
        sigma_max (float): Noise level at which the solver starts.
        sampling_batch_size (int): Rows that go through the network together; None chooses.
        num_particles (int): Draws tried for each row with several conditions that are no values.
        protect_values (bool or int): Whether values that fewer than 5 rows share, or as many as it
            says, are neither kept nor drawn: rare levels, rare numbers and dates, and the least
            and the greatest ones of a column, in whose place there is a blurred bound.
        rare_token (str): What stands in the place of rare levels in columns of text, such as
            ``'_RARE_'``; None for other levels, in their shares.
        epsilon (float): Budget of differential privacy, of which all that is learnt is paid: what
            is fitted would be about as likely without any one row. None for no such guarantee. It
            needs ``sdv_tabdar[dp]``.
        delta (float): The guarantee's delta; None for ``default_delta``, less than 1 / rows.
        public_values (dict): What is known of columns without a look at the rows, so that the
            budget need not pay for it: ``{'age': (0, 120), 'sex': ['F', 'M']}``, of numbers and
            dates the least and the greatest value that there can be, of others all levels.
        random_state (int): Seed of training; None for another model each time.
        verbose (bool): Whether to show progress bars of training and sampling.
        enable_gpu (bool): Whether to use a GPU if there is one (on ``mps`` for training).

    Raises:
        sdv.errors.SynthesizerInputError: If a parameter has a value that is not allowed.
        sdv.metadata.errors.InvalidMetadataError: If SDV does not take the metadata.

    The hyperparameters are those of ``ModelConfig``, ``TrainingConfig`` and ``SamplingConfig``,
    and documented there at length; ``sdv_tabdar.PAPER`` holds the paper's.

    All methods that draw, impute or predict raise ``sdv.errors.SamplingError`` before ``fit``, and
    ``ValueError`` for a count that is not a whole number in range or a ``seed`` that is none.

    Attributes:
        BLOCK_ROWS (int): Rows of a block, see :meth:`sample`.
    """

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
        feedforward: str = _MODEL.feedforward,
        head_width: int = _MODEL.head_width,
        head_layers: int = _MODEL.head_layers,
        head_activation: str = _MODEL.head_activation,
        num_scales: int = _MODEL.num_scales,
        ordered_levels: bool = _MODEL.ordered_levels,
        num_members: int = _MODEL.num_members,
        denoiser_width: int = _MODEL.denoiser_width,
        denoiser_blocks: int = _MODEL.denoiser_blocks,
        max_atoms: int = _MODEL.max_atoms,
        num_bins: int = _MODEL.num_bins,
        max_categories: int = _MODEL.max_categories,
        max_crosses: int = _MODEL.max_crosses,
        echoes: bool = _MODEL.echoes,
        inequalities: bool = _MODEL.inequalities,
        dependencies: bool = _MODEL.dependencies,
        sums: bool = _MODEL.sums,
        products: bool = _MODEL.products,
        structural_zeros: bool = _MODEL.structural_zeros,
        copula: bool = _MODEL.copula,
        precision: str = _MODEL.precision,
        numerical_head: str = _MODEL.numerical_head,
        column_order: str = _MODEL.column_order,
        attention: str = _MODEL.attention,
        epochs: int | None = _TRAINING.epochs,
        max_training_time: float | None = _TRAINING.max_training_time,
        batch_size: int | None = _TRAINING.batch_size,
        learning_rate: float | None = _TRAINING.learning_rate,
        optimizer: str = _TRAINING.optimizer,
        weight_decay: float | None = _TRAINING.weight_decay,
        dropout: float | None = _TRAINING.dropout,
        scheduler: str = _TRAINING.scheduler,
        ema_decay: float = _TRAINING.ema_decay,
        noise_draws: int = _TRAINING.noise_draws,
        loss_weighting: str = _TRAINING.loss_weighting,
        calibration: bool = _TRAINING.calibration,
        copula_rows: bool = _TRAINING.copula_rows,
        num_steps: int = _SAMPLING.num_steps,
        sigma_max: float = _SAMPLING.sigma_max,
        sampling_batch_size: int | None = _SAMPLING.sampling_batch_size,
        num_particles: int = _SAMPLING.num_particles,
        protect_values: bool | int = False,
        rare_token: str | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        public_values: dict[Any, Any] | None = None,
        random_state: int | None = None,
        verbose: bool = False,
        enable_gpu: bool = True,
    ) -> None:
        super().__init__(dict(locals()))

    def __repr__(self) -> str:
        """The settings that are not as by default, and whether it is fitted."""
        changed = settings_text(self._settings(), TabDARSynthesizer)
        return f'{type(self).__name__}({changed}): {self._state_text()}'

    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints to the synthesizer.

        Args:
            constraints: Constraints of ``sdv.cag``.

        Raises:
            TypeError: If they are no list.
        """
        check_constraints(constraints)
        with self._preparing():
            super().add_constraints(constraints)
            private_names.apply_default_transformers(self)

    def fit(
        self,
        data: pd.DataFrame | Tables | str | Path | Any,
        *,
        on_epoch_end: Callable[[EpochReport], bool | None] | None = None,
        checkpoint_path: str | Path | None = None,
        warm_start: bool = False,
        scratch_folder: str | Path | None = None,
    ) -> None:
        """Learn a table; in a process group of ``torch.distributed``, all processes together.

        Args:
            data: The table, or a dictionary with the table under its name. It is not changed,
                not even if fitting fails or is interrupted; nor is what was fitted before. The
                sampling methods return a frame or a dictionary, as given here. A table that is
                larger than memory may be a Parquet file or a folder of such files, a
                ``pyarrow.dataset.Dataset``, or a frame of Dask or Spark. It is then read twice,
                some rows at a time.
            on_epoch_end: Called after each pass over the table with an ``EpochReport``: what is
                known by then. Training ends if it returns True, or by its error.
            checkpoint_path: File that keeps the state of the training while it goes on. If the
                process dies or an error ends it, the same call goes on from there; when training
                has ended by itself the file is gone. Where it can no longer be written, as on a
                full disk, a ``RuntimeWarning`` says so, the last one stays, and training goes on.
            warm_start: Whether to go on from what was fitted before, if anything was: for the same
                table with some more rows, in a fraction of the time. Give old and new rows
                together; what only old rows had would be forgotten little by little. New levels
                and a wider range are learnt, columns and settings must be the same.
            scratch_folder: Where a table that is not in memory is kept, encoded, while it is
                learnt: about 14 bytes for each number and 6 for each other cell. None for the
                system's folder for such files. Nothing is left there however ``fit`` ends.

        Raises:
            sdv.errors.InvalidDataError: If the data do not match the metadata, hold infinite
                numbers, have no rows, or cannot be read.
            sdv.errors.InvalidDataTypeError: If there is more than one table.
            sdv.errors.SynthesizerInputError: If ``on_epoch_end`` cannot be called, the checkpoint
                cannot be written, or there is no room in ``scratch_folder``.
            ValueError: If the checkpoint is that of another table, ``random_state`` or settings, or
                if ``warm_start`` is asked for and the columns are others.
            FloatingPointError: If the training loss stops being finite again and again.
            ValueError: If the processes of a group have different tables or settings.
            RuntimeError: If another process of the group no longer answers.
        """
        with (
            self._transaction(),
            self._training(on_epoch_end, checkpoint_path, warm_start),
            self._in_memory(data, scratch_folder) as table,
        ):
            super().fit(self._learnt(table))
            self._outdated = False

    def preprocess(self, data: pd.DataFrame | Tables) -> Any:
        """Transform a table into what the model learns, for :meth:`fit_processed_data`.

        Args:
            data: As in :meth:`fit`.

        Returns:
            The processed table, as a frame or a dictionary like ``data``. Columns such as
            ``email (missing)`` are True where a cell is missing whose value is to be invented;
            without them :meth:`fit_processed_data` leaves such gaps to chance.
        """
        if isinstance(data, PlainTables):
            return self._preprocess_plain(data, stacklevel=4)  # called by fit and by SDV's fit
        with self._preparing(same_if_alike=True):
            processed = self._preprocess_plain(self._learnt(data), stacklevel=2)
        return self._as_given({name: table.copy() for name, table in processed.items()})

    def fit_processed_data(self, processed_data: pd.DataFrame | Tables) -> None:
        """Learn a table that :meth:`preprocess` returned.

        Args:
            processed_data: The processed table, or a dictionary with it under its name.

        Raises:
            sdv.errors.NotFittedError: If :meth:`preprocess` has not run.
            sdv.errors.InvalidDataError: If the table has no rows, lacks a column of the one that
                :meth:`preprocess` returned, or holds other values than numbers in place of such.
        """
        if isinstance(processed_data, PlainTables):
            super().fit_processed_data(processed_data)
            return
        with self._transaction():
            super().fit_processed_data(self._processed_tables(processed_data))
            self._outdated = False

    def validate(self, data: pd.DataFrame | Tables) -> None:
        """Check a table against the metadata and the constraints.

        Args:
            data: As in :meth:`fit`, as are the errors.
        """
        if isinstance(data, PlainTables):
            self._validate_plain(data)
            return
        with self._transaction(roll_back=True):
            self._validate_plain(plain_tables(self, data))

    def auto_assign_transformers(self, data: pd.DataFrame | Tables) -> None:
        """Choose transformers for a table, so that they can be looked at and updated.

        Where a table was fitted there are some already, and these stay.

        Args:
            data: As in :meth:`fit`.
        """
        with self._transaction(roll_back=private_names.is_preprocessed(self)):
            super().auto_assign_transformers(self._learnt(data))

    def update_transformers(
        self, column_name_to_transformer: dict[str, Any], table_name: str | None = None
    ) -> None:
        """Choose other transformers for some columns, for the next :meth:`fit`.

        Args:
            column_name_to_transformer: For each of these columns RDT's transformer, or None.
            table_name: Name of the table; there is only one.

        Raises:
            sdv.data_processing.errors.NotFittedError: Before :meth:`auto_assign_transformers`.
            TypeError: If what is to be the transformer of a column is none.
            ValueError: If it is None for a key, whose values must be generated.
            rdt.errors.InvalidConfigError: If there is no such column, or it is of another sdtype.
        """
        columns = private_names.transformed_columns(self)
        check_transformers(column_name_to_transformer, private_names.keys(self), columns)
        with self._preparing():
            super().update_transformers(column_name_to_transformer, table_name)

    def validate_constraints(self, synthetic_data: pd.DataFrame | Tables) -> None:
        """Check rows against the constraints.

        Args:
            synthetic_data: The rows, as a frame or a dictionary.

        Raises:
            sdv.cag._errors.ConstraintNotMetError: If a row breaks a constraint.
            sdv.errors.InvalidDataTypeError: If there is not exactly one table.
        """
        rows, table = self._table_in(synthetic_data), self._fitted_table
        super().validate_constraints(rows if table is None else table.form.plain(rows))

    def save_safe(self, path: str | Path) -> None:
        """Write the synthesizer to a file that is safe to open: arrays and JSON, no code.

        A warning says where real values stand in the file that are never drawn: those of which a
        ``PseudoAnonymizedFaker`` keeps the pseudonyms.

        Args:
            path: Where; a file that is there is replaced.

        Raises:
            sdv_tabdar.files.ModelFileError: If something in it can only be written as code, such
                as a constraint or a transformer of your own; ``save`` can hold these. Or if
                transformers or constraints have changed since it was fitted.
            OSError: If the file cannot be written.
        """
        with one_at_a_time(self):
            if self._outdated:
                raise ModelFileError(f'The synthesizer cannot be saved safely. {OUTDATED}')
            write(self, self._settings(), path)

    @classmethod
    def load_safe(cls, path: str | Path) -> TabDARSynthesizer:
        """The synthesizer that :meth:`save_safe` wrote; nothing in the file is run.

        It draws the same rows, goes on where the saved one stopped, and loads on machines without
        the GPU that it was trained on.

        Args:
            path: The file.

        Raises:
            sdv_tabdar.files.ModelFileError: If the file is damaged, no model file, or of a later
                version than this one reads.
            OSError: If the file cannot be read.
        """
        return read(path, functools.partial(made_with, cls, TabDARSynthesizer))

    def _settings(self) -> dict[str, Any]:
        return settings_of(self, TabDARSynthesizer)

    def get_loss_values(self) -> pd.DataFrame:
        """The training loss of each epoch: columns ``Epoch`` and ``Loss`` (nats per cell).

        Raises:
            sdv.errors.NotFittedError: If the synthesizer has not been fitted, or has learnt
                nothing because all columns are generated.
        """
        return loss_values(self)

    def get_loss_values_plot(self, title: str = 'TabDAR loss function') -> Any:
        """What :meth:`get_loss_values` returns as a plotly figure under a title."""
        return loss_plot(loss_values(self), title)
