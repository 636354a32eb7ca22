"""Time and memory of a piece of work."""

from __future__ import annotations

import resource
import sys
import time
import types

import numpy as np
import pytest

from sdv_tabdar.benchmark.jobs import cost as cost_module
from sdv_tabdar.benchmark.jobs.cost import measured


def test_time_and_processor_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = types.SimpleNamespace(ru_utime=1.0, ru_stime=0.5, ru_maxrss=0)
    now = iter([10.0, 15.0])
    monkeypatch.setattr(time, 'perf_counter', lambda: next(now))
    monkeypatch.setattr(resource, 'getrusage', lambda who: usage)
    with measured() as cost:
        usage.ru_utime, usage.ru_stime = 1.5, 1.0
    # The processor's time is of the process and of its children, one second each.
    assert (cost.seconds, cost.cpu_seconds) == (5, 2)


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux can set the peak back')
def test_peak_is_that_of_the_work_itself() -> None:
    with measured() as large:
        block = np.ones(10_000_000)
        del block
    with measured() as small:
        pass
    assert large.peak_memory_mib - large.memory_before_mib > 60
    assert small.peak_memory_mib - small.memory_before_mib < 60


def test_children_of_earlier_work_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    children = types.SimpleNamespace(ru_utime=0.0, ru_stime=0.0, ru_maxrss=2**40)
    monkeypatch.setattr(resource, 'getrusage', lambda who: children)
    monkeypatch.setattr(cost_module, '_resident_mib', lambda field: 100.0)
    with measured() as idle:
        pass
    with measured() as parent:
        children.ru_maxrss = 2**41
    assert idle.peak_memory_mib == 100
    assert parent.peak_memory_mib > idle.peak_memory_mib


def test_cost_is_known_after_an_error() -> None:
    with pytest.raises(KeyError), measured() as cost:
        raise KeyError
    assert cost.seconds > 0
