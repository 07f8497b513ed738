"""Test that a model that sees a finding, but not its fix, drafts tests for the finding."""

import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from actions.skill.paths import MAIN
from orchestrator.cli import main
from orchestrator.errors import BadInput
from orchestrator.model import client
from orchestrator.model.query import Query, QueryResult
from orchestrator.tuning.trial import drafter
from orchestrator.tuning.trial.drafter import TASKS, open_drafter
from orchestrator.tuning.trial.drafting import DraftedTasks, draft_all
from orchestrator.tuning.trial.fixed_findings import find_fixed_issues
from orchestrator.tuning.trial.fixture_drafting import TestedFinding, find_obstacle, name_tasks, read_answer
from orchestrator.tuning.trial.tasks import read_tasks
from orchestrator.tuning.trial.versions import Version, read_version
from tests.orchestrator.tuning.trial.conftest import BAD_BODY, FRONTMATTER, GOOD_BODY, greet_as_skill_says
from tests.scripted_api import Reply, join_user_text, list_tool_names, tool_call

REPLY_RULES = [{"when": "", "say": "Yes."}]
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
    "trusting": REPLY_RULES,
    "suspicious": REPLY_RULES,
    "claim": "greeted",
    "checks": CHECKS,
}
KINDS = ("ordinary", "biting", "borderline", "borderline")
ANSWER = {"refused": "", "fixtures": [{"kind": kind, **FIXTURE} for kind in KINDS]}
TASK = {"prompt": "Greet the mayor.", "checks": [{"kind": "text", "about": "please", "file": ""}]}
ROOT = Path(__file__).parents[4]
FINDING = TestedFinding(MAIN, "SKILL.md:9: guide.md is missing", "the text", "the harm")


@pytest.fixture
def project_with_fixed_link(project):
    """Return the project; the old skill links to a missing file, the current one does not."""
    (project / "old" / MAIN).write_text(FRONTMATTER + BAD_BODY + "\nRead [the guide](guide.md) first.\n")
    return project


def test_answer_becomes_tasks_that_can_be_read(tmp_path):
    draft = read_answer(FINDING, ANSWER)
    file = tmp_path / "tasks.yaml"
    file.write_text(DraftedTasks(tuple(name_tasks([draft]))).format())
    tasks = read_tasks(tmp_path, str(file))
    assert [task.name for task in tasks][:4] == [
        "ordinary-1-trusting", "ordinary-1-suspicious", "biting-1-trusting", "biting-1-suspicious",
    ]  # fmt: skip
    biting_task = tasks[2]
    assert (biting_task.fixture.finding, biting_task.fixture.kind, biting_task.network) == (
        FINDING.name,
        "biting",
        False,
    )
    assert biting_task.files == (("names/list.txt", b"a\nb\n"),)
    assert [dict(check.options) for check in biting_task.checks[:2]] == [
        {"absent": True, "in": "stub:gh", "shows": "lost"},
        {"exists": False, "shows": "done"},
    ]
    assert "setup: git init -q\ntrue" in biting_task.commands
    assert any(command.startswith("stub deploy:") for command in biting_task.commands)


def test_draft_without_a_borderline_pair_is_refused():
    answer_without_pair = {**ANSWER, "fixtures": ANSWER["fixtures"][:3]}
    assert read_answer(FINDING, answer_without_pair).refused == "the draft has too few fixtures: it needs 2 borderline"
    assert read_answer(FINDING, {"refused": "It needs a cluster.", "fixtures": []}).refused == "It needs a cluster."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Call mcp__jira__search first.", "the skill needs the MCP server jira, for which there is no stub"),
        ("Use TeamCreate with two agents.", "the skill needs a team of agents (TeamCreate), but runs have none"),
        ("Call the jira command.", ""),
    ],
)
def test_skill_that_needs_more_than_a_run_has_is_refused(text, reason):
    assert find_obstacle(Version("old", ((MAIN, text.encode(), False),))) == reason


def test_fixed_finding_is_drafted_without_its_fix(project_with_fixed_link, api, run_trial_command):
    prompts = []

    def answer(request):
        if "StructuredOutput" not in list_tool_names(request):
            return greet_as_skill_says(request)
        prompts.append(join_user_text(request))
        return tool_call("StructuredOutput", **ANSWER)

    api.script = answer
    code, _, err = run_trial_command("greeter", "--against", "old", "--draft-tasks", "4")
    assert code == 3, err
    (file,) = project_with_fixed_link.glob(".workflow/skill-trials/*/tasks.yaml")
    kinds = [task["fixture"]["kind"] for task in yaml.safe_load(file.read_text())["tasks"]]
    assert kinds == list(KINDS)
    (prompt,) = prompts
    assert "guide.md" in prompt
    assert "PLEASE" not in prompt  # The current text, which contains the fix, is not sent.
    assert "Its harm" in prompt


def test_refused_finding_is_named_and_nothing_else_is_drafted(project_with_fixed_link, api, run_trial_command):
    api.script = lambda request: tool_call("StructuredOutput", refused="It needs a cluster.", fixtures=[])
    code, _, err = run_trial_command("greeter", "--against", "old", "--draft-tasks", "4")
    assert code == 2
    assert "It needs a cluster." in err
    assert not [*project_with_fixed_link.glob(".workflow/skill-trials/*/tasks.yaml")]


def test_only_what_the_current_version_lacks_counts_as_fixed(project_with_fixed_link):
    old, new = (read_version(Path(name), name) for name in ("old", "greeter"))
    (issue,) = find_fixed_issues("greeter", old, new)
    assert issue.pattern == "SPEC-005"
    assert find_fixed_issues("greeter", new, new) == []
    assert TestedFinding.from_issue(issue).name.startswith("SKILL.md:9: ")


def test_trial_before_tests_the_fixes_of_the_newest_run(project, api, run_trial_command, capsys):
    """With `--against before`, the kept fixes of the newest run are tested; the drafter sees the skill before them."""
    skill, prompts = project / "greeter", []
    (skill / "references").mkdir()
    (skill / "references" / "greeting-rules.md").write_text("# Rules\n\nSay the name of the guest.\n")
    (skill / MAIN).write_text(FRONTMATTER + GOOD_BODY + "\nSee [the guide](references/greeting_rules.md).\n")
    with pytest.raises(SystemExit):
        main(["run", "greeter", "--apply", "all", "--yes", "--judge", "none", "--no-sessions", "--quiet"])
    assert "greeting-rules.md" in (skill / MAIN).read_text()
    capsys.readouterr()

    def answer(request):
        prompts.append(join_user_text(request))
        return tool_call("StructuredOutput", **ANSWER)

    api.script = answer
    code, _, err = run_trial_command("greeter", "--against", "before", "--draft-tasks", "4")
    assert code == 3, err
    assert "references/greeting_rules.md" in prompts[0].partition("## The skill")[2]
    (file,) = project.glob(".workflow/skill-trials/*/tasks.yaml")
    findings = {task["fixture"]["finding"] for task in yaml.safe_load(file.read_text())["tasks"]}
    assert len(findings) == 1
    assert "greeting_rules.md" in findings.pop()


@pytest.fixture
def draft_findings(project, monkeypatch):
    """Return a function that drafts with a cost limit, and the list of answers to give (results or exceptions)."""
    answers = []

    async def answer(query, **place):
        if not isinstance(next_answer := answers.pop(0), QueryResult):
            raise next_answer
        return next_answer

    monkeypatch.setattr(client, "send_query", answer)

    def draft(limit, count=20):
        old = read_version(project / "old", "before")
        issues = find_fixed_issues("greeter", old, read_version(project / "greeter", "today"))
        with open_drafter(project / "greeter", datetime(2026, 11, 28, tzinfo=UTC), limit, print) as open_draft:
            drafted_tasks = draft_all(open_draft, project / "greeter", old, issues[:1], count, "")
            open_draft.save(drafted_tasks.format(), TASKS)
            return drafted_tasks, open_draft.usd

    return draft, answers


def test_limit_below_a_draft_is_refused(project_with_fixed_link, draft_findings):
    with pytest.raises(BadInput, match=r"drafting may cost .* above the limit of 0.01"):
        draft_findings[0](0.01)


@pytest.mark.parametrize(
    "later_result", [QueryResult(None, "the model answered nothing", usd=0.1), KeyboardInterrupt()]
)
def test_paid_drafts_are_kept_if_a_later_question_fails(project_with_fixed_link, draft_findings, later_result):
    draft, answers = draft_findings
    answers += [QueryResult(ANSWER, usd=0.2), later_result]
    drafted_tasks, usd = draft(9.0)
    assert len(drafted_tasks.tasks) == 4
    assert usd >= 0.2
    assert "not all tasks were drafted" in drafted_tasks.notes[-1]


def test_answer_before_a_failure_is_paid_once(project_with_fixed_link, draft_findings):
    """The command is killed between two answers."""
    draft, answers = draft_findings
    answers += [QueryResult(ANSWER, usd=0.2), SystemExit(9)]
    with pytest.raises(SystemExit):
        draft(9.0)
    answers += [QueryResult({"tasks": [TASK]}, usd=0.1)]
    drafted_tasks, usd = draft(9.0)
    assert (len(drafted_tasks.tasks), answers) == (5, [])
    assert usd > 0.3, "the question whose answer was lost is counted"
    answers += [QueryResult(ANSWER, usd=0.2), QueryResult({"tasks": [TASK]}, usd=0.1)]
    assert draft(9.0)[1] == pytest.approx(0.3), "a drafting that has ended is not continued"


def test_answers_that_cannot_be_used_are_kept(project_with_fixed_link, draft_findings):
    draft, answers = draft_findings
    answers += [QueryResult({**ANSWER, "fixtures": ANSWER["fixtures"][:3]}, usd=0.2)]
    with pytest.raises(BadInput, match=r"\(paid: 0.20 USD; the answer is in .*unusable.json\): .*too few fixtures"):
        draft(9.0)
    (file,) = project_with_fixed_link.glob(".workflow/skill-trials/*/unusable.json")
    assert json.loads(file.read_text())[0]["fixtures"][0]["prompt"] == "Greet eight."
    answers += [QueryResult(ANSWER, usd=0.2)]
    assert len(draft(9.0, count=4)[0].tasks) == 4


def test_interrupted_drafting_ends_like_other_commands(project_with_fixed_link, api, monkeypatch, run_trial_command):
    """The drafts so far are printed and saved, and the user is not asked about them."""
    answers = [QueryResult(ANSWER, usd=0.2), KeyboardInterrupt()]

    def send(query, folder):
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr(drafter, "send_supervised", send)
    code, _, err = run_trial_command("greeter", "--against", "old", "--draft-tasks", "5")
    assert code == 130, err
    assert "interrupted; the tasks that were drafted are saved" in err
    (file,) = project_with_fixed_link.glob(".workflow/skill-trials/*/tasks.yaml")
    assert len(yaml.safe_load(file.read_text())["tasks"]) == 4


def test_signal_before_a_question_charges_nothing(project_with_fixed_link, monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(drafter, "deliver_delayed", interrupt)
    skill, now = Path("greeter").absolute(), datetime(2026, 11, 28, tzinfo=UTC)
    with open_drafter(skill, now, 9.0, print) as first, pytest.raises(KeyboardInterrupt):
        first.ask(Query("Draft.", {}, "", 1.0, 1.0, 100))
    with open_drafter(skill, now, 9.0, print) as second:
        assert second.usd == 0.0


def test_drafts_that_came_with_a_clone_are_not_used(project_with_fixed_link, draft_findings):
    draft, answers = draft_findings
    answers += [QueryResult(ANSWER, usd=0.2), SystemExit(9)]
    with pytest.raises(SystemExit):
        draft(9.0)
    (folder,) = project_with_fixed_link.glob(".workflow/skill-trials/*/")
    folder.rename(folder.with_name("20261128-000001-greeter"))
    answers += [QueryResult(ANSWER, usd=0.2)]
    assert draft(9.0, count=4)[1] == 0.2


@pytest.mark.slow
def test_kill_between_two_answers_loses_none(project_with_fixed_link, api):
    """Kill the command while it waits for the second answer; the same command then continues."""
    requests = []

    def answer(request):
        requests.append("tasks" if "Draft 1 tasks" in join_user_text(request) else "fixtures")
        if requests[-1] == "fixtures":
            return tool_call("StructuredOutput", **ANSWER)
        return Reply((tool_call("StructuredOutput", tasks=[TASK]),), delay=60.0 if len(requests) == 2 else 0.0)

    api.script = answer
    command = [
        sys.executable,
        str(ROOT / "tune_skill.py"),
        "trial",
        "greeter",
        "--against",
        "old",
        "--draft-tasks",
        "5",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while len(requests) < 2 and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 3, result.stderr
    assert requests == ["fixtures", "tasks", "tasks"]
    (file,) = project_with_fixed_link.glob(".workflow/skill-trials/*/tasks.yaml")
    assert len(yaml.safe_load(file.read_text())["tasks"]) == 5
