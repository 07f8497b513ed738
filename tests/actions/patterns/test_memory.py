"""The memory patterns on shapes that their own examples do not show."""

import time

import pytest

from actions.example import example_case
from actions.patterns import all_patterns


def seen(id, example):
    return list(all_patterns()[id].look(example_case(example)))


def skill(rule, prompt, title="Rules"):
    call = f'```javascript\nconst r = Task({{\n  subagent_type: "general-purpose",\n  prompt: `{prompt}`\n}})\nif (!r) return\n```\n'
    return f"# Work\n\n## {title}\n\n- {rule}\n\n## Do it\n\n{call}"


LOST = [
    ("Never delete rows from the `orders` table.", "Clean up the orders of ${year}.\nRemove what is doubled."),
    ("Every answer must cite the page it comes from.", "Write an answer to each question in ${file}."),
    ("Do not rename public functions.", "Refactor ${module} so that it reads well."),
    ("Only the British spelling is used in headings.", "Check the headings for spelling mistakes in ${file}."),
    ("禁止改动 `legacy/` 目录下的代码。", "修改 ${module} 中的导入语句，使其符合新规范。"),
    ("所有输出必须使用简体中文撰写。", "阅读 ${file}，撰写一段总结，不超过两百字。"),
]


@pytest.mark.parametrize(("rule", "prompt"), LOST)
def test_a_rule_about_the_work_is_lost_on_the_way_to_the_prompt(rule, prompt):
    found = seen("MEM-001", skill(rule, prompt))
    assert [rule.strip("。.")[:12] in e.message for e in found] == [True]


@pytest.mark.parametrize(
    ("rule", "prompt"),
    [
        ("Never delete rows from the `orders` table.", "Clean up ${year}. Keep all rows of the orders table."),
        ("Every answer must cite the page it comes from.", "Write an answer to each question. Cite the page of each."),
        ("Do not rename public functions.", "Read SKILL.md for the rules, then refactor ${module}."),
        ("Do not rename public functions.", "Refactor ${module}.\n\n${constraints}"),
        ("Do not rename public functions.", "Find all public functions and list them."),
        ("The bill is changed by the cashier alone, never by hand.", "Find out what changed in ${bill}. Read only."),
        ("An order goes out only with a note of `ok`.", "Look at the token of ${order}."),
        (
            "Guests are called G1, G2; names and addresses never leave the letters.",
            "Make a card of each letter in ${file}.\nRules: no names or addresses on a card.",
        ),
        ("Always ask the user before phase 2.", "Refactor ${module} so that it reads well."),
        ("Never spawn more than 5 agents.", "Refactor ${module} so that it reads well."),
        ("禁止改动 `legacy/` 目录下的代码。", "修改 ${module} 的导入语句，不要碰 legacy/ 目录。"),
    ],
)
def test_a_rule_that_is_carried_or_none_of_the_prompts_business_is_left_alone(rule, prompt):
    assert seen("MEM-001", skill(rule, prompt)) == []


def test_a_rule_inside_of_a_step_binds_that_step_only():
    assert seen("MEM-001", skill(*LOST[2], title="Step 1: Look around")) == []


def test_a_rule_that_the_prompt_reads_with_a_phase_file_is_carried():
    files = {
        "SKILL.md": skill("Do not rename public functions.", "Read phases/01-refactor.md and refactor ${module}."),
        "phases/01-refactor.md": "# Refactor\n\nPublic functions are not to be renamed: do not touch them.\n",
    }
    assert seen("MEM-001", files) == []


def test_all_lost_rules_of_a_prompt_are_one_finding():
    text = skill("Do not rename public functions.\n- Never change the licence header.", "Refactor ${module} in full.")
    (found,) = seen("MEM-001", text)
    assert len(found.also) == 2


@pytest.mark.parametrize("word", ["goal", "user_request", "topic", "requirements", "taskDescription"])
def test_a_state_with_a_field_for_the_request_is_left_alone(word):
    text = f"# W\n\nKept in `run/state.json`.\n\n```ts\ninterface RunState {{\n  status: string;\n  {word}: string;\n  step: number;\n}}\n```\n"
    assert seen("MEM-004", text) == []


def test_a_class_of_the_users_program_is_no_state_of_the_skill():
    text = "# W\n\n```python\nclass KalmanState:\n    mean: float\n    gain: float\n    noise: float\n```\n"
    assert seen("MEM-004", text) == []


@pytest.mark.parametrize("id", ["MEM-003", "MEM-005", "MEM-006"])
def test_a_skill_that_only_explains_is_left_alone(id):
    steps = "".join(f"## {n}. Topic {n}\n\nSome words on topic {n}.\n\n" for n in range(1, 9))
    assert seen(id, f"# Guide\n\n{steps}") == []


@pytest.mark.parametrize("id", ["MEM-001", "MEM-002", "MEM-003", "MEM-004", "MEM-005", "MEM-006"])
@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"- Never edit part {n} of the wall." for n in range(3000))
        + "\n\n```js\nTask({ prompt: `Edit the wall of ${x}.` })\n```\n",
        "\n".join(f"- Never edit part {n}." for n in range(2000))
        + "\n\n```js\nTask({ prompt: `"
        + "Edit the wall, not part 7.\n" * 4000
        + "` })\n```\n",
        "interface AState {\n" * 10000,
        "state/" * 100000,
        "save " * 100000,
        "规则" * 100000,
    ],
)
def test_hostile_text_is_read_in_reasonable_time(id, text):
    begin = time.process_time()
    seen(id, "# X\n\n## Rules\n\n" + text + "\n```\n" + text)
    assert time.process_time() - begin < 4
