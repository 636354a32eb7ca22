"""What a fitted model is asked, on DataFrames.

``inference/answers.py`` is what is done with the network; this class has the random numbers of
these answers, and sees to memory, matrix products and gradients.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Hashable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.config import ModelConfig, SamplingConfig
from sdv_tabdar.core.inference.answers import Answers, Floats, Marks, Progress
from sdv_tabdar.core.inference.completed_rows import CompletedRows
from sdv_tabdar.core.inference.settled import settle
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.runtime.autograd import own_grad_mode
from sdv_tabdar.core.runtime.device import fast_products
from sdv_tabdar.core.runtime.random import RandomState, make_generator, uniform_numbers
from sdv_tabdar.core.trained import Trained


class AnsweringModel:
    """The methods of ``TabDAR`` that answer questions once it has been fitted.

    Attributes:
        model: Architecture and encoding.
        sampling: Sampling settings.
    """

    model: ModelConfig
    sampling: SamplingConfig
    _device: torch.device
    _generator: torch.Generator
    _trained: Trained | None

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

    @property
    def clock_times(self) -> frozenset[str]:
        """The columns of numbers that are read as clock times, written hhmm."""
        return self.trained.clock_times.names

    @property
    def ordered_columns(self) -> list[tuple[str, str]]:
        """Columns of numbers of which the first is never more than the second."""
        encoder = self.trained.encoder
        names = encoder.schema.names
        return [(names[low], names[high]) for low, high in encoder.inequalities]

    @property
    def levels_that_follow(self) -> frozenset[str]:
        """The columns of which one follows from another, two, or a number, in all rows."""
        encoder = self.trained.encoder
        pairs = ((entry.determinant, entry.dependent) for entry in encoder.dependencies)
        places = {position for pair in pairs for position in pair}
        places |= {one.position for one in encoder.told_by_numbers}
        found = {encoder.schema.names[position] for position in places}
        return frozenset(found.union(*self.columns_together))

    @property
    def columns_together(self) -> list[tuple[str, ...]]:
        """Threes of columns of which one follows from the two others together in all rows."""
        schema = self.trained.encoder.schema
        return [tuple(schema.names[at] for at in joint.columns) for joint in schema.joints]

    def followed(self, frame: pd.DataFrame, free: Marks) -> pd.DataFrame:
        """Rows that were averaged, in which free levels follow from others as in training.

        Args:
            frame: All fitted columns in order, ``(B, C)``.
            free: ``(B, C)``, which cells may change.
        """
        return self._answers().followed(frame, free)

    def nearest_numbers(self, column: str, numbers: Floats) -> Floats:
        """Means ``(B,)`` of a numerical column's numbers, moved to the nearest that it has.

        To multiples where its numbers there are some, and to working days, opening hours and last
        digits where it has no others; elsewhere any number will do.

        Raises:
            ValueError: If there is no such column, or it is categorical.
        """
        codec, clocks = self.trained.encoder.codec(column), self.trained.clock_times
        nearest = codec.nearest_numbers(clocks.minutes(column, numbers))
        return clocks.clocks(column, nearest)

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

    @property
    def calculated_columns(self) -> list[str]:
        """Columns of sums, constants, products, rates and lines, and those in order with sums."""
        encoder = self.trained.encoder
        summed = {position for one in encoder.sums for position in one.columns}
        levels = {one.level for one in encoder.rates} | {one.level for one in encoder.choices}
        places = encoder.calculated.union(levels)
        places |= {place for pair in encoder.inequalities if summed & {*pair} for place in pair}
        lines = [(echo.position, echo.source) for echo in encoder.echoes if echo.always]
        places |= {place for pair in lines for place in pair}
        return [encoder.schema.names[position] for position in sorted(places)]

    @property
    def dates_between(self) -> frozenset[str]:
        """The columns of times of which others say what is between them: days, or whole years."""
        encoder = self.trained.encoder
        found = encoder.relations.times_between
        return frozenset(encoder.schema.names[at] for at in found)

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

    def log_unseen(self, column: str) -> float:
        """What may stand for the log-likelihood of a value that training has not seen, in nats.

        Raises:
            ValueError: If there is no such column.
        """
        return self.trained.encoder.codec(column).log_unseen

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
        """Known values of a categorical column; None stands for missing.

        Those with a code of their own come first, the most frequent one before the others.

        Raises:
            ValueError: If there is no such column, or it is numerical.
        """
        return list(self.trained.encoder.codec(column).levels)

    def limits(self, column: str) -> tuple[float, float]:
        """Least and greatest training value of a numerical column.

        Raises:
            ValueError: If there is no such column, or it is categorical.
        """
        low, high = self.trained.encoder.codec(column).limits
        clocks = self.trained.clock_times
        return clocks.clocks(column, low), clocks.clocks(column, high)

    def allows(self, column: str, restrictions: Sequence[Restriction | None]) -> Marks:
        """``(rows,)``, where a numerical column has training values that a restriction allows.

        None allows all.

        Raises:
            ValueError: If there is no such column, or it is categorical.
        """
        clocks = self.trained.clock_times
        distinct = dict.fromkeys(entry for entry in restrictions if entry is not None)
        told = {entry: clocks.restriction(column, entry) for entry in distinct}
        some = [entry for entry in told.values() if entry is not None]
        allowed = dict(zip(some, self.trained.encoder.codec(column).allows_each(some), strict=True))
        found = {entry: own is not None and bool(allowed[own]) for entry, own in told.items()}
        return np.array([entry is None or found[entry] for entry in restrictions], dtype=bool)

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
