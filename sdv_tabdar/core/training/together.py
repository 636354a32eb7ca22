"""What the ranks of a training must have in common before it begins."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.runtime.ranks import Ranks
from sdv_tabdar.core.schema import TableSchema
from sdv_tabdar.core.training.checkpoints import differences


def check_alike(
    ranks: Ranks,
    made_of: Mapping[str, str],
    schema: TableSchema,
    num_rows: int,
    config: TrainingConfig,
    generator: torch.Generator,
) -> None:
    """Compare this rank's training with that of the others.

    Args:
        ranks: All of them.
        made_of: From ``checkpoints.fingerprint``.
        schema: The columns.
        num_rows: Of the table.
        config: Training settings.
        generator: Source of all randomness.

    Raises:
        ValueError: If they differ; the same on all ranks.
    """
    own = {
        'rows': num_rows,
        'columns': schema.names,
        'time': config.max_training_time,
        'seed': hashlib.sha256(generator.get_state().numpy().data).hexdigest(),
    }
    first, *others = ranks.gathered((own, dict(made_of)))
    for rank, other in enumerate(others, start=1):
        if other != first:
            what = '; '.join(_in_words(*other, *first))
            raise ValueError(
                f'All ranks of a training must have the same table and the same settings, however '
                f'rank {rank} has, beside rank 0: {what}. Give fit() the same on all ranks; each '
                'of them takes its share of the rows by itself.'
            )


def _in_words(
    other: Mapping[str, Any],
    other_made_of: Mapping[str, str],
    first: Mapping[str, Any],
    made_of: Mapping[str, str],
) -> list[str]:
    """What one rank has that the first has not."""
    found = []
    if other['rows'] != first['rows']:
        found.append(f'{other["rows"]:,} rows in place of {first["rows"]:,}')
    if other['columns'] != first['columns']:
        found.append(f'the columns {other["columns"]} in place of {first["columns"]}')
    table = 'other values, or another order of the rows'
    if not found:
        found += differences(other_made_of, made_of, {'table': table})
    if other['time'] != first['time']:
        found.append(f'max_training_time={other["time"]} in place of {first["time"]}')
    if other['seed'] != first['seed']:
        found.append('another seed')
    return found
