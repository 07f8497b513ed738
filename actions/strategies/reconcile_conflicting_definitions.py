"""Writes an option, or its default, as the script's own parser has it.

An option only where it is a slip of exactly one that the script accepts; a default only where the parser's is a literal.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from actions.code.calls import commands
from actions.code.options import Interface, interface
from actions.code.tree import BASH, Code
from actions.example import Example
from actions.skill import Case, Skill, SkillFile
from actions.skill.mentions import mentions
from actions.skill.nearest import alike
from actions.strategies.edits import changed_lines, old_lines
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("reconcile_conflicting_definitions", ("DOC-CON-002",), Risk.LOW)
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_DEFAULT = re.compile(
    r"(?P<lead>(?:\bdefaults? to|\bdefault(?: is|:|=)?|默认值?(?:为|是|：|:)?)\s*`?)(?P<value>[\w.-]*\w)(?=`|[\s),;.|，。；）]|$)",
    re.IGNORECASE,
)
Swap = tuple[str, str]


@dataclass(frozen=True)
class _Run:
    """A command that runs a script of the skill: its lines, the script, and its words behind it."""

    lines: range
    script: SkillFile
    words: tuple[str, ...]


def propose(issue: Issue, case: Case) -> Draft | None:
    """Return the option's own spelling in all places, or the parser's default on the issue's line."""
    skill, file = case.skill, case.skill.by_path.get(issue.location.file)
    if file is None or not file.is_markdown or issue.location.line_start is None:
        return None
    first = issue.location.line_start
    lines = range(first, max(first, issue.location.line_end or 0) + 1)
    slips = set(_slips(skill, file, lines))
    if len(slips) == 1:
        old, new = slips.pop()
        return _draft(skill, _renamed(skill, old, new), f"Write the option `{old}` as the script does: `{new}`.")
    changed = {(file.path, n): line for n in lines if (line := _with_default(skill, file, n)) != file.doc.line(n)}
    told = "Write the default that the script's own parser has."
    return _draft(skill, changed, told) if changed and not slips else None


def _draft(skill: Skill, changed: Mapping[tuple[str, int], str], told: str) -> Draft:
    return Draft(
        writes=changed_lines(skill, changed),
        description=told,
        rationale="The script is what runs, and its parser leaves no other reading.",
        impact="The script runs as the text says.",
        token_limit=2 * len(changed),
        rewrites=old_lines(skill, changed),
    )


def _slips(skill: Skill, file: SkillFile, lines: range) -> Iterator[Swap]:
    """Return the options that scripts do not accept on lines, each with the one that it is a slip of."""
    for run in _runs(skill, file):
        accepted = _interface(run.script)
        used = {word.partition("=")[0] for word in run.words if word.startswith("--")}
        for option in sorted(used - accepted.names) if accepted and set(run.lines) & set(lines) else ():
            near = (
                [name for name in accepted.names if name.startswith("--") and alike(name, option)] if accepted else []
            )
            elsewhere = any(not place.is_markdown for place, _ in mentions(skill, option))
            if len(near) == 1 and not elsewhere:
                yield option, near[0]


def _renamed(skill: Skill, old: str, new: str) -> dict[tuple[str, int], str]:
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    texts = (
        (file.path, n, line) for file in skill.instructions for n, line in enumerate(file.doc.lines, 1) if old in line
    )
    return {(path, n): changed for path, n, line in texts if (changed := word.sub(new, line)) != line}


def _with_default(skill: Skill, file: SkillFile, number: int) -> str:
    """Return a line with the default of the one option that it names, if exactly one script has that option."""
    line = file.doc.line(number)
    options, told = set(_OPTION.findall(line)), list(_DEFAULT.finditer(line))
    found = [o for s in skill.scripts if (known := _interface(s)) for name in options if (o := known.named(name))]
    if len(options) != 1 or len(told) != 1 or len(found) != 1 or not found[0].default:
        return line
    start, end = told[0].span("value")
    return line[:start] + found[0].default + line[end:]


def _interface(script: SkillFile) -> Interface | None:
    return interface(script.codes[0])


def _runs(skill: Skill, file: SkillFile) -> Iterator[_Run]:
    """Return the commands in shell fences and code spans that run a script of the skill."""
    spans = (Code(BASH, span.text, span.line) for span in file.doc.spans if " --" in span.text)
    for code in (*(code for code in file.codes if code.language == BASH), *spans):
        for command in commands(code):
            words = (command.name, *command.words)
            for place, word in enumerate(words[:4]):
                script = _script(skill, word, file)
                if script:
                    yield _Run(range(command.line, code.line_end(command.node) + 1), script, words[place + 1 :])
                    break


def _script(skill: Skill, word: str, file: SkillFile) -> SkillFile | None:
    path = skill.resolve(re.sub(r"^\"?\$\{CLAUDE_SKILL_DIR\}/", "", word).strip("\"'"), file.path)
    return next((script for script in skill.scripts if script.path == path), None)


_SCRIPT = """import argparse

p = argparse.ArgumentParser()
p.add_argument('text')
p.add_argument('--output-file')
p.add_argument('--max-words', type=int, default=800)
args = p.parse_args()
"""
_CALL = """# Count

```bash
python3 scripts/count.py text.md {0} words.json
```

The file behind `{0}` is new.
"""
_INLINE = """# 统计

运行 `python3 ${{CLAUDE_SKILL_DIR}}/scripts/count.py text.md {}=300`，然后汇报。
"""
_TOLD = """# Count

Run `scripts/count.py`.

- `--max-words N` stops after N words (default: {})
"""
BEFORE: tuple[Example, ...] = (
    {"SKILL.md": _CALL.format("--outputfile"), "scripts/count.py": _SCRIPT},
    {"SKILL.md": _INLINE.format("--maxwords"), "scripts/count.py": _SCRIPT},
    {"SKILL.md": _TOLD.format(500), "scripts/count.py": _SCRIPT},
)
AFTER: tuple[Example, ...] = (
    {"SKILL.md": _CALL.format("--output-file"), "scripts/count.py": _SCRIPT},
    {"SKILL.md": _INLINE.format("--max-words"), "scripts/count.py": _SCRIPT},
    {"SKILL.md": _TOLD.format(800), "scripts/count.py": _SCRIPT},
)
