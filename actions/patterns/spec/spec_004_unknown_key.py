"""The frontmatter has a key that nobody reads.

What it sees: A top-level key of SKILL.md's frontmatter that neither the specification of skills nor Claude Code knows; one
that is a slip of a known key is told as such.
Why it is bad: The key has no effect, silently: a restriction or a model that the author meant to set is not set.
Instead: Write the key as it is known, or put own data under `metadata:`.
May be wrong: Other tools may read keys of their own; the key may be newer than this list. So it is low unless it is a slip.
"""

from collections.abc import Iterator

from actions.facts.spec.head_keys import KNOWN, meant_key
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="SPEC-004",
    family=Family.SPEC,
    impact=("every_run", "easy"),
    confidence=Confidence.HIGH,
    strategies=("repair_frontmatter",),
)
BAD = (
    {"SKILL.md": "---\nname: example\ndescription: Use when asked.\nalowed-tools: Read\n---\n\nCount the words.\n"},
    {"SKILL.md": "---\nname: example\ndescription: 当用户要求时使用。\nallowed_tools: [Read]\n---\n\n逐段统计。\n"},
    {"SKILL.md": "---\nname: example\ndescription: Use when asked.\ncolour: green\n---\n\nCount the words.\n"},
)
GOOD = (
    {
        "SKILL.md": "---\nname: example\ndescription: Use when asked.\nallowed-tools: Read\nmetadata:\n  colour: green\n---\n\nCount.\n"
    },
    {
        "SKILL.md": "---\nname: example\ndescription: 当用户要求时使用。\nargument-hint: 文件\nversion: 1.0.0\n---\n\n逐段统计。\n"
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each unknown key."""
    head = case.skill.frontmatter
    for key in head.values:
        if key in KNOWN or key.startswith(("x-", "_")):
            continue
        meant = meant_key(key)
        line = head.lines.get(key, 1)
        if meant and meant not in head.values:
            yield Evidence(case.skill.main.path, line, f"`{key}` is not read; `{meant}` is probably meant.")
        else:
            told = f"`{key[:60]}` is no key that Claude Code or the specification of skills knows."
            yield Evidence(case.skill.main.path, line, told, severity=Severity.LOW)
