"""What a fit tells of columns together: each thing once."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.relation_log import tell_of_relations
from sdv_tabdar.core.schema import ColumnKind

N = 400


def test_orders_of_equal_columns_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    random = np.random.default_rng(0)
    bill = random.gamma(3, 40, N).round(2)
    paid = (bill * random.uniform(0.2, 1, N)).round(2)
    frame = pd.DataFrame({'paid': paid, 'bill': bill, 'owed': bill, 'due': bill})
    encoder = TableEncoder.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL), ModelConfig())
    with caplog.at_level(logging.INFO, logger='sdv_tabdar'):
        tell_of_relations(encoder, N, None, ())
    lines = [record.message for record in caplog.records]
    assert sum(' is ' in line and 'in all rows' in line for line in lines) == 2
    orders = [line for line in lines if 'never more' in line]
    assert len(orders) == 1
    assert orders[0].startswith("'paid' is never more than")
