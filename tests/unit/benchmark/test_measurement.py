"""Time and memory of a piece of work, and the facts about the machine."""

from __future__ import annotations

import json
import os
import sys
import time

import numpy as np
import pytest

from sdv_tabdar.benchmark.environment import (
    THREAD_VARIABLES,
    describe_environment,
    summary,
    thread_settings,
)
from sdv_tabdar.benchmark.measurement import measured


def test_waiting_costs_time_and_no_processor() -> None:
    with measured() as cost:
        time.sleep(0.05)
    assert cost.seconds >= 0.05
    assert cost.cpu_seconds < 0.05


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux can set the peak back')
def test_peak_is_that_of_the_work_itself() -> None:
    with measured() as large:
        block = np.ones(10_000_000)
        del block
    with measured() as small:
        pass
    assert large.peak_memory_mib - large.memory_before_mib > 60
    assert small.peak_memory_mib - small.memory_before_mib < 60


def test_cost_is_known_after_an_error() -> None:
    with pytest.raises(KeyError), measured() as cost:
        raise KeyError
    assert cost.seconds > 0


def test_environment_is_json_and_has_what_matters() -> None:
    environment = json.loads(json.dumps(describe_environment()))
    assert environment['cores'] == os.cpu_count()
    assert {'sdv', 'rdt', 'sdmetrics', 'torch', 'xgboost'} <= set(environment['versions'])
    line = summary(environment)
    assert environment['cpu'] in line
    assert f'torch {environment["versions"]["torch"]}' in line


def test_threads_are_told_to_every_library() -> None:
    assert thread_settings(2) == dict.fromkeys(THREAD_VARIABLES, '2')
    assert thread_settings(None) == {}
    with pytest.raises(ValueError, match='threads must be at least 1, but it is 0'):
        thread_settings(0)
