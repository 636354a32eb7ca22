"""A table's labels and order, which SDV may not see."""

from __future__ import annotations

import pandas as pd
import pytest
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.table_format import TableFormat


def test_tables_keep_labels_and_order() -> None:
    frame = pd.DataFrame({2: [1.5], 'b': ['x'], 0: [True]})
    form = TableFormat.learn(frame, {'0': {'sdtype': 'boolean'}, '2': {'sdtype': 'numerical'}})

    plain = form.plain(frame)
    assert list(plain) == ['0', '2', 'b']
    assert form.names == [2, 'b', 0]
    pd.testing.assert_frame_equal(form.restore(plain), frame)
    pd.testing.assert_frame_equal(form.restore(form.restore(plain)), frame)
    pd.testing.assert_frame_equal(form.empty(), frame.head(0))
    loaded = TableFormat.from_state(form.to_state())
    pd.testing.assert_frame_equal(loaded.restore(loaded.plain(frame)), frame)


def test_labels_that_read_alike_are_refused() -> None:
    with pytest.raises(InvalidDataError, match=r"\['1'\] occur more than once"):
        TableFormat.learn(pd.DataFrame([[0, 1]], columns=[1, '1']), {})
    with pytest.raises(InvalidDataError, match=r"\['1', 'True'\] occur more than once"):
        TableFormat.learn(pd.DataFrame([[0, 1]], columns=pd.Index([True, 1], dtype=object)), {})
