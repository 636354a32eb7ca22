"""What training leaves: the codes of a table, the network that has learnt them, and how it went."""

from __future__ import annotations

import copy
import dataclasses
import functools
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.calibration import calibrate
from sdv_tabdar.core.codecs.clock_times import ClockTimes
from sdv_tabdar.core.codecs.copula_rows import copula_rows
from sdv_tabdar.core.codecs.copulas import find_copula
from sdv_tabdar.core.codecs.crosses import crosses_of, find_crosses
from sdv_tabdar.core.codecs.dependencies import kept_dependencies
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.gaps import find_gaps, kept_gaps
from sdv_tabdar.core.codecs.joints import kept_joints
from sdv_tabdar.core.codecs.level_places import NO_ORDERS, Orders
from sdv_tabdar.core.codecs.related import find_told_levels, find_told_zeros
from sdv_tabdar.core.codecs.stored import Table
from sdv_tabdar.core.codecs.zeros import kept_zeros
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.inference.answers import Answers
from sdv_tabdar.core.inference.clocked import Clocked
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.warm_start import take_weights
from sdv_tabdar.core.relation_log import tell_of_relations
from sdv_tabdar.core.runtime.device import answering_device
from sdv_tabdar.core.runtime.random import default_generator_at, drawn_seeds, make_generator
from sdv_tabdar.core.runtime.ranks import ALONE, Ranks
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.history import Callback, TrainingHistory
from sdv_tabdar.core.training.interrupts import Interrupts
from sdv_tabdar.core.training.loop import asked_to_stop, fit_network
from sdv_tabdar.core.training.precedence import OF_DRAWING, precedence
from sdv_tabdar.core.training.private import PrivateRows, fit_drawn, fit_privately
from sdv_tabdar.core.training.trainer import Progress, initial_network

_COPULA_ROWS = 2_000  # that the network of a small table learns first


@dataclasses.dataclass(frozen=True)
class Trained:
    """A trained network and what belongs to it.

    Attributes:
        encoder: What writes the table in codes.
        network: The network, without gradients.
        history: How training went.
        clock_times: The columns whose numbers the encoder has in minutes.
    """

    encoder: TableEncoder
    network: TabDARNetwork
    history: TrainingHistory
    clock_times: ClockTimes

    @classmethod
    def fit(
        cls,
        frame: Table,
        kinds: Mapping[Any, ColumnKind],
        model: ModelConfig,
        training: TrainingConfig,
        *,
        device: torch.device,
        generator: torch.Generator,
        progress: Progress | None,
        callbacks: Sequence[Callback],
        checkpoint_path: str | Path | None,
        before: Trained | None = None,
        private: PrivateRows | None = None,
        random_state: int | None = None,
        ranks: Ranks = ALONE,
        told: Mapping[Any, str] | None = None,
        dates: Collection[Any] = (),
        replaced: pd.DataFrame | None = None,
        orders: Orders = NO_ORDERS,
        clock_times: Collection[Any] = (),
    ) -> Trained:
        """Learn a table: its codes, its crosses, then the network; see ``TabDAR.fit``.

        Args:
            frame: The table, in memory or in files.
            kinds: Kind of each of its columns.
            model: Architecture and encoding.
            training: Training settings.
            device: Where to train.
            generator: Source of all randomness, on that device.
            progress: Called after each step.
            callbacks: Called at the end of each epoch.
            checkpoint_path: File that keeps the state of the training.
            before: What was trained with the same architecture, to go on from.
            private: The rows to learn from in a private training, which ``frame`` stands in for.
            random_state: What ``generator`` was seeded with; None if nobody chose it.
            ranks: Processes that train it together.
            told: As in ``TabDAR.fit``.
            dates: Likewise.
            replaced: Likewise.
            orders: Likewise.
            clock_times: Likewise.
        """
        answering = answering_device(device)
        start = first = None
        if private is not None:
            return cls._fit_privately(
                frame,
                kinds,
                model,
                private,
                before,
                generator=generator,
                progress=progress,
                callbacks=callbacks,
                training=training,
                orders=orders,
            )
        hidden = None if replaced is None else replaced.to_numpy(dtype=bool)
        clocks = before.clock_times if before else ClockTimes.find(frame, kinds, model, clock_times)
        frame = clocks.learnt(frame)
        if before is None:
            encoder = TableEncoder.fit(frame, kinds, model, replaced, orders)
            table = encoder.encode_all(frame)
            crosses = find_crosses(table, encoder.schema, model.max_crosses)
            follows, joints = find_told_levels(encoder, table, model, hidden)
            zeros = find_told_zeros(encoder, table, follows, model)
            exact = encoder.relations.results
            copula = find_copula(table, encoder.schema, exact) if model.copula else None
            gaps = find_gaps(table, encoder.codecs, encoder.schema, exact) if model.copula else ()
            encoder = encoder.with_relations(crosses, follows, zeros, joints, copula, gaps)
            clocks.tell(told)
            tell_of_relations(encoder, len(frame), told, dates)
            if training.learns_copula_rows(*table.codes.shape):
                own = make_generator(drawn_seeds(generator, 1)[0], torch.device('cpu'))
                first = copula_rows(table, encoder.schema, _COPULA_ROWS, generator=own)
        else:
            encoder = before.encoder.grown(frame, kinds, model, replaced, orders)
            table = encoder.encode_all(frame)
            sets = [cross.members for cross in before.encoder.schema.crosses]
            former = encoder.codes_in(before.encoder)
            now = table, encoder.codecs, former, hidden, [echo.position for echo in encoder.echoes]
            follows = kept_dependencies(before.encoder.dependencies, *now)
            joints = kept_joints(before.encoder.schema.joints, *now)
            zeros = kept_zeros(before.encoder.schema.zeros, table, encoder.schema, former)
            crosses = crosses_of(sets, table, encoder.schema)
            copula = before.encoder.schema.copula
            gaps = kept_gaps(before.encoder.schema.gaps, former)
            encoder = encoder.with_relations(crosses, follows, zeros, joints, copula, gaps)
            start = initial_network(encoder.schema, model, generator).to(answering)
            take_weights(start, before.network, former)
        network, history = fit_network(
            table.to(device),
            encoder.schema,
            model,
            training,
            generator=generator,
            progress=progress,
            callbacks=callbacks,
            checkpoint_path=checkpoint_path,
            start=start,
            origin=None if before is None else before.network,
            first=None if first is None else first.to(device),
            random_state=random_state,
            ranks=ranks,
            finish=functools.partial(_finish, table, model, training, ranks),
        )
        return cls(encoder, network.to(answering), history, clocks)

    @classmethod
    def _fit_privately(
        cls,
        frame: pd.DataFrame,
        kinds: Mapping[Any, ColumnKind],
        model: ModelConfig,
        private: PrivateRows,
        before: Trained | None,
        *,
        generator: torch.Generator,
        progress: Progress | None,
        callbacks: Sequence[Callback],
        training: TrainingConfig,
        orders: Orders,
    ) -> Trained:
        """As :meth:`fit`; the codes are those of ``frame``, and rows are seen by steps alone."""
        if before is None:
            encoder = TableEncoder.fit(frame, kinds, model, orders=orders)
        else:
            encoder = before.encoder.grown(frame, kinds, model, orders=orders)
        own = make_generator(
            int(torch.randint(2**62, (1,), generator=generator, device=generator.device)),
            torch.device('cpu'),
        )

        def encoded(rows: pd.DataFrame) -> EncodedTable:
            rows = rows[list(encoder.schema.names)]
            return encoder.encode(rows, np.ones(rows.shape, dtype=bool))

        begin = time.perf_counter()
        with Interrupts() as interrupts:
            if before is None:
                drawn = encoded(private.drawn)
                start = fit_drawn(drawn, encoder.schema, model, training, interrupts, generator=own)
            else:
                start = initial_network(encoder.schema, model, own)
                earlier = copy.deepcopy(before.network).cpu()
                take_weights(start, earlier, encoder.codes_in(before.encoder))
            steps = private.steps.after(time.perf_counter() - begin)
            network, history = fit_privately(
                start,
                encoded(private.frame),
                steps,
                interrupts,
                progress=progress,
                callbacks=callbacks,
            )
            if training.calibration:  # by the counts of the codes, which are those of ``frame``
                rows_trained = int(steps.number * steps.expected_rows)
                seconds = time.perf_counter() - begin
                stop = asked_to_stop(interrupts, training.max_training_time, seconds)
                calibrate(network, rows_trained, stop)
        return cls(encoder, network.to(answering_device(generator.device)), history, ClockTimes())

    def answers(self, config: SamplingConfig, generator: torch.Generator) -> Answers:
        """What the network answers, as it computes fastest on its device."""
        asked = self.encoder, self._fastest, config, generator
        return Clocked(*asked, self.clock_times) if self.clock_times.names else Answers(*asked)

    @functools.cached_property
    def _fastest(self) -> TabDARNetwork:
        """The network in its fastest type; weights are rounded once, not in each call."""
        return lowered(self.network)

    def to_state(self) -> dict[str, Any]:
        """Plain values, arrays and the user's levels; tensors on the CPU."""
        weights = {name: value.cpu() for name, value in self.network.state_dict().items()}
        return {
            'history': self.history.plain(),
            'encoder': self.encoder.to_state(),
            'weights': weights,
            'precedence': list(self.network.precedence),
            'clock_times': sorted(self.clock_times.names),
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], model: ModelConfig, device: torch.device
    ) -> Trained:
        """What :meth:`to_state` described, on a device.

        Args:
            state: The state.
            model: The architecture with which it was trained.
            device: Where the network is to be.
        """
        encoder = TableEncoder.from_state(state['encoder'])
        with default_generator_at(0):  # every weight is replaced
            network = TabDARNetwork(encoder.schema, model)
        network.load_state_dict({**dict(network.named_buffers()), **state['weights']})
        network = network.requires_grad_(False).eval().to(device)
        network.precedence = tuple(state.get('precedence', ()))
        clocks = ClockTimes(frozenset(state.get('clock_times', ())))  # older files have none
        return cls(encoder, network, TrainingHistory.from_plain(state['history']), clocks)


def _finish(
    table: EncodedTable,
    model: ModelConfig,
    training: TrainingConfig,
    ranks: Ranks,
    network: TabDARNetwork,
    rows_trained: int,
    stop: Callable[[], bool],
) -> None:
    """Weigh the columns for the orders in which rows are drawn, then mend the shares of these."""
    network.to(answering_device(network.pad.device))

    def weigh() -> tuple[float, ...]:
        return () if stop() else precedence(lowered(network), table, rows_trained, OF_DRAWING)

    if model.column_order == 'weighted':
        network.precedence = ranks.told(weigh)
    if training.calibration:
        calibrate(network, rows_trained, stop)
