"""Keeps one of two state fields that hold the same data, and lets every place use that one.

Only where the second field is set once and declared nowhere, the first is not set again after that, and every place that
names the second can be pointed at the first.
"""

import re
from collections.abc import Iterator

from actions.facts.state.fields import Act, FieldUse, field_uses
from actions.skill import Case, Skill
from actions.strategies.edits import Edit, edit, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("deduplicate_storage", mends=("APV-006",), risk=Risk.MEDIUM)
_SET = re.compile(
    r"^\s*(?P<root>\w*[sS]tate)(?:\.|\[[\"'])(?P<second>\w+)(?:[\"']\])?\s*=\s*"
    r"(?P<value>(?:\w*[sS]tate(?:\.|\[[\"']))?(?P<name>\w+)(?:[\"']\])?);?\s*$"
)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the one field; None where the second may be a copy on purpose, or is named in another way."""
    skill, file = case.skill, case.skill.by_path[issue.location.file]
    number = issue.location.line_start or 0
    match = _SET.match(file.doc.line(number))
    first = _first(skill, match, file.path, number) if match else None
    if match is None or first is None or not _is_steady(skill, match["second"], first, (file.path, number)):
        return None
    edits = _edits(skill, match["second"], first, (file.path, number))
    if edits is None:
        return None
    return Draft(
        writes={path: edit(skill.by_path[path], changes) for path, changes in edits.items()},
        description=f"Use `{first}` wherever the state held the same data as `{match['second']}`.",
        rationale="Two fields with one content are paid twice, and one day they differ.",
        impact="The state is shorter, and there is one field to change.",
        token_limit=0,
        drops=(file.doc.line(number),),
        rewrites=tuple(line for path, changes in edits.items() for line in reworded(skill.by_path[path], changes)),
    )


def _first(skill: Skill, match: re.Match[str], path: str, number: int) -> str | None:
    """Give the field that holds the same: the one assigned, or the one that the same variable was put into above."""
    if match["value"] != match["name"]:
        return match["name"]
    same = (
        u for u in field_uses(skill) if u.act is Act.SET and u.value.rstrip(";") == match["name"] and u.file == path
    )
    return next((use.name for use in same if use.line < number and use.name != match["second"]), None)


def _is_steady(skill: Skill, second: str, first: str, place: tuple[str, int]) -> bool:
    uses = field_uses(skill)
    mine = [use for use in uses if use.name == second and use.act in (Act.SET, Act.DECLARE)]
    return len(mine) == 1 and not any(_sets_later(use, first, place) for use in uses)


def _sets_later(use: FieldUse, first: str, place: tuple[str, int]) -> bool:
    return use.name == first and use.act is Act.SET and (use.file != place[0] or use.line > place[1])


def _edits(skill: Skill, second: str, first: str, place: tuple[str, int]) -> dict[str, list[Edit]] | None:
    """Give the edits per file, or None where the second field is named otherwise than as a field of the state."""
    access = re.compile(rf"(?<![\w$])(?P<lead>\w*[sS]tate(?:\??\.|\[[\"'])){second}(?!\w)")
    edits: dict[str, list[Edit]] = {}
    for path, number, line in _naming(skill, second):
        named = len(re.findall(rf"(?<!\w){second}(?!\w)", line))
        if not skill.by_path[path].is_instruction or len(access.findall(line)) < named:
            return None
        new = [] if (path, number) == place else [access.sub(lambda m: m["lead"] + first, line)]
        edits.setdefault(path, []).append(Edit(number, number, new))
    return edits


def _naming(skill: Skill, name: str) -> Iterator[tuple[str, int, str]]:
    word = re.compile(rf"(?<!\w){name}(?!\w)")
    for file in skill.files:
        if name in file.text:
            yield from ((file.path, n, line) for n, line in enumerate(file.doc.lines, 1) if word.search(line))


BEFORE = (
    "# Sift\n\nThe state is in `state.json`.\n\n```javascript\nstate.findings = found\nstate.report_findings = state.findings;\n"
    "if (state.report_findings.length) tell(state.report_findings)\n```\n\nShow `state.report_findings` to the user.\n",
    '# 筛选\n\n```python\nrows = load()\nstate["rows"] = rows\nstate["all_rows"] = rows\nTask(prompt=state["all_rows"])\n```\n\n代理失败时报告。\n',
)
AFTER = (
    "# Sift\n\nThe state is in `state.json`.\n\n```javascript\nstate.findings = found\n"
    "if (state.findings.length) tell(state.findings)\n```\n\nShow `state.findings` to the user.\n",
    '# 筛选\n\n```python\nrows = load()\nstate["rows"] = rows\nTask(prompt=state["rows"])\n```\n\n代理失败时报告。\n',
)
