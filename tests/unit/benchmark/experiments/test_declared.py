"""The experiments of all topics are in one list."""

from __future__ import annotations

from sdv_tabdar.benchmark.experiments.declared import EXPERIMENTS, TOPICS


def test_no_experiment_is_declared_twice() -> None:
    assert len(EXPERIMENTS) == sum(len(topic.EXPERIMENTS) for topic in TOPICS)
