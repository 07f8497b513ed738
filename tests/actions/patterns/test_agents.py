"""The agent patterns on shapes that their own examples do not show."""

import time

import pytest

from actions.example import example_case
from actions.patterns import all_patterns
from schemas.vocabulary import Severity

HEAD = "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: {}\n---\n\n"


def seen(id, example):
    return list(all_patterns()[id].look(example_case(example)))


def code(text, lang="javascript", after=""):
    return f"# Work\n\n```{lang}\n{text}\n```\n{after}"


UNGUARDED = [
    code('const parts = await Promise.all(files.map(f => Task({ subagent_type: "Explore", prompt: `Read ${f}.` })))'),
    code(
        'report = await Agent(\n    subagent_type="Explore",\n    prompt="""Read it all.\nThen tell.""",\n)', "python"
    ),
    code('const id = spawn_agent({ agent_type: "worker", message: `Sort the mail of ${day}.` })'),
    "# Work\n\nSpawn three Explore agents at once, one for each folder, and join what they find.\n",
    "# Work\n\n2. Delegate the survey of the shelves to a subagent.\n3. Print the list.\n",
    "# 工作\n\n并行派发三个子代理，分别阅读一个文件夹。\n\n汇总后交给用户。\n",
]


@pytest.mark.parametrize("example", UNGUARDED)
def test_a_step_that_nothing_guards_is_seen(example):
    assert seen("AGT-001", example)


@pytest.mark.parametrize(
    "rest",
    [
        "\nWhen a scout does not answer, go on without it and say so. Any agent that errors out is reported.\n",
        "\n## Fallback\n\nAn agent that crashes is started again once.\n",
        "\n代理超时后跳过并记录。\n",
        "\n| Trouble | What to do |\n|---|---|\n| The worker returns nothing | Ask again once |\n",
    ],
)
@pytest.mark.parametrize("example", UNGUARDED)
def test_a_word_on_failure_in_the_same_file_is_enough(example, rest):
    assert seen("AGT-001", example + rest) == []


def test_a_word_on_failure_in_another_phase_is_not_enough():
    files = {
        "phases/01-a.md": code('Task({ subagent_type: "Explore", prompt: `Read ${f}.` })'),
        "phases/02-b.md": "# B\n\nIf the agent fails, ask again.\n",
    }
    assert [e.file for e in seen("AGT-001", files)] == ["phases/01-a.md"]


@pytest.mark.parametrize("lang", ["python", "javascript"])
def test_agents_of_other_libraries_are_left_alone(lang):
    assert (
        seen("AGT-001", code('writer = Agent(role="writer", goal="Write", backstory="Old hand", tools=[a])', lang))
        == []
    )
    assert seen("AGT-001", code('Task(description="Write", expected_output="A page", agent=writer)', lang)) == []


def test_a_call_shown_as_what_not_to_do_is_left_alone():
    text = (
        "# Work\n\n## Anti-patterns\n\n```javascript\nTask({ subagent_type: 'Explore', prompt: `Read ${f}.` })\n```\n"
    )
    assert seen("AGT-001", text) == []


@pytest.mark.parametrize("example", UNGUARDED)
def test_prose_is_low_and_code_is_not(example):
    assert {e.severity for e in seen("AGT-001", example)} == {None if "```" in example else "low"}


@pytest.mark.parametrize(
    "example",
    [
        code('do {\n  answer = Task({ subagent_type: "Explore", prompt: ask })\n} while (!answer.ok)'),
        code("while not ready:\n    Bash('sleep 5')\n    ready = Read('out/flag')", "python"),
        code('while (status !== "done") {\n  status = TaskOutput({ id }).status\n}'),
        "# Work\n\nKeep asking the agent until its answer is valid.\n",
        "# Work\n\nIf the build breaks, mend it and run it again; repeat until it succeeds.\n",
        "# Work\n\nPoll the job every 30 seconds until it is done.\n",
        "# Work\n\nRetry the upload indefinitely.\n",
        "# 工作\n\n每隔 30 秒轮询一次任务状态，直到完成。\n",
        "# 工作\n\n失败后重新运行 `check.py`，直到全部通过。\n",
    ],
)
def test_a_wait_without_end_is_seen(example):
    assert seen("AGT-008", example)


@pytest.mark.parametrize(
    "example",
    [
        code(
            'do {\n  answer = Task({ prompt: ask, subagent_type: "Explore" })\n  tries++\n} while (!answer.ok && tries < 4)'
        ),
        code("for attempt in range(5):\n    Bash('sleep 5')\n    if Read('out/flag'): break", "python"),
        code("while (inbox.length > 0) {\n  Read(inbox.shift())\n}"),
        code("SECONDS=0\nwhile [ $SECONDS -lt 60 ]; do\n  sleep 2\ndone", "bash"),
        "# Work\n\nPoll the job every 30 seconds until it is done, for 10 minutes at most.\n",
        "# Work\n\nRepeat the interview until the user is content.\n",
        "# Work\n\nRetry until it passes.\nGive up after three attempts.\n",
        "# Work\n\nNever retry until it passes; a broken test is a message.\n",
        "# Work\n\nDo not go on until the plan is approved.\n",
        "# 工作\n\n重新运行直到全部通过，最多 3 次。\n",
    ],
)
def test_a_wait_with_an_end_is_left_alone(example):
    assert seen("AGT-008", example) == []


def test_a_loop_that_the_user_can_end_is_low():
    text = "while (true) {\n  const a = AskUserQuestion({ questions })\n  if (a.done) break\n  Bash(a.command)\n}"
    assert [e.severity for e in seen("AGT-008", code(text))] == [Severity.LOW]


def test_a_table_of_messages_says_how_long_to_wait():
    task = code('Task({ subagent_type: "general-purpose", name: "cook", prompt: `Cook ${dish}.` })')
    table = "\n## Coordination loop\n\n| Message received | Action |\n|---|---|\n| cook: done | Serve. If the cook fails, ask again |\n"
    assert [e.severity for e in seen("AGT-008", task + table)] == ["low"]
    assert seen("AGT-008", task + table + "\nWait at most 10 minutes for each.\n") == []


@pytest.mark.parametrize("name", ["generalpurpose", "general-purposes", "explore", "plan"])
def test_a_built_in_type_misspelled_is_seen(name):
    found = seen("AGT-007", code(f'Task({{ subagent_type: "{name}", prompt: "Read the letters of the week." }})'))
    assert ["may be meant" in e.message for e in found] == [True]


@pytest.mark.parametrize("name", ["my-explorer", "planner", "code-reviewer"])
def test_a_lone_type_that_the_skill_says_nothing_of_is_low(name):
    call = f'Task({{ subagent_type: "{name}", prompt: "Read the letters of the week." }})'
    assert [e.severity for e in seen("AGT-007", code(call))] == [Severity.LOW]


@pytest.mark.parametrize(
    "text",
    [
        code('Task({ subagent_type: "team:planner", prompt: "Read the letters of the week." })'),
        code(
            'Task({ subagent_type: "planner", prompt: "Read it." })\nTask({ subagent_type: "planner", prompt: "Sort it." })'
        ),
        code('Task({ subagent_type: "planner", prompt: "Read it." })')
        + "\n`.claude/agents/` of the project defines it.\n",
    ],
)
def test_a_type_that_others_may_define_is_left_alone(text):
    assert seen("AGT-007", text) == []


def test_an_answer_parsed_in_the_call_is_seen():
    assert seen(
        "AGT-002", code('const r = JSON.parse(await Task({ subagent_type: "Explore", prompt: "List it as JSON." }))')
    )


def test_an_answer_parsed_after_another_file_is_left_alone():
    text = 'const a = Task({ subagent_type: "Explore", prompt: "List it." })\nconst b = JSON.parse(Read("x.json"))'
    assert seen("AGT-002", code(text)) == []


def test_a_tool_of_a_server_that_is_allowed_is_declared():
    text = code("mcp__maps__route({ to })\nmcp__mail__send({ to })")
    assert ["mcp__mail__send" in e.message for e in seen("AGT-005", HEAD.format("Read, mcp__maps") + text)] == [True]


def test_a_tool_drawn_in_a_picture_is_no_call():
    assert seen("AGT-005", HEAD.format("Read") + code('│  Write("x", y)  │', "")) == []


@pytest.mark.parametrize("prompt", ['""', "``", '"   "'])
def test_an_empty_prompt_is_seen(prompt):
    assert seen("AGT-009", code(f'Task({{ subagent_type: "Explore", prompt: {prompt} }})'))


def test_a_quoted_order_to_start_agents_outside_of_a_prompt_is_no_nesting():
    assert seen("AGT-004", "# Work\n\nUse the Task tool with subagent_type=Explore for each part.\n") == []


@pytest.mark.parametrize("id", ["AGT-001", "AGT-002", "AGT-004", "AGT-008", "AGT-009"])
@pytest.mark.parametrize(
    "text",
    [
        "```javascript\n" + "Task({ prompt: `" * 5000,
        "```javascript\n" + "while (!x) { wait(\n" * 4000,
        "retry " * 40000 + "until",
        "- " * 50000 + "launch",
        "如果" * 40000 + "直到",
        "`" * 300000,
    ],
)
def test_hostile_text_is_read_in_reasonable_time(id, text):
    begin = time.process_time()
    seen(id, "# X\n\n" + text)
    assert time.process_time() - begin < 4


@pytest.mark.parametrize(
    ("body", "said", "severity"),
    [
        ("// not done: followup_task can prompt it", "nothing is done", Severity.LOW),
        ("console.log('late')", "a line is logged", None),
        ("// handle it", "nothing is done", None),
    ],
)
def test_a_timeout_branch_is_told_as_it_is(body, said, severity):
    code = f"const r = wait_agent({{ id: scout, timeout_ms: 60000 }})\nif (r.timed_out) {{\n  {body}\n}}"
    (late,) = seen("AGT-001", f"# Research\n\n```javascript\n{code}\n```\n")
    assert said in late.message
    assert late.severity is severity
