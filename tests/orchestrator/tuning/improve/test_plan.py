"""Test that an improvement that could prove nothing or exceed its cost limit is refused before its first run."""

import json
import re

import pytest

from orchestrator.errors import BadInput
from orchestrator.tuning.improve.plan import Settings, describe_plan
from orchestrator.tuning.improve.plan_checks import plan_improvement
from tests.orchestrator.tuning.improve.conftest import SKILL, write_tasks

ENOUGH = 100.0


def plan_greeter(tasks, **settings):
    return plan_improvement("greeter", Settings(tasks, **{"max_cost_usd": ENOUGH, **settings}))


def rewrite_tasks(tasks, change):
    """Replace text in a file of tasks."""
    with open(tasks) as file:  # noqa: PTH123
        value = json.load(file)
    change(value["tasks"])
    with open(tasks, "w") as file:  # noqa: PTH123
        json.dump(value, file)
    return tasks


def test_split_depends_on_prompts_and_files_only(project):
    tasks = write_tasks(project)
    first_plan = plan_greeter(tasks).split

    def shuffle(plan):
        plan.reverse()
        for task in plan:
            task["checks"] = [{"text": "hi"}]

    second_split = plan_greeter(rewrite_tasks(tasks, shuffle)).split
    assert set(first_plan.exam) == set(second_split.exam)
    assert len(first_plan.exam) == len(first_plan.practice) == 6


def test_plan_says_price_and_power_before_anything_is_paid(project):
    text = "\n".join(describe_plan(plan_greeter(write_tasks(project))))
    assert "6 tasks for practice, 3 runs of each; 6 unseen for the exam, 5 runs of each" in text
    assert "the improvement costs at most 100.00 USD; estimate: practice" in text
    assert "(reserved first), at the list price of Claude Opus" in text
    assert "passes by chance in at most 2.5 % of exams" in text


@pytest.mark.parametrize(
    ("count", "settings", "message"),
    [
        (7, {}, "3 tasks for practice and 4 for the exam; at least 4 are needed for each"),
        (12, {"exam": 0.2}, "10 tasks for practice and 2 for the exam"),
        (12, {"max_cost_usd": 5.0}, "raise --max-cost-usd to at least"),
        (8, {"exam_runs": 1}, "cannot decide anything"),
    ],
)
def test_plan_that_can_show_nothing_is_refused(project, count, settings, message):
    with pytest.raises(BadInput, match=message):
        plan_greeter(write_tasks(project, count), **settings)


@pytest.mark.parametrize("limit", [1.0, 5.0])
def test_advised_limit_is_enough(project, limit):
    tasks = write_tasks(project)
    with pytest.raises(BadInput) as refusal:
        plan_greeter(tasks, max_cost_usd=limit)
    (advised,) = re.findall(r"to at least ([\d.]+), ", str(refusal.value))
    plan = plan_greeter(tasks, max_cost_usd=float(advised))
    with pytest.raises(BadInput, match=f"to at least {advised}, "):
        plan_greeter(tasks, max_cost_usd=float(advised) - 1.1 * plan.run_price)


def test_repeated_task_is_refused_with_its_line(project):
    tasks = rewrite_tasks(write_tasks(project), lambda plan: plan[1].update(prompt=plan[0]["prompt"].upper()))
    with pytest.raises(BadInput, match=r"tasks\.json.*greet-1 has the same prompt, files and user as greet-0"):
        plan_greeter(tasks)


def test_split_keeps_both_scripted_users_of_a_task_together(project):
    users = {"trusting": [{"when": "which", "say": "The first."}], "suspicious": [{"when": "which", "say": "Why?"}]}
    plan = plan_greeter(rewrite_tasks(write_tasks(project), lambda tasks: tasks[0].update(user=users)))
    both_users = {"greet-0-trusting", "greet-0-suspicious"}
    assert both_users <= set(plan.texts)
    assert both_users <= set(plan.split.exam) or both_users <= set(plan.split.practice)


def test_split_keeps_similar_tasks_together(project):
    def copy(plan):
        for n, task in enumerate(plan[:4]):
            task["prompt"] = f"Greet the guest of honour of our garden party tonight, who comes from far away: {n}."

    split = plan_greeter(rewrite_tasks(write_tasks(project), copy)).split
    similar_tasks = {f"greet-{n}" for n in range(4)}
    assert similar_tasks <= set(split.exam) or similar_tasks <= set(split.practice)
    assert "the tasks are nearly the same" in split.notes[0]


def test_task_that_the_skill_quotes_is_not_in_the_exam(project):
    tasks = write_tasks(project)
    first_plan = plan_greeter(tasks)
    quoted_task = first_plan.split.exam[0]
    (project / "greeter" / "SKILL.md").write_text(f"{SKILL}\nExample: {first_plan.texts[quoted_task].prompt}\n")
    second_split = plan_greeter(tasks).split
    assert quoted_task in second_split.practice
    assert f"used for practice only, because the skill contains their prompts: {quoted_task}" in second_split.notes


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (("name: greeter\n", "name: greeter\ndisable-model-invocation: true\n"), "hidden"),
        (("Greets people.", f"Greets people. {'They are greeted. ' * 100}"), "cut"),
    ],
)
def test_skill_that_the_runs_would_not_list_is_refused(project, change, state):
    (project / "greeter" / "SKILL.md").write_text(SKILL.replace(*change))
    tasks = write_tasks(project)
    with pytest.raises(BadInput, match=f"its description is {state} in the listing"):
        plan_greeter(tasks)
    plan_greeter(rewrite_tasks(tasks, lambda plan: [task.update(prompt=f"/greeter {task['prompt']}") for task in plan]))


def test_improve_without_a_login_starts_nothing(project, run_improve, monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    code, out, err = run_improve("greeter", "--tasks", write_tasks(project), "--max-cost-usd", "100")
    assert (code, out) == (2, "")
    assert "improvement runs use an empty HOME, so your login is not available" in err
    assert "%" not in err
    assert not (project / ".workflow").exists()
