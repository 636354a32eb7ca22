"""Both solvers converge to known distributions, the package's in fewer steps."""

from __future__ import annotations

import argparse

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import solver


@pytest.mark.parametrize('distribution', solver.DISTRIBUTIONS)
@pytest.mark.parametrize('name', solver.SOLVERS)
def test_many_steps_reach_the_distribution(distribution: str, name: str) -> None:
    assert solver.error(solver.DISTRIBUTIONS[distribution], solver.SOLVERS[name], 200, 80.0) < 0.005


@pytest.mark.parametrize('distribution', solver.DISTRIBUTIONS)
def test_steps_of_the_angle_need_fewer(distribution: str) -> None:
    few = solver.error(solver.DISTRIBUTIONS[distribution], solver.angle, 8, 80.0)
    assert few < solver.error(solver.DISTRIBUTIONS[distribution], solver.edm, 16, 80.0)


def test_a_row_for_each_distribution_solver_and_start() -> None:
    options = argparse.Namespace(steps=[2, 4], sigma_max=[10.0, 80.0])
    [grid] = solver.solver_tables(pd.DataFrame(solver.collect(options)))
    assert len(grid.rows) == len(solver.DISTRIBUTIONS) * len(solver.SOLVERS) * 2
    assert 'N(.3, .2), Heun in the angle, from 80' in dict(grid.rows)
    assert grid.header[1:] == ['2 steps', '4 steps']
