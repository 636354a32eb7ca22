"""Cases of rows of one law: an honest sample, and one in which training rows were copied."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from sdv_tabdar.evaluation.attacks.case import Case
from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context
from sdv_tabdar.evaluation.tables import prepare_frames

MakeCase = Callable[..., Case]


@pytest.fixture(scope='session')
def make_case() -> MakeCase:
    """A case of frames; more settings are those of the context."""

    def make(
        real: pd.DataFrame, synthetic: pd.DataFrame, holdout: pd.DataFrame, types, **settings
    ) -> Case:
        columns = ColumnTypes(types)
        frames = {'real': real, 'synthetic': synthetic, 'holdout': holdout}
        ready = prepare_frames(frames, columns)
        context = Context(
            ready['real'], ready['synthetic'], columns, holdout=ready['holdout'], **settings
        )
        return Case.of(context)

    return make


@pytest.fixture(scope='session')
def honest_case(make_case, real, honest, holdout, types) -> Case:
    return make_case(real[:400], honest[:400], holdout, types)


@pytest.fixture(scope='session')
def copied_case(make_case, real, honest, holdout, types) -> Case:
    """Half of the synthetic rows are training rows."""
    drawn = pd.concat([real[:200], honest[:200]], ignore_index=True)
    return make_case(real[:400], drawn, holdout, types)
