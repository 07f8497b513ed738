"""Test that each planted fault of a skill is found at its line, from real sessions that used the skill."""

import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from tests.e2e.machine import Model, reply_with
from tests.scripted_api import Reply, tool_call

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
PERMISSIONS = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Read,Agent,Skill,TodoWrite")
BERTH = '#!/bin/sh\n[ $1 = moor ] && { echo moored; exit 0; }\necho \'{"success": false, "error": "no list"}\'\n'
APPROVAL_QUESTION = "One boat is moored. I wait for approval of the harbour master for a second boat. Shall I go on?"


@pytest.fixture
def machine_with_berth(machine):
    folder = machine.project / ".claude" / "skills" / "berth"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "references" / "knots.md").write_text("A bowline.\n")
    (machine.project / "berth").write_text(BERTH)
    (machine.project / "berth").chmod(0o755)
    return machine


def list_and_moor_twice(inputs):
    yield tool_call("Skill", skill="berth", args="")
    yield tool_call("Bash", command="./berth list --json 2>/dev/null || true", description="list")
    yield tool_call("Bash", command="./berth moor 3", description="moor")
    yield APPROVAL_QUESTION


def run_forbidden_command(inputs):
    yield tool_call("Bash", command="touch lost.log", description="log")
    yield "Noted."


def list_with_unknown_option(inputs):
    yield tool_call("Bash", command="./berth list --now", description="list")
    yield "Gone."


ID = re.compile(r"\btoolu_\w+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def copy_session(session, count):
    """Copy a recorded session until there are `count`, each with new ids of session, records and calls."""
    for _ in range(count - 1):
        new_ids = defaultdict(lambda: str(uuid4()))
        text = ID.sub(lambda id, new_ids=new_ids: new_ids[id[0]], session.read_text())
        session.with_name(f"{new_ids[session.stem]}.jsonl").write_text(text)


def test_planted_faults_of_real_sessions_are_found_at_their_lines(machine_with_berth):
    result, _ = machine_with_berth.run_claude("A boat comes in.", Model(list_and_moor_twice), *PERMISSIONS)
    copy_session(find_transcript_folder(machine_with_berth) / f"{result['session_id']}.jsonl", 2)
    diagnosis = machine_with_berth.tune_skill(
        "diagnose", SKILL_PATH, "--sessions", str(find_transcript_folder(machine_with_berth)), "--format", "json"
    )
    lines = {(item["pattern"], item["location"]["line_start"]) for item in diagnosis.json["issues"]}
    assert {("SES-001", 18), ("SES-002", 12), ("SES-002", 13), ("SES-003", 27)} <= lines
    assert {line for pattern, line in lines if pattern.startswith("SES")} == {12, 13, 18, 27}

    summarize = reply_with("<summary>A boat was moored.</summary>", "<summary>A boat.</summary>")
    machine_with_berth.run_claude("/compact", summarize, "--resume", result["session_id"])
    machine_with_berth.run_claude(
        "Go on.", Model(run_forbidden_command), "--resume", result["session_id"], *PERMISSIONS
    )
    command = machine_with_berth.project / ".claude" / "commands" / "harbour" / "depart.md"
    command.parent.mkdir(parents=True)
    command.write_text("# Depart from $ARGUMENTS\n\n```bash\n./berth list --now\n```\n")
    machine_with_berth.run_claude("/harbour:depart 7", Model(list_with_unknown_option), *PERMISSIONS)

    units = {
        unit["unit"]: unit for unit in machine_with_berth.tune_skill("sessions", ".", "--format", "json").json["units"]
    }
    rows = {row["line"]: row["counts"] for row in units["berth"]["rows"]}
    assert rows[8] == {"reached": 2, "ran": 1, "failed": 0}
    assert rows[18] == {"reached": 2, "ran": 2, "failed": 2}
    timelines = [[event["kind"] for event in timeline["events"]] for timeline in units["berth"]["timelines"]]
    assert ["compacted", "said", "forbidden", "ended"] in [kinds[-4:] for kinds in timelines]
    assert [(row["line"], row["counts"]["failed"]) for row in units["harbour:depart"]["rows"]] == [(4, 1)]


def test_rule_lost_in_a_compaction_and_refused_step_are_found(machine_with_berth):
    filler = "\n".join(f"The harbour has rule {n} about ropes and knots of every kind and length." for n in range(400))
    text = f"{SKILL.replace(RULE, '')}\n## Notes\n\n{filler}\n\n{RULE}\n"
    (machine_with_berth.project / SKILL_PATH / "SKILL.md").write_text(text)

    def moor_and_break_rule_after_compaction(inputs):
        yield tool_call("Skill", skill="berth", args="")
        yield Reply((tool_call("Bash", command="./berth moor 3", description="moor"),), usage={"input_tokens": 190_000})
        yield "<summary>A boat was moored.</summary>"
        yield tool_call("Bash", command="touch lost.log", description="log")
        yield "Done."

    def moor_without_permission(inputs):
        yield tool_call("Skill", skill="berth", args="")
        yield tool_call("Bash", command="./berth moor 3", description="moor")
        yield "It is not allowed."

    machine_with_berth.run_claude(
        "A boat comes in.",
        Model(moor_and_break_rule_after_compaction),
        *PERMISSIONS,
        CLAUDE_AUTOCOMPACT_PCT_OVERRIDE="10",
    )
    result, _ = machine_with_berth.run_claude(
        "A boat comes in.", Model(moor_without_permission), "--allowedTools", "Skill"
    )
    copy_session(find_transcript_folder(machine_with_berth) / f"{result['session_id']}.jsonl", 2)
    diagnosis = machine_with_berth.tune_skill(
        "diagnose", SKILL_PATH, "--sessions", str(find_transcript_folder(machine_with_berth)), "--format", "json"
    )
    lines = {item["pattern"]: item["location"]["line_start"] for item in diagnosis.json["issues"]}
    number = text.splitlines().index(RULE.strip()) + 1
    assert (lines["SES-005"], lines["SES-008"]) == (number, text.splitlines().index("./berth moor <BOAT>") + 1)
    assert "SES-004" not in lines, "the fault must be reported only once"


def find_transcript_folder(machine):
    """Return the folder with the transcripts of the project's sessions."""
    (folder,) = (machine.home / ".claude" / "projects").iterdir()
    return folder


GULL = """---
name: gull
description: Rings gulls. Use when a gull is to be ringed.
---

# Gull

## Step 1: Learn

Read `references/moulting.md` first.

## Step 2: List

```bash
./gull list --json 2>/dev/null || true
```

## Step 3: Record

```bash
./gull record --all
```

## Step 4: Publish

```bash
./gull publish --now
```

## Step 5: Ring

```bash
./gull ring <NUMBER>
```

## Colony

{noise}

{rule}
"""
FIXES = (
    ("Read `references/moulting.md` first.", "If the gull moults, read `references/moulting.md`."),
    ("./gull list --json 2>/dev/null || true", "./gull list"),
    ("## Step 3: Record\n\n```bash\n./gull record --all\n```\n\n", ""),
    ("```bash\n./gull publish --now\n```\n", "Leave the publishing to the user.\n"),
    (f"\n\n{RULE}\n", "\n"),
    ("# Gull\n", f"# Gull\n\n{RULE}"),
)
"""The faults in the skill and the author's fixes; the last two move the rule to a place that a compaction keeps."""
MOULTING = "# Moulting of primaries and rectrices\n\n" + " ".join(
    f"`{word}`"
    for word in "primary secondary tertial covert alula rectrix scapular mantle remige pterylosis eclipse".split()
)
GULL_SCRIPT = '#!/bin/sh\n[ "$2" = --json ] && echo \'{"success": false, "error": "no option --json"}\' || echo ok\n'


def test_ten_runs_show_five_faults_and_later_runs_confirm_fixes(machine):
    """Claude Code records one session of each kind; the other sessions are copies."""
    folder = machine.project / ".claude" / "skills" / "gull"
    (folder / "references").mkdir(parents=True)
    (folder / "references" / "moulting.md").write_text(MOULTING)
    (machine.project / "gull").write_text(GULL_SCRIPT)
    (machine.project / "gull").chmod(0o755)
    filler = "\n".join(f"The colony has rule {n} about eggs and chicks of every kind and size." for n in range(400))
    faulty_text = GULL.format(noise=filler, rule=RULE)
    fixed_text = faulty_text
    for old, new in FIXES:
        assert old in fixed_text
        fixed_text = fixed_text.replace(old, new)

    def ring(number, *, compacts):
        call = tool_call("Bash", command=f"./gull ring {number}", description="ring")
        if not compacts:
            yield call
            return
        yield Reply((call,), usage={"input_tokens": 190_000})
        yield "<summary>A gull is being ringed.</summary>"

    def follow_faulty(compacts):
        yield tool_call("Skill", skill="gull", args="")
        yield tool_call("Read", file_path=str(folder / "references" / "moulting.md"))
        yield tool_call("Bash", command="./gull list --json 2>/dev/null || true", description="list")
        yield tool_call("Bash", command="./gull publish --now", description="publish")
        yield tool_call("Bash", command="./gull ring 6", description="ring")
        yield from ring(7, compacts=compacts)
        if compacts:
            yield tool_call("Bash", command="touch lost.log", description="log")
        yield "Ringed."

    def follow_fixed(compacts):
        yield tool_call("Skill", skill="gull", args="")
        yield tool_call("Bash", command="./gull list", description="list")
        yield tool_call("Bash", command="./gull ring 6", description="ring")
        yield from ring(7, compacts=compacts)
        yield "Ringed."

    def run_session(follow, *, compacts):
        denied_tools = ("--disallowedTools", "Bash(./gull publish:*)")
        environment = {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "10"} if compacts else {}
        result, _ = machine.run_claude(
            "Ring a gull.", Model(lambda _: follow(compacts)), *PERMISSIONS, *denied_tools, **environment
        )
        return result["session_id"]

    def run_sessions(follow, *, compacted, others):
        with ThreadPoolExecutor(2) as pool:
            ids = [*pool.map(lambda compacts: run_session(follow, compacts=compacts), (True, False))]
        for id, count in zip(ids, (compacted, others), strict=True):
            copy_session(find_transcript_folder(machine) / f"{id}.jsonl", count)

    def diagnose():
        path = str(find_transcript_folder(machine))
        issues = machine.tune_skill("diagnose", str(folder), "--sessions", path, "--format", "json").json["issues"]
        return {(i["pattern"], i["location"]["line_start"]) for i in issues if i["pattern"].startswith("SES")}

    (folder / "SKILL.md").write_text(faulty_text)
    run_sessions(follow_faulty, compacted=6, others=4)
    lines = faulty_text.split("\n")
    texts = {
        "SES-013": FIXES[0][0],
        "SES-001": FIXES[1][0],
        "SES-002": "./gull record --all",
        "SES-008": "./gull publish --now",
        "SES-005": RULE.strip(),
    }
    assert diagnose() == {(pattern, lines.index(text) + 1) for pattern, text in texts.items()}

    (folder / "SKILL.md").write_text(fixed_text)
    run_sessions(follow_fixed, compacted=3, others=2)
    assert diagnose() == set()
    (table,) = machine.tune_skill("sessions", ".", "--format", "json").json["units"]
    assert [(item["uses"], item["is_today"]) for item in table["loaded_texts"]] == [(10, False), (5, True)]
    rows = {row["text"]: row for row in table["rows"]}
    assert rows["./gull list"]["by_text"] == {"2": {"reached": 5, "ran": 5, "failed": 0}}
    assert rows["touch lost.log"]["by_text"]["1"]["ran"] == 6
    assert rows["touch lost.log"]["by_text"]["2"]["ran"] == 0
