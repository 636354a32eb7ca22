"""The facts about the machine."""

from __future__ import annotations

import json
import os

import pytest

from sdv_tabdar.benchmark.jobs.environment import (
    THREAD_VARIABLES,
    describe_environment,
    summary,
    thread_settings,
)


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
