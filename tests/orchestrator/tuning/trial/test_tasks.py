"""Test the formats of tasks; errors are reported with file and line."""

import json

import pytest

from orchestrator.errors import BadInput
from orchestrator.tuning.trial.tasks import read_tasks

CASE = """schema_version: "1.0"
name: first
execution:
  prompt: Write the notes.
  allowed_tools: [Read, Write, "Bash(git log:*)"]
graders:
  - {type: regex, name: a, pattern: "^v\\\\d", flags: m, target: {source: file, path: notes.md}}
  - {type: tool_used, name: b, tool: Skill}
  - {type: file_exists, name: c, path: notes.md}
  - {type: llm, name: d, criteria: It names the version.}
  - {type: tool_order, name: e, before: Read, after: Write}
"""


@pytest.fixture
def skill(tmp_path):
    folder = tmp_path / "skill"
    (folder / "evals" / "files").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: skill\ndescription: d\n---\nText.\n")
    (folder / "evals" / "files" / "in.csv").write_text("a,b\n")
    return folder


def write_file(folder, text, name="tasks.yaml"):
    path = folder / "evals" / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text)
    return str(path)


def write_task(folder, **fields):
    return write_file(
        folder, json.dumps({"tasks": [{"prompt": "p", "checks": [{"text": "x"}], **fields}]}), "tasks.json"
    )


def test_evals_of_skill_creator_become_rubric_checks(skill):
    evals = [{"id": 7, "prompt": "Sum it.", "expected_output": "A sum", "files": ["evals/files/in.csv"],
              "expectations": ["It says 3", "It shows the way"]}, {"id": 8, "prompt": "Again.", "expected_output": "B"}]  # fmt: skip
    write_file(skill, json.dumps({"skill_name": "skill", "evals": evals}), "evals.json")
    first, second = read_tasks(skill, None)
    assert (first.name, first.files) == ("eval-7", (("in.csv", b"a,b\n"),))
    assert [(check.kind, check.argument) for check in first.checks] == [
        ("rubric", "It says 3"),
        ("rubric", "It shows the way"),
    ]
    assert [check.argument for check in second.checks] == ["B"]


def test_cases_of_plugin_eval_keep_their_graders_and_tools(skill):
    write_file(skill, CASE, "one/case.yaml")
    write_file(skill, "---\nmax_turns: 3\nallowed_tools: [Read]\n---\n\nSay hello.\n", "two/prompt.md")
    write_file(skill, "---\ntype: llm\n---\n\nIt is polite.\n", "two/graders/polite.md")
    first_task, second_task = read_tasks(skill, None)
    assert [check.kind for check in first_task.checks] == ["regex", "skill", "file", "rubric", "tool_order"]
    assert first_task.tools == ("Write(./**)", "Bash(git log:*)")
    assert first_task.commands == ("Claude may use Bash(git log:*)",)
    assert (second_task.name, second_task.prompt, second_task.max_turns, second_task.tools) == (
        "two",
        "Say hello.",
        3,
        (),
    )
    assert second_task.checks[0].argument == "It is polite."


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("tasks:\n  - name: a\n    prompt: p\n    checks: []\n", 4, "a task needs at least one"),
        ("tasks:\n  - name: a\n    prompt: p\n", 2, "`checks` is missing; write it"),
        ("tasks: []\n", 1, "`tasks` is empty; write one"),
        (
            "tasks:\n  - prompt: p\n    foo: 1\n    checks: [{text: x}]\n",
            2,
            "unknown key: 'foo'; correct or remove it",
        ),
        ("tasks:\n  - prompt: p\n    checks:\n      - {file: ../../etc/passwd}\n", 4, "is outside the folder"),
        ("tasks:\n  - prompt: p\n    checks:\n      - {text: x, in: /etc/passwd}\n", 4, "is outside the folder"),
        ("tasks:\n  - prompt: p\n    files: [../SKILL.md]\n    checks: [{text: x}]\n", 3, "is outside the folder"),
        ("tasks:\n  - prompt: p\n    files: [gone.md]\n    checks: [{text: x}]\n", 3, "No such file"),
        ("tasks:\n  - prompt: p\n    checks: [{regex: '('}]\n", 3, "invalid regular expression"),
        ("tasks:\n  - prompt: p\n    checks: [{tool: Skill, input: '('}]\n", 3, "invalid regular expression"),
        (f"tasks:\n  - prompt: p\n    checks: [{{regex: {'a' * 1001}}}]\n", 3, "at most 1,000 are allowed"),
        ("tasks:\n  - prompt: p\n    checks: [{schema: {type: nosuch}}]\n", 3, "invalid JSON schema: $.type: 'nosuch'"),
        ("tasks:\n  - prompt: p\n    checks: [{schema: {items: {pattern: '('}}}]\n", 3, "invalid regular expression"),
        ("tasks:\n  - prompt: p\n    checks: [{schema: {patternProperties: {'(': {}}}}]\n", 3, "invalid regular expr"),
        (
            "tasks:\n  - prompt: p\n    checks: [{schema: {multipleOf: 0}}]\n",
            3,
            "invalid JSON schema: $.multipleOf: 0 is",
        ),
        (
            "tasks:\n  - prompt: p\n    checks: [{schema: {properties: 7}}]\n",
            3,
            "invalid JSON schema: $.properties: 7 is",
        ),
        (
            'tasks:\n  - prompt: p\n    checks: [{command: "a\\0"}]\n',
            3,
            "the text contains a NUL or an unpaired surrogate",
        ),
        ("tasks:\n  - prompt: p\n    checks: [{text: x, file: y}]\n", 3, "exactly one of"),
        ("tasks:\n  - name: ../x\n    prompt: p\n    checks: [{text: x}]\n", 2, "invalid name '../x'"),
        ("tasks:\n  - prompt: &a p\n    checks: [{text: *a}]\n", 3, "the file uses a YAML alias; write out the value"),
        ("tasks:\n  - prompt: [\n", 3, "the file is not valid YAML: did not find expected node content; correct it"),
        ("tasks:\n  - prompt: p\n    checks: [{schema: {properties: {!!binary YQ==: 7}}}]\n", 3, "invalid JSON schema"),
        ("prompt: p\n", 1, "neither `tasks` nor `evals`"),
    ],
)
def test_read_tasks_reports_errors_with_their_line(skill, text, line, message):
    path = write_file(skill, text)
    with pytest.raises(BadInput) as error:
        read_tasks(skill, path)
    assert str(error.value).startswith(f"{path}:{line}:"), error.value
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("evals.json", '{"evals": [\n  {"id": 1,\n   "prompt": "p"}\n]}', 2, "needs at least one"),
        ("evals.json", '{"evals": [\n  {"id": 1,}]}', 2, "not JSON at line 2"),
        ("one/case.yaml", CASE.replace("type: llm", "type: baseline"), 10, "do not support the grader baseline"),
        ("one/case.yaml", CASE + "context:\n  scaffold_script: rm -rf ~\n", 13, "a trial has no scaffold"),
        ("one/case.yaml", CASE.partition("graders:")[0], 1, "needs at least one"),
        (
            "one/case.yaml",
            CASE.replace("type: regex", "type: regex, match: 'count:x'"),
            7,
            "`match` 'count:x' does not",
        ),
    ],
)
def test_read_tasks_reports_errors_in_other_formats(skill, name, text, line, message):
    path = write_file(skill, text, name)
    with pytest.raises(BadInput) as error:
        read_tasks(skill, path)
    assert str(error.value).startswith(f"{path}:{line}:"), error.value
    assert message in str(error.value)


def test_read_tasks_refuses_unpaired_surrogates(skill):
    path = write_file(skill, json.dumps({"tasks": [{"prompt": "\ud800", "checks": [{"text": "x"}]}]}), "tasks.json")
    with pytest.raises(BadInput, match=r"tasks\.json: the text contains a NUL or an unpaired surrogate; remove it"):
        read_tasks(skill, path)


@pytest.mark.parametrize(
    "path",
    [
        ".claude/settings.json",
        ".Claude/settings.local.json",
        "a/.claude/hooks/x.sh",
        ".mcp.json",
        "a/.MCP.json",
        "HEAD",
    ],
)
def test_read_tasks_refuses_files_that_claude_code_obeys(skill, path):
    with pytest.raises(BadInput, match="can start commands in a run; write it in `setup`, which needs consent"):
        read_tasks(skill, write_task(skill, project={path: "{}"}))


@pytest.mark.parametrize("name", ["one/.mcp.json", "one/HEAD"])
def test_read_tasks_copies_no_file_that_claude_code_obeys(skill, name):
    (skill / "evals" / "one").mkdir()
    (skill / "evals" / name).write_text("{}")
    with pytest.raises(BadInput, match="can start commands"):
        read_tasks(skill, write_task(skill, files=[name]))
    evals = {"evals": [{"prompt": "p", "expected_output": "x", "files": [f"evals/{name}"]}]}
    with pytest.raises(BadInput, match="can start commands"):
        read_tasks(skill, write_file(skill, json.dumps(evals), "evals.json"))


def test_read_tasks_keeps_texts_of_a_project(skill):
    project = {"CLAUDE.md": "Be brief.", "src/head/a.py": "", "src/head.py": ""}
    assert [name for name, _ in read_tasks(skill, write_task(skill, project=project))[0].files] == [*project]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"project": {"a": "", "A/b": ""}}, "'a' is both a file and a folder; rename one"),
        ({"project": {"n" * 300: ""}}, "is too long for a file name; shorten it"),
        ({"project": {"n/" * 600 + "n": ""}}, "is too long for a file name; shorten it"),
        ({"project": {"\ud800": ""}}, "a NUL or an unpaired surrogate"),
        ({"stubs": [{"name": "gh", "state": {"\ud800": 1}}]}, "a NUL or an unpaired surrogate"),
        ({"stubs": [{"name": "gh", "state": {"a": [{"b\0": 1}]}}]}, "a NUL or an unpaired surrogate"),
        ({"stubs": [{"name": "git", "state": {"remotes": ["x"]}}]}, "`remotes` is not a mapping"),
        *(
            ({"stubs": [{"name": "git", "state": {"remotes": {"origin": address}}}]}, "is not the URL")
            for address in ("https://github.com//home/u/.aws", "git@github.com:../x", "https://github.com/", "/x", 7)
        ),
    ],
)
def test_read_tasks_refuses_what_cannot_be_set_up(skill, fields, message):
    path = write_task(skill, **fields)
    with pytest.raises(BadInput, match=message) as error:
        read_tasks(skill, path)
    assert str(error.value).startswith(path)
    assert "\n" not in str(error.value)


def test_read_tasks_limits_the_time_to_compile_patterns(skill, monkeypatch):
    monkeypatch.setattr("orchestrator.tuning.trial.tasks.SECONDS", 0.05)
    slow_pattern = "(?i)" + "[\\0-\\U0010ffff]" * 60
    path = write_file(
        skill, json.dumps({"tasks": [{"prompt": "p", "checks": [{"regex": f"{slow_pattern}{n}"} for n in range(99)]}]})
    )
    with pytest.raises(BadInput, match="use fewer and shorter patterns"):
        read_tasks(skill, path)


def test_read_tasks_follows_no_link_out_of_the_folder(skill):
    (skill / "evals" / "key").symlink_to("/etc/hostname")
    with pytest.raises(BadInput, match="is outside the folder"):
        read_tasks(skill, write_file(skill, "tasks:\n  - prompt: p\n    files: [key]\n    checks: [{text: x}]\n"))


def test_read_tasks_suggests_a_draft_if_there_are_none(tmp_path):
    with pytest.raises(BadInput, match=f"`tune-skill trial '{tmp_path}/a b' --against main --draft-tasks 5`"):
        read_tasks(tmp_path / "a b", None, "main")
