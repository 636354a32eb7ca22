"""Time and memory of a piece of work."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

from sdv_tabdar.benchmark.jobs.cost import measured


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
