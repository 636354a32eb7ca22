"""What is said and shown is in the user's words, once, and only where it is asked for."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality
from sdv.errors import SynthesizerInputError
from sdv.sampling import Condition

from sdv_tabdar import Between, OneOf, TabDARSynthesizer

from ..conftest import TINY, fit_tiny, make_metadata

N = 120
RANDOM = np.random.default_rng(0)
NUMBER: dict[str, Any] = {'sdtype': 'numerical'}
LEVEL: dict[str, Any] = {'sdtype': 'categorical'}


@pytest.fixture(scope='module')
def spikes() -> TabDARSynthesizer:
    """Two values, far apart, and levels."""
    data = pd.DataFrame({'n': RANDOM.choice([10, 90], N), 'c': RANDOM.choice(list('ab'), N)})
    return fit_tiny(data, {'n': NUMBER, 'c': LEVEL})


@pytest.mark.parametrize('wanted', [Between(30, 60), Between(30.1, 60.2), OneOf([30, 31])], ids=str)
def test_messages_show_the_condition_as_it_was_given(
    spikes: TabDARSynthesizer, wanted: Any
) -> None:
    with pytest.raises(ValueError, match="'n' cannot be") as error:
        spikes.sample_from_conditions([Condition({'n': wanted}, num_rows=2)])
    message = str(error.value)
    assert repr(wanted) in message
    assert 'Interval' not in message
    assert 'Members' not in message


@pytest.mark.parametrize('cell', ['many', np.inf], ids=str)
def test_messages_of_impute_speak_of_imputing(spikes: TabDARSynthesizer, cell: Any) -> None:
    with pytest.raises(ValueError, match="'n' cannot be") as error:
        spikes.impute(pd.DataFrame({'n': [cell], 'c': [None]}))
    assert 'impute' in str(error.value)
    assert 'sample' not in str(error.value)


def test_messages_of_predictions_do_not_speak_of_sampling(spikes: TabDARSynthesizer) -> None:
    data = pd.DataFrame({'n': ['many']})

    for call in (lambda: spikes.predict_proba(data, 'c'), lambda: spikes.log_likelihood(data)):
        with pytest.raises(ValueError, match="'n' cannot be") as error:
            call()
        assert 'sample' not in str(error.value)


LEVELS: dict[str, tuple[list[Any], dict[str, Any], list[Any]]] = {
    'numbers': ([3, 1, 2], LEVEL, [1, 2, 3]),
    'text with gaps': (['z', 'm', None], LEVEL, ['m', 'z', None]),
    'ordinal': ([1, 3, 2], {'sdtype': 'ordinal', 'range_values': [2, 3, 1]}, [2, 3, 1]),
    'booleans': ([True, False, False], {'sdtype': 'boolean'}, [False, True]),
    'mixed': (['one', 2, 1], LEVEL, [1, 2, 'one']),
}


@pytest.mark.parametrize('case', LEVELS)
def test_levels_of_probabilities_are_sorted(case: str) -> None:
    """By value, ordinal ones in their order; missing last."""
    values, entry, expected = LEVELS[case]
    cells = [values[number] for number in np.repeat([0, 1, 2], [30, 20, 10])]
    if case == 'booleans':
        cells = [True] * 40 + [False] * 20
    data = pd.DataFrame({'x': pd.Series(cells, dtype=object), 'y': list('ab') * 30})
    found = fit_tiny(data, {'x': entry, 'y': LEVEL}).predict_proba(data.head(2), 'x')

    assert list(found.columns) == expected


CALLS: list[tuple[str, Callable[[TabDARSynthesizer], Any], type[Exception], str]] = [
    (
        'tries as text',
        lambda synth: synth.sample(2, max_tries_per_batch='x'),
        ValueError,
        "'max_tries_per_batch' must be a whole number",
    ),
    (
        'no tries',
        lambda synth: synth.sample_remaining_columns(
            pd.DataFrame({'c': ['a']}), max_tries_per_batch=0
        ),
        ValueError,
        "'max_tries_per_batch' must be a whole number of at least 1",
    ),
    (
        'a folder that is a number',
        lambda synth: synth.sample(2, output_folder_path=5),
        TypeError,
        "'output_folder_path'.*5",
    ),
    (
        'one quantile',
        lambda synth: synth.predict_quantiles(pd.DataFrame({'c': ['a']}), 'n', 0.5),
        TypeError,
        "'quantiles' must be a list.*0.5",
    ),
    (
        'text for a quantile',
        lambda synth: synth.predict_quantiles(pd.DataFrame({'c': ['a']}), 'n', ['half']),
        TypeError,
        "'quantiles' must be.*'half'",
    ),
    (
        'several columns',
        lambda synth: synth.predict_proba(pd.DataFrame({'n': [10]}), ['c']),
        TypeError,
        r"'column' must be the name of one column.*\['c'\]",
    ),
    (
        'no metadata',
        lambda synth: TabDARSynthesizer('a.json'),
        SynthesizerInputError,
        "'metadata' must be.*'a.json'",
    ),
    (
        'no constraints',
        lambda synth: TabDARSynthesizer(synth.get_metadata()).add_constraints('Inequality'),
        TypeError,
        "'constraints' must be a list",
    ),
]


@pytest.mark.parametrize(
    ('call', 'error', 'message'), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS]
)
def test_arguments_of_the_wrong_type_are_named(
    spikes: TabDARSynthesizer,
    call: Callable[[TabDARSynthesizer], Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        call(spikes)


@pytest.fixture(scope='module')
def ordered() -> TabDARSynthesizer:
    low = RANDOM.integers(0, 100, N)
    data = pd.DataFrame(
        {'low': low, 'high': low + RANDOM.integers(1, 30, N), 'c': RANDOM.choice(list('ab'), N)}
    )
    synthesizer = TabDARSynthesizer(
        make_metadata({'low': NUMBER, 'high': NUMBER, 'c': LEVEL}), **TINY
    )
    synthesizer.add_constraints([Inequality('low', 'high')])
    synthesizer.fit(data)
    return synthesizer


DRAWS: dict[str, Callable[[TabDARSynthesizer, Path], Any]] = {
    'under a constraint': lambda synth, folder: synth.sample(5),
    'in batches': lambda synth, folder: synth.sample(5, batch_size=2),
    'to disk': lambda synth, folder: synth.sample(
        5, batch_size=2, output_folder_path=str(folder), return_rows=False
    ),
    'with conditions': lambda synth, folder: synth.sample_from_conditions(
        [Condition({'c': 'a'}, num_rows=3)]
    ),
    'with known columns': lambda synth, folder: synth.sample_remaining_columns(
        pd.DataFrame({'c': ['a', 'b']})
    ),
}


@pytest.mark.parametrize('case', DRAWS)
def test_no_progress_is_shown_unless_asked_for(
    ordered: TabDARSynthesizer, case: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """SDV shows one for conditions in any case; here ``verbose`` decides alone."""
    DRAWS[case](ordered, tmp_path)

    shown = capsys.readouterr()
    assert shown.err == ''
    assert shown.out == ''


@pytest.mark.parametrize('case', DRAWS)
def test_progress_is_shown_where_asked_for(
    ordered: TabDARSynthesizer, case: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    loud = copy.deepcopy(ordered)
    loud.verbose = True
    DRAWS[case](loud, tmp_path)

    assert '%|' in capsys.readouterr().err


def heard(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        call()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize('method', ['impute', 'log_likelihood'])
def test_the_same_is_said_once(spikes: TabDARSynthesizer, method: str) -> None:
    """Whoever imputes in a loop is told of a new level once; another column is news again."""
    synthesizer = copy.deepcopy(spikes)
    data = pd.DataFrame({'n': [10, 90], 'c': ['z', 'a']})

    assert len(heard(lambda: getattr(synthesizer, method)(data))) == 1
    assert heard(lambda: getattr(synthesizer, method)(data)) == []
    assert heard(lambda: getattr(synthesizer, method)(data.tail(1))) == []


def test_empty_columns_are_named_when_imputing() -> None:
    data = pd.DataFrame({'x': [None] * 20, 'y': list('ab') * 10})
    synthesizer = fit_tiny(data, {'x': LEVEL, 'y': LEVEL})
    gaps = data.assign(y=None)

    (message,) = heard(lambda: synthesizer.impute(gaps))
    assert "'x'" in message


def test_empty_columns_are_named_once() -> None:
    data = pd.DataFrame({'x': [None] * 20, 'y': list('ab') * 10})
    synthesizer = fit_tiny(data, {'x': LEVEL, 'y': LEVEL})
    gaps = data.assign(y=None)
    synthesizer_says = [heard(lambda: synthesizer.impute(gaps)) for _ in range(3)]

    assert [len(messages) for messages in synthesizer_says] == [1, 0, 0]


def test_repr_tells_settings_and_whether_it_is_fitted() -> None:
    """What differs from the defaults; of a fitted one also what it was fitted on."""
    data = pd.DataFrame({'n': range(30), 'c': list('abc') * 10})
    metadata = make_metadata({'n': NUMBER, 'c': LEVEL})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    text = repr(synthesizer)

    assert text.startswith('TabDARSynthesizer(')
    assert 'width=16' in text
    assert 'epochs=1' in text
    assert 'num_bins' not in text
    assert 'not fitted' in text
    synthesizer.fit(data)
    fitted = repr(synthesizer)
    assert 'width=16' in fitted
    assert 'not fitted' not in fitted
    assert 'fitted' in fitted
    assert '30 rows' in fitted
    assert '2 columns' in fitted


@pytest.mark.parametrize('zone', ['America/New_York', 'Asia/Kathmandu'])
def test_ranges_of_dates_are_shown_in_the_zone_of_the_column(zone: str) -> None:
    days = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 300, N), 'D'))
    data = pd.DataFrame({'t': days.dt.tz_localize(zone), 'c': RANDOM.choice(list('ab'), N)})
    synthesizer = fit_tiny(data, {'t': {'sdtype': 'datetime'}, 'c': LEVEL})

    with pytest.raises(ValueError, match="'t' cannot be 5") as error:
        synthesizer.sample_from_conditions([Condition({'t': 5})])
    for end in (data['t'].min(), data['t'].max()):
        assert str(end) in str(error.value)
