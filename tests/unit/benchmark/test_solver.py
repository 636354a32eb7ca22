"""The solver command: both solvers converge to known laws, the package's in fewer steps."""

from __future__ import annotations

import argparse

import pytest

from sdv_tabdar.benchmark import solver


@pytest.mark.parametrize('law', solver.LAWS)
@pytest.mark.parametrize('name', solver.SOLVERS)
def test_many_steps_reach_the_law(law: str, name: str) -> None:
    assert solver.error(solver.LAWS[law], solver.SOLVERS[name], 200, 80.0) < 0.005


@pytest.mark.parametrize('law', solver.LAWS)
def test_steps_of_the_angle_need_fewer(law: str) -> None:
    few = solver.error(solver.LAWS[law], solver.angle, 8, 80.0)
    assert few < solver.error(solver.LAWS[law], solver.edm, 16, 80.0)


def test_the_command_prints_a_row_for_each_law_solver_and_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    grid = solver.main(argparse.Namespace(steps=[2, 4], sigma_max=[10.0, 80.0]))
    assert len(grid.rows) == len(solver.LAWS) * len(solver.SOLVERS) * 2
    assert 'Heun in the angle, from 80' in capsys.readouterr().out
