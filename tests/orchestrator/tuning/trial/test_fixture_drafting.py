"""Test that a fixed finding is drafted as tests by a model that sees the finding and not the fix."""

from pathlib import Path

import pytest
import yaml

from actions.skill.paths import MAIN
from orchestrator.cli import main
from orchestrator.errors import BadInput
from orchestrator.model import client
from orchestrator.model.query import QueryResult
from orchestrator.tuning.trial import fixture_drafting
from orchestrator.tuning.trial.drafting import DraftedTasks, draft_all
from orchestrator.tuning.trial.fixed_findings import find_fixed_issues
from orchestrator.tuning.trial.fixture_drafting import TestedFinding, find_obstacle, name_tasks, read_answer
from orchestrator.tuning.trial.tasks import read_tasks
from orchestrator.tuning.trial.versions import Version, read_version
from tests.orchestrator.tuning.trial.conftest import BAD, GOOD, HEAD, greeter
from tests.scripted_api import said, tool, tools_of

RULES = [{"when": "", "say": "Yes."}]
CHECKS = [
    {"kind": "no_text", "about": "TODO", "in": "stub:gh", "shows": "lost"},
    {"kind": "no_file", "about": "a.txt", "shows": "done"},
    {"kind": "command", "about": "git status", "shows": "done"},
    {"kind": "regex", "about": "^a", "in": "calls", "shows": "done"},
]
FIXTURE = {
    "about": "eight",
    "prompt": "Greet eight.",
    "project": [{"path": "names/list.txt", "text": "a\nb\n"}],
    "setup": "git init -q\ntrue",
    "stubs": [{"name": "gh", "state": {"pulls": []}}, {"name": "deploy", "script": "#!/bin/sh\nexit 1\n"}],
    "trusting": RULES,
    "suspicious": RULES,
    "claim": "greeted",
    "checks": CHECKS,
}
KINDS = ("ordinary", "biting", "borderline", "borderline")
ANSWER = {"refused": "", "fixtures": [{"kind": kind, **FIXTURE} for kind in KINDS]}
FINDING = TestedFinding(MAIN, "SKILL.md:9: guide.md is missing", "the text", "the harm")


@pytest.fixture
def fixed(project):
    """Return the project; the old skill links to a file that is missing, the current one does not."""
    (project / "old" / MAIN).write_text(HEAD + BAD + "\nRead [the guide](guide.md) first.\n")
    return project


def test_answer_becomes_tasks_that_can_be_read(tmp_path):
    draft = read_answer(FINDING, ANSWER, 0.1)
    file = tmp_path / "tasks.yaml"
    file.write_text(DraftedTasks(tuple(name_tasks([draft])), 0.1).format())
    tasks = read_tasks(tmp_path, str(file))
    assert [task.name for task in tasks][:4] == [
        "ordinary-1-trusting", "ordinary-1-suspicious", "biting-1-trusting", "biting-1-suspicious",
    ]  # fmt: skip
    biting = tasks[2]
    assert (biting.fixture.finding, biting.fixture.kind, biting.network) == (FINDING.name, "biting", False)
    assert biting.files == (("names/list.txt", b"a\nb\n"),)
    assert [dict(check.more) for check in biting.checks[:2]] == [
        {"absent": True, "in": "stub:gh", "shows": "lost"},
        {"exists": False, "shows": "done"},
    ]
    assert "setup: git init -q\ntrue" in biting.commands
    assert any(command.startswith("stub deploy:") for command in biting.commands)


def test_draft_without_a_borderline_pair_is_refused():
    few = {**ANSWER, "fixtures": ANSWER["fixtures"][:3]}
    assert read_answer(FINDING, few).refused == "the draft has too few fixtures: it needs 2 borderline"
    assert read_answer(FINDING, {"refused": "It needs a cluster.", "fixtures": []}).refused == "It needs a cluster."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Call mcp__jira__search first.", "the skill needs the MCP server jira, which no stub replaces"),
        ("Use TeamCreate with two agents.", "the skill needs a team of agents (TeamCreate), which a run does not have"),
        ("Call the jira command.", ""),
    ],
)
def test_skill_that_needs_more_than_a_run_has_is_refused(text, reason):
    assert find_obstacle(Version("old", ((MAIN, text.encode(), False),))) == reason


def test_fixed_finding_is_drafted_without_its_fix(fixed, api, trial):
    prompts = []

    def reader(request):
        if "StructuredOutput" not in tools_of(request):
            return greeter(request)
        prompts.append(said(request))
        return tool("StructuredOutput", **ANSWER)

    api.script = reader
    code, _, err = trial("greeter", "--against", "old", "--draft-tasks", "4")
    assert code == 3, err
    (file,) = fixed.glob(".workflow/skill-trials/*/tasks.yaml")
    kinds = [task["fixture"]["kind"] for task in yaml.safe_load(file.read_text())["tasks"]]
    assert kinds == list(KINDS)
    (prompt,) = prompts
    assert "guide.md" in prompt
    assert "PLEASE" not in prompt  # the current text, which has the fix
    assert "Its harm" in prompt


def test_refused_finding_is_named_and_nothing_else_is_drafted(fixed, api, trial):
    api.script = lambda request: tool("StructuredOutput", refused="It needs a cluster.", fixtures=[])
    code, _, err = trial("greeter", "--against", "old", "--draft-tasks", "4")
    assert code == 2
    assert "It needs a cluster." in err
    assert not [*fixed.glob(".workflow/skill-trials/*/tasks.yaml")]


def test_only_what_the_current_version_lacks_counts_as_fixed(fixed):
    old, new = (read_version(Path(name), name) for name in ("old", "greeter"))
    (issue,) = find_fixed_issues("greeter", old, new)
    assert issue.pattern == "SPEC-005"
    assert find_fixed_issues("greeter", new, new) == []
    assert TestedFinding.from_issue(issue).name.startswith("SKILL.md:9: ")


def test_fixes_of_the_newest_run_are_what_is_tested(project, api, trial, capsys):
    """With --against before: the kept fixes of the run, whose drafter sees the skill as it was."""
    skill, prompts = project / "greeter", []
    (skill / "references").mkdir()
    (skill / "references" / "greeting-rules.md").write_text("# Rules\n\nSay the name of the guest.\n")
    (skill / MAIN).write_text(HEAD + GOOD + "\nSee [the guide](references/greeting_rules.md).\n")
    with pytest.raises(SystemExit):
        main(["run", "greeter", "--apply", "all", "--yes", "--judge", "none", "--no-sessions", "--quiet"])
    assert "greeting-rules.md" in (skill / MAIN).read_text()
    capsys.readouterr()

    def reader(request):
        prompts.append(said(request))
        return tool("StructuredOutput", **ANSWER)

    api.script = reader
    code, _, err = trial("greeter", "--against", "before", "--draft-tasks", "4")
    assert code == 3, err
    assert "references/greeting_rules.md" in prompts[0].partition("## The skill")[2]
    (file,) = project.glob(".workflow/skill-trials/*/tasks.yaml")
    findings = {task["fixture"]["finding"] for task in yaml.safe_load(file.read_text())["tasks"]}
    assert len(findings) == 1
    assert "greeting_rules.md" in findings.pop()


def test_limit_below_a_draft_is_refused(fixed):
    version = read_version(Path("old"), "old")
    with pytest.raises(BadInput, match="drafting may cost"):
        fixture_drafting.draft_fixtures("greeter", version, FINDING, "", 0.01)


@pytest.mark.parametrize("end", [QueryResult(None, "the model answered nothing", usd=0.1), KeyboardInterrupt()])
def test_paid_drafts_are_kept_if_a_later_question_fails(fixed, monkeypatch, end):
    answers = [QueryResult(ANSWER, usd=0.2), end]

    async def answer(query):
        if isinstance(found := answers.pop(0), KeyboardInterrupt):
            raise found
        return found

    monkeypatch.setattr(client, "send_query", answer)
    old = read_version(fixed / "old", "before")
    issues = find_fixed_issues("greeter", old, read_version(fixed / "greeter", "today"))
    drafted = draft_all(fixed / "greeter", old, issues[:1], 20, "", 9.0)
    assert (len(drafted.tasks), drafted.usd) == (4, 0.2)
    assert "not all tasks were drafted" in drafted.notes[-1]
    with pytest.raises(BadInput, match="above the limit"):
        draft_all(fixed / "greeter", old, issues[:1], 20, "", 0.0)
