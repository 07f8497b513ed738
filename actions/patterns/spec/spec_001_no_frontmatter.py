"""SKILL.md has no frontmatter, or one that is not YAML.

It is:
- a SKILL.md that does not begin with a `---` block of `key: value` lines (proven)
- a block that is never closed, or that YAML cannot parse (proven)
It is not:
- a document that is only named SKILL.md: it is in no plugin and no `.claude` folder, has no block at its beginning, and no README or install script names `.claude/skills`; and the project is only for another tool, or three in its folder are without a block, or a memory file names its folder, or a `package.json` or `pyproject.toml` is beside it (if it is in a folder `skills`, more than half there must be without a block)
- a lone document of one folder among others, outside of every folder `skills`, in a project of which no text says that it has skills
- an empty file (SPEC-006)
- a closing `---` with text after it, which Claude Code accepts
- a block that can be parsed, but lacks a key or has an empty one: SPEC-002 and SPEC-003
Low when:
- only quotes are missing around a value, and no value is a block (`|` or `>`): Claude Code adds them, other tools do not
- a skill without frontmatter says in its first lines that it is archived or deprecated
Why it is bad: The specification requires a name and a description, and other tools reject the skill. Claude Code silently
ignores all keys of a frontmatter that it cannot parse, including those that restrict the skill (`disallowed-tools`,
`disable-model-invocation`). It uses the first line as the description, or does not list a plugin's skill at all. If no
such key is lost, or only one with its default value, the severity is only high, and medium if there is no block and no
plugin has the skill or a link to it: its title is still listed.
Instead: Begin the file with `---`, `name:`, `description:` and `---`; quote a value that contains `: ` or begins with `[`.
"""

from collections.abc import Collection, Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.frontmatter import find_frontmatter_fault
from actions.project.loaders import Loader, find_loader, is_in_plugin
from actions.regex import regex
from actions.skill.frontmatter_keys import is_default, parses_alone, quote_values

PATTERN = Pattern(
    id="SPEC-001", impact=("blocks", "every_run", "easy"), strategies=("repair_frontmatter",), asks_model=False
)
_KEY = regex(r"(disallowed-tools|disable-model-invocation|user-invocable|context|hooks|paths)\s*:\s*([^#\n]*)")
_RETIRED = regex(r"(?i)\b(?:archived|deprecated|obsolete)\b")
_REPORT = regex(
    r"(?i)(?:all )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten) files (?:were |have been )?"
    r"(?:created|written|generated)\b"
)
"""The beginning of a message in which a model reports that it wrote the files of a skill."""
_FIRST_LINES, _MAX_UNCLOSED_LINES = 10, 40
"""Number of lines to search for words such as "deprecated", and of lines of a frontmatter that is never closed."""
BAD = (
    {
        "SKILL.md": """---
name: example
description: Counts words. Use when: a text must be counted
---

Count.
"""
    },
    {
        "SKILL.md": """---
name: example
description: 统计字数

# 统计

逐段统计。
"""
    },
    {
        "SKILL.md": """---
name: example
description: |
  Counts words.
argument-hint: [file] [--all]
---

Count.
"""
    },
)
GOOD = (
    {
        "SKILL.md": """---
name: example
description: >
  Counts words. Use when: a text
  is long.
---

Count.
"""
    },
    {
        "SKILL.md": """---
name: example
description: "用于统计字数: 当用户要求时"
---

逐段统计。
"""
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Report why the frontmatter cannot be read, or the first value that needs quotes."""
    main, frontmatter = case.skill.main, case.skill.frontmatter
    if not frontmatter.error or not main.text.strip():
        return
    severity = PATTERN.severity if _restricts_run(case) else Severity.HIGH
    lines = quote_values(main.doc.lines, frontmatter)
    if lines:
        yield _report_missing_quotes(case, lines, severity)
        return
    if not _has_block(case) and find_loader(case.project, case.unit) is Loader.NOTHING:
        return
    cause = ""
    if not _has_block(case):
        severity, cause = _rate_missing_block(case), "no frontmatter"
    message = f"SKILL.md has no valid frontmatter: {frontmatter.error}."
    if _REPORT.match(main.doc.line(1)) and "SKILL.md" in main.text:
        message = "SKILL.md has no frontmatter and no instructions: it is a model's report on the files that it wrote."
        severity, cause = Severity.HIGH, ""
    yield Finding(main.path, 1, message, severity=severity, cause=cause, is_shared=True)


def _rate_missing_block(case: Case) -> Severity:
    """Return the severity of a skill without a block: the model sees only its title, or nothing of a plugin's skill."""
    if _RETIRED.search("\n".join(case.skill.main.doc.lines[:_FIRST_LINES])):
        return Severity.LOW
    return Severity.HIGH if is_in_plugin(case.project, case.unit) else Severity.MEDIUM


def _report_missing_quotes(case: Case, lines: Collection[int], severity: Severity) -> Finding:
    """Report the first line that needs quotes. `severity` applies if Claude Code cannot read the frontmatter, too."""
    main = case.skill.main
    first = next((n for n in sorted(lines) if not parses_alone(main.doc.line(n))), min(lines))
    if is_lost := find_frontmatter_fault(main.text) is not None:
        effect = "Claude Code drops the whole frontmatter, because it cannot add them beside a block (`|` or `>`)"
    else:
        effect = "Claude Code adds them, other tools reject the skill"
    key = main.doc.line(first).partition(":")[0]
    message, cause = f"The value of `{key}` needs quotes in YAML. {effect}.", f"quotes around {key}"
    if is_lost:
        return Finding(main.path, first, message, severity=severity)
    return Finding(main.path, first, message, severity=Severity.LOW, cause=cause, is_shared=True)


def _has_block(case: Case) -> bool:
    return case.skill.main.doc.line(1).rstrip() == "---"


def _restricts_run(case: Case) -> bool:
    """Return whether the frontmatter has a key that restricts or changes a run. The frontmatter may be unclosed.

    A key with its default value, such as `user-invocable: true`, changes nothing.
    """
    doc = case.skill.main.doc
    matches = map(_KEY.match, doc.lines[1 : doc.body_start - 1 or _MAX_UNCLOSED_LINES])
    has_effect = any(match and not is_default(match[1], match[2].strip("\"' \t")) for match in matches)
    return has_effect and _has_block(case)
