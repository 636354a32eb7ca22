"""What a fitted model is asked, on DataFrames.

``inference/answers.py`` is what is done with the network; this class has the random numbers of
these answers, and sees to memory, matrix products and gradients. What it says without the network
is in ``fitted_columns.py``.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd
import torch

from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.fitted_columns import FittedColumns
from sdv_tabdar.core.inference.answers import Answers
from sdv_tabdar.core.inference.completed_rows import CompletedRows
from sdv_tabdar.core.inference.scoring import Floats, Marks, Progress
from sdv_tabdar.core.inference.settled import settle
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.runtime.autograd import own_grad_mode
from sdv_tabdar.core.runtime.device import fast_products
from sdv_tabdar.core.runtime.random import RandomState, make_generator, uniform_numbers


class AnsweringModel(FittedColumns):
    """The methods of ``TabDAR`` that answer questions once it has been fitted.

    Attributes:
        model: Architecture and encoding.
        sampling: Sampling settings.
    """

    model: ModelConfig
    sampling: SamplingConfig
    _device: torch.device
    _generator: torch.Generator

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

    def followed(self, frame: pd.DataFrame, free: Marks) -> pd.DataFrame:
        """Rows that were averaged, in which free levels follow from others as in training.

        Args:
            frame: All fitted columns in order, ``(B, C)``.
            free: ``(B, C)``, which cells may change.
        """
        return self._answers().followed(frame, free)

    def must_be_missing(self, frame: pd.DataFrame, observed: Marks | None = None) -> Marks:
        """Which cells that are not known are missing in all training rows with such known cells.

        By structural zeros: a year of stopping beside who never smoked.

        Args:
            frame: Any of the fitted columns.
            observed: As in :meth:`complete`.

        Returns:
            ``(B, C)``, all fitted columns in order.

        Raises:
            ValueError: If a column or a known value was never seen in training.
        """
        return self._answers().must_be_missing(frame, observed)

    def settle(
        self,
        frame: pd.DataFrame,
        known: Marks,
        restrictions: Mapping[str, Sequence[Restriction | None]],
    ) -> None:
        """Make finished rows add up and multiply where rounding, or what was given, changed them.

        Args:
            frame: Numbers of any of the fitted columns, float64; it is written into.
            known: ``(rows, columns of frame)``, cells that stay as they are.
            restrictions: For a column, what each row's cell may be.
        """
        encoder, clocks = self.trained.encoder, self.trained.clock_times
        minutes = clocks.in_minutes(frame)
        told = clocks.restricted(restrictions)
        settle(encoder, minutes, known, told, self.levels_that_follow)
        clocks.write_moved(minutes, frame)

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
            Of the shape of ``observed``: numbers outside the training range, in columns of values
            that occur often all others, and in those of clock times what is none.

        Raises:
            ValueError: If a category was never seen in training.
        """
        encoder, clocks = self.trained.encoder, self.trained.clock_times
        minutes = clocks.in_minutes(frame, observed)
        return encoder.excluded(minutes, observed) | clocks.strange(frame, observed)

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
