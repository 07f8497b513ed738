"""A key of the frontmatter is a misspelling of one that Claude Code reads.

It is:
- a key of SKILL.md's frontmatter that is a misspelled known one: `allowed_tools`, `user-invokable`, `desciption` (proven)
- `tools:` with the names of Claude Code's tools: an agent uses that key, a skill uses `allowed-tools` (proven)
It is not:
- a key that the author, a catalog or another tool defines, or one of an agent in a folder `agents`, such as `agents/count/SKILL.md`
- a misspelling beside the right key
Low when:
- the intended key has no effect on a run (`license`, `metadata`, `compatibility`)
- the value is the default of the intended key (`user_invocable: true`)
Why it is bad: The key has no effect, silently: a tool, a model or a restriction that the author set is not set.
Instead: Use the known spelling of the key.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.skill.frontmatter_keys import find_known_key, is_default

PATTERN = Pattern(id="SPEC-004", impact=("every_run", "easy"), strategies=("repair_frontmatter",), asks_model=False)
_WITHOUT_EFFECT = ("license", "metadata", "compatibility")
_HEAD = "---\nname: example\ndescription: Use when a text must be counted.\n"
BAD = (
    {
        "SKILL.md": _HEAD
        + """alowed-tools: Read
---

Count the words.
"""
    },
    {
        "SKILL.md": _HEAD
        + """tools: Read, Grep
---

Count the words.
"""
    },
)
GOOD = (
    {
        "SKILL.md": _HEAD
        + """allowed-tools: Read
version: 1.0.0
models: [sonnet]
---

Count the words.
"""
    },
    {
        "SKILL.md": _HEAD
        + """tools: wc, awk
x-allowed-tools: Read
---

Count the words.
"""
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Find misspelled keys."""
    frontmatter, path = case.skill.frontmatter, case.skill.main.path
    if case.unit.kind is UnitKind.AGENT or (not case.unit.is_loaded and "agents" in case.unit.path.split("/")):
        return
    for key, value in frontmatter.values.items():
        if (known := find_known_key(key, value)) and known not in frontmatter.values:
            message = f"Unknown key `{key[:60]}` has no effect. Did you mean `{known}`?"
            is_idle = known in _WITHOUT_EFFECT or is_default(known, value)
            severity = Severity.LOW if is_idle else PATTERN.severity
            yield Finding(path, frontmatter.lines.get(key, 1), message, severity=severity)
