"""The global generators: one thread at a time, and afterwards as they were found."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sdv_tabdar.adapter.global_generators import (
    others_turn,
    seed_random_states,
    untouched_random_states,
)


def draw() -> tuple[float, float]:
    return float(np.random.random()), random.random()


def states() -> tuple[bytes, object]:
    return np.random.get_state()[1].tobytes(), random.getstate()


def test_the_states_stay_also_if_an_error_is_raised() -> None:
    before = states()
    with untouched_random_states():
        draw()
    with pytest.raises(ZeroDivisionError), untouched_random_states(5):
        1 / draw()[0] / 0
    assert states() == before


def test_a_seed_decides_what_is_drawn() -> None:
    def drawn(seed: int | None) -> tuple[float, float]:
        with untouched_random_states(seed):
            return draw()

    assert drawn(4) == drawn(4)
    assert drawn(4) != drawn(5)
    assert drawn(None) == drawn(None)  # both go on from the state that was found
    with untouched_random_states(5):
        draw()
        seed_random_states(4)
        assert draw() == drawn(4)


def test_within_another_one_the_numbers_go_on() -> None:
    with untouched_random_states(1):
        draw()
        with untouched_random_states():
            inner = draw()
        last = draw()
    with untouched_random_states(1):
        assert [draw() for _ in range(3)][1:] == [inner, last]


def test_work_of_others_in_between_changes_nothing() -> None:
    with untouched_random_states(1):
        numbers = [draw(), draw()]
    with untouched_random_states(1):
        first = draw()
        with others_turn(), untouched_random_states(2):
            draw()
        assert [first, draw()] == numbers


def test_without_a_turn_there_is_none_to_give() -> None:
    before = states()
    with others_turn():
        assert states() == before


def test_threads_draw_what_each_alone_would() -> None:
    before = states()

    def drawn(seed: int) -> list[tuple[float, float]]:
        found = []
        with untouched_random_states(seed):
            for _ in range(20):
                found.append(draw())
                with others_turn():
                    time.sleep(0)
        return found

    alone = [drawn(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(drawn, range(4))) == alone
    assert states() == before
