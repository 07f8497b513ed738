"""Test the agent patterns on cases beyond their own examples."""

import pytest

from actions.patterns.agents import (
    agt_001_unguarded_agent as unguarded,
)
from actions.patterns.agents import (
    agt_005_undeclared_tool as undeclared,
)
from actions.patterns.agents import (
    agt_007_unknown_type as unknown,
)
from actions.patterns.agents import (
    agt_008_endless_wait as endless,
)
from actions.patterns.agents import (
    agt_009_empty_prompt as empty,
)
from actions.scoring.scan import scan
from schemas.vocabulary import UnitKind
from tests.actions.patterns.rows import find_rows
from tests.examples import make_example_case

FRONTMATTER = "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\nallowed-tools: {}\n---\n\n"


def find(pattern, example):
    return list(pattern.check(make_example_case(example)))


def make_fence(text, lang="javascript", after=""):
    return f"# Work\n\n```{lang}\n{text}\n```\n{after}"


UNGUARDED = [
    make_fence('const part = await Task({ subagent_type: "Explore", prompt: `Read ${f}.` })\nWrite("a.md", part)'),
    make_fence(
        'report = await Agent(\n    subagent_type="Explore",\n    prompt="""Read it.""",\n)\nprint(report)', "python"
    ),
]


@pytest.mark.parametrize("example", UNGUARDED)
def test_unguarded_call_whose_answer_is_used_is_found(example):
    assert len(find(unguarded, example)) == 1


@pytest.mark.parametrize(
    "call", ['Task({ subagent_type: "Explore", prompt: "Look." })', 'Agent(prompt="Find [THEME].")']
)
def test_unguarded_call_whose_answer_is_unused_is_ignored(call):
    assert find(unguarded, make_fence(call)) == []


@pytest.mark.parametrize(
    "rest",
    [
        "\nWhen a scout times out, go on without it.\n",
        "\n## Fallback\n\nAsk a colleague.\n",
        "\n代理失败时重试一次。\n",
    ],
)
@pytest.mark.parametrize("example", UNGUARDED)
def test_unguarded_call_is_covered_by_its_file(example, rest):
    assert find(unguarded, example + rest) == []


def test_unguarded_call_is_covered_by_a_failure_section():
    call = make_fence('const a = Task({ subagent_type: "Explore", prompt: `Read ${f}.` })\nWrite("a.md", a)')
    files = {"phases/01-a.md": call, "phases/02-b.md": "# B\n\nIf it fails, ask again.\n"}
    assert [finding.file for finding in find(unguarded, files)] == ["phases/01-a.md"]
    assert find(unguarded, {**files, "phases/02-b.md": "# B\n\n## On failure\n\nAsk again.\n"}) == []


def test_unguarded_calls_of_a_file_are_one_finding():
    call = 'const {0} = Task({{ subagent_type: "Explore", prompt: "Look." }})\nWrite("{0}.md", {0})\n'
    text = make_fence(call.format("one") + call.format("two"))
    (finding,) = scan(make_example_case(text), [unguarded]).findings
    assert (finding.severity, [location.line_start for location in finding.locations]) == (
        unguarded.PATTERN.severity,
        [9, 11],
    )


@pytest.mark.parametrize("lang", ["python", "javascript"])
def test_agents_of_other_libraries_are_ignored(lang):
    assert (
        find(unguarded, make_fence('a = Agent(role="writer", goal="Write", backstory="Old hand", tools=[a])', lang))
        == []
    )
    assert find(unguarded, make_fence('Task(description="Write", expected_output="A page", agent=writer)', lang)) == []
    assert find(unguarded, make_fence('agent = Agent("openai:gpt-4o")', "python")) == []


def test_agent_call_in_counterexample_is_ignored():
    call = "```javascript\nTask({ subagent_type: 'Explore', prompt: `Read ${f}.` })\n```\n"
    assert find(unguarded, f"# Work\n\n## Anti-patterns\n\n{call}") == []


@pytest.mark.parametrize(
    "text",
    [
        'do {\n  await Task({ subagent_type: "Explore", prompt: ask })\n} while (!accepted)',
        'while (status !== "done") {\n  Bash("gh run list")\n  sleep(5)\n}',
        "for (;;) {\n  Bash('make')\n}",
    ],
)
def test_endless_wait_is_found(text):
    assert len(find(endless, make_fence(text))) == 1


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ('do {\n  a = Task({ prompt: ask, subagent_type: "Explore" })\n  n++\n} while (!a.ok && n < 4)', "js"),
        ("for attempt in range(5):\n    Bash('sleep 5')\n    if Read('out/flag'): break", "python"),
        ("while (inbox.length > 0) {\n  Read(inbox.shift())\n}", "js"),
        ("while (pending.size) {\n  Task({ subagent_type: 'Explore', prompt: next(pending) })\n}", "js"),
        ("while (!a.ok) {\n  a = AskUserQuestion({ questions })\n}", "js"),
        ("while (true) {\n  const a = AskUserQuestion({ questions })\n  Bash(a.command)\n}", "js"),
        ("let done = false\non('end', () => { done = true })\nwhile (!done) { await sleep(5) }", "js"),
        ("while True:\n    frame = camera.next()\n    show(frame)", "python"),
        ("while (page.next) {\n  page = WebFetch(page.next)\n}", "js"),
        ("while not connected:\n    time.sleep(1)", "python"),
        ("while true; do nvidia-smi; sleep 1; done", "bash"),
        ("while running:\n    running = step()\n    sleep(1)", "python"),
        ('while True:\n    s = Bash("cat x")\n    if s == "done":\n        break', "python"),
        ('while queue:\n    Bash(f"make {queue.pop()}")\n    sleep(1)', "python"),
    ],
)
def test_bounded_waits_and_servers_are_ignored(text, lang):
    assert find(endless, make_fence(text, lang)) == []


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("scripts/poll.py", "while True:\n    print(1)\n", 1),
        ("scripts/server.py", "while True:\n    print(1)\n", 0),
        ("scripts/poll.py", "import sys\nwhile True:\n    for line in sys.stdin:\n        print(line)\n", 0),
        ("scripts/wait.py", "ready = os.path.exists('x')\nwhile not ready:\n    time.sleep(2)\n", 1),
        ("scripts/show.py", "try:\n    while True:\n        sleep(1)\nexcept KeyboardInterrupt:\n    stop()\n", 0),
        ("scripts/poll.sh", "while true; do\n  date\n  sleep 1\ndone\n", 1),
        ("scripts/poll.sh", "while true; do\n  test -e x && exit 0\n  sleep 1\ndone\n", 0),
        ("scripts/poll.sh", "for name in a b; do\n  echo $name\ndone\n", 0),
    ],
)
def test_endless_script_is_found_unless_it_is_a_server(path, text, count):
    assert len(find(endless, {path: text})) == count


@pytest.mark.parametrize("name", ["general-purposes", "general-purpos", "general.purpose"])
def test_misspelled_built_in_type_is_found(name):
    assert len(find(unknown, make_fence(f'Task({{ subagent_type: "{name}", prompt: "Read the letters." }})'))) == 1


@pytest.mark.parametrize("name", ["generalpurpose", "explore", "plan", "General Purpose", "general_purpose"])
def test_built_in_type_in_another_spelling_is_accepted(name):
    assert find(unknown, make_fence(f'Task({{ subagent_type: "{name}", prompt: "Read the letters." }})')) == []


@pytest.mark.parametrize("name", ["explorer", "planner", "code-reviewer", "team:planner", "general", "purpose-general"])
def test_type_that_others_may_define_is_ignored(name):
    assert find(unknown, make_fence(f'Task({{ subagent_type: "{name}", prompt: "Read the letters." }})')) == []


@pytest.mark.parametrize(("own_agent", "count"), [("surface-differ", 1), ("surface-diffusion", 0), ("diffing", 0)])
def test_type_without_ending_misspells_own_agent(own_agent, count):
    call = make_fence('Task({ subagent_type: "surface-diff", prompt: "Read the letters." })')
    agent = f"---\nname: {own_agent}\ndescription: Reads letters.\n---\n\nRead.\n"
    assert len(find(unknown, {"SKILL.md": call, f"agents/{own_agent}.md": agent})) == count


@pytest.mark.parametrize(
    ("allowed", "tools"),
    [
        ("WebFetch, mcp__maps", ["mcp__mail__send"]),
        ("WebFetch, mcp__maps, mcp__mail__*", []),
        ("'*'", []),
        ("\n  - mcp__mail__send\n  - Bash(git:*)", ["WebFetch", "mcp__maps__route"]),
        ("WebFetch(*) mcp__maps__route(*) mcp__mail__send", []),
    ],
)
def test_allowed_tools_reads_all_forms(allowed, tools):
    text = make_fence("mcp__maps__route({ to })\nmcp__mail__send({ to })\nWebFetch('x')")
    messages = [finding.message for finding in find(undeclared, FRONTMATTER.format(allowed) + text)]
    assert sorted(message.split("`")[1] for message in messages) == sorted(tools)


@pytest.mark.parametrize(
    "text",
    [
        make_fence('│  Write("x", y)  │', ""),
        make_fence('Skill(skill="example", args="go")'),
        make_fence("function Write(x) {}\nWrite('a')"),
        make_fence("const p = `Write('a') is not to be used`"),
        make_fence("from notes import Write\n\nWrite('notes.md')", "python"),
        "Do not do this:\n\n" + make_fence("Bash('rm -rf notes')").removeprefix("# Work\n\n"),
    ],
)
def test_undeclared_tool_needs_a_call(text):
    assert find(undeclared, FRONTMATTER.format("Read") + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "| Source | Agent type | Subagent instructions |\n|---|---|---|\n| page | general | Call `WebFetch(url)`. |\n",
        "Agents in a worktree cannot write.\nUse `Bash(tee notes.md)` inside such\nisolated agents.\n",
        "Raw `WebFetch(url)` bypasses the checks of the\nlist: it is not a substitute.\n",
        '4. **How to invoke:** `Skill("<skill-name>")` call syntax.\n',
        "The agent's prompt:\n\n" + make_fence('WebFetch("a")').removeprefix("# Work\n\n"),
    ],
)
def test_call_by_another_agent_or_in_a_sample_is_ignored(text):
    assert find(undeclared, FRONTMATTER.format("Read") + text) == []


def test_call_after_a_prohibition_is_found():
    text = "Never write notes.\nThey are private.\n\n- Ask no one.\n- Fetch it: `WebFetch(url)`.\n"
    assert len(find(undeclared, FRONTMATTER.format("Read") + text)) == 1


def test_undeclared_tool_without_permission_is_ignored():
    text = make_fence('Task({ subagent_type: "Explore", prompt: "找出所有重复的笔记。" })')
    assert find(undeclared, FRONTMATTER.format("[Read]") + text) == []
    assert find(undeclared, text + make_fence("Write('a', b)")) == []


@pytest.mark.parametrize("prompt", ['""', "``", '"   "'])
def test_empty_prompt_is_found(prompt):
    assert len(find(empty, make_fence(f'Task({{ subagent_type: "Explore", prompt: {prompt} }})'))) == 1


@pytest.mark.parametrize(
    "call",
    [
        'Task({ subagent_type: "Explore" })',
        'Task("Explore")',
        'Task(subagent_type="Explore", **survey)',
        'Task({ subagent_type: "Explore", prompt: build() })',
    ],
)
def test_missing_prompt_is_ignored(call):
    assert find(empty, make_fence(call)) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Start it with `subagent_type: style-reviwer`.\n", 1),
        ('Use the Task tool with subagent_type="style-reviwer".\n', 1),
        ("```yaml\nsubagent_type: style-reviwer\nprompt: Judge it.\n```\n", 1),
        ("Start it with `subagent_type: Style_Reviewer`.\n", 0),
        ("Start it with `subagent_type: tide-reader`, or `subagent_type: style-reviwer-$N`.\n", 0),
        ("The type is a name such as `subagent_type: style-reviwer`, if it exists.\n", 0),
    ],
)
def test_type_in_a_text_is_unknown_if_an_agent_has_a_similar_name(text, count):
    agent = "---\nname: style-reviewer\ndescription: Judges the style.\n---\n\nJudge it.\n"
    files = {".claude-plugin/plugin.json": '{"name": "sea"}', "agents/style-reviewer.md": agent}
    rows = find_rows("AGT-007", {**files, "commands/count.md": text}, UnitKind.COMMAND)
    assert [message for _, _, message in rows] == [
        "Unknown agent type `style-reviwer`. Did you mean `sea:style-reviewer` (defined in agents/)?"
    ] * count
