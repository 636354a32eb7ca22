"""Training by several ranks: rows a second, and what is learnt of as many rows.

Ranks are processes of this machine that exchange gradients by gloo, each with the job's threads. An
arrangement is their number, perhaps with the rows of a step: ``2`` or ``2:256``. Where that is
followed by ``:apart`` they are trainings that know nothing of each other, and their rows add up:
what the machine has to give. Arrangements take turns, each in fresh processes, so that whatever the
machine does meanwhile meets all of them. Where it has no idle core for each rank, they wait for one
rather than for each other: then the processor seconds of the busiest rank say how fast they would
be.

What is learnt is the bound that training minimises, in nats per row, on test rows, after ``epochs``
passes over the training rows.
"""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import distributed

from sdv_tabdar.benchmark.experiments.core_table import configurations, core_table, settings_of
from sdv_tabdar.benchmark.experiments.experiment import Rows, facts, plan_settings
from sdv_tabdar.benchmark.experiments.held_out import any_order_loss, known_rows, shuffled_test
from sdv_tabdar.benchmark.files import read_json, write_json
from sdv_tabdar.benchmark.jobs.cost import MIB
from sdv_tabdar.benchmark.jobs.job import Job
from sdv_tabdar.benchmark.jobs.measurements import measure_job
from sdv_tabdar.benchmark.jobs.process import Measure
from sdv_tabdar.benchmark.jobs.runs import plan
from sdv_tabdar.benchmark.methods.spec import ENDLESS, our_spec, parse_options
from sdv_tabdar.benchmark.output.tables import Number, median
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.runtime.ranks import present_ranks
from sdv_tabdar.core.training.defaults import rows_of_step
from sdv_tabdar.core.training.loop import fit_network
from sdv_tabdar.core.training.optimizers import shares_matrices

ARRANGEMENTS = ['1', '2', '2:256']
NUMBERS = (
    Number('batch_size', 'rows of a step', digits=0),
    median('exchanged', 'exchanged in a step, MiB', 1),
    median('rows_per_second', 'rows/s', 0),
    median('ratio', 'times the first', 2),
    median('rows_per_cpu_second', 'rows per processor second', 0),
    median('rows_per_busiest', 'of the busiest rank', 0),
    median('busiest_ratio', 'times the first', 2),
    Number('test', 'test rows, nats'),
    Number('fit_seconds', 'their fit, s', digits=1),
)


def collect(options: argparse.Namespace) -> Rows:
    """Measure what is missing, in turns.

    Raises:
        ValueError: If an arrangement is no number of ranks.
    """
    spec = our_spec('tabdar', parse_options(options.settings, options.settings))
    rows: Rows = []
    for job in plan(synthesizers=[spec], **plan_settings(options)):
        for turn in range(options.repeats if job.seed == options.seeds[0] else 0):
            asked = {'warm_up': options.warm_up, 'seconds': options.seconds, 'turn': turn}
            rows += _with_ratios(_in_turn(measure_speed, job, options, asked))
        rows += _in_turn(measure_learnt, job, options, {'epochs': options.epochs})
    return rows


def _in_turn(
    measure: Measure, job: Job, options: argparse.Namespace, asked: Mapping[str, Any]
) -> Rows:
    """A measurement of each arrangement."""
    rows: Rows = []
    for arrangement in map(read_arrangement, options.arrangements):
        arranged = {**dataclasses.asdict(arrangement), **asked}
        if measure is measure_learnt and arranged.pop('apart'):
            continue  # each learns what one rank does
        folder = options.out / 'measured' / job.place
        found = measure_job(measure, job, folder, arranged, threads=job.threads or 1)
        if found is not None:
            begin = facts(job, found.pop('environment'))
            rows.append({**begin, 'arrangement': str(arrangement), **found})
    return rows


@dataclasses.dataclass(frozen=True)
class Arrangement:
    """How rows are trained.

    Attributes:
        number: Of ranks.
        batch_size: Rows of a step; None leaves it to the defaults.
        apart: Whether the ranks know nothing of each other.
    """

    number: int
    batch_size: int | None
    apart: bool

    def __str__(self) -> str:
        """As in the table."""
        name = f'{self.number} training' if self.apart else f'{self.number} rank'
        parts = [name + 's' * (self.number > 1) + ' apart' * self.apart]
        parts += [f'{self.batch_size} rows'] if self.batch_size else []
        return ', '.join(parts)


def read_arrangement(text: str) -> Arrangement:
    """An arrangement by its text.

    Raises:
        ValueError: If it is none.
    """
    number, batch_size, apart, *more = [*text.split(':'), '', ''][: max(3, text.count(':') + 1)]
    right = number.isdecimal() and int(number) and (batch_size or '1').isdecimal()
    if more or not right or apart not in ('', 'apart'):
        raise ValueError(
            "An arrangement must be a number of ranks, as '2', or also the rows of a step, as "
            f"'2:256', and perhaps that they are apart, as '2:256:apart', but it is '{text}'."
        )
    return Arrangement(int(number), int(batch_size) if batch_size else None, bool(apart))


def _with_ratios(rows: Rows) -> Rows:
    """Beside the first of a turn."""
    for row in rows:
        for key, ratio in (('rows_per_second', 'ratio'), ('rows_per_busiest', 'busiest_ratio')):
            row[ratio] = row[key] / rows[0][key]
    return rows


def measure_speed(
    job: dict[str, Any],
    number: int,
    batch_size: int | None,
    warm_up: float,
    *,
    apart: bool = False,
    **asked: Any,
) -> dict[str, Any]:
    """Train for some seconds, and count rows after a warm-up.

    Args:
        job: Has the table.
        number: Of ranks.
        batch_size: Rows of a step; None leaves it to the defaults.
        warm_up: Seconds before the count begins.
        apart: Whether they are trainings that know nothing of each other.
        asked: ``seconds`` of the count.

    Raises:
        ValueError: If that is not enough for two steps.
    """
    work = job, batch_size, warm_up + asked['seconds']
    found = _in_ranks(_speed_of_rank, number, work, apart=apart)
    counts = np.array([_counted(one, warm_up) for one in found])
    rows, seconds, cpu_seconds = counts.T if apart else (counts[:1, 0], *counts.T[1:])
    return {
        'batch_size': found[0]['batch_size'],
        'exchanged': found[0]['exchanged'],
        'rows_per_second': (rows / seconds[: len(rows)]).sum(),
        'rows_per_cpu_second': rows.sum() / cpu_seconds.sum(),
        'rows_per_busiest': rows.sum() / cpu_seconds.max(),
    }


def _counted(found: dict[str, Any], warm_up: float) -> tuple[float, float, float]:
    """Rows of the steps of a rank after its warm-up, and their wall and processor seconds.

    Raises:
        ValueError: If there are none.
    """
    stamps = np.array(found['stamps'])  # steps, (wall, processor)
    stamps = stamps[stamps[:, 0] >= stamps[0, 0] + warm_up]
    rows = (len(stamps) - 1) * found['batch_size']
    if rows <= 0:
        raise ValueError('The seconds are not enough for two training steps; give more.')
    return rows, *(stamps[-1] - stamps[0])


def measure_learnt(
    job: dict[str, Any], number: int, batch_size: int | None, epochs: int
) -> dict[str, Any]:
    """Train for some epochs, and ask for the likelihood of test rows.

    Args:
        job: Has the table, the settings and the seed.
        number: Of ranks.
        batch_size: Rows of a step; None leaves it to the defaults.
        epochs: Passes over the training rows.
    """
    return _in_ranks(_learnt_by_rank, number, (job, batch_size, epochs))[0]


def _speed_of_rank(job: dict[str, Any], batch_size: int | None, seconds: float) -> dict[str, Any]:
    planned = Job.from_dict(job)
    frame, kinds = core_table(planned.load())
    model, config = configurations(settings_of(planned))
    encoder = TableEncoder.fit(frame, kinds, model)
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    config = dataclasses.replace(
        config, epochs=ENDLESS, max_training_time=seconds, batch_size=batch_size
    )
    stamps: list[tuple[float, float]] = []

    def stamp(*_: Any) -> None:
        stamps.append((time.perf_counter(), time.process_time()))

    generator = torch.Generator().manual_seed(0)
    with kept_memory(), present_ranks() as ranks:
        size = rows_of_step(config, len(table), generator.device, ranks.number)
        network, _ = fit_network(
            table,
            encoder.schema,
            model,
            config,
            generator=generator,
            progress=stamp,
            ranks=ranks,
        )
    # The gradients, and the updates that Muon found.
    sent: list[torch.Tensor] = list(network.parameters())
    if shares_matrices(ranks.number):
        sent += network.hidden_matrices()
    exchanged = sum(weights.numel() * weights.element_size() for weights in sent) / MIB
    return {'stamps': stamps, 'batch_size': size, 'exchanged': exchanged}


def _learnt_by_rank(job: dict[str, Any], batch_size: int | None, epochs: int) -> dict[str, Any]:
    planned = Job.from_dict(job)
    dataset = planned.load()
    train, kinds = core_table(dataset)
    model, config = configurations(settings_of(planned))
    config = dataclasses.replace(
        config, epochs=epochs, max_training_time=None, batch_size=batch_size
    )
    fitted = TabDAR(model, config, random_state=planned.seed).fit(train, kinds)
    known = known_rows(shuffled_test(dataset, kinds), train, kinds)
    seconds = fitted.training_history.seconds
    return {'test': any_order_loss(fitted, known), 'fit_seconds': seconds}


def _in_ranks(
    work: Measure, number: int, arguments: tuple[Any, ...], *, apart: bool = False
) -> list[dict[str, Any]]:
    """What a function gives in each of some ranks; a single one is this process."""
    if number == 1:
        return [dict(work(*arguments))]
    with tempfile.TemporaryDirectory() as folder:
        asked = (work, 1 if apart else number, folder, torch.get_num_threads(), arguments)
        context = multiprocessing.get_context('spawn')
        processes = [context.Process(target=_rank, args=(rank, *asked)) for rank in range(number)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        found = [read_json(Path(folder, f'{rank}.json')) for rank in range(number)]
    known = [one for one in found if one is not None]
    if len(known) < number:
        raise RuntimeError(f'{number - len(known)} of {number} ranks failed; see above.')
    return known


def _rank(
    rank: int, work: Measure, number: int, folder: str, threads: int, arguments: tuple[Any, ...]
) -> None:
    """A process: joins the others, does the work, writes what it found."""
    torch.set_num_threads(threads)
    if number > 1:
        store = f'file://{folder}/store'
        distributed.init_process_group('gloo', init_method=store, rank=rank, world_size=number)
    write_json(work(*arguments), Path(folder, f'{rank}.json'))
    if number > 1:
        distributed.destroy_process_group()
