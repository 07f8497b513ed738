"""Test that each fault planted in a clean plugin is reported with its severity, and nothing in the clean plugin."""

import json

import pytest

from actions.project.find_units import find_units
from actions.scoring.scan import scan
from tests.examples import make_project, make_unit_case

COUNT_PY = """import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--since")
args = parser.parse_args()
print(args.since)
"""
GUARD_SH = """#!/bin/sh
if [ -f .count-lock ]; then
  echo "a count is running" >&2
  exit 2
fi
"""
CLEAN = {
    ".claude-plugin/marketplace.json": {
        "name": "shore",
        "owner": {"name": "Ada"},
        "plugins": [{"name": "birds", "source": "./plugins/birds", "description": "Counts birds."}],
    },
    ".claude/settings.json": {
        "model": "opus",
        "permissions": {"allow": ["Bash(git log:*)", "Read(docs/**)"], "deny": ["WebFetch"]},
    },
    "CLAUDE.md": "# Shore\n\nRead [the plan](docs/plan.md) first.\n",
    "docs/plan.md": "# Plan\n\nCount at low tide.\n",
    "docs/tides.md": "# Tides\n\nLow tide is at six.\n",
    "plugins/birds/.claude-plugin/plugin.json": {"name": "birds", "version": "1.2.0"},
    "plugins/birds/.mcp.json": {"mcpServers": {"atlas": {"command": "${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh"}}},
    "plugins/birds/hooks/hooks.json": {
        "hooks": {
            "PreToolUse": [
                {
                    "matcher": "Bash|Write",
                    "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh", "timeout": 30}],
                }
            ],
            "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "true"}]}],
        }
    },
    "plugins/birds/scripts/guard.sh": GUARD_SH,
    "plugins/birds/agents/counter.md": """---
name: counter
description: Counts the birds in the photos of one bay and writes a table.
tools: Read, Bash
model: haiku
---

Open each photo and write down how many birds it shows.
""",
    "plugins/birds/agents/mapper.md": """---
name: mapper
description: Draws a map of the nests along the coast.
tools: Read, Write
---

Draw the map and name the file after the bay.
""",
    "plugins/birds/commands/tally.md": """---
description: Adds up the counts of a week.
allowed-tools: Read, Bash(git log:*)
argument-hint: "[week]"
---

Add up the counts of week $ARGUMENTS:

```bash
python3 ${CLAUDE_PLUGIN_ROOT}/skills/count/scripts/count.py --since $1
```
""",
    "plugins/birds/skills/count/SKILL.md": """---
name: count
description: Counts the birds of a bay. Use when photos of a bay are to be counted.
allowed-tools: Read, Bash
---

# Count birds

1. Read [the rules](references/rules.md).
2. Run the script:

   ```bash
   python3 ${CLAUDE_SKILL_DIR}/scripts/count.py --since 2026-01-01
   ```

3. Compare the result with `data/limits.json` and tell the user which bays exceed their limit.
""",
    "plugins/birds/skills/count/references/rules.md": "# Rules\n\nCount each bird once.\n",
    "plugins/birds/skills/count/scripts/count.py": COUNT_PY,
    "plugins/birds/skills/count/data/limits.json": {"bay": 40, "pier": 12},
}
HOOKS = "plugins/birds/hooks/hooks.json"
SETTINGS = ".claude/settings.json"
MANIFEST = "plugins/birds/.claude-plugin/plugin.json"
MARKET = ".claude-plugin/marketplace.json"
COUNTER = "plugins/birds/agents/counter.md"
MAPPER = "plugins/birds/agents/mapper.md"
TALLY = "plugins/birds/commands/tally.md"
SKILL = "plugins/birds/skills/count/SKILL.md"
MCP = "plugins/birds/.mcp.json"
GUARD = '"command": "${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh", "timeout": 30'
MANY = " ".join(f"Counts the birds of bay {n} by its photos of the last tide." for n in range(28))


NOT_EXECUTABLE = {
    "plugins/birds/.mcp.json": {"mcpServers": {"atlas": {"command": "${CLAUDE_PLUGIN_ROOT}/scripts/atlas"}}},
    "plugins/birds/scripts/atlas": "exec atlas --serve\n",
}


def make_skills(count, words):
    text = "---\nname: s%02d\ndescription: Bay %d. %s\n---\n\nCount the birds.\n"
    return {f"plugins/birds/skills/s{n:02}/SKILL.md": text % (n, n, f"{n} tides " * words) for n in range(count)}


# Each fault: its name, pattern and severity, then a replacement in a file, or new files.
FAULTS = [
    ("event in another spelling", "PRJ-001", "high", HOOKS, '"PreToolUse"', '"preToolUse"'),
    ("matcher at an event without one", "PRJ-002", "medium", HOOKS, '"SessionStart": [{"matcher": "startup"', '"Stop": [{"matcher": "Bash"'),
    ("script of a hook is gone", "PRJ-003", "high", HOOKS, "scripts/guard.sh", "scripts/gaurd.sh"),
    ("script of a server is gone", "PRJ-003", "high", MCP, "scripts/guard.sh", "bin/guard.sh"),
    ("key that plugins ignore", "PRJ-004", "medium", COUNTER, "model: haiku", "model: haiku\npermissionMode: plan"),
    ("frontmatter that is no YAML", "PRJ-005", "high", COUNTER, "description: Counts", 'description: "Counts" all'),
    ("dashes in a description", "PRJ-005", "high", MAPPER, "the nests along", "the nests --- along"),
    ("key that occurs twice", "PRJ-006", "high", COUNTER, "model: haiku", "model: haiku\ntools: Write"),
    ("event that occurs twice", "PRJ-006", "high", HOOKS, '"SessionStart": [', '"PreToolUse": [], "SessionStart": ['),
    ("comment in a manifest", "PRJ-007", "high", MANIFEST, "{", "{ // birds\n"),
    ("list for a manifest", "PRJ-007", "high", MANIFEST, '{"name": "birds", "version": "1.2.0"}', "[]"),
    ("matcher in the form of a rule", "PRJ-008", "high", HOOKS, "Bash|Write", "Bash(git:*)"),
    ("script that is not executable", "PRJ-009", "high", NOT_EXECUTABLE),
    ("variable without braces", "PRJ-010", "high", TALLY, "${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT"),
    ("variable without braces after !", "PRJ-010", "high", TALLY, "Add up", "Birds: !`sh $CLAUDE_PLUGIN_ROOT/scripts/guard.sh`\n\nAdd up"),
    ("variable without braces in a span", "PRJ-010", "high", MAPPER, "Draw the map", "Run `sh $CLAUDE_PLUGIN_ROOT/scripts/guard.sh` and draw the map"),
    ("version of an entry", "PRJ-011", "low", MARKET, '"source"', '"version": "1.1.0", "source"'),
    ("dead link in CLAUDE.md", "PRJ-012", "medium", "CLAUDE.md", "docs/plan.md", "docs/plans.md"),
    ("dead import in CLAUDE.md", "PRJ-012", "medium", "CLAUDE.md", "Read", "@docs/plans.md\n\nRead"),
    ("dead import in a sentence", "PRJ-012", "medium", "CLAUDE.md", "Read", "Count by @docs/plans.md first. Read"),
    ("import with a point at its end", "PRJ-012", "medium", "CLAUDE.md", "first.", "first, then @docs/tides.md."),
    ("dead link in an agent", "PRJ-012", "medium", MAPPER, "Draw the map", "Read [the plan](../docs/plan.md). Draw the map"),
    ("skill one folder too deep", "PRJ-013", "high", {"plugins/birds/skills/sea/nest/SKILL.md": "---\nname: nest\ndescription: Finds nests.\n---\n\nFind them.\n"}),
    ("skill in lower case", "PRJ-013", "high", {"plugins/birds/skills/nest/skill.md": "---\nname: nest\ndescription: Finds nests.\n---\n\nFind them.\n"}),
    ("agents among the manifests", "PRJ-013", "high", {"plugins/birds/.claude-plugin/agents/ringer.md": "---\nname: ringer\ndescription: Rings.\n---\n\nRing.\n"}),
    ("two agents of one name", "PRJ-014", "medium", MAPPER, "name: mapper", "name: counter"),
    ("hook without a type", "PRJ-015", "high", HOOKS, '"type": "command", "command": "true"', '"command": "true"'),
    ("hook of an unknown type", "PRJ-015", "high", HOOKS, '"type": "command", "command": "true"', '"type": "shell", "command": "true"'),
    ("timeout in quotes", "PRJ-015", "high", HOOKS, '"timeout": 30', '"timeout": "30"'),
    ("condition at an event without a tool", "PRJ-015", "high", HOOKS, '"command": "true"', '"command": "true", "if": "Bash(git *)"'),
    ("condition that is not a rule", "PRJ-015", "high", HOOKS, GUARD, GUARD + ', "if": "Bash(git"'),
    ("hooks outside a list", "PRJ-015", "high", HOOKS, '{"matcher": "startup", "hooks": [{"type": "command", "command": "true"}]}', '{"type": "command", "command": "true"}'),
    ("events outside hooks", "PRJ-015", "high", {HOOKS: {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}),
    ("timeout in milliseconds", "PRJ-016", "medium", HOOKS, '"timeout": 30', '"timeout": 30000'),
    ("once in hooks.json", "PRJ-016", "low", HOOKS, '"command": "true"', '"command": "true", "once": true'),
    ("matcher inside a hook", "PRJ-016", "medium", HOOKS, '"command": "true"', '"command": "true", "matcher": "Bash"'),
    ("misspelled key of a hook", "PRJ-016", "medium", HOOKS, '"timeout": 30', '"timout": 30'),
    ("timeout beyond the end of a session", "PRJ-016", "low", HOOKS, '"SessionStart": [{"matcher": "startup", "hooks": [{', '"SessionEnd": [{"hooks": [{"timeout": 90, '),
    ("tool of an agent in lower case", "PRJ-017", "medium", COUNTER, "tools: Read, Bash", "tools: read, Bash"),
    ("tool of a command misspelled", "PRJ-017", "medium", TALLY, "allowed-tools: Read", "allowed-tools: Raed, Reed"),
    ("tool of a skill misspelled", "PRJ-017", "medium", SKILL, "allowed-tools: Read, Bash", "allowed-tools: Read, Bash, WebFecth"),
    ("tool in a matcher in lower case", "PRJ-017", "medium", HOOKS, "Bash|Write", "bash|Write"),
    ("source in a matcher misspelled", "PRJ-017", "medium", HOOKS, '"startup"', '"stratup"'),
    ("denied tool misspelled", "PRJ-017", "medium", SETTINGS, '"WebFetch"', '"WebFetsh"'),
    ("rule without its end", "PRJ-018", "medium", SETTINGS, "Bash(git log:*)", "Bash(git log:*"),
    ("rule for files with a prefix", "PRJ-018", "medium", SETTINGS, "Read(docs/**)", "Read(docs:*)"),
    ("model of an agent misspelled", "PRJ-019", "medium", COUNTER, "model: haiku", "model: hiaku"),
    ("model of the settings misspelled", "PRJ-019", "medium", SETTINGS, '"opus"', '"sonet"'),
    ("key of a skill in an agent", "PRJ-020", "medium", MAPPER, "tools: Read", "allowed-tools: Read"),
    ("key of a command misspelled", "PRJ-020", "medium", TALLY, "allowed-tools", "allowed_tools"),
    ("key of an agent misspelled", "PRJ-020", "medium", COUNTER, "model: haiku", "modle: haiku"),
    ("tools of an agent in the singular", "PRJ-020", "medium", MAPPER, "tools: Read", "tool: Read"),
    ("key of permissions misspelled", "PRJ-020", "medium", SETTINGS, '"allow"', '"alow"'),
    ("key of the settings misspelled", "PRJ-020", "medium", SETTINGS, '"model"', '"enabledPlugin": {}, "model"'),
    ("description cut at a number sign", "PRJ-021", "medium", SKILL, "Use when photos", "Use for #bay when photos"),
    ("source of an entry is gone", "PRJ-022", "high", MARKET, "./plugins/birds", "./plugins/brids"),
    ("folder of a manifest is gone", "PRJ-022", "high", MANIFEST, '"version"', '"outputStyles": "./styles", "version"'),
    ("plugin under two names", "PRJ-023", "low", MARKET, '"name": "birds"', '"name": "bird-count"'),
    ("Python that does not parse", "PRJ-024", "high", "plugins/birds/skills/count/scripts/count.py", "parse_args()", "parse_args("),
    ("shell script with an open block", "PRJ-024", "high", "plugins/birds/scripts/guard.sh", "\nfi\n", "\n"),
    ("JSON with a spare comma", "PRJ-025", "medium", "plugins/birds/skills/count/data/limits.json", "12}", "12,}"),
    ("YAML with a quote too many", "PRJ-025", "medium", {"plugins/birds/skills/count/data/bays.yaml": 'bay: "north" of the pier\n'}),
    ("description beyond the cut", "PRJ-026", "medium", SKILL, "allowed-tools", f"when_to_use: {MANY}\nallowed-tools"),
    ("descriptions beyond the listing", "PRJ-027", "medium", make_skills(80, 60)),
    ("link text of another file", "PRJ-028", "low", "CLAUDE.md", "[the plan](docs/plan.md)", "[plan.md](docs/tides.md)"),
    ("fence that is never closed", "PRJ-029", "low", TALLY, "--since $1\n```\n", "--since $1\n\nThen show the table.\n"),
    ("two agents of one description", "PRJ-030", "low", MAPPER, "Draws a map of the nests along the coast.", "Counts the birds in the photos of one bay and writes a table."),
    ("name of a skill in a call", "PRJ-040", "medium", SKILL, "# Count birds", "# Count birds\n\nSkill(skill=\"birds:tide\")"),
    ("name in bold type", "PRJ-044", "low", MAPPER, "Draw the map", "Read **init**.py. Draw the map"),
    ("key of a server misspelled", "PRJ-043", "high", MCP, '"command"', '"comand"'),
    ("type of a server misspelled", "PRJ-043", "high", MCP, '"command"', '"type": "sdtio", "command"'),
    ("remote server without a type", "PRJ-043", "high", MCP, '{"command": "${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh"}', '{"url": "https://example.com/mcp"}'),
    ("arguments of a server in one text", "PRJ-043", "high", MCP, '"command"', '"args": "--all", "command"'),
    ("agent of a skill misspelled", "PRJ-031", "medium", SKILL, "allowed-tools", "context: fork\nagent: birds:conuter\nallowed-tools"),
]  # fmt: skip


def build_files(changes=None):
    return {path: v if isinstance(v, str) else json.dumps(v) for path, v in {**CLEAN, **(changes or {})}.items()}


def plant(fault):
    """Return the files of the clean plugin with one planted fault."""
    if len(fault) == 4:
        return build_files(fault[3])
    path, old, new = fault[3:]
    files = build_files()
    assert old in files[path]
    return {**files, path: files[path].replace(old, new, 1)}


def find_faults(files):
    project = make_project(files)
    cases = [make_unit_case(project, unit) for unit in find_units(project)]
    results = [scan(case) for case in cases]
    assert all(not result.failed for result in results)
    return {(finding.pattern.id, finding.severity.value) for result in results for finding in result.open}


def test_clean_plugin_has_no_finding():
    assert find_faults(build_files()) == set()


@pytest.mark.parametrize("fault", FAULTS, ids=[fault[0] for fault in FAULTS])
def test_planted_fault_is_reported_at_its_severity(fault):
    _, pattern, severity, *_ = fault
    assert (pattern, severity) in find_faults(plant(fault))


@pytest.mark.parametrize("fault", FAULTS, ids=[fault[0] for fault in FAULTS])
def test_planted_fault_gives_one_pattern_only(fault):
    assert len({pattern for pattern, _ in find_faults(plant(fault))}) == 1


def test_misspelled_event_hides_no_other_fault():
    files = build_files()
    hooks = files[HOOKS].replace('"PreToolUse"', '"PreTooluse"').replace('"timeout": 30', '"timeout": "30"')
    patterns = {pattern for pattern, _ in find_faults({**files, HOOKS: hooks.replace("Bash|Write", "bash|Write")})}
    assert patterns == {"PRJ-001", "PRJ-015", "PRJ-017"}


def test_at_least_forty_faults_of_all_project_patterns():
    assert len(FAULTS) >= 40
    assert {fault[1] for fault in FAULTS} == {f"PRJ-{n:03}" for n in (*range(1, 32), 40, 43, 44)}
