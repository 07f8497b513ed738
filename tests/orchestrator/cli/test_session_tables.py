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
from tests.examples import messages
from tests.judges import ScriptedJudge

SKILL = "---\nname: berth\ndescription: Moors boats. Use when a boat comes in.\n---\n\n```bash\nberth list --json\n```\n\n```bash\nberth moor <BOAT>\n```\n"
COMMAND = "# Depart\n\nNever run `berth drop`.\n\n```bash\nberth depart --now\n```\n"
FAILS = bash("berth moor 3", '{"success": false, "error": "password=hunter2000 <script>`|"}')


def loaded(text):
    return {"type": "user", "isMeta": True, "message": {"role": "user", "content": [{"type": "text", "text": text}]}}


BODY = SKILL.partition("---\n\n")[2]
SKILL_LOADED = loaded(f"Base directory for this skill: /x/berth\n\n{BODY}")
COMMAND_CALLED = user("<command-message>x</command-message>\n<command-name>/harbour:depart</command-name>")


@pytest.fixture
def harbour(tmp_path, monkeypatch):
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
    used = [SKILL_LOADED, *messages(bash("berth list --json", "[]"), FAILS, agent("Moored."), prefix="a")]
    departed = [COMMAND_CALLED, loaded(COMMAND), *messages(bash("berth drop 3", "ok"), agent("Gone."), prefix="b")]
    for n, records in enumerate((used, departed, messages(user("Hello"), agent("Hi"))), 1):
        lines = [json.dumps({"cwd": str(root), "version": "2.1.9", **record}) for record in records]
        (folder / f"session-of-the-harbour-{n}.jsonl").write_text("\n".join(lines))
        os.utime(folder / f"session-of-the-harbour-{n}.jsonl", (n * 1e6, n * 1e6))
    return root


def run(*arguments):
    return CliRunner().invoke(sessions, arguments, standalone_mode=False)


def test_sessions_finds_the_sessions_of_the_project_by_itself(harbour):
    value = json.loads(run(".", "--format", "json").stdout)
    schemas.check("sessions", value)
    berth, depart = sorted(value["units"], key=lambda unit: unit["kind"], reverse=True)
    moor = berth["rows"][1]
    assert (moor["line"], moor["counts"]) == (11, {"reached": 1, "ran": 1, "failed": 1})
    assert moor["versions"] == {"2.1.9": {"reached": 1, "ran": 1, "failed": 1}}
    assert (moor["first"]["session"], moor["first"]["record"]) == ("session-of-the-harbour-1", 5)
    assert [(row["line"], row["is_forbidden"], row["counts"]["ran"]) for row in depart["rows"]] == [(3, True, 1)]


@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_sessions_shows_hostile_words_harmlessly(harbour, format):
    shown = run(".claude/skills/berth", "--format", format).stdout
    assert "hunter2000" not in shown
    assert format != "markdown" or "| success: false" not in shown
    assert "session-of-the-harbour-1" in shown


@pytest.mark.parametrize("command", [sessions, diagnose])
@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_sessions_print_no_control_characters_of_a_record(harbour, tmp_path, command, format):
    evil = "\x1b]0;x\x07\x9b31m\u202e"
    (path,) = (tmp_path / "claude").rglob("session-of-the-harbour-1.jsonl")
    fields = {"cwd": str(harbour), "version": f"2.1{evil}", "timestamp": f"{evil}2026-01-01", "gitBranch": evil}
    used = [SKILL_LOADED, *messages(bash(f"berth moor {evil}", f"Error: {evil}"), agent(evil), prefix=evil)]
    path.write_text("\n".join(json.dumps({**record, **fields}) for record in used))
    chosen = {"text": "full"}.get(format, format) if command is diagnose else format
    given = ["--sessions", str(path)] if command is diagnose else []
    result = CliRunner().invoke(command, [".claude/skills/berth", "--format", chosen, *given], standalone_mode=False)
    assert "berth" in result.stdout
    assert not set(evil[:1] + "\x07\x9b\u202e") & set(result.output)


def test_sessions_of_a_command_are_found(harbour):
    shown = run(".claude/commands/harbour/depart.md").stdout
    assert "never run: berth drop" in shown
    assert "session-of-the-harbour-2 record 3 | berth drop 3" in shown


@pytest.mark.parametrize("format", ["text", "markdown", "html", "json"])
def test_sessions_begin_with_the_faults_of_the_text(harbour, format):
    out = run(".", "--format", format).stdout
    assert "failed in 1 of 1 run" in out
    assert "SES-001" in out
    (berth,) = [unit for unit in json.loads(run(".", "--format", "json").stdout)["units"] if unit["unit"] == "berth"]
    assert [(one["pattern"], one["line"], one["severity"]) for one in berth["faults"]] == [("SES-001", 11, "medium")]


def test_sessions_say_where_a_line_was_that_is_gone(harbour):
    skill = harbour / ".claude/skills/berth/SKILL.md"
    skill.write_text(SKILL.replace("berth moor <BOAT>", "berth tie <BOAT>"))
    assert "(gone, was line 6)" in run(str(skill.parent)).stdout
    assert "gone, was 6" in run(str(skill.parent), "--format", "markdown").stdout


def test_sessions_since_leaves_out_older_ones(harbour):
    assert run(".", "--since", "1.5e6").stdout.count("depart") > 0
    assert "berth moor" not in run(".", "--since", "1.5e6").stdout


def test_sessions_reads_the_given_files(harbour, tmp_path):
    path = tmp_path / "claude" / "projects" / "-harbour" / "session-of-the-harbour-3.jsonl"
    result = run(".", "--sessions", str(path))
    assert result.stdout == ""
    assert "no recorded session loaded a skill" in result.stderr


def test_sessions_leaves_out_a_dead_link_in_a_given_folder(harbour, tmp_path):
    folder = tmp_path / "claude" / "projects" / "-harbour"
    (folder / "gone.jsonl").symlink_to("nowhere")
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    assert "berth" in run(".", "--sessions", str(folder)).stdout


def test_sessions_refuses_a_target_that_is_no_unit(harbour):
    assert isinstance(run("nowhere").exception, BadInput)


def test_fault_of_the_text_is_a_finding_that_counts(harbour, tmp_path):
    folder = str(tmp_path / "claude" / "projects" / "-harbour")
    result = scan(diagnose, ".claude/commands/harbour/depart.md", "--sessions", folder, "--format", "json")
    (issue,) = json.loads(result.stdout)["issues"]
    assert (issue["pattern"], issue["location"]["line_start"], issue["sessions"]) == ("SES-004", 3, 1)
    assert issue["evidence"][1] == "session-of-the-harbour-2 record 3 | berth drop 3"
    assert json.loads(result.stdout)["quality_score"] == 95


def test_fault_of_the_text_is_suppressed_by_a_comment(harbour, tmp_path):
    file = harbour / ".claude" / "commands" / "harbour" / "depart.md"
    file.write_text(
        COMMAND.replace("Never run `berth drop`.", "Never run `berth drop`. <!-- tune-skill: ignore SES-004 -->")
    )
    folder = str(tmp_path / "claude" / "projects" / "-harbour")
    value = json.loads(scan(diagnose, str(file), "--sessions", folder, "--format", "json").stdout)
    assert [issue["pattern"] for issue in value["suppressed"]] == ["SES-004"]
    assert value["issues"] == []


def scan(command, *arguments):
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def test_session_of_50_megabytes_is_read_within_bounds(harbour, tmp_path):
    path = tmp_path / "long.jsonl"
    noise = json.dumps({"type": "user", "message": {"role": "user", "content": "x" * 500_000}}) + "\n"
    used = [SKILL_LOADED, *messages(bash("berth list --json", "[]"), FAILS, agent("Moored."), prefix="long")]
    path.write_text(noise * 50 + "\n".join(map(json.dumps, used)) + "\n" + noise * 50 + '{"type": "user", "mess')
    value = json.loads(run(".claude/skills/berth", "--sessions", str(path), "--format", "json").stdout)
    assert [row["counts"]["failed"] for row in value["units"][0]["rows"]] == [0, 1]
    assert len(json.dumps(value)) < 20_000


class Tags(HTMLParser):
    """A parser that collects the tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = Counter(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1

    def handle_data(self, data):
        self.text += data


@pytest.mark.usefixtures("harbour")
def test_sessions_page_pictures_each_run_and_escapes_words():
    page = Tags(run(".", "--format", "html").stdout)
    assert page.tags["svg"] == 2
    assert page.tags["script"] == 0
    assert "berth moor <BOAT>" in page.text
    assert "<script>" in page.text, "the words of the failure, as text"
    assert "hunter2000" not in page.text
    assert "1 failed or forbidden" in page.text


@pytest.mark.usefixtures("harbour")
def test_sessions_page_without_sessions_says_so():
    assert (
        "No recorded session used this text." in Tags(run(".", "--since", "2100-01-01", "--format", "html").stdout).text
    )


AGENT = "---\nname: pilot\ndescription: Steers boats. Use when a boat moves.\n---\n\n## Steps\n\n1. Sound:\n\n   ```bash\n   berth sound --deep\n   ```\n2. Look at the chart.\n3. Steer:\n\n   ```bash\n   berth steer <BOAT>\n   ```\n"


@pytest.fixture
def piloted(harbour, tmp_path):
    """Return the project `harbour` with an agent, and two sessions whose sub-agent omitted a step."""
    file = harbour / ".claude" / "agents" / "pilot.md"
    file.parent.mkdir()
    file.write_text(AGENT)
    os.utime(file, (0, 0))
    folder = tmp_path / "claude" / "projects" / "-harbour"
    for n in (7, 8):
        start = messages(use("Task", f"Moored. agentId: a{n}b", subagent_type="pilot", prompt="Go."), prefix=f"t{n}")
        own = messages(bash(f"berth steer {n}", "Exit code 1\nno wind", error=True), prefix=f"s{n}")
        about = {"cwd": str(harbour), "version": "2.1.9", "timestamp": "2026-01-01T00:00:00Z", "sessionId": f"boat-{n}"}
        write(folder / f"boat-{n}.jsonl", [{**about, **record} for record in start])
        write(folder / f"boat-{n}" / "subagents" / f"agent-a{n}b.jsonl", [{**about, **record} for record in own])
    return harbour


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, records)))


def pilot(*arguments):
    value = json.loads(run(".", "--format", "json", *arguments).stdout)
    schemas.check("sessions", value)
    return [unit for unit in value["units"] if unit["kind"] == "agent"], value["notes"]


def test_sessions_of_an_agent_are_those_of_its_sub_agents(piloted):
    ((table,), _) = pilot()
    assert (table["unit"], table["uses"]) == ("pilot", 2)
    assert {row["line"]: row["counts"] for row in table["rows"]} == {
        11: {"reached": 2, "ran": 0, "failed": 0},
        17: {"reached": 2, "ran": 2, "failed": 2},
    }
    assert {(fault["pattern"], fault["line"]) for fault in table["faults"]} == {("SES-001", 17), ("SES-002", 11)}


def test_text_of_an_agent_is_the_one_that_a_hook_recorded(piloted):
    file = piloted / ".claude" / "agents" / "pilot.md"
    record_agent_texts("boat-7", piloted)
    file.write_text(AGENT.replace("1. Sound", "1. Measure").replace("sound --deep", "measure --deep"))
    ((table,), notes) = pilot()
    assert (table["uses"], [row["line"] for row in table["rows"]]) == (1, [17, None])
    assert any("pilot: its text in 1 session is unknown" in note for note in notes)


def test_diagnose_of_an_agent_uses_its_sessions(piloted, tmp_path):
    folder = str(tmp_path / "claude" / "projects" / "-harbour")
    value = json.loads(scan(diagnose, ".claude/agents/pilot.md", "--sessions", folder, "--format", "json").stdout)
    found = {issue["pattern"]: issue["location"]["line_start"] for issue in value["issues"] if issue["sessions"]}
    assert found == {"SES-001": 17, "SES-002": 11}


def test_run_of_an_agent_finds_its_sessions(piloted, tmp_path):
    work = tmp_path / "work"
    scan(tune, ".claude/agents/pilot.md", "--work-dir", str(work), "--format", "json", "--apply", "none")
    (state,) = work.glob("**/state.json")
    assert {"SES-001", "SES-002"} <= {issue["pattern"] for issue in json.loads(state.read_text())["issues"]}


def test_model_reads_the_records_of_a_sub_agent(piloted):
    seen = {"kind": "late", "line": 13, "words": "3. Steer:", "record": 1, "quote": "berth steer",
            "what": "It steered first.", "severity": "low"}  # fmt: skip
    check = {"checks": [{"number": 1, "reason": "Looked up.", "verdict": "stands"}]}

    def answer(question):
        return check if ", check" in question.name else {"orders": [], "observations": [seen], "verdicts": []}

    judge = ScriptedJudge({"run": answer})
    found = find_targets((str(piloted / ".claude/agents/pilot.md"),))
    (table,) = build_tables(found.skills, found.units, access=JudgeAccess(judge)).tables
    assert "[1] Bash: command='berth steer" in judge.asked[0].prompt
    read = [event for timeline in table.timelines for event in timeline.events if event.is_read]
    assert [(event.kind, event.record, event.agent) for event in read] == [("late", 1, "a7b"), ("late", 1, "a8b")]
