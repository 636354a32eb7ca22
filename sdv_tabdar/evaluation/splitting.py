"""Rows to train on and rows to hold out."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.seeds import seed_of
from sdv_tabdar.evaluation.tables import the_frame


def hold_out(
    rows: pd.DataFrame, *, share: float = 0.5, seed: int | None = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split a table at random.

    A detector against held-out rows sees nothing where few are held out: the AUC of two samples of
    n rows each varies by 0.4 / sqrt(n), which is .009 for 2,000 rows and .004 for 10,000. So hold
    out half of the rows where a published test part is smaller than that.

    Args:
        rows: The table, or a dictionary of it.
        share: The share of rows to hold out.
        seed: Decides which; None for other rows each time.

    Returns:
        The rows to train on and those held out, in random order, with a fresh index each.

    Raises:
        ValueError: If `share` is not between 0 and 1, if a part would have no rows, or if `seed` is
            none.
    """
    if not 0 < share < 1:
        raise ValueError(f'share is {share!r}; it must be between 0 and 1, as in share=0.5.')
    rows = the_frame('rows', rows)
    held = round(share * len(rows))
    if not 0 < held < len(rows):
        raise ValueError(
            f'A share of {share} of {len(rows)} rows leaves one part without rows. Pass more rows '
            'or another share.'
        )
    order = np.random.default_rng(seed_of(seed)).permutation(len(rows))
    kept, out = (rows.iloc[part].reset_index(drop=True) for part in (order[held:], order[:held]))
    return kept, out
