"""Finished rows made to add up and multiply again, see ``TabDAR.settle``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.inference.arithmetic import Arithmetic
from sdv_tabdar.core.inference.echoes.reader import follow_always
from sdv_tabdar.core.inference.told_levels import ToldLevels
from sdv_tabdar.core.restrictions import Restriction


def settle(
    encoder: TableEncoder,
    frame: pd.DataFrame,
    known: Marks,
    restrictions: Mapping[str, Sequence[Restriction | None]],
    follow: Collection[str],
) -> None:
    """Make rows keep sums and products where something has changed them.

    What a range of a number says of another column comes last, as in drawn and averaged rows: a
    line that all training rows are on may say something else of a number between those of training.

    Args:
        encoder: The codes, and which columns are in sums and products.
        frame: Numbers of any of its columns; it is written into.
        known: ``(B, len(frame.columns))``, cells that stay as they are.
        restrictions: For a column, what each row's cell may be.
        follow: Columns that follow from others and stay.
    """
    given = encoder.by_position(frame, known)
    told = given | follow_always(encoder, frame, given)
    told[:, [encoder.schema.position(name) for name in follow]] = True
    Arithmetic.of_finished(encoder, given, told, restrictions).settle(frame)
    ToldLevels(encoder, given, restrictions).tell(frame)
