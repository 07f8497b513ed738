"""Real sessions of a skill with planted faults: each is found at its line of the text."""

import pytest

from tests.e2e.machine import Model, saying
from tests.scripted_api import Reply, tool

pytestmark = pytest.mark.slow

SKILL = """---
name: berth
description: Moors boats. Use when a boat comes in.
---

# Berth

Never run `touch lost.log`.

## Step 1: Learn

- Load the `tide-tables` skill
- Read `references/knots.md`

## Step 2: List

```bash
./berth list --json 2>/dev/null || true
```

## Step 3: Moor

```bash
./berth moor <BOAT>
```

Before a second boat, wait for approval of the harbour master.
"""
RULE = "Never run `touch lost.log`.\n"
SKILL_PATH = ".claude/skills/berth"
FREE = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Read,Agent,Skill,TodoWrite")
BERTH = '#!/bin/sh\n[ $1 = moor ] && { echo moored; exit 0; }\necho \'{"success": false, "error": "no list"}\'\n'
ASKS = "One boat is moored. I wait for approval of the harbour master for a second boat. Shall I go on?"


@pytest.fixture
def harbour(machine):
    folder = machine.project / ".claude" / "skills" / "berth"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "references" / "knots.md").write_text("A bowline.\n")
    (machine.project / "berth").write_text(BERTH)
    (machine.project / "berth").chmod(0o755)
    return machine


def turns(heard):
    yield tool("Skill", skill="berth", args="")
    yield tool("Bash", command="./berth list --json 2>/dev/null || true", description="list")
    yield tool("Bash", command="./berth moor 3", description="moor")
    yield ASKS


def logging(heard):
    yield tool("Bash", command="touch lost.log", description="log")
    yield "Noted."


def departing(heard):
    yield tool("Bash", command="./berth list --now", description="list")
    yield "Gone."


def test_planted_faults_of_real_sessions_are_found_at_their_lines(harbour):
    for _ in range(2):
        result, _ = harbour.claude("A boat comes in.", Model(turns), *FREE)
    found = harbour.tune_skill("diagnose", SKILL_PATH, "--sessions", str(recorded(harbour)), "--format", "json")
    lines = {(one["pattern"], one["location"]["line_start"]) for one in found.json["issues"]}
    assert {("SES-001", 18), ("SES-002", 12), ("SES-002", 13), ("SES-003", 27)} <= lines
    assert {line for pattern, line in lines if pattern.startswith("SES")} == {12, 13, 18, 27}

    said = saying("<summary>A boat was moored.</summary>", "<summary>A boat.</summary>")
    harbour.claude("/compact", said, "--resume", result["session_id"])
    harbour.claude("Go on.", Model(logging), "--resume", result["session_id"], *FREE)
    command = harbour.project / ".claude" / "commands" / "harbour" / "depart.md"
    command.parent.mkdir(parents=True)
    command.write_text("# Depart from $ARGUMENTS\n\n```bash\n./berth list --now\n```\n")
    harbour.claude("/harbour:depart 7", Model(departing), *FREE)

    units = {unit["unit"]: unit for unit in harbour.tune_skill("sessions", ".", "--format", "json").json["units"]}
    rows = {row["line"]: row["counts"] for row in units["berth"]["rows"]}
    assert rows[8] == {"reached": 2, "ran": 1, "failed": 0}
    assert rows[18] == {"reached": 2, "ran": 2, "failed": 2}
    kinds = [event["kind"] for event in units["berth"]["timelines"][-1]["events"]]
    assert kinds[-4:] == ["compacted", "said", "forbidden", "ended"]
    assert [(row["line"], row["counts"]["failed"]) for row in units["harbour:depart"]["rows"]] == [(4, 1)]


def test_rule_that_a_compaction_lost_and_a_refused_step_are_found(harbour):
    noise = "\n".join(f"The harbour has rule {n} about ropes and knots of every kind and length." for n in range(400))
    text = f"{SKILL.replace(RULE, '')}\n## Notes\n\n{noise}\n\n{RULE}\n"
    (harbour.project / SKILL_PATH / "SKILL.md").write_text(text)

    def compacted(heard):
        yield tool("Skill", skill="berth", args="")
        yield Reply((tool("Bash", command="./berth moor 3", description="moor"),), usage={"input_tokens": 190_000})
        yield "<summary>A boat was moored.</summary>"
        yield tool("Bash", command="touch lost.log", description="log")
        yield "Done."

    def refused(heard):
        yield tool("Skill", skill="berth", args="")
        yield tool("Bash", command="./berth moor 3", description="moor")
        yield "It is not allowed."

    harbour.claude("A boat comes in.", Model(compacted), *FREE, CLAUDE_AUTOCOMPACT_PCT_OVERRIDE="10")
    for _ in range(2):
        harbour.claude("A boat comes in.", Model(refused), "--allowedTools", "Skill")
    found = harbour.tune_skill("diagnose", SKILL_PATH, "--sessions", str(recorded(harbour)), "--format", "json")
    lines = {one["pattern"]: one["location"]["line_start"] for one in found.json["issues"]}
    number = text.splitlines().index(RULE.strip()) + 1
    assert (lines["SES-005"], lines["SES-008"]) == (number, text.splitlines().index("./berth moor <BOAT>") + 1)
    assert "SES-004" not in lines, "the same fault is one finding"


def recorded(machine):
    """Return the folder of the project's sessions."""
    (folder,) = (machine.home / ".claude" / "projects").iterdir()
    return folder
