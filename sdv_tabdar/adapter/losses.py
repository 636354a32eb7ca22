"""The training loss, as SDV's neural synthesizers show it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.express as px
from sdv.errors import NotFittedError

from sdv_tabdar.adapter import private_names


def loss_values(synth: Any) -> pd.DataFrame:
    """The training loss of each epoch, see ``TabDARSynthesizer.get_loss_values``.

    Raises:
        sdv.errors.NotFittedError: If there is no trained model.
    """
    model = private_names.model(synth) if private_names.is_fitted(synth) else None
    if model is None:
        raise NotFittedError(
            'Loss values are not available yet. Please fit your synthesizer first (with at '
            'least one column that is not generated).'
        )
    values: pd.DataFrame = model.loss_values.copy()
    return values


def loss_plot(values: pd.DataFrame, title: str) -> Any:
    """A plotly figure of what :func:`loss_values` returns."""
    figure = px.line(values, x='Epoch', y='Loss', template='plotly_white')
    figure.update_layout(title=title, xaxis_title='Epoch', yaxis_title='Loss')
    return figure
