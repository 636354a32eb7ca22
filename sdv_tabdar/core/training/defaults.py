"""Training settings that follow from the size of the table and the processor."""

from __future__ import annotations

import math

import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.runtime.threads import torch_threads

_DEFAULT_CELLS = 60_000_000  # cells that go through the network by default ...
_MIN_EPOCHS, _MAX_EPOCHS = 10, 80  # ... within these numbers of epochs, and no more than ...
_FEW_EPOCHS = 30  # ... these for small tables, which would be memorised
_MIN_STEPS = 500  # of a training, however small the table
_MAX_LENGTH = 1.4  # of a training that ends by its held-out loss, in default lengths, and ...
_MAX_PASSES, _FEW_STEPS = 70, 250  # ... for small tables no more passes than this, or steps
_FURTHER_EPOCHS = 160  # in which tables may be trained whose held-out rows follow
_FOLLOWING, _WHOLLY = 0.75, 0.95  # of what training rows gain, for small tables; from ...
_FOLLOWING_ROWS, _WHOLLY_ROWS = 2_000, 1_000  # ... so many rows on
_LARGE_FOLLOWING, _LARGE_ROWS = 0.58, 8_000  # for others, which from there may take all of it
_COOL_DOWN, _SMALL_COOL_DOWN = 2.0, 0.25  # in the steps to the best weights; up to ...
_FEW_ROWS, _GROWTH = 1_000, 1.5  # ... so many rows, from where on it grows by this power of them
_SMALL_TABLE, _LARGE_TABLE = 4_000, 16_000  # rows of a table below, and from, which ...
_SMALL_STEP, _STEP, _LARGE_STEP = 64, 128, 256  # ... steps have fewer rows, or more, ...
_MAX_CORES = 2  # ... the last so many on each core, up to this number of cores
_DECAY, _DECAY_ROWS = 1.0, 300  # weight decay of tables of at most so many rows, falling as 1 / n
_DROPOUT, _DROPOUT_ROWS = 0.7, 4_000  # of the categorical heads, likewise; and falling with ...
_DROPOUT_PASSES = 60  # ... passes, if they are fewer than this
_RATE = 1.5e-3  # learning rate; in steps of several cores it grows with the root of their number


def default_epochs(num_rows: int, num_columns: int, batch_size: int) -> int:
    """Epochs for a table of that size when none are asked for."""
    epochs = math.ceil(_DEFAULT_CELLS / (num_rows * num_columns))
    most = _FEW_EPOCHS if num_rows < _SMALL_TABLE else _MAX_EPOCHS
    at_least = math.ceil(_MIN_STEPS / (num_rows // batch_size))
    return max(min(max(epochs, _MIN_EPOCHS), most), at_least)


def longest_training(num_rows: int, num_columns: int, batch_size: int) -> int:
    """Steps after which a training that ends by its held-out loss ends at the latest.

    Small tables are held to fewer: their held-out rows are too few to tell soon enough that
    training rows are memorised.
    """
    steps = num_rows // batch_size
    most = int(_MAX_LENGTH * default_epochs(num_rows, num_columns, batch_size) * steps)
    return most if num_rows >= _SMALL_TABLE else min(most, max(_MAX_PASSES * steps, _FEW_STEPS))


def further_training(num_rows: int, num_columns: int) -> dict[float, float]:
    """How many times as long a training may take, by what held-out rows gain beside others.

    Small tables come up to the length of others, from 2,000 rows on evenly in the rows, and from
    1,000 on if held-out rows gain nearly all that training rows do. Others may take up to twice
    their length, likewise evenly.

    Returns:
        Shares of what training rows gain, and factors above 1.
    """
    if num_rows < _WHOLLY_ROWS:
        return {}
    most = _DEFAULT_CELLS / (num_rows * num_columns)
    if num_rows < _SMALL_TABLE:
        other = min(most, _MAX_EPOCHS) / _FEW_EPOCHS
        share = _part(num_rows, _FOLLOWING_ROWS, _SMALL_TABLE)
        found = {_FOLLOWING: 1 + share * (other - 1), _WHOLLY: other}
    else:
        share = _part(num_rows, _SMALL_TABLE, _LARGE_ROWS)
        epochs = _MAX_EPOCHS + share * (_FURTHER_EPOCHS - _MAX_EPOCHS)
        found = {_LARGE_FOLLOWING: min(most, epochs) / _MAX_EPOCHS}
    return {share: factor for share, factor in found.items() if factor > 1}


def _part(number: float, low: float, high: float) -> float:
    """How far a number is from one to another, in [0, 1]."""
    return min(max((number - low) / (high - low), 0.0), 1.0)


def cool_down_length(num_rows: int) -> float:
    """Steps of the cool-down as a multiple of those that led to the best weights.

    A long one makes held-out rows likelier still; small tables would be memorised in it.
    """
    grown = _SMALL_COOL_DOWN * (max(num_rows, _FEW_ROWS) / _FEW_ROWS) ** _GROWTH
    return min(grown, _COOL_DOWN)


def following_cool_down(num_rows: int) -> float:
    """That length where held-out rows follow training rows until it begins."""
    return _COOL_DOWN if num_rows >= _WHOLLY_ROWS else cool_down_length(num_rows)


def default_batch_size(num_rows: int, device: torch.device, num_ranks: int = 1) -> int:
    """Rows of a step for a table of ``num_rows`` rows when none are asked for.

    Ranks of one core each are counted like cores of one process.
    """
    if num_rows < _SMALL_TABLE:
        return _SMALL_STEP
    if num_rows < _LARGE_TABLE:
        return _STEP
    cores = torch_threads() * num_ranks if device.type == 'cpu' else _MAX_CORES
    return _LARGE_STEP * min(cores, _MAX_CORES)


def rows_of_step(
    config: TrainingConfig, num_rows: int, device: torch.device, num_ranks: int = 1
) -> int:
    """Rows of a training step for a table of ``num_rows`` rows, of all ranks together."""
    return min(config.batch_size or default_batch_size(num_rows, device, num_ranks), num_rows)


def default_learning_rate(batch_size: int) -> float:
    """Highest learning rate for steps of ``batch_size`` rows when none is asked for."""
    cores = min(max(batch_size / _LARGE_STEP, 1), _MAX_CORES)
    return _RATE * cores**0.5


def default_dropout(num_rows: int, epochs: int | None) -> float:
    """Dropout of the categorical heads when none is asked for.

    Less for more rows, and for fewer passes than lead to memorising.

    Args:
        num_rows: Of the table.
        epochs: Passes, where their number is given.
    """
    passes = 1.0 if epochs is None else min(epochs / _DROPOUT_PASSES, 1.0)
    return _DROPOUT * min(_DROPOUT_ROWS / num_rows, 1.0) * passes


def cool_down_dropout(num_rows: int) -> float:
    """Dropout in the cool-down when none is asked for: no held-out row sees what is memorised."""
    return _DROPOUT * min(_DROPOUT_ROWS / num_rows, 1.0) ** 0.5


def default_weight_decay(num_rows: int) -> float:
    """Weight decay for a table of ``num_rows`` rows when none is asked for."""
    return _DECAY * min(_DECAY_ROWS / num_rows, 1.0)
