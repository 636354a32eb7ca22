"""All experiments: options with defaults, where raw rows come from, which tables they become.

A module for each topic declares its own; whoever needs them takes ``EXPERIMENTS`` from here.
"""

from __future__ import annotations

from collections.abc import Mapping

from sdv_tabdar.benchmark.experiments.declared import conditions, model, privacy, quality, speed
from sdv_tabdar.benchmark.experiments.experiment import Experiment

TOPICS = quality, speed, model, privacy, conditions

EXPERIMENTS: Mapping[str, Experiment] = {
    name: experiment for topic in TOPICS for name, experiment in topic.EXPERIMENTS.items()
}
