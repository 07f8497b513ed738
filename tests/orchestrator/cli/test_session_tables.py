"""Test `tune-skill sessions`: what sessions did at each line of a skill, a command or a project memory."""

import json
import os
from collections import Counter
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner

import schemas
from actions.session.example import agent, bash, use, user
from orchestrator.cli.diagnose import diagnose
from orchestrator.cli.run import run as tune
from orchestrator.cli.sessions import sessions
from orchestrator.engine.session_tables import build_tables
from orchestrator.errors import BadInput
from orchestrator.guard.sessions.agent_texts import record_agent_texts
from orchestrator.model import JudgeAccess
from orchestrator.project.targets import find_targets
from tests.examples import make_messages
from tests.judges import ScriptedJudge

SKILL = "---\nname: berth\ndescription: Moors boats. Use when a boat comes in.\n---\n\n```bash\nberth list --json\n```\n\n```bash\nberth moor <BOAT>\n```\n"
COMMAND = "# Depart\n\nNever run `berth drop`.\n\n```bash\nberth depart --now\n```\n"
FAILED_CALL = bash("berth moor 3", '{"success": false, "error": "password=hunter2000 <script>`|"}')


def make_load_record(text):
    return {"type": "user", "isMeta": True, "message": {"role": "user", "content": [{"type": "text", "text": text}]}}


BODY = SKILL.partition("---\n\n")[2]
SKILL_LOADED = make_load_record(f"Base directory for this skill: /x/berth\n\n{BODY}")
COMMAND_CALLED = user("<command-message>x</command-message>\n<command-name>/harbour:depart</command-name>")


@pytest.fixture
def project_with_sessions(tmp_path, monkeypatch):
    """Return a project with a skill and a command; Claude Code's folder contains three of its sessions."""
    root = tmp_path / "harbour"
    (root / ".git").mkdir(parents=True)
    for path, text in {".claude/skills/berth/SKILL.md": SKILL, ".claude/commands/harbour/depart.md": COMMAND}.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text)
    monkeypatch.chdir(root)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    folder = tmp_path / "claude" / "projects" / "-harbour"
    folder.mkdir(parents=True)
    records_of_use = [
        SKILL_LOADED,
        *make_messages(bash("berth list --json", "[]"), FAILED_CALL, agent("Moored."), prefix="a"),
    ]
    records_of_command = [
        COMMAND_CALLED,
        make_load_record(COMMAND),
        *make_messages(bash("berth drop 3", "ok"), agent("Gone."), prefix="b"),
    ]
    for n, records in enumerate((records_of_use, records_of_command, make_messages(user("Hello"), agent("Hi"))), 1):
        lines = [json.dumps({"cwd": str(root), "version": "2.1.9", **record}) for record in records]
        (folder / f"session-of-the-harbour-{n}.jsonl").write_text("\n".join(lines))
        os.utime(folder / f"session-of-the-harbour-{n}.jsonl", (n * 1e6, n * 1e6))
    return root


def run_sessions(*arguments):
    return CliRunner().invoke(sessions, arguments, standalone_mode=False)


def test_sessions_finds_the_sessions_of_the_project(project_with_sessions):
    value = json.loads(run_sessions(".", "--format", "json").stdout)
    schemas.check("sessions", value)
    berth, depart = sorted(value["units"], key=lambda unit: unit["kind"], reverse=True)
    moor = berth["rows"][1]
    assert (moor["line"], moor["counts"]) == (11, {"reached": 1, "ran": 1, "failed": 1})
    assert moor["versions"] == {"2.1.9": {"reached": 1, "ran": 1, "failed": 1}}
    assert (moor["first"]["session"], moor["first"]["record"]) == ("session-of-the-harbour-1", 5)
    assert [(row["line"], row["is_forbidden"], row["counts"]["ran"]) for row in depart["rows"]] == [(3, True, 1)]


@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_sessions_escapes_hostile_words(project_with_sessions, format):
    output = run_sessions(".claude/skills/berth", "--format", format).stdout
    assert "hunter2000" not in output
    assert format != "markdown" or "| success: false" not in output
    assert "session-of-the-harbour-1" in output


@pytest.mark.parametrize("command", [sessions, diagnose])
@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_sessions_print_no_control_characters_of_a_record(project_with_sessions, tmp_path, command, format):
    hostile_text = "\x1b]0;x\x07\x9b31m\u202e"
    (path,) = (tmp_path / "claude").rglob("session-of-the-harbour-1.jsonl")
    fields = {
        "cwd": str(project_with_sessions),
        "version": f"2.1{hostile_text}",
        "timestamp": f"{hostile_text}2026-01-01",
        "gitBranch": hostile_text,
    }
    records_of_use = [
        SKILL_LOADED,
        *make_messages(
            bash(f"berth moor {hostile_text}", f"Error: {hostile_text}"), agent(hostile_text), prefix=hostile_text
        ),
    ]
    path.write_text("\n".join(json.dumps({**record, **fields}) for record in records_of_use))
    output_format = {"text": "full"}.get(format, format) if command is diagnose else format
    arguments = ["--sessions", str(path)] if command is diagnose else []
    result = CliRunner().invoke(
        command, [".claude/skills/berth", "--format", output_format, *arguments], standalone_mode=False
    )
    assert "berth" in result.stdout
    assert not set(hostile_text[:1] + "\x07\x9b\u202e") & set(result.output)


def test_sessions_of_a_command_are_found(project_with_sessions):
    output = run_sessions(".claude/commands/harbour/depart.md").stdout
    assert "never run: berth drop" in output
    assert "session-of-the-harbour-2 record 3 | berth drop 3" in output


@pytest.mark.parametrize("format", ["text", "markdown", "html", "json"])
def test_sessions_begin_with_the_faults_of_the_text(project_with_sessions, format):
    out = run_sessions(".", "--format", format).stdout
    assert "failed in 1 of 1 run" in out
    assert "SES-001" in out
    (berth,) = [
        unit for unit in json.loads(run_sessions(".", "--format", "json").stdout)["units"] if unit["unit"] == "berth"
    ]
    assert [(fault["pattern"], fault["line"], fault["severity"]) for fault in berth["faults"]] == [
        ("SES-001", 11, "medium")
    ]


def test_sessions_say_where_a_deleted_line_was(project_with_sessions):
    skill = project_with_sessions / ".claude/skills/berth/SKILL.md"
    skill.write_text(SKILL.replace("berth moor <BOAT>", "berth tie <BOAT>"))
    assert "(gone, was line 6)" in run_sessions(str(skill.parent)).stdout
    assert "gone, was 6" in run_sessions(str(skill.parent), "--format", "markdown").stdout


def test_sessions_since_leaves_out_older_ones(project_with_sessions):
    assert run_sessions(".", "--since", "1.5e6").stdout.count("depart") > 0
    assert "berth moor" not in run_sessions(".", "--since", "1.5e6").stdout


def test_sessions_reads_the_given_files(project_with_sessions, tmp_path):
    path = tmp_path / "claude" / "projects" / "-harbour" / "session-of-the-harbour-3.jsonl"
    result = run_sessions(".", "--sessions", str(path))
    assert result.stdout == ""
    assert "no recorded session loaded a skill" in result.stderr


def test_sessions_skips_a_dead_link_in_a_given_folder(project_with_sessions, tmp_path):
    folder = tmp_path / "claude" / "projects" / "-harbour"
    (folder / "gone.jsonl").symlink_to("nowhere")
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    assert "berth" in run_sessions(".", "--sessions", str(folder)).stdout


def test_sessions_refuses_a_target_that_is_not_a_unit(project_with_sessions):
    assert isinstance(run_sessions("nowhere").exception, BadInput)


def test_fault_of_the_text_is_a_finding_that_counts(project_with_sessions, tmp_path):
    folder = str(tmp_path / "claude" / "projects" / "-harbour")
    result = run_command(diagnose, ".claude/commands/harbour/depart.md", "--sessions", folder, "--format", "json")
    (issue,) = json.loads(result.stdout)["issues"]
    assert (issue["pattern"], issue["location"]["line_start"], issue["sessions"]) == ("SES-004", 3, 1)
    assert issue["evidence"][1] == "session-of-the-harbour-2 record 3 | berth drop 3"
    assert json.loads(result.stdout)["quality_score"] == 95


def test_fault_of_the_text_is_suppressed_by_a_comment(project_with_sessions, tmp_path):
    file = project_with_sessions / ".claude" / "commands" / "harbour" / "depart.md"
    file.write_text(
        COMMAND.replace("Never run `berth drop`.", "Never run `berth drop`. <!-- tune-skill: ignore SES-004 -->")
    )
    folder = str(tmp_path / "claude" / "projects" / "-harbour")
    value = json.loads(run_command(diagnose, str(file), "--sessions", folder, "--format", "json").stdout)
    assert [issue["pattern"] for issue in value["suppressed"]] == ["SES-004"]
    assert value["issues"] == []


def run_command(command, *arguments):
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def test_session_of_50_megabytes_is_read_within_bounds(project_with_sessions, tmp_path):
    path = tmp_path / "long.jsonl"
    noise = json.dumps({"type": "user", "message": {"role": "user", "content": "x" * 500_000}}) + "\n"
    records_of_use = [
        SKILL_LOADED,
        *make_messages(bash("berth list --json", "[]"), FAILED_CALL, agent("Moored."), prefix="long"),
    ]
    path.write_text(
        noise * 50 + "\n".join(map(json.dumps, records_of_use)) + "\n" + noise * 50 + '{"type": "user", "mess'
    )
    value = json.loads(run_sessions(".claude/skills/berth", "--sessions", str(path), "--format", "json").stdout)
    assert [row["counts"]["failed"] for row in value["units"][0]["rows"]] == [0, 1]
    assert len(json.dumps(value)) < 20_000


class PageParser(HTMLParser):
    """A parser that collects the tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = Counter(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1

    def handle_data(self, data):
        self.text += data


@pytest.mark.usefixtures("project_with_sessions")
def test_sessions_page_pictures_each_run_and_escapes_words():
    page = PageParser(run_sessions(".", "--format", "html").stdout)
    assert page.tags["svg"] == 2
    assert page.tags["script"] == 0
    assert "berth moor <BOAT>" in page.text
    assert "<script>" in page.text, "the error message must be shown as text"
    assert "hunter2000" not in page.text
    assert "1 failed or forbidden" in page.text


@pytest.mark.usefixtures("project_with_sessions")
def test_sessions_page_without_sessions_says_so():
    assert (
        "No recorded session used this text."
        in PageParser(run_sessions(".", "--since", "2100-01-01", "--format", "html").stdout).text
    )


AGENT = "---\nname: pilot\ndescription: Steers boats. Use when a boat moves.\n---\n\n## Steps\n\n1. Sound:\n\n   ```bash\n   berth sound --deep\n   ```\n2. Look at the chart.\n3. Steer:\n\n   ```bash\n   berth steer <BOAT>\n   ```\n"


@pytest.fixture
def project_with_agent_sessions(project_with_sessions, tmp_path):
    """Return `project_with_sessions` with an agent, and two sessions whose sub-agent omitted a step."""
    file = project_with_sessions / ".claude" / "agents" / "pilot.md"
    file.parent.mkdir()
    file.write_text(AGENT)
    os.utime(file, (0, 0))
    folder = tmp_path / "claude" / "projects" / "-harbour"
    for n in (7, 8):
        main_records = make_messages(
            use("Task", f"Moored. agentId: a{n}b", subagent_type="pilot", prompt="Go."), prefix=f"t{n}"
        )
        sub_agent_records = make_messages(bash(f"berth steer {n}", "Exit code 1\nno wind", error=True), prefix=f"s{n}")
        common_fields = {
            "cwd": str(project_with_sessions),
            "version": "2.1.9",
            "timestamp": "2026-01-01T00:00:00Z",
            "sessionId": f"boat-{n}",
        }
        write_records(folder / f"boat-{n}.jsonl", [{**common_fields, **record} for record in main_records])
        write_records(
            folder / f"boat-{n}" / "subagents" / f"agent-a{n}b.jsonl",
            [{**common_fields, **record} for record in sub_agent_records],
        )
    return project_with_sessions


def write_records(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, records)))


def list_agent_units(*arguments):
    value = json.loads(run_sessions(".", "--format", "json", *arguments).stdout)
    schemas.check("sessions", value)
    return [unit for unit in value["units"] if unit["kind"] == "agent"], value["notes"]


def test_sessions_of_an_agent_are_those_of_its_sub_agents(project_with_agent_sessions):
    ((table,), _) = list_agent_units()
    assert (table["unit"], table["uses"]) == ("pilot", 2)
    assert {row["line"]: row["counts"] for row in table["rows"]} == {
        11: {"reached": 2, "ran": 0, "failed": 0},
        17: {"reached": 2, "ran": 2, "failed": 2},
    }
    assert {(fault["pattern"], fault["line"]) for fault in table["faults"]} == {("SES-001", 17), ("SES-002", 11)}


def test_text_of_an_agent_is_the_one_that_a_hook_recorded(project_with_agent_sessions):
    file = project_with_agent_sessions / ".claude" / "agents" / "pilot.md"
    record_agent_texts("boat-7", project_with_agent_sessions)
    file.write_text(AGENT.replace("1. Sound", "1. Measure").replace("sound --deep", "measure --deep"))
    ((table,), notes) = list_agent_units()
    assert (table["uses"], [row["line"] for row in table["rows"]]) == (1, [17, None])
    assert any("pilot: its text in 1 session is unknown" in note for note in notes)


def test_diagnose_of_an_agent_uses_its_sessions(project_with_agent_sessions, tmp_path):
    folder = str(tmp_path / "claude" / "projects" / "-harbour")
    value = json.loads(
        run_command(diagnose, ".claude/agents/pilot.md", "--sessions", folder, "--format", "json").stdout
    )
    lines_by_pattern = {
        issue["pattern"]: issue["location"]["line_start"] for issue in value["issues"] if issue["sessions"]
    }
    assert lines_by_pattern == {"SES-001": 17, "SES-002": 11}


def test_run_of_an_agent_finds_its_sessions(project_with_agent_sessions, tmp_path):
    work = tmp_path / "work"
    run_command(tune, ".claude/agents/pilot.md", "--work-dir", str(work), "--format", "json", "--apply", "none")
    (state,) = work.glob("**/state.json")
    assert {"SES-001", "SES-002"} <= {issue["pattern"] for issue in json.loads(state.read_text())["issues"]}


def test_model_reads_the_records_of_a_sub_agent(project_with_agent_sessions):
    observation = {"kind": "late", "line": 13, "words": "3. Steer:", "record": 1, "quote": "berth steer",
            "what": "It steered first.", "severity": "low"}  # fmt: skip
    check = {"checks": [{"number": 1, "reason": "Looked up.", "verdict": "stands"}]}

    def answer(question):
        return check if ", check" in question.name else {"orders": [], "observations": [observation], "verdicts": []}

    judge = ScriptedJudge({"run": answer})
    targets = find_targets((str(project_with_agent_sessions / ".claude/agents/pilot.md"),))
    (table,) = build_tables(targets.skills, targets.units, access=JudgeAccess(judge)).tables
    assert "[1] Bash: command='berth steer" in judge.questions[0].prompt
    read = [event for timeline in table.timelines for event in timeline.events if event.is_read]
    assert [(event.kind, event.record, event.agent) for event in read] == [("late", 1, "a7b"), ("late", 1, "a8b")]
