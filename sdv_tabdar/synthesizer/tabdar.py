"""TabDAR as an SDV synthesizer: every public method, none of which does the work itself.

What they are made of is in ``adapter/calls.py``, and what SDV calls in ``adapter/hooks.py``. SDV's
own methods call each other through the public ones here, with tables that are in plain form
already (``PlainTables``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.alike import like_conditions
from sdv_tabdar.adapter.blocks import BLOCK_ROWS
from sdv_tabdar.adapter.impute import impute
from sdv_tabdar.adapter.likelihood import UNSEEN
from sdv_tabdar.adapter.losses import loss_plot, loss_values
from sdv_tabdar.adapter.parameters import (
    check_constraints,
    check_count,
    check_drawing,
    check_sample,
    check_whole,
    settings_text,
)
from sdv_tabdar.adapter.predict import Predictor
from sdv_tabdar.adapter.rows_on_disk import TableFile
from sdv_tabdar.adapter.shares import Shares, share_conditions
from sdv_tabdar.adapter.tables import (
    PlainTables,
    Tables,
    condition_frames,
    plain_tables,
    with_text_labels,
)
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.training.history import EpochReport
from sdv_tabdar.files.read import read
from sdv_tabdar.files.write import write
from sdv_tabdar.privacy.private_calls import PrivateCalls

_MODEL, _TRAINING, _SAMPLING = ModelConfig(), TrainingConfig(), SamplingConfig()


class TabDARSynthesizer(PrivateCalls):
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
        denoiser_width (int): Width of the nested diffusion's network.
        denoiser_blocks (int): Hidden layers of the nested diffusion's network.
        max_atoms (int): Numbers of a column that may come back exactly, the most frequent ones.
        num_bins (int): Bins of equal mass that the other numbers of a column are cut into.
        max_categories (int): Levels of a column with a code of their own; rarer ones share one.
        max_crosses (int): Sets of columns that the network may also see together.
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
        scheduler (str): ``'cosine'`` or ``'plateau'``.
        ema_decay (float): Decay of the moving average of the weights that is sampled from.
        noise_draws (int): Noise levels for each hidden number of a training step.
        loss_weighting (str): ``'order'`` or ``'sum'``.
        calibration (bool): Whether each column's shares among drawn rows are corrected at the end.
        num_steps (int): Solver steps of the nested diffusion.
        sigma_max (float): Noise level at which the solver starts.
        sampling_batch_size (int): Rows that go through the network together.
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
        random_state (int): Seed of training; None for another model each time.
        verbose (bool): Whether to show progress bars of training and sampling.
        enable_gpu (bool): Whether to use a GPU if there is one (on ``mps`` for training).

    Raises:
        sdv.errors.SynthesizerInputError: If a parameter has a value that is not allowed.

    The hyperparameters are those of ``ModelConfig``, ``TrainingConfig`` and ``SamplingConfig``,
    and documented there at length; ``sdv_tabdar.PAPER`` holds the paper's.

    All methods that draw, impute or predict raise ``sdv.errors.SamplingError`` before ``fit``, and
    ``ValueError`` for a count that is not a whole number in range or a ``seed`` that is none.

    Attributes:
        BLOCK_ROWS (int): Rows of a block, see :meth:`sample`.
    """

    BLOCK_ROWS = BLOCK_ROWS

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
        denoiser_width: int = _MODEL.denoiser_width,
        denoiser_blocks: int = _MODEL.denoiser_blocks,
        max_atoms: int = _MODEL.max_atoms,
        num_bins: int = _MODEL.num_bins,
        max_categories: int = _MODEL.max_categories,
        max_crosses: int = _MODEL.max_crosses,
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
        scheduler: str = _TRAINING.scheduler,
        ema_decay: float = _TRAINING.ema_decay,
        noise_draws: int = _TRAINING.noise_draws,
        loss_weighting: str = _TRAINING.loss_weighting,
        calibration: bool = _TRAINING.calibration,
        num_steps: int = _SAMPLING.num_steps,
        sigma_max: float = _SAMPLING.sigma_max,
        sampling_batch_size: int = _SAMPLING.sampling_batch_size,
        num_particles: int = _SAMPLING.num_particles,
        protect_values: bool | int = False,
        rare_token: str | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        random_state: int | None = None,
        verbose: bool = False,
        enable_gpu: bool = True,
    ) -> None:
        super().__init__(dict(locals()))

    def __repr__(self) -> str:
        """The settings that are not as by default, and whether it is fitted."""
        changed = settings_text(self.get_parameters(), TabDARSynthesizer)
        return f'TabDARSynthesizer({changed}): {self._state_text()}'

    def add_constraints(self, constraints: list[Any]) -> None:
        """Add constraints to the synthesizer.

        Args:
            constraints: Constraints of ``sdv.cag``.

        Raises:
            TypeError: If they are no list.
        """
        check_constraints(constraints)
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
                known by then. Training ends if it returns True.
            checkpoint_path: File that keeps the state of the training while it goes on. If the
                process dies, the same call goes on from there; when training has ended by itself
                the file is gone.
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
            sdv.errors.SynthesizerInputError: If ``on_epoch_end`` cannot be called or there is no
                folder for the checkpoint, or no room in ``scratch_folder``.
            ValueError: If the checkpoint is that of another table or of other settings, or if
                ``warm_start`` is asked for and the columns are others.
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

    def preprocess(self, data: pd.DataFrame | Tables) -> Any:
        """Transform a table into what the model learns, for :meth:`fit_processed_data`.

        Args:
            data: As in :meth:`fit`.

        Returns:
            The processed table, as a frame or a dictionary like ``data``.
        """
        if isinstance(data, PlainTables):
            return self._preprocess_plain(data, stacklevel=4)  # called by fit and by SDV's fit
        with self._transaction():
            processed = self._preprocess_plain(self._learnt(data), stacklevel=2)
        return self._as_given({name: table.copy() for name, table in processed.items()})

    def fit_processed_data(self, processed_data: pd.DataFrame | Tables) -> None:
        """Learn a table that :meth:`preprocess` returned.

        Args:
            processed_data: The processed table, or a dictionary with it under its name.

        Raises:
            sdv.errors.NotFittedError: If :meth:`preprocess` has not run.
        """
        if isinstance(processed_data, PlainTables):
            super().fit_processed_data(processed_data)
            return
        with self._transaction():
            super().fit_processed_data(self._processed_tables(processed_data))

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

        Args:
            data: As in :meth:`fit`.
        """
        with self._transaction():
            super().auto_assign_transformers(self._learnt(data))

    def validate_constraints(self, synthetic_data: pd.DataFrame) -> None:
        """Check rows against the constraints.

        Args:
            synthetic_data: The rows.

        Raises:
            sdv.cag._errors.ConstraintNotMetError: If a row breaks a constraint.
        """
        table = self._fitted_table
        super().validate_constraints(
            synthetic_data if table is None else table.form.plain(synthetic_data)
        )

    def sample(
        self,
        num_rows: int,
        main_table_name: str | None = None,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        output_format: str = 'csv',
        return_rows: bool = True,
        *,
        shares: Shares | None = None,
        seed: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Draw synthetic rows.

        Args:
            num_rows: How many.
            main_table_name: Name of the table; there is only one.
            max_tries_per_batch: How often to draw again for rows that break a constraint.
            batch_size: Rows to draw, and to write, at a time; None for all, or for 100,000 if
                they are not returned.
            output_folder_path: Folder in which to write ``<table>.csv`` as rows are drawn.
            output_format: ``'csv'`` or ``'parquet'``.
            return_rows: False for rows that are written only, in the memory of one batch.
            shares: For columns the shares that some of their levels are to have among the rows,
                as in ``{'income': {'>50K': 0.5}}``: exactly, up to whole rows (largest
                remainder). The other levels share the rest in the model's proportions. A level
                may also be None (missing), ``OneOf`` or, in columns of numbers and dates, whose
                shares add up to 1, ``Between``. Several columns are independent of each other.
            seed: Seed of all that is drawn in this call, keys and personal data among it: the
                same seed draws the same rows, and calls without one go on as if it had not been.
                None goes on where the last call stopped. Rows come in blocks of ``BLOCK_ROWS``
                that follow from model, seed and place alone, if ``batch_size`` is None or a
                multiple of it.
            first_row: With a seed, the first of its rows that are wanted, a multiple of
                ``BLOCK_ROWS``: what ``sample(first_row + num_rows, seed=seed)`` ends with. So
                several calls, in any order and on any machine, draw the rows of one.

        Returns:
            The rows: a frame if ``fit`` was given one, else a dictionary. No rows if
            ``return_rows`` is False.

        Raises:
            ValueError: If the rows are neither to be written nor to be returned, ``shares``
                names what training had not, has shares that do not add up, or speaks of a value
                twice, or the rows cannot begin at ``first_row``.
            AssertionError: If the file exists.
        """
        table = self._table_to_sample()
        check_sample(num_rows, return_rows, output_folder_path)
        check_drawing(max_tries_per_batch, batch_size, output_folder_path)
        name = private_names.table_name(self)
        file = TableFile(output_folder_path, name, output_format) if output_folder_path else None
        name = main_table_name or name
        check_whole(shares, first_row)
        with self._drawing(seed, first_row):
            wanted = None if shares is None else share_conditions(table, num_rows, shares)
            rows = self._sampled(
                num_rows, name, max_tries_per_batch, batch_size, file, return_rows, wanted
            )
        return self._as_given({name: rows})

    def sample_from_conditions(
        self,
        conditions: Sequence[Condition | DataFrameCondition],
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        *,
        seed: int | None = None,
    ) -> Any:
        """Draw rows that meet conditions.

        Args:
            conditions: SDV's ``Condition`` and ``DataFrameCondition``. Where they have a value
                there may also be ``Between``, ``OneOf`` or ``NotNull``. A missing value (None,
                NaN) asks for a missing cell.
            max_tries_per_batch: How often to draw for rows that the model cannot be conditioned
                on, such as one column of several under a constraint.
            batch_size: Rows to draw, and to write, at a time; None for all.
            output_folder_path: Folder in which to write ``<table>.csv`` as rows are drawn.
            seed: As in :meth:`sample`.

        Returns:
            The rows with a RangeIndex, conditions over the same columns together and otherwise
            in the order given: a frame if ``fit`` was given one, else a dictionary.

        Raises:
            ValueError: If a condition can never be met; it names column, value and what is
                allowed. Or if no row was met; it says how often each condition was.

        Values that training has not seen are kept, with a warning; the model is shown what comes
        nearest.
        """
        self._table_to_sample()
        check_drawing(max_tries_per_batch, batch_size, output_folder_path)
        frames = condition_frames(conditions)
        with self._drawing(seed):
            parts = self._sample_conditions(
                frames, max_tries_per_batch, batch_size, output_folder_path
            )
        drawn = [rows for rows in parts if len(rows)] or parts
        return self._restored(pd.concat(drawn, ignore_index=True))

    def sample_remaining_columns(
        self,
        known_columns: pd.DataFrame | Tables,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        *,
        seed: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Complete rows of which some columns are known.

        Args:
            known_columns: The known columns; cells as in :meth:`sample_from_conditions`.
            max_tries_per_batch: As in :meth:`sample_from_conditions`, as are the others.
            batch_size: Rows at a time.
            output_folder_path: Folder of the file.
            seed: As in :meth:`sample`.
            first_row: With a seed, how many rows of a larger table come before these, a multiple
                of ``BLOCK_ROWS``: they are completed as there.

        Returns:
            The rows in the order and with the index of ``known_columns``: a frame if ``fit`` was
            given one, else a dictionary. Rows that could not be met are left out, with a warning.

        Raises:
            ValueError: As in :meth:`sample_from_conditions`.
        """
        self._table_to_sample()
        check_drawing(max_tries_per_batch, batch_size, output_folder_path)
        known = with_text_labels(self._table_in(known_columns))
        with self._drawing(seed, first_row, known):
            (rows,) = self._sample_conditions(
                [known], max_tries_per_batch, batch_size, output_folder_path
            )
        return self._restored(rows)

    def sample_like(
        self,
        row: Any,
        num_rows: int,
        similarity: float = 0.8,
        max_tries_per_batch: int = 100,
        batch_size: int | None = None,
        output_folder_path: str | None = None,
        *,
        seed: int | None = None,
    ) -> Any:
        """Draw rows that are like an example.

        Args:
            row: The example: a dictionary, a Series or a frame of one row, with any of the
                columns. Those that are generated (keys, personal data) do not count.
            num_rows: How many rows to draw.
            similarity: From 0 to 1. In each row so large a share of the example's columns, others
                in each, is held: categories and missing cells are the example's, numbers and
                dates no further from it than ``(1 - similarity) / 2`` of the table's rows on
                either side, counted among 1,000 rows that the model draws. The other columns are
                what the model makes of these. 1 gives copies, 0 rows like those of :meth:`sample`.
            max_tries_per_batch: As in :meth:`sample_from_conditions`, as are the others.
            batch_size: Rows at a time.
            output_folder_path: Folder of the file.
            seed: As in :meth:`sample`.

        Returns:
            The rows: a frame if ``fit`` was given one, else a dictionary.

        Raises:
            TypeError: If ``row`` is no row of values.
            ValueError: If ``similarity`` is not within 0 and 1, or ``row`` has a column that the
                training table had not, or a cell that its column cannot hold.
        """
        table = self._table_to_sample()
        check_count('num_rows', num_rows, 1)
        check_drawing(max_tries_per_batch, batch_size, output_folder_path)
        with self._drawing(seed):
            wanted = like_conditions(table, row, num_rows, similarity)
            (rows,) = self._sample_conditions(
                [wanted], max_tries_per_batch, batch_size, output_folder_path
            )
        return self._restored(rows)

    def impute(
        self,
        data: pd.DataFrame | Tables,
        num_draws: int = 1,
        num_samples: int = 10,
        batch_size: int | None = None,
        *,
        seed: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Fill the missing cells of a table.

        Every missing cell is taken for unknown and gets a value; the known cells of its row say
        which. Columns may be absent altogether, and the rows need not be training rows. Where a
        constraint leaves no value beside the known cells, the cell stays missing, with a warning
        that names the column.

        Args:
            data: The table.
            num_draws: 1 for one completed table; more for that many tables, each completed with
                draws from the model, for multiple imputation.
            num_samples: For one table: how many draws the filled cell is the mean of (numbers and
                dates) or the most frequent value among (everything else). 1 for a single draw.
            batch_size: Rows to fill at a time; None lets the synthesizer choose.
            seed: As in :meth:`sample`.
            first_row: As in :meth:`sample_remaining_columns`.

        Returns:
            The completed table, or a list of ``num_draws`` tables; a frame or a dictionary, like
            ``data``. Known cells, index, column order and dtypes are those of ``data`` (floats
            that are whole numbers in the training table become so again where all gaps are
            filled), absent columns follow in the order of the training table.

        Raises:
            ValueError: If ``data`` has a column that the training table had not, or a known cell
                that its column cannot hold.
        """
        table = self._table_to_sample()
        check_count('num_draws', num_draws, 1)
        check_count('num_samples', num_samples, 1)
        check_count('batch_size', batch_size, 1, optional=True)
        rows = self._table_in(data)
        with self._drawing(seed, first_row, rows) as blocks:
            filled = impute(table, rows, num_draws, num_samples, batch_size, blocks)
        found = [self._like(data, frame) for frame in filled]
        return found if num_draws > 1 else found[0]

    def predict_proba(
        self,
        data: pd.DataFrame,
        column: Hashable,
        num_samples: int = 200,
        *,
        seed: int | None = None,
        first_row: int = 0,
    ) -> pd.DataFrame:
        """The distribution of a column of categories, given the other known cells of each row.

        Args:
            data: Rows; any of the other columns. A missing cell counts as unknown, and what
                ``data`` has in ``column`` itself is ignored.
            column: A categorical, boolean or ordinal column, or an id that is no key.
            num_samples: Draws for each row, of which probabilities are the shares. Only for a
                column that a constraint or a transformer replaces, where its distribution does
                not follow from those of the new columns, and for rows in which an upper column
                of an Inequality or a Range is known without one below it, or a total without
                its parts.
            seed: Seed of these draws, as in :meth:`sample`.
            first_row: As in :meth:`sample_remaining_columns`.

        Returns:
            Probabilities: one row a row of ``data`` (same index), one column a level; sorted,
            ordinal ones in their order, and last None, which stands for missing.

        Raises:
            ValueError: If the column is unknown or not categorical.
        """
        predictor = Predictor(self._table_to_sample())

        def answer(rows: pd.DataFrame) -> pd.DataFrame:
            return predictor.probabilities(rows, column, num_samples)

        return self._by_block(self._table_in(data), answer, seed, first_row)

    def predict_quantiles(
        self,
        data: pd.DataFrame,
        column: Hashable,
        quantiles: Sequence[float] = (0.05, 0.5, 0.95),
        num_samples: int = 200,
        *,
        seed: int | None = None,
        first_row: int = 0,
    ) -> pd.DataFrame:
        """Quantiles of a column of numbers or dates, given the other known cells of each row.

        Args:
            data: As in :meth:`predict_proba`.
            column: A numerical or datetime column.
            quantiles: Levels from 0 to 1.
            num_samples: As in :meth:`predict_proba`; quantiles are those of the draws.
            seed: As in :meth:`predict_proba`.
            first_row: As in :meth:`sample_remaining_columns`.

        Returns:
            One row a row of ``data`` (same index), one column a level: numbers in the unit of
            the column, not rounded, or dates; given that the cell is not missing.

        Raises:
            ValueError: If the column is unknown or not numerical, or a level is not from 0 to 1.
        """
        predictor = Predictor(self._table_to_sample())

        def answer(rows: pd.DataFrame) -> pd.DataFrame:
            return predictor.quantiles(rows, column, quantiles, num_samples)

        return self._by_block(self._table_in(data), answer, seed, first_row)

    def log_likelihood(
        self,
        data: pd.DataFrame,
        num_orders: int = 1,
        *,
        by_column: bool = False,
        unseen: str = UNSEEN[0],
        steps: Mapping[str, float] | None = None,
        seed: int | None = None,
        first_row: int = 0,
    ) -> pd.Series | pd.DataFrame:
        """How likely the model finds each row, to rank outliers or to compare models.

        Args:
            data: Rows; absent columns are left out. A missing cell is an event like any value
                if training has seen one in its column, and is left out otherwise.
            num_orders: Random orders of the columns to average over (mean of the likelihoods).
                Each takes about as long as drawing the rows; more of them differ less from each
                other, and say better which cell is odd.
            by_column: Whether to give the part of each cell as well, in place of the sum: the
                mean over the orders of its log-likelihood given the cells before it. The parts
                of a row add up to at most its log-likelihood.
            unseen: What a value counts as that training has not seen (a new level, a number
                outside its range): ``'impossible'``, ``-inf``; ``'skip'``, left out; ``'rare'``,
                as likely as if the next row after training had brought it, 1 / (rows + 1), for
                numbers that have a density spread over the training range.
            steps: Columns of numbers with the distance of neighbouring values, as in
                ``{'age': 1, 'price': 0.01}``: what counts is then the mass of all numbers that
                round to a value in place of its density, so that different models can be compared.
            seed: Seed of the orders; None goes on where the last call stopped.
            first_row: As in :meth:`sample_remaining_columns`.

        Returns:
            Nats, with the index of ``data``: log mass for categories, missing cells and numbers
            that occur often, log density per unit of the column (dates: per nanosecond) for
            others; with constraints, of the columns that these put in the place of the user's.
            By column a frame, the columns in the order of the training table, with NaN for cells
            that are left out. ``-inf`` for rows that break a constraint. Generated columns do not
            count.

        Raises:
            ValueError: If ``unseen`` is none of these words, or ``steps`` names a column that is
                none of the model's numbers or has a step that is not above 0.
        """
        table = self._table_to_sample()
        predictor = Predictor(table)
        frame = self._table_in(data)
        bar = self._bar('Scoring rows', len(frame))
        with bar, self._drawing(seed, first_row, table.form.empty()) as blocks:
            return predictor.log_likelihood(
                frame,
                num_orders,
                by_column=by_column,
                unseen=unseen,
                steps=steps or {},
                blocks=blocks,
                progress=bar.update,
            )

    def save_safe(self, path: str | Path) -> None:
        """Write the synthesizer to a file that is safe to open: arrays and JSON, no code.

        Args:
            path: Where; a file that is there is replaced.

        Raises:
            sdv_tabdar.files.ModelFileError: If something in it can only be written as code, such
                as a constraint or a transformer of your own; ``save`` can hold these.
            OSError: If the file cannot be written.
        """
        write(self, path)

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
        return read(path, cls)

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
