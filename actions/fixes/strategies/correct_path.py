"""Correct the path of a missing file to the only file of its name, or nearly of its name beside it.

The path is one in a Markdown link, or one that a hook or a server starts. All places of the unit with the same path are
corrected. With no candidate, or with two, nothing is done. Where the file is in another folder, the risk is medium.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.project.dead_links import find_dead_links
from actions.project.near_path import find_near_path, is_same_place
from actions.project.started_files import find_started_files
from actions.skill.example import Example
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("correct_path", fixes=("PRJ-003", "PRJ-012"), risk=Risk.LOW)
_VARIABLE = re.compile(r"\$\{?CLAUDE_\w+\}?/?")
_BEFORE_WORD = r"\$\{?CLAUDE_\w+\}?(?:\\?[\"'])?/"
_BEFORE_LINK = r"\]\(\s*<?|^\s*\[[^\]\n]+\]:\s*<?"
_AFTER = r"(?![\w./%-])"


@dataclass(frozen=True)
class _DeadPath:
    """A path to nothing: its line, how it is written, the file of the project that it names, and where it counts from.

    `before` is an expression for what stands before it, `top` the folder in which the file may be instead.
    """

    line: int
    written: str
    path: str
    base: str
    top: str
    before: str


def propose(issue: Issue, case: Case) -> Draft | None:
    """Correct each dead path on the issue's line, and the same path elsewhere in the unit."""
    known = list(_list_words(case) if issue.pattern == "PRJ-003" else _list_links(case))
    here = {one.path for one in known if one.line == issue.location.line_start}
    wrong = {(one.line, one.written): one for one in known if one.path in here}.values()
    meant = {one.path: find_near_path(case.project, one.path, one.top) for one in wrong}
    lines: dict[tuple[str, int], str] = {}
    for one in wrong:
        near, at = meant[one.path], (case.skill.main_path, one.line)
        old = lines.get(at, case.skill.main.doc.line(one.line))
        lines[at] = _replace_path(old, one, posixpath.relpath(near, one.base or ".")) if near else old
        if lines[at] == old:
            return None
    pairs = [(old, new) for old, new in meant.items() if new]
    if not pairs:
        return None
    draft = draft_line_changes(
        case.skill,
        lines,
        description="Correct the path: " + ", ".join(f"`{old}` is `{new}`" for old, new in pairs) + ".",
        rationale="No such file exists, and exactly one has this name, or nearly this name beside it.",
        impact="The file that the text names is found.",
        tokens=20 * len(lines),
    )
    return draft if all(is_same_place(*pair) for pair in pairs) else replace(draft, risk=Risk.MEDIUM)


def _list_words(case: Case) -> Iterator[_DeadPath]:
    for file in find_started_files(case.project, case.unit):
        if not file.exists:
            base = (case.unit.plugin_root or "") if "PLUGIN_ROOT" in file.word else ""
            written = _VARIABLE.sub("", file.word, count=1)
            yield _DeadPath(file.line, written, file.path, base, case.unit.plugin_root or "", _BEFORE_WORD)


def _list_links(case: Case) -> Iterator[_DeadPath]:
    unit = case.unit
    for link in find_dead_links(case.project, unit, case.skill.main):
        path = posixpath.normpath(posixpath.join(unit.folder, link.target))
        yield _DeadPath(link.line, link.target, path, unit.folder, unit.plugin_root or "", _BEFORE_LINK)


def _replace_path(line: str, dead: _DeadPath, new: str) -> str:
    pattern = re.compile(f"({dead.before})(?:\\./)?{re.escape(dead.written.removeprefix('./'))}{_AFTER}")
    return pattern.sub(lambda match: match[1] + new, line)


_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
_HOOKS = '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "bash %s"}]}]}}\n'
_AGENT = "---\nname: counter\ndescription: Counts.\n---\n\nCount by the [list](%s).\n"
_SCRIPT = {"scripts/check.sh": "exit 0\n"}
_LIST = {"docs/bird-list.md": "# List\n"}
BEFORE: tuple[Example, ...] = (
    {**_PLUGIN, **_SCRIPT, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/scripts/chek.sh"},
    {**_PLUGIN, **_LIST, "agents/counter.md": _AGENT % "../docs/bird_list.md"},
)
AFTER: tuple[Example, ...] = (
    {**_PLUGIN, **_SCRIPT, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/scripts/check.sh"},
    {**_PLUGIN, **_LIST, "agents/counter.md": _AGENT % "../docs/bird-list.md"},
)
