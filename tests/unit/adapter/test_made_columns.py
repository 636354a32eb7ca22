"""Columns that constraints and transformers make, named by those of the user."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import ClusterBasedNormalizer
from sdv.cag import FixedCombinations, Range
from sdv.metadata import Metadata

from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.known import Known, Task
from sdv_tabdar.adapter.made_columns import in_users_words, made_columns
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.conditions import OneOf
from sdv_tabdar.core.restrictions import Interval, NothingAllowedError
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY


@pytest.fixture(scope='module')
def made() -> FittedTable:
    random = np.random.default_rng(0)
    low = random.integers(0, 50, 80)
    data = pd.DataFrame({'lo': low, 'mid': low + 2, 'hi': low + 5, 'a': low % 3, 'b': low % 2})
    data['x'] = random.normal(size=80)
    sdtypes = {name: 'categorical' if name in 'ab' else 'numerical' for name in data}
    columns = {name: {'sdtype': sdtype} for name, sdtype in sdtypes.items()}
    metadata = Metadata.load_from_dict({'tables': {'table': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.add_constraints([Range('lo', 'mid', 'hi'), FixedCombinations(['a', 'b'])])
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.auto_assign_transformers(data)
        synthesizer.update_transformers({'x': ClusterBasedNormalizer()})
        synthesizer.fit(data)
    return synthesizer._table


def test_each_has_words(made: FittedTable) -> None:
    words = made_columns(made)
    own = set(made.trained[0].column_names) - set(made.profiles)
    assert own == set(words) & set(made.trained[0].column_names)
    found = {words[name] for name in own}
    assert {"'lo'", "'mid' - 'lo'", "'hi' - 'mid'", "'x'"} <= found
    assert "'a', 'b' (as the constraint FixedCombinations has them)" in found


def test_messages_have_words_in_place_of_names(made: FittedTable) -> None:
    words = made_columns(made)
    (name,) = (name for name, text in words.items() if text == "'mid' - 'lo'")
    message = f"Column '{name}' and '{name}' are one."
    assert in_users_words(message, words) == "'mid' - 'lo' and 'mid' - 'lo' are one."


def test_what_training_does_not_allow_is_said_of_the_users_columns(made: FittedTable) -> None:
    nothing = pd.DataFrame(index=pd.RangeIndex(1))
    request = Request.translate(made, Known(nothing, nothing, {}, task=Task.SAMPLE))
    (name,) = (name for name, text in made_columns(made).items() if text == "'mid' - 'lo'")
    error = NothingAllowedError(name, Interval(90, 99, asked=OneOf([50])), 'no reason')
    assert request.refusal(error) == (
        "OneOf([50]) cannot be met, because no value that 'mid' - 'lo' has in the training data is "
        'allowed by it.'
    )
