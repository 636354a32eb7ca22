"""All that a fitted synthesizer knows, and its plain state."""

from __future__ import annotations

import pickle
import pickletools

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.synthesizer import TabDARSynthesizer


def names_in(pickled: bytes) -> set[str]:
    """Modules and classes that a pickle refers to, as ``module.name``."""
    texts: list[str] = []
    memo: dict[int, str] = {}
    found = set()
    for code, argument, _ in pickletools.genops(pickled):
        if code.name in ('SHORT_BINUNICODE', 'BINUNICODE'):
            texts.append(argument)
        elif code.name == 'MEMOIZE':
            memo[len(memo)] = texts[-1] if texts else ''
        elif code.name in ('BINGET', 'LONG_BINGET'):
            texts.append(memo[argument])
        elif code.name == 'STACK_GLOBAL':
            found.add('.'.join(texts[-2:]))
    return found


def test_the_state_names_no_class_of_this_package(fitted: FittedTable) -> None:
    """Moving a class breaks no file."""
    state = {**fitted.to_state(), 'model': None}

    assert fitted.model is not None
    assert not [name for name in names_in(pickle.dumps(state)) if 'sdv_tabdar' in name]


def test_the_synthesizer_adds_only_itself(synthesizer: TabDARSynthesizer) -> None:
    state = synthesizer.__getstate__()
    state['_fitted_table'] = {**state['_fitted_table'], 'model': None}

    assert type(state['_fitted_table']) is dict
    assert not [name for name in names_in(pickle.dumps(state)) if 'sdv_tabdar' in name]
    whole = names_in(pickle.dumps(synthesizer))
    assert {
        'sdv_tabdar.synthesizer.tabdar.TabDARSynthesizer',
        'sdv_tabdar.core.model.TabDAR',
    } <= whole


def test_the_state_is_read_back(fitted: FittedTable, synthesizer: TabDARSynthesizer) -> None:
    loaded = FittedTable.from_state(fitted.to_state(), synthesizer)

    assert loaded.host is synthesizer
    assert repr(loaded.profiles) == repr(fitted.profiles)
    assert repr(loaded.form) == repr(fitted.form)
    assert loaded.processed == fitted.processed
    assert loaded.model is fitted.model


def test_a_table_of_generated_columns_has_no_model(fitted: FittedTable) -> None:
    nothing = FittedTable(fitted.host, fitted.form)

    loaded = FittedTable.from_state(nothing.to_state(), fitted.host)
    assert loaded.model is None
    assert loaded.processed is None
    with pytest.raises(AssertionError, match='all columns are generated'):
        _ = loaded.trained


def test_processed_rows_and_back(fitted: FittedTable) -> None:
    _, processed = fitted.trained
    rows = pd.DataFrame(
        {
            'number': [0.5, np.nan],
            'whole': [3.0, 4.0],
            'day': [pd.Timestamp('2020-02-01').value + 1e12, pd.Timestamp('2020-03-01').value],
            'level': ['a', None],
        }
    )
    back = processed.from_model(rows)

    assert pd.Timestamp(int(back['day'].iloc[0])) == pd.Timestamp('2020-02-01')
    assert processed.to_model(back)['level'].tolist() == ['a', None]
    assert processed.to_model(back)['number'].isna().tolist() == [False, True]
