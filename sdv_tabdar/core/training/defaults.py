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
_GAINING_ROWS = 2_000  # of small tables from which held-out rows may let training go further
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


def further_training(num_rows: int, num_columns: int) -> float:
    """How many times as long a training may take whose held-out rows gain nearly as much as others.

    From tables of few rows to those that are not small it grows to the length of the latter.
    """
    share = (num_rows - _GAINING_ROWS) / (_SMALL_TABLE - _GAINING_ROWS)
    if not 0 < share < 1:
        return 1.0
    most = min(_MAX_EPOCHS, _DEFAULT_CELLS / (num_rows * num_columns))
    return 1 + share * max(most / _FEW_EPOCHS - 1, 0)


def cool_down_length(num_rows: int) -> float:
    """Steps of the cool-down as a multiple of those that led to the best weights.

    A long one makes held-out rows likelier still; small tables would be memorised in it.
    """
    grown = _SMALL_COOL_DOWN * (max(num_rows, _FEW_ROWS) / _FEW_ROWS) ** _GROWTH
    return min(grown, _COOL_DOWN)


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
