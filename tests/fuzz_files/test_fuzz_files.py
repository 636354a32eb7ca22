"""A hundred hostile files, always the same; many more: ``python -m tests.fuzz_files``."""

from __future__ import annotations

import pytest

from .cases import run_case
from .changes import CHANGES

_BATCH = 25


@pytest.mark.parametrize('start', range(0, 100, _BATCH))
def test_hostile_files(start: int) -> None:
    results = [run_case(place, seed=0) for place in range(start, start + _BATCH)]
    findings = [result for result in results if result.is_finding]

    assert not findings, '\n'.join(f'{found.kind}\n  {found.detail}' for found in findings)


def test_the_cases_are_of_every_kind() -> None:
    found = {run_case(place, seed=1).change for place in range(60)}

    assert found >= set(CHANGES) - {'versions', 'texts', 'others'}
