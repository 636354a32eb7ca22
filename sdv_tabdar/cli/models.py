"""Model files: read without running anything from them, and told as lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sdv_tabdar.cli.csv_cells import Cells, Reading
from sdv_tabdar.cli.terminal import shows_progress

if TYPE_CHECKING:
    import pandas as pd

    from sdv_tabdar import TabDARSynthesizer
    from sdv_tabdar.files import Description


def opened(path: str) -> tuple[TabDARSynthesizer, Description]:
    """The synthesizer of a file, and what the file says of it.

    Raises:
        sdv_tabdar.files.ModelFileError: If it is no model file, or damaged.
        OSError: If it cannot be read.
    """
    from sdv_tabdar import TabDARSynthesizer
    from sdv_tabdar.files import describe

    description = describe(path)
    synthesizer = TabDARSynthesizer.load_safe(path)
    synthesizer.verbose = shows_progress()
    return synthesizer, description


def likelihood_of(path: str) -> Callable[[pd.DataFrame], Any]:
    """The log-likelihood of rows under the model of a file, in nats.

    Values that it has not seen count as rare ones, so that few rows are impossible.

    Raises:
        sdv_tabdar.files.ModelFileError: As of `opened`, as is the other.
        OSError: If it cannot be read.
    """
    synthesizer, _ = opened(path)
    synthesizer.verbose = False

    def log_likelihood(rows: pd.DataFrame) -> Any:
        return synthesizer.log_likelihood(rows, num_orders=1, unseen='rare', seed=0)

    return log_likelihood


def budget_of(path: str) -> tuple[float, float] | None:
    """The epsilon and delta that the model of a file has spent; None without a privacy budget.

    Raises:
        sdv_tabdar.files.ModelFileError: As of `opened`, as is the other.
        OSError: If it cannot be read.
    """
    from sdv_tabdar.files import describe

    training = describe(path).training
    return (training['epsilon'], training['delta']) if 'epsilon' in training else None


def readings_as_in_training(description: Description) -> dict[str, Reading]:
    """How columns are read: as text where they held text in training, so that '007' stays."""
    return {
        str(column.name): Reading(Cells.TEXT, column.levels)
        if column.dtype in ('object', 'string', 'str', 'category')
        and column.role != 'number'
        and all(isinstance(level, str) for level in column.levels)
        else Reading(Cells.VALUES)
        for column in description.columns
    }


def readings_of(path: str) -> dict[str, Reading]:
    """How columns are read by the model of a file.

    Raises:
        sdv_tabdar.files.ModelFileError: As of `opened`, as is the other.
        OSError: If it cannot be read.
    """
    from sdv_tabdar.files import describe

    return readings_as_in_training(describe(path))


def one_table(tables: Any) -> pd.DataFrame:
    """Rows as a frame, also from a synthesizer that was fitted on tables by name."""
    return next(iter(tables.values())) if isinstance(tables, dict) else tables
