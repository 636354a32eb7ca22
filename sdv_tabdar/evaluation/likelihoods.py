"""What a model says of rows, for attackers who have it: functions from frames to numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

LogLikelihood = Callable[[pd.DataFrame], object]
"""From a frame, as the user gave it, to the log-likelihood ``(B,)`` of its rows in nats."""


@dataclass(frozen=True)
class WhiteBox:
    """The log-likelihoods of a model and of one that was trained on other rows.

    Attributes:
        log_likelihood: Of the model that drew the synthetic rows.
        reference: Of a model that was trained on other rows of the same law; None without one.
        frames: The user's own frames by name, 'real' and 'holdout', rows as in the context.
    """

    log_likelihood: LogLikelihood
    reference: LogLikelihood | None
    frames: Mapping[str, pd.DataFrame]

    def ask(self, function: LogLikelihood, name: str, rows: Mapping[str, np.ndarray]) -> np.ndarray:
        """What one of the functions says of some rows of each frame, one frame after the other.

        Args:
            function: The function.
            name: What messages call it.
            rows: Positions by the name of the frame.

        Raises:
            ValueError: If it does not give a number for each row.
        """
        frames = [self.frames[frame].iloc[chosen] for frame, chosen in rows.items()]
        frame = pd.concat(frames, ignore_index=True)
        nats = np.asarray(function(frame), dtype=float)
        if nats.shape != (len(frame),) or np.isnan(nats).any():
            found = f'shape {nats.shape}' if nats.shape != (len(frame),) else 'NaN among them'
            raise ValueError(
                f'{name} must give one number for each of the {len(frame)} rows of the frame that '
                f'it is given, -inf for an impossible row, but it gave {found}.'
            )
        return nats
