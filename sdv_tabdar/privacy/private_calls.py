"""The synthesizer's calls under a privacy budget: what learns sees a table drawn from counts."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from rdt.transformers import FloatFormatter, UnixTimestampEncoder
from sdv.errors import InvalidDataError, SynthesizerInputError

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.parameters import configs
from sdv_tabdar.adapter.sources import Source
from sdv_tabdar.adapter.streamed import Streamed
from sdv_tabdar.adapter.tables import PlainTables
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.presets import PRIVATE
from sdv_tabdar.core.training.history import Callback
from sdv_tabdar.core.training.private import PrivateRows, PrivateSteps, refuse_unpaid
from sdv_tabdar.core.training.row_gradients import sensitivity_with_rounding
from sdv_tabdar.privacy.budget import (
    BudgetError,
    Spent,
    Steps,
    check_accountant,
    step_rate,
    steps_noise,
)
from sdv_tabdar.privacy.calls import ProtectedCalls
from sdv_tabdar.privacy.public import check_public_values
from sdv_tabdar.privacy.surrogate import Surrogate, surrogate_table

_REMARK = 'The table is learnt under a privacy budget (epsilon), but you may want to know:'
_BY_CELL = (FloatFormatter, UnixTimestampEncoder)  # what they make of a cell depends on no other
_PAIRS = 2  # of hidden sets of a row in a step
_MOST_PARAMETERS = 10_000_000  # whose rounding is paid for


Config = TypeVar('Config', ModelConfig, TrainingConfig)


@dataclasses.dataclass(frozen=True)
class _Secret:
    """What must not outlive one call of ``fit``."""

    rows: pd.DataFrame
    surrogate: Surrogate


class PrivateCalls(ProtectedCalls):
    """A synthesizer that can learn under a privacy budget.

    Attributes:
        epsilon: Of the guarantee; None for none.
        delta: Likewise; None for one that follows from the digits of the number of rows.
        public_values: Ends and levels of columns that are known without a look at the rows.
    """

    # Of synthesizers that were pickled before there was a budget.
    epsilon: float | None = None
    delta: float | None = None
    public_values: Mapping[Any, Any] | None = None
    _secret: _Secret | None = None

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """As without a budget.

        Raises:
            SynthesizerInputError: If public values are given that are none, or without a budget.
        """
        super().__init__(parameters)
        check_public_values(
            self.public_values,
            private_names.original_table(self).columns,
            private_names.keys(self),
            has_budget=self.epsilon is not None,
        )

    @property
    def spent_epsilon(self) -> float | None:
        """What the fitted model has spent; None if it was not learnt under a budget.

        It is the epsilon of the guarantee at :attr:`spent_delta`: for this model, and for all that
        was learnt on its way by ``warm_start``.
        """
        spent = self._spent
        return None if spent is None else float(spent['epsilon'])

    @property
    def spent_delta(self) -> float | None:
        """The delta that goes with :attr:`spent_epsilon`."""
        spent = self._spent
        return None if spent is None else float(spent['delta'])

    @property
    def _spent(self) -> Mapping[str, Any] | None:
        table = self._fitted_table
        return None if table is None else table.spent

    @contextlib.contextmanager
    def _training(
        self,
        on_epoch_end: Callback | None,
        checkpoint_path: str | Path | None,
        warm_start: bool,
    ) -> Iterator[None]:
        """As without a budget; what is refused is what no budget pays for.

        Raises:
            SynthesizerInputError: If something learns from rows that is not paid for.
        """
        try:
            if self.epsilon is not None:
                check_accountant()
                self._refuse_unpaid(checkpoint_path)
            with super()._training(on_epoch_end, checkpoint_path, warm_start):
                yield
        except BudgetError as error:
            raise SynthesizerInputError(str(error)) from error
        finally:
            self._secret = None
            del self._secret

    def _refuse_unpaid(self, checkpoint_path: Any) -> None:
        if self.protect_values or self.rare_token is not None:
            raise SynthesizerInputError(
                "'protect_values' and 'rare_token' look at rows outside the budget of 'epsilon', "
                'which keeps rare values by itself. Leave them out.'
            )
        if private_names.has_constraints(self):
            raise SynthesizerInputError(
                "Constraints are fitted to rows, which no budget pays for: 'epsilon' does not go "
                'with them. Leave them out, or drop rows that break them after sampling.'
            )
        try:
            refuse_unpaid(self._configs()[0], checkpoint_path)
        except ValueError as error:
            raise SynthesizerInputError(str(error)) from error

    def _check_going_on(self) -> None:
        """As without a budget, and from what was not learnt under one.

        Raises:
            SynthesizerInputError: If training under a budget is to go on from one without.
        """
        super()._check_going_on()
        if self.epsilon is not None and self._spent is None:
            raise SynthesizerInputError(
                'What was fitted before was not learnt under a budget, and its weights hold rows. '
                "Fit anew, without 'warm_start'."
            )

    def _refuse_parts(self) -> None:
        """Refuse to do a part of ``fit`` on rows.

        Raises:
            SynthesizerInputError: If there is a budget.
        """
        if self.epsilon is not None:
            raise SynthesizerInputError(
                "With 'epsilon' rows are learnt by 'fit' as a whole, which knows what it has "
                "spent. 'preprocess', 'fit_processed_data' and 'auto_assign_transformers' would "
                'learn from rows outside the budget.'
            )

    def _surveyed(self, source: Source, scratch_folder: Path) -> Streamed:
        """As without a budget, which pays for no pass over a table that is not in memory.

        Raises:
            SynthesizerInputError: If there is a budget.
        """
        if self.epsilon is not None:
            raise SynthesizerInputError(
                "With 'epsilon' rows are learnt from a frame in memory: a pass over files or "
                'partitions would look at them outside the budget. Load them, or a part.'
            )
        return super()._surveyed(source, scratch_folder)

    def _learnt(self, data: Any) -> PlainTables:
        """The surrogate in plain form, after its form has been learnt from it."""
        if self.epsilon is None:
            return super()._learnt(data)
        self._refuse_parts_of_fit()
        frame = self._table_in(data)
        if not len(frame):
            raise InvalidDataError(['The table has no rows. There must be at least one.'])
        surrogate = surrogate_table(
            frame,
            private_names.original_table(self).columns,
            private_names.keys(self),
            self.epsilon,
            self.delta,
            np.random.default_rng(),
            public={str(name): value for name, value in (self.public_values or {}).items()},
            with_pairs=self._training_options.get('before') is None,
        )
        if surrogate.remarks:
            text = '\n'.join(f'- {remark}' for remark in surrogate.remarks)
            warnings.warn(f'{_REMARK}\n{text}', stacklevel=3)
        private_names.describe_anew(self, surrogate.entries)
        self._secret = _Secret(frame, surrogate)
        return super()._learnt(self._like(data, surrogate.frame))

    def _refuse_parts_of_fit(self) -> None:
        if 'callbacks' not in self._training_options:  # not called by fit
            self._refuse_parts()

    def _processed_tables(self, processed_data: Any) -> PlainTables:
        """As without a budget; refused with one."""
        self._refuse_parts()
        return super()._processed_tables(processed_data)

    def _fit(self, processed_data: pd.DataFrame) -> None:
        """Train on the rows by steps that are paid for; all else is learnt from the surrogate."""
        if self.epsilon is None:
            super()._fit(processed_data)
            self._fitted_table = dataclasses.replace(self._table, spent=None)
            return
        if self._secret is None:
            self._refuse_parts()
        assert self._secret is not None
        self._refuse_transformers()
        surrogate = self._secret.surrogate
        names = list(processed_data.columns)
        rows = surrogate.in_model_form(self._secret.rows, names)
        drawn = surrogate.in_model_form(surrogate.dependent, names)
        _, training, _ = self._configs()
        steps, paid = self._steps(training, surrogate)
        spent = dataclasses.replace(surrogate.spent, steps=(paid,))
        warm = self._training_options.get('before') is not None
        if warm and self._spent is not None:
            spent = Spent.from_state(self._spent).and_then(spent)
        self._training_options = {
            **self._training_options,
            'private': PrivateRows(rows, steps, drawn),
        }
        super()._fit(processed_data)
        self._fitted_table = dataclasses.replace(self._table, spent=spent.to_state())

    def _steps(self, training: TrainingConfig, surrogate: Surrogate) -> tuple[PrivateSteps, Steps]:
        """The steps of the training, and what they are in the books."""
        assert self.epsilon is not None
        assert self._secret is not None
        rate = step_rate(len(self._secret.rows), training.batch_size)
        number = max(round((training.epochs or 1) / rate), 1)
        spent = surrogate.spent
        noise = steps_noise(self.epsilon, spent.delta, spent.counts, number, rate)
        steps = PrivateSteps(
            number=number,
            rate=rate,
            noise_multiplier=noise * sensitivity_with_rounding(_MOST_PARAMETERS, noise),
            expected_rows=rate * surrogate.num_rows,
            learning_rate=training.learning_rate or PRIVATE['learning_rate'],
            pairs=_PAIRS,
            ema_decay=training.ema_decay,
            max_seconds=training.seconds_of_steps,
        )
        return steps, Steps(number, rate, noise)

    def _refuse_transformers(self) -> None:
        """Refuse transformers of whose cells one may depend on other rows."""
        for name, (_, transformer) in private_names.outputs(self).items():
            if transformer is None or type(transformer) in _BY_CELL or transformer.is_generator():
                continue
            raise SynthesizerInputError(
                f"The {type(transformer).__name__} of column '{name}' is fitted to rows, which no "
                "budget pays for. Leave the column's transformer as it is."
            )

    def _configs(self) -> tuple[ModelConfig, TrainingConfig, SamplingConfig]:
        """As without a budget; ``PRIVATE`` takes the place of what is left at its default."""
        found = configs(vars(self))
        if self.epsilon is None:
            return found
        model, training, sampling = found
        return _with_own_defaults(model), _with_own_defaults(training), sampling


def _with_own_defaults(config: Config) -> Config:
    fields = {
        field.name: PRIVATE[field.name]
        for field in dataclasses.fields(config)
        if field.name in PRIVATE and getattr(config, field.name) == field.default
    }
    return dataclasses.replace(config, **fields)
