"""Test that near-duplicate tasks are not split, and that the time is linear in the length of their texts."""

import pytest

from actions.improve.split import split_tasks
from actions.improve.task_texts import TaskText
from tests.growth import grows_at_most, measure_seconds


def test_split_takes_twice_the_time_for_twice_the_text():
    def measure(many):
        halves = ("to the " * (many // 2), "the to " * (many // 2))
        tasks = [TaskText(f"t{n}", f"{halves[n % 2]} {n}") for n in range(8)]
        return measure_seconds(lambda: split_tasks(tasks, 0.5, (), ()))

    assert grows_at_most(measure, 8_000, 16_000, factor=2.2)
    assert measure(64_000) < 5


@pytest.mark.parametrize("many", [30, 3_000])
def test_nearly_the_same_prompts_stay_on_one_side(many):
    words = " ".join(f"word{n}" for n in range(many))
    tasks = [TaskText("a", f"{words} one"), TaskText("b", f"{words} two"), TaskText("c", "Paint the boat.")]
    assert split_tasks(tasks, 0.9, (), ()).notes == (
        "kept together, in practice or in the exam, because the tasks are nearly the same: a, b",
    )
