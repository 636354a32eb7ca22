"""SDV's log of what its synthesizers do."""

from __future__ import annotations

import datetime
from typing import Any

from sdv.logging import get_sdv_logger


def log_sample(synth: Any, num_rows: int, num_columns: int) -> None:
    """Write that a call has drawn rows, as SDV's own methods do at their end.

    Args:
        synth: The synthesizer.
        num_rows: How many rows.
        num_columns: How many columns they have.
    """
    get_sdv_logger('SingleTableSynthesizer').info(
        {
            'EVENT': 'Sample',
            'TIMESTAMP': datetime.datetime.now(),
            'SYNTHESIZER CLASS NAME': type(synth).__name__,
            'SYNTHESIZER ID': synth._synthesizer_id,
            'TOTAL NUMBER OF TABLES': 1,
            'TOTAL NUMBER OF ROWS': num_rows,
            'TOTAL NUMBER OF COLUMNS': num_columns,
        }
    )
