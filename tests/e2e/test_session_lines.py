"""Test that real sessions of a skill with planted faults show each fault at its line of the text."""

import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

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


ID = re.compile(r"\btoolu_\w+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def repeat(session, count):
    """Copy a recorded session until there are `count`, each with new ids of session, records and calls."""
    for _ in range(count - 1):
        new = defaultdict(lambda: str(uuid4()))
        text = ID.sub(lambda id, new=new: new[id[0]], session.read_text())
        session.with_name(f"{new[session.stem]}.jsonl").write_text(text)


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
    result, _ = harbour.claude("A boat comes in.", Model(refused), "--allowedTools", "Skill")
    repeat(recorded(harbour) / f"{result['session_id']}.jsonl", 2)
    found = harbour.tune_skill("diagnose", SKILL_PATH, "--sessions", str(recorded(harbour)), "--format", "json")
    lines = {one["pattern"]: one["location"]["line_start"] for one in found.json["issues"]}
    number = text.splitlines().index(RULE.strip()) + 1
    assert (lines["SES-005"], lines["SES-008"]) == (number, text.splitlines().index("./berth moor <BOAT>") + 1)
    assert "SES-004" not in lines, "the same fault is one finding"


def recorded(machine):
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


def test_ten_runs_show_five_faults_and_five_later_runs_confirm_the_fixes(machine):
    """Claude Code records one session of each kind; the other sessions are copies."""
    folder = machine.project / ".claude" / "skills" / "gull"
    (folder / "references").mkdir(parents=True)
    (folder / "references" / "moulting.md").write_text(MOULTING)
    (machine.project / "gull").write_text(GULL_SCRIPT)
    (machine.project / "gull").chmod(0o755)
    noise = "\n".join(f"The colony has rule {n} about eggs and chicks of every kind and size." for n in range(400))
    faulty = GULL.format(noise=noise, rule=RULE)
    fixed = faulty
    for old, new in FIXES:
        assert old in fixed
        fixed = fixed.replace(old, new)

    def ring(number, *, compacts):
        call = tool("Bash", command=f"./gull ring {number}", description="ring")
        if not compacts:
            yield call
            return
        yield Reply((call,), usage={"input_tokens": 190_000})
        yield "<summary>A gull is being ringed.</summary>"

    def follow_faulty(compacts):
        yield tool("Skill", skill="gull", args="")
        yield tool("Read", file_path=str(folder / "references" / "moulting.md"))
        yield tool("Bash", command="./gull list --json 2>/dev/null || true", description="list")
        yield tool("Bash", command="./gull publish --now", description="publish")
        yield tool("Bash", command="./gull ring 6", description="ring")
        yield from ring(7, compacts=compacts)
        if compacts:
            yield tool("Bash", command="touch lost.log", description="log")
        yield "Ringed."

    def follow_fixed(compacts):
        yield tool("Skill", skill="gull", args="")
        yield tool("Bash", command="./gull list", description="list")
        yield tool("Bash", command="./gull ring 6", description="ring")
        yield from ring(7, compacts=compacts)
        yield "Ringed."

    def run(follow, *, compacts):
        denied = ("--disallowedTools", "Bash(./gull publish:*)")
        small = {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "10"} if compacts else {}
        result, _ = machine.claude("Ring a gull.", Model(lambda _: follow(compacts)), *FREE, *denied, **small)
        return result["session_id"]

    def run_all(follow, *, compacted, others):
        with ThreadPoolExecutor(2) as pool:
            ids = [*pool.map(lambda compacts: run(follow, compacts=compacts), (True, False))]
        for id, count in zip(ids, (compacted, others), strict=True):
            repeat(recorded(machine) / f"{id}.jsonl", count)

    def diagnose():
        path = str(recorded(machine))
        found = machine.tune_skill("diagnose", str(folder), "--sessions", path, "--format", "json").json["issues"]
        return {(i["pattern"], i["location"]["line_start"]) for i in found if i["pattern"].startswith("SES")}

    (folder / "SKILL.md").write_text(faulty)
    run_all(follow_faulty, compacted=6, others=4)
    lines = faulty.split("\n")
    texts = {
        "SES-013": FIXES[0][0],
        "SES-001": FIXES[1][0],
        "SES-002": "./gull record --all",
        "SES-008": "./gull publish --now",
        "SES-005": RULE.strip(),
    }
    assert diagnose() == {(pattern, lines.index(text) + 1) for pattern, text in texts.items()}

    (folder / "SKILL.md").write_text(fixed)
    run_all(follow_fixed, compacted=3, others=2)
    assert diagnose() == set()
    (table,) = machine.tune_skill("sessions", ".", "--format", "json").json["units"]
    assert [(one["uses"], one["is_today"]) for one in table["loaded_texts"]] == [(10, False), (5, True)]
    rows = {row["text"]: row for row in table["rows"]}
    assert rows["./gull list"]["by_text"] == {"2": {"reached": 5, "ran": 5, "failed": 0}}
    assert rows["touch lost.log"]["by_text"]["1"]["ran"] == 6
    assert rows["touch lost.log"]["by_text"]["2"]["ran"] == 0
